//! Kinds of values that name something: a scenario, a node, an algorithm, a choice.

use crate::mistake::Mistake;
use crate::model::{
    parse_byte_counting, Avoidance, Buffer, Connect, Connections, Distribution, Dscp, Hosts,
    InitialWindow, Memory, Payload, Transport, NO_STARTUP,
};
use crate::random::Interval;
use onramp_config::key::{
    choice_kinds, quantity_kinds, unknown_name, Form, Integer, KeyPlace, Kind, Known,
};
use onramp_config::units::parse_rate;
use onramp_config::{shown, AnyMistake, FileMistake};
use onramp_core::pairs::Form as PairForm;
use onramp_core::{InitialRate, SearchVersion, Train, Without};
use onramp_tcp::{Acks, ByteCounting, IpVersion, Lie, PacketPair, Recovery, Stack, Timers};

quantity_kinds! {
    /// The size of a socket buffer.
    BufferSize: Buffer, "buffer",
        "a buffer in quotes: \"linux-default\", or a size, for example \"64 MiB\"", str::parse,
        Buffer::measure;
    /// An initial window.
    Window: InitialWindow, "initial window",
        "an initial window in quotes: \"host\", \"paper\" or, for example, \"10 segments\"",
        str::parse, InitialWindow::measure;
    /// What leaves behind the initial window in the first round trip.
    FirstRate: InitialRate, "initial rate",
        "an initial rate in quotes: \"auto\", \"off\" or, for example, \"10 Mbit/s\"",
        |text| InitialRate::parse(text, parse_rate),
        |rate| match rate {
            InitialRate::Auto | InitialRate::Off => None,
            InitialRate::BitsPerS(bits) => Some((0, *bits)),
        };
    /// A time, or times that are drawn.
    Pause: Interval, "time, or `exponential`",
        "a time in quotes, for example \"2 s\" or \"exponential 200 ms\"", Interval::parse,
        |pause| Some((0, pause.mean_ns()));
    /// The payload of transfers.
    PayloadSize: Payload, "size, or distribution",
        "a size in quotes, for example \"1 MB\", or \"web-search\" or \"data-mining\"",
        Payload::parse, |payload| match payload {
            Payload::Bytes(bytes) => Some((0, *bytes)),
            Payload::Drawn(_) => None,
        };
    /// A limit of byte counting.
    Counting: ByteCounting, "byte counting",
        "a limit in quotes: \"unlimited\" or, for example, \"2 segments\"", parse_byte_counting,
        |counting| match counting {
            ByteCounting::Unlimited => None,
            ByteCounting::Segments(segments) => Some((0, u64::from(segments.get()))),
        };
}

choice_kinds! {
    /// A congestion avoidance.
    AvoidanceName: Avoidance, "avoidance",
        "the name of a congestion avoidance in quotes, for example \"cubic\"",
        Avoidance::ALL, Avoidance::name;
    /// A transport protocol.
    TransportName: Transport, "transport", "a transport protocol in quotes: \"tcp\" or \"quic\"",
        Transport::ALL, Transport::name;
    /// A TCP.
    StackName: Stack, "stack", "the name of a stack in quotes, for example \"linux\"",
        Stack::ALL, Stack::name;
    /// An IP version.
    IpVersionName: IpVersion, "IP version", "an IP version in quotes: \"v4\" or \"v6\"",
        IpVersion::ALL, IpVersion::name;
    /// A loss recovery.
    RecoveryName: Recovery, "recovery",
        "the name of a loss recovery in quotes, for example \"newreno\"",
        Recovery::ALL, Recovery::name;
    /// A retransmission timer.
    TimersName: Timers, "timers", "the name of timers in quotes, for example \"bsd\"",
        Timers::ALL, Timers::name;
    /// The end that connects.
    ConnectEnd: Connect, "end", "the end that connects in quotes: \"receiver\" or \"sender\"",
        Connect::ALL, Connect::name;
    /// How a rate is derived from ACKs.
    TrainReading: Train, "reading",
        "a reading of ACKs in quotes: \"line\", \"ends\", \"closest\", \"latest\" or \"calm\"",
        Train::all(), Train::name;
    /// An idea of start-up `onramp`.
    Idea: Without, "idea",
        "an idea of the start-up in quotes, which is switched off, for example \"spacing\"",
        Without::all(), Without::name;
    /// A version of start-up `search`.
    Search: SearchVersion, "version",
        "a version of SEARCH in quotes: \"draft\", \"linux\" or \"freebsd\"",
        SearchVersion::all(), SearchVersion::name;
    /// How paths are remembered.
    MemoryMode: Memory, "memory",
        "how a path is remembered in quotes: \"off\", \"careful\" or \"at-once\"",
        Memory::ALL, Memory::name;
    /// How packets are marked.
    CodePoint: Dscp, "code point", "a code point in quotes: \"best-effort\" or \"ef\"",
        Dscp::ALL, Dscp::name;
    /// What processing at hosts adds to the times of packets.
    HostsName: Hosts, "hosts", "hosts in quotes: \"exact\" or \"noisy\"",
        Hosts::ALL, Hosts::name;
    /// When a receiver sends ACKs.
    AckPolicy: Acks, "acks", "the name of an ACK policy in quotes, for example \"delayed\"",
        Acks::ALL, Acks::name;
    /// How a receiver deceives the sender.
    LieName: Lie, "lie", "a lie in quotes, for example \"losses\"", Lie::ALL, Lie::name;
    /// How a receiver reacts to packet pairs.
    PairReaction: PacketPair, "packet pairs",
        "a reaction to packet pairs in quotes, for example \"answer\"",
        PacketPair::ALL, PacketPair::name;
    /// The form of the packet-pair option.
    PairOptionForm: PairForm, "form",
        "a form of the option in quotes: \"experiment\" or \"paper\"",
        PairForm::ALL, PairForm::name;
    /// A kind of traffic.
    TrafficName: &'static str, "kind of traffic",
        "a kind of traffic in quotes, for example \"constant\"", KINDS_OF_TRAFFIC, |name| name;
    /// The distribution of times.
    DistributionName: Distribution, "distribution",
        "a distribution in quotes: \"exponential\" or \"fixed\"",
        Distribution::ALL, Distribution::name;
}

/// The names of the kinds of traffic, in the order of the reference.
const KINDS_OF_TRAFFIC: [&str; 4] = ["transfer", "constant", "poisson", "on-off"];

/// Whether a text can name a file and a row of a table.
fn is_file_name(text: &str) -> bool {
    let is_accepted = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    (1..=64).contains(&text.len()) && !text.starts_with('-') && text.bytes().all(is_accepted)
}

/// The text as the name of such a thing.
fn file_name(what: &'static str, text: &str) -> Result<String, AnyMistake> {
    let found = shown(text);
    let bad_name = || Mistake::BadName { what, found }.into();
    is_file_name(text)
        .then(|| text.to_owned())
        .ok_or_else(bad_name)
}

/// The name of a scenario.
#[derive(Debug)]
pub(crate) struct ScenarioName;

impl Kind for ScenarioName {
    type Value = String;
    const NAME: &'static str = "name";
    const EXPECTED: &'static str = "a name in quotes, for example \"geo-download\"";

    fn parse(text: &str, _: &Known, _: &KeyPlace) -> Result<String, AnyMistake> {
        file_name("scenario", text)
    }
}

/// The name of a new node.
#[derive(Debug)]
pub(crate) struct NodeName;

impl Kind for NodeName {
    type Value = String;
    const NAME: &'static str = "node";
    const EXPECTED: &'static str = "the name of a node in quotes";

    fn parse(text: &str, _: &Known, _: &KeyPlace) -> Result<String, AnyMistake> {
        file_name("node", text)
    }
}

/// A node's place in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node(pub usize);

/// A node of the network by its name.
#[derive(Debug)]
pub(crate) struct KnownNode;

impl Kind for KnownNode {
    type Value = Node;
    const NAME: &'static str = "node";
    const EXPECTED: &'static str = "the name of a node in quotes";

    fn parse(text: &str, known: &Known, place: &KeyPlace) -> Result<Node, AnyMistake> {
        let node = known.nodes.iter().position(|node| node == text);
        let names = known.nodes.iter().map(String::as_str);
        node.map(Node)
            .ok_or_else(|| unknown_name(names, place, text).into())
    }
}

/// A start-up algorithm, or `none`.
#[derive(Debug)]
pub(crate) struct StartupName;

impl Kind for StartupName {
    type Value = String;
    const NAME: &'static str = "start-up";
    const EXPECTED: &'static str = "the name of a start-up in quotes, for example \"paced\"";

    fn parse(text: &str, known: &Known, place: &KeyPlace) -> Result<String, AnyMistake> {
        let startups = known.startups.iter().map(String::as_str);
        let names = std::iter::once(NO_STARTUP).chain(startups);
        match names.clone().any(|name| name == text) {
            true => Ok(text.to_owned()),
            false => Err(unknown_name(names, place, text).into()),
        }
    }
}

/// The name of a table's row that is no transfer.
const BOUND: &str = "bound";

/// The name of a row in tables and figures.
#[derive(Debug)]
pub(crate) struct Label;

impl Kind for Label {
    type Value = String;
    const NAME: &'static str = "text";
    const EXPECTED: &'static str = "a text in quotes";

    fn parse(text: &str, _: &Known, _: &KeyPlace) -> Result<String, AnyMistake> {
        let is_good = (1..=40).contains(&text.chars().count())
            && text.trim() == text
            && !text.contains(char::is_control)
            && text != BOUND;
        let bad_label = || Mistake::BadLabel { found: shown(text) }.into();
        is_good.then(|| text.to_owned()).ok_or_else(bad_label)
    }
}

/// A number of connections, or `adaptive`.
#[derive(Debug)]
pub(crate) struct ConnectionCount;

impl Kind for ConnectionCount {
    type Value = Connections;
    const NAME: &'static str = "connections";
    const EXPECTED: &'static str =
        "a number of connections without quotes, for example 4, \"adaptive\" or \"multiplexed\"";
    const FORM: Form = Form::IntegerOrWord;

    fn measure(connections: &Connections) -> Option<(u8, u64)> {
        match *connections {
            Connections::Adaptive | Connections::Multiplexed => None,
            Connections::Fixed(number) => Some((0, u64::from(number))),
        }
    }

    fn parse(text: &str, known: &Known, place: &KeyPlace) -> Result<Connections, AnyMistake> {
        const WORDS: [(&str, Connections); 2] = [
            ("adaptive", Connections::Adaptive),
            ("multiplexed", Connections::Multiplexed),
        ];
        if let Some((_, connections)) = WORDS.iter().find(|(word, _)| *word == text) {
            return Ok(*connections);
        }
        if text.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
            return Integer::<u32>::parse(text, known, place).map(Connections::Fixed);
        }
        let mut mistake = unknown_name(WORDS.iter().map(|(word, _)| *word), place, text);
        if let FileMistake::UnknownName { accepted, .. } = &mut mistake {
            let range = place.facts.range();
            accepted.push(format!("and numbers without quotes, {range}"));
        }
        Err(mistake.into())
    }
}
