//! `[receiver]`, `[sender]` and `[[transfer]]`.

use super::channel::need;
use super::values::{avoidance, boolean, choice, connections, label, startup};
use super::ways::Ways;
use crate::cases::{ReceiverDraft, SenderDraft, TransferDraft, DEFAULT_STARTUP};
use crate::document::{integer, quantity, Reader, Section};
use crate::keys::{self, Key};
use crate::limits::parse_byte_counting;
use crate::units::{format_size, parse_percent, parse_rate, parse_size, parse_time};
use crate::{
    Acks, Application, Connect, Dscp, Memory, Mistake, PacketPair, PairForm, Recovery, Split,
    Stack, Timers, Train, Without,
};

pub(super) fn read_receiver(reader: &mut Reader, top: &Section) -> Option<ReceiverDraft> {
    let section = reader.table(top, &keys::RECEIVER);
    let buffers = reader.list(&section, &keys::RECEIVER_BUFFER, &quantity(str::parse));
    let acks = reader.one(
        &section,
        &keys::RECEIVER_ACKS,
        &choice(Acks::ALL, Acks::name),
    );
    let timestamps = reader.one(&section, &keys::RECEIVER_TIMESTAMPS, &boolean);
    let sack = reader.one(&section, &keys::RECEIVER_SACK, &boolean);
    let window_scaling = reader.one(&section, &keys::RECEIVER_SCALING, &boolean);
    let packet_pair = reader.one(
        &section,
        &keys::RECEIVER_PAIRS,
        &choice(PacketPair::ALL, PacketPair::name),
    );
    let pair_form = reader.one(
        &section,
        &keys::RECEIVER_PAIR_OPTION,
        &choice(&PairForm::ALL, PairForm::name),
    );
    let pair_clock_ns = reader.one(&section, &keys::RECEIVER_PAIR_CLOCK, &quantity(parse_time));
    Some(ReceiverDraft {
        buffers: buffers?,
        acks,
        timestamps,
        sack,
        window_scaling,
        packet_pair,
        pair_form: pair_form?,
        pair_clock_ns,
    })
}

pub(super) fn read_sender(reader: &mut Reader, top: &Section) -> Option<SenderDraft> {
    let section = reader.table(top, &keys::SENDER);
    let buffers = reader.list(&section, &keys::SENDER_BUFFER, &quantity(str::parse));
    let nagle = reader.one(&section, &keys::SENDER_NAGLE, &boolean);
    let window_validation = reader.one(&section, &keys::SENDER_VALIDATION, &boolean);
    let packet_pairs = reader.one(&section, &keys::SENDER_PAIRS, &boolean);
    Some(SenderDraft {
        buffers: buffers?,
        nagle: nagle?,
        window_validation: window_validation?,
        packet_pairs: packet_pairs?,
    })
}

pub(super) fn read_transfer(
    reader: &mut Reader,
    startups: &[&str],
    ways: &Ways,
    section: &Section,
) -> Option<TransferDraft> {
    // The default is none, which nobody can write.
    let label = match section.has(keys::TRANSFER_LABEL.name) {
        true => reader.one(section, &keys::TRANSFER_LABEL, &label),
        false => Some(String::new()),
    };
    let sizes = reader.list(section, &keys::TRANSFER_SIZE, &quantity(parse_size));
    let stacks = reader.list(
        section,
        &keys::TRANSFER_STACK,
        &choice(Stack::ALL, Stack::name),
    );
    let window_scalings = reader.list(section, &keys::TRANSFER_SCALING, &boolean);
    let recoveries = reader.list(
        section,
        &keys::TRANSFER_RECOVERY,
        &choice(Recovery::ALL, Recovery::name),
    );
    let timers = reader.list(
        section,
        &keys::TRANSFER_TIMERS,
        &choice(Timers::ALL, Timers::name),
    );
    let clocks_ns = reader.list(section, &keys::TRANSFER_CLOCK, &quantity(parse_time));
    let ticks_ns = reader.list(section, &keys::TRANSFER_TICK, &quantity(parse_time));
    let startups = reader.list(section, &keys::TRANSFER_STARTUP, &startup(startups));
    let gammas_ppm = reader.list(section, &keys::TRANSFER_GAMMA, &quantity(parse_percent));
    let paces_bits_per_s = reader.list(section, &keys::TRANSFER_PACE, &quantity(parse_rate));
    of_startup(
        reader,
        section,
        &keys::TRANSFER_GAMMA,
        ("gamma", "start-up `gamma`"),
        startups.as_deref(),
    );
    of_startup(
        reader,
        section,
        &keys::TRANSFER_PACE,
        ("spaced", "start-up `spaced`"),
        startups.as_deref(),
    );
    let qos_rates_bits_per_s =
        reader.list(section, &keys::TRANSFER_QOS_RATE, &quantity(parse_rate));
    let qos_bursts_bytes = reader.list(section, &keys::TRANSFER_QOS_BURST, &quantity(parse_size));
    of_qos(
        reader,
        section,
        [&keys::TRANSFER_QOS_RATE, &keys::TRANSFER_QOS_BURST],
        startups.as_deref(),
    );
    let withouts = reader.list(
        section,
        &keys::TRANSFER_WITHOUT,
        &choice(&Without::ALL, Without::name),
    );
    of_startup(
        reader,
        section,
        &keys::TRANSFER_WITHOUT,
        ("onramp", "start-up `onramp`"),
        startups.as_deref(),
    );
    let memories = reader.list(
        section,
        &keys::TRANSFER_MEMORY,
        &choice(&Memory::ALL, Memory::name),
    );
    only_for(
        reader,
        section,
        &keys::TRANSFER_MEMORY,
        REMEMBERING,
        onramp_core::resumes,
        startups.as_deref(),
    );
    let byte_countings = reader.list(
        section,
        &keys::TRANSFER_COUNTING,
        &quantity(parse_byte_counting),
    );
    let avoidances = reader.list(section, &keys::TRANSFER_AVOIDANCE, &avoidance);
    let connect = reader.one(
        section,
        &keys::TRANSFER_CONNECT,
        &choice(&Connect::ALL, Connect::name),
    );
    let train = reader.one(
        section,
        &keys::TRANSFER_TRAIN,
        &choice(&Train::ALL, Train::name),
    );
    let windows = reader.list(section, &keys::TRANSFER_WINDOW, &quantity(str::parse));
    let initial_ssthresh_bytes =
        reader.one(section, &keys::TRANSFER_SSTHRESH, &quantity(parse_size));
    let connections = reader.list(section, &keys::TRANSFER_CONNECTIONS, &connections);
    let dscps = reader.list(
        section,
        &keys::TRANSFER_DSCP,
        &choice(&Dscp::ALL, Dscp::name),
    );
    let count = reader.one(section, &keys::TRANSFER_COUNT, &integer::<u32>);
    let start_ns = reader.one(section, &keys::TRANSFER_START, &quantity(parse_time));
    let spacing_ns = reader.one(section, &keys::TRANSFER_SPACING, &quantity(parse_time));
    let write_bytes = reader.one(section, &keys::TRANSFER_WRITE, &quantity(parse_size));
    let every_ns = reader.one(section, &keys::TRANSFER_EVERY, &quantity(parse_time));
    need(
        reader,
        section,
        &keys::TRANSFER_WRITE,
        &keys::TRANSFER_EVERY,
    );
    need(
        reader,
        section,
        &keys::TRANSFER_EVERY,
        &keys::TRANSFER_WRITE,
    );
    let repeat = reader.one(section, &keys::TRANSFER_REPEAT, &integer::<u32>);
    let ends = ways.read(
        reader,
        section,
        [&keys::TRANSFER_FROM, &keys::TRANSFER_TO],
        count.unwrap_or(1),
    );
    let (from, to) = ends?;
    let mtus = ways.mtus_bytes(&from, &to, count.unwrap_or(1));
    let split = read_split(reader, ways, section, (&from, &to), count.unwrap_or(1));
    Some(TransferDraft {
        label: label?.into(),
        sizes: sizes?,
        segments: read_segments(reader, section, mtus),
        stacks: stacks?,
        window_scalings,
        recoveries,
        timers,
        clocks_ns,
        ticks_ns,
        startups,
        gammas_ppm,
        paces_bits_per_s,
        qos_rates_bits_per_s,
        qos_bursts_bytes,
        withouts: withouts?,
        memories: memories?,
        byte_countings,
        avoidances,
        connect: connect?,
        train: train?,
        windows: windows?,
        initial_ssthresh_bytes,
        from: from.into(),
        to: to.into(),
        split,
        connections: connections?,
        dscps: dscps?,
        count: count?,
        start_ns: start_ns?,
        spacing_ns: spacing_ns?,
        application: write_bytes
            .zip(every_ns)
            .map(|(write_bytes, every_ns)| Application {
                write_bytes,
                every_ns,
            }),
        repeat: repeat?,
    })
}

/// Refuses a key that one start-up alone knows in a table that has another.
fn of_startup(
    reader: &mut Reader,
    section: &Section,
    key: &Key,
    (startup, only): (&str, &'static str),
    startups: Option<&[String]>,
) {
    only_for(
        reader,
        section,
        key,
        only,
        |chosen| chosen == startup,
        startups,
    );
}

/// The start-ups that use what is remembered of a path.
const REMEMBERING: &str = "start-up `onramp`";

/// Refuses a key that some start-ups alone know in a table that has another.
fn only_for(
    reader: &mut Reader,
    section: &Section,
    key: &Key,
    only: &'static str,
    knows: impl Fn(&str) -> bool,
    startups: Option<&[String]>,
) {
    let default = [DEFAULT_STARTUP.to_owned()];
    let other = startups
        .unwrap_or(&default)
        .iter()
        .find(|chosen| !knows(chosen));
    if let Some(chosen) = other.filter(|_| section.has(key.name)).cloned() {
        reader.fault(
            Mistake::NotFor {
                key: key.path(),
                only,
                chosen,
            },
            section.span(key.name),
        );
    }
}

/// A reservation: no start-up but `qos` has one, and `qos` needs its rate.
pub(super) fn of_qos(
    reader: &mut Reader,
    section: &Section,
    keys: [&'static Key; 2],
    startups: Option<&[String]>,
) {
    const QOS: &str = "qos";
    for key in keys {
        of_startup(reader, section, key, (QOS, "start-up `qos`"), startups);
    }
    let [rate, _] = keys;
    if startups.is_some_and(|startups| startups.iter().any(|startup| startup == QOS))
        && !section.has(rate.name)
    {
        let (key, chosen, expected) = (rate.path(), QOS.to_owned(), rate.kind.expected());
        reader.fault(
            Mistake::NeededFor {
                key,
                chosen,
                expected,
            },
            section.header.clone(),
        );
    }
}

/// Sizes of segments that all ways take; `None` in the list is as large as each way takes, which
/// has no size where ways differ.
fn read_segments(
    reader: &mut Reader,
    section: &Section,
    mtus: Option<(u32, u32)>,
) -> Option<Vec<Option<u32>>> {
    let key = &keys::TRANSFER_SEGMENT;
    let sizes = reader.list(section, key, &quantity(parse_size))?;
    let (least, most) = mtus?;
    let mut segments = Vec::new();
    for bytes in sizes {
        if bytes > u64::from(least) {
            let (found, mtu) = (format_size(bytes), format_size(least.into()));
            reader.fault(
                Mistake::LargePacket {
                    key: key.path(),
                    found,
                    mtu,
                },
                section.span(key.name),
            );
        }
        let is_of_way = least == most && bytes == u64::from(least);
        segments.push((!is_of_way).then_some(bytes as u32));
    }
    Some(segments)
}

/// `None`: not split, or wrong, which then is a fault.
fn read_split(
    reader: &mut Reader,
    ways: &Ways,
    section: &Section,
    (from, to): (&[usize], &[usize]),
    count: u32,
) -> Option<Split> {
    let buffer_bytes = reader.one(section, &keys::TRANSFER_SPLIT_BUFFER, &quantity(parse_size));
    let rate_bits_per_s = reader.one(section, &keys::TRANSFER_SPLIT_RATE, &quantity(parse_rate));
    need(
        reader,
        section,
        &keys::TRANSFER_SPLIT_BUFFER,
        &keys::TRANSFER_SPLIT,
    );
    need(
        reader,
        section,
        &keys::TRANSFER_SPLIT_RATE,
        &keys::TRANSFER_SPLIT,
    );
    let nodes = ways.read_split(reader, section, (from, to), count)?;
    Some(Split {
        nodes: nodes.into(),
        buffer_bytes: buffer_bytes?,
        rate_bits_per_s,
    })
}
