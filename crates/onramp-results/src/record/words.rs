//! The words in which a record describes its path and its algorithms.

use super::Record;
use onramp_scenario::random::Interval;
use onramp_scenario::units::{format_percent, format_rate, format_size, format_time, parse_size};
use onramp_scenario::{
    format_byte_counting, format_parameter, ByteCounting, Case, Channel, Clocks, Connect,
    Connections, Dscp, Given, Hosts, InitialRate, IpVersion, Memory, Pace, Path, SearchVersion,
    Stack, Timers, Traffic, Transfer, Transfers, Without, NO_STARTUP,
};

/// The default of `transfer.split_buffer`, which has no words.
const DEFAULT_SPLIT_BUFFER_BYTES: u64 = 4 << 20;
/// The default of `path.mtu`, which has no words.
const DEFAULT_MTU_BYTES: u32 = 1500;
/// Further changes are only counted.
const MAX_CHANGES: usize = 4;

/// The writes of an application, `100 kB every 10 ms, unasked (sender connects)`, or the requests
/// of its receiver, `5 requests, think 2 s` or `30 requests, play 4 s, buffer 30 s`. Empty if it
/// has all of the payload when the receiver requests it.
pub(super) fn application(transfer: &Transfer) -> String {
    let writes = transfer.application.as_ref().map(|writes| {
        let sizes: Vec<String> = writes
            .write_bytes
            .iter()
            .copied()
            .map(format_size)
            .collect();
        let times: Vec<String> = writes.every_ns.iter().copied().map(format_time).collect();
        format!("{} every {}", sizes.join(" "), times.join(" "))
    });
    let requests = transfer.requests.map(|requests| {
        let pace = match requests.pace {
            Pace::Think(Interval::Fixed(0)) => String::new(),
            Pace::Think(think) => format!(", think {think}"),
            Pace::Play(player) => {
                let [segment, buffer] = [player.segment_ns, player.buffer_ns].map(format_time);
                format!(", play {segment}, buffer {buffer}")
            }
        };
        format!("{} requests{pace}", requests.count)
    });
    let words = [writes, requests, unasked(transfer.connect)];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The words of data that nobody requests.
pub(super) fn unasked(connect: Connect) -> Option<String> {
    (connect == Connect::Sender).then(|| "unasked (sender connects)".to_owned())
}

/// A start-up with its parameters: `paced`, `gamma 34 %`, `spaced 1.8 Mbit/s`, `qos 1 Mbit/s burst
/// 10 kB`, `onramp memory careful`, `onramp without spacing`, `standard without HyStart` or
/// `search thresh 30 %`.
pub(super) fn startup(startup: &str, given: Given, memory: Memory) -> String {
    let gamma = given.gamma_ppm.map(format_percent);
    let pace = given.pace_bits_per_s.map(format_rate);
    let rate = given.qos_rate_bits_per_s.map(format_rate);
    let burst = given
        .qos_burst_bytes
        .map(|bytes| format!("burst {}", format_size(bytes)));
    let without =
        (given.without != Without::default()).then(|| format!("without {}", given.without.name()));
    let initial_rate = match given.initial_rate {
        InitialRate::Auto => None,
        InitialRate::Off => Some("initial rate off".to_owned()),
        InitialRate::BitsPerS(bits) => Some(format!("initial rate {}", format_rate(bits))),
    };
    let search = (given.search != SearchVersion::default()).then(|| given.search.name().to_owned());
    let hystart = given.hystart_is_off.then(|| "without HyStart".to_owned());
    let memory = (memory != Memory::Off).then(|| format!("memory {}", memory.name()));
    let words = [
        gamma,
        pace,
        rate,
        burst,
        search,
        initial_rate,
        memory,
        without,
        hystart,
    ]
    .into_iter()
    .flatten();
    let parameters = given.parameters.changed(startup).map(|(parameter, value)| {
        format!("{} {}", parameter.key(), format_parameter(parameter, value))
    });
    std::iter::once(startup.to_owned())
        .chain(words)
        .chain(parameters)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Timers, and clocks if they are not the stack's: `decoupled, clock 1 ms, tick 10 ms`.
pub(super) fn timers(stack: Stack, timers: Timers, clocks: Clocks) -> String {
    let usual = Clocks::of(stack);
    let mut words = timers.name().to_owned();
    for (name, ns, usual_ns) in [
        ("clock", clocks.clock_ns, usual.clock_ns),
        ("tick", clocks.tick_ns, usual.tick_ns),
    ] {
        if ns != usual_ns {
            words += &format!(", {name} {}", format_time(ns));
        }
    }
    words
}

/// Other parameters of a sender's TCP that are not the default of its stack or route: `segment 512
/// B, byte counting 2 segments`.
pub(super) fn sender_tcp(transfer: &Transfer) -> String {
    let usual = onramp_tcp::Config::of(transfer.stack, 1500);
    let scaling = if transfer.window_scaling {
        "window scaling"
    } else {
        "no window scaling"
    };
    let counting = |limit: ByteCounting| format!("byte counting {}", format_byte_counting(limit));
    let words = [
        ip(transfer.ip),
        transfer
            .segment_bytes
            .map(|bytes| format!("segment {}", format_size(bytes.into()))),
        (transfer.window_scaling != usual.window_scaling).then(|| scaling.to_owned()),
        transfer.ecn.then(|| ECN.to_owned()),
        (transfer.byte_counting != usual.byte_counting).then(|| counting(transfer.byte_counting)),
        dscp(transfer.dscp),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The implementation of QUIC.
pub(super) const QUIC_STACK: &str = "noq";

/// The word of connections over IPv6.
pub(super) const IPV6: &str = "IPv6";

/// The IP version of a connection, if it is not the usual one.
fn ip(ip: IpVersion) -> Option<String> {
    match ip {
        IpVersion::V4 => None,
        IpVersion::V6 => Some(IPV6.to_owned()),
    }
}

/// The word of connections with explicit congestion notification.
const ECN: &str = "ECN";

/// The parameters of the TCP of traffic that are not the default of its stack.
pub(super) fn traffic_tcp(traffic: &Traffic, transfers: &Transfers) -> String {
    let words = [
        ip(transfers.ip),
        transfers.ecn.then(|| ECN.to_owned()),
        dscp(traffic.dscp),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The code point with which a sender marks its packets, if it marks them.
pub(super) fn dscp(dscp: Dscp) -> Option<String> {
    match dscp {
        Dscp::BestEffort => None,
        Dscp::Ef => Some("EF".to_owned()),
    }
}

/// The parameters of a path that are not the default: `codel, jitter 5 ms, policer 20 Mbit/s 100
/// kB`. Rate, round-trip time, queue and loss of the forward path have columns of their own.
pub(super) fn path(path: &Path, hosts: Hosts) -> String {
    let (forward, reverse) = (&path.forward, &path.reverse);
    let mut words = forward.describe();
    if path.mtu_bytes != DEFAULT_MTU_BYTES {
        words.push(format!("mtu {}", format_size(path.mtu_bytes.into())));
    }
    words.extend(changes(forward));
    let reverse = return_path(path, forward, reverse);
    if !reverse.is_empty() {
        words.push(format!("back: {}", reverse.join(", ")));
    }
    if hosts == Hosts::Noisy {
        words.push("noisy hosts".to_owned());
    }
    words.join(", ")
}

/// The parameters of the return path that differ from the forward path or from the default.
fn return_path(path: &Path, forward: &Channel, reverse: &Channel) -> Vec<String> {
    let mut words = Vec::new();
    if reverse.rate_bits_per_s != forward.rate_bits_per_s {
        words.push(format_rate(reverse.rate_bits_per_s));
    }
    if reverse.delay_ns != path.rtt_ns / 2 {
        words.push(format_time(reverse.delay_ns));
    }
    if reverse.queue != forward.queue {
        words.push(format!("queue {}", reverse.queue));
    }
    if reverse.bursts.is_some()
        || reverse.loss_every.is_some()
        || reverse.loss_ppm > 0
        || reverse.recorded_loss.is_some()
    {
        words.push(format!("loss {}", reverse.describe_loss()));
    }
    words.extend(reverse.describe());
    // Both directions share the delay of a change, so delays are not compared.
    let compared = |channel: &Channel| -> Vec<_> {
        let changes = channel.changes.iter();
        changes
            .map(|change| (change.at_ns, change.rate_bits_per_s, change.loss_ppm))
            .collect()
    };
    if compared(reverse) != compared(forward) {
        words.extend(changes(reverse));
    }
    words
}

fn changes(channel: &Channel) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for change in channel.changes.iter().take(MAX_CHANGES) {
        let rate = change
            .rate_bits_per_s
            .map(|rate| format!(" {}", format_rate(rate)))
            .unwrap_or_default();
        let delay = change
            .delay_ns
            .map(|ns| format!(" {} one way", format_time(ns)))
            .unwrap_or_default();
        let loss = change
            .loss_ppm
            .map(|ppm| format!(" loss {}", format_percent(ppm)))
            .unwrap_or_default();
        let at = format_time(change.at_ns);
        words.push(format!("from {at}{rate}{delay}{loss}"));
    }
    let more = channel.changes.len().saturating_sub(MAX_CHANGES);
    if more > 0 {
        words.push(format!("{more} more changes"));
    }
    words
}

/// The recovery and the timers of a stack, which have no words.
fn usual_tcp(stack: &str) -> (&'static str, &'static str) {
    match stack {
        "lite" => ("reno", "bsd"),
        _ => ("rack", "linux"),
    }
}

/// The connections of a case's transfer: `4 connections, split at edge, ground, buffer 64 KiB, rate
/// 10 Mbit/s`. Empty for one end-to-end connection. The buffer of relays has words only if it is
/// not the default.
pub fn connections(case: &Case) -> String {
    let mut words = Vec::new();
    match case.transfer.connections {
        Connections::ONE => {}
        Connections::Fixed(number) => words.push(format!("{number} connections")),
        Connections::Adaptive => words.push("adaptive connections".to_owned()),
        Connections::Multiplexed => words.push("multiplexed".to_owned()),
    }
    if let Some(split) = &case.transfer.split {
        let nodes: Vec<_> = split
            .nodes
            .iter()
            .map(|node| case.network.nodes[*node].as_str())
            .collect();
        words.push(format!("split at {}", nodes.join(", ")));
        if split.buffer_bytes != DEFAULT_SPLIT_BUFFER_BYTES {
            words.push(format!("buffer {}", format_size(split.buffer_bytes)));
        }
        words.extend(
            split
                .rate_bits_per_s
                .map(|rate| format!("rate {}", format_rate(rate))),
        );
    }
    words.join(", ")
}

/// Describes a case in a line: `geo: 1 MB, paced + cubic, run 2`.
pub fn describe_case(case: &Case) -> String {
    let size = match case.transfer.sizes {
        Some(sizes) => sizes.name().to_owned(),
        None => format_size(case.transfer.size_bytes),
    };
    // The algorithms do not depend on the host.
    let algorithms = Record::of_case(case, "").algorithms();
    format!("{}: {size}, {algorithms}, run {}", case.scenario, case.run)
}

/// The `mtu` of the path that these words of a record describe.
pub(super) fn mtu_bytes(path: &str) -> u64 {
    let mtu = path.split(", ").find_map(|word| word.strip_prefix("mtu "));
    mtu.and_then(|size| parse_size(size).ok())
        .unwrap_or(u64::from(DEFAULT_MTU_BYTES))
}

impl Record {
    /// The name of the transfer in tables: the scenario's label, or the sender's algorithms, as in
    /// `cubic`, `paced + cubic, IW 4`, `reno, lite, newreno` or `reno, lite, decoupled timers,
    /// clock 1 ms, tick 10 ms, segment 512 B`.
    pub fn algorithms(&self) -> String {
        if !self.label.is_empty() {
            return self.label.clone();
        }
        let mut label = String::new();
        if self.startup != NO_STARTUP {
            label += &format!("{} + ", self.startup);
        }
        label += &self.avoidance;
        if self.initial_window != "host" {
            label += &format!(", IW {}", self.initial_window);
        }
        let (name, clocks) = self.timers.split_once(", ").unwrap_or((&self.timers, ""));
        if self.stack == QUIC_STACK {
            label += ", QUIC";
        } else {
            let (recovery, timers) = usual_tcp(&self.stack);
            if self.stack != "linux" {
                label += &format!(", {}", self.stack);
            }
            if self.recovery != recovery {
                label += &format!(", {}", self.recovery);
            }
            if name != timers {
                label += &format!(", {name} timers");
            }
        }
        for words in [clocks, &self.sender_tcp]
            .into_iter()
            .filter(|words| !words.is_empty())
        {
            label += &format!(", {words}");
        }
        if !self.connections.is_empty() {
            label += &format!(", {}", self.connections);
        }
        label
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(path: &str) -> String {
        let text = format!(
            "name = \"x\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 ms\"\n{path}\
             [[transfer]]\nsize = \"1 B\"\n"
        );
        let case = onramp_scenario::parse("x.toml", &text)
            .unwrap()
            .cases
            .remove(0);
        super::path(&case.path, case.hosts)
    }

    #[test]
    fn a_start_up_is_named_with_its_parameters() {
        let reserved = Given {
            qos_rate_bits_per_s: Some(1_000_000),
            qos_burst_bytes: Some(10_000),
            ..Given::default()
        };
        assert_eq!(
            startup("qos", reserved, Memory::Off),
            "qos 1 Mbit/s burst 10 kB"
        );
        assert_eq!(
            startup(
                "qos",
                Given {
                    qos_burst_bytes: None,
                    ..reserved
                },
                Memory::Off
            ),
            "qos 1 Mbit/s"
        );
        assert_eq!(
            startup(
                "gamma",
                Given {
                    gamma_ppm: Some(340_000),
                    ..Given::default()
                },
                Memory::Off
            ),
            "gamma 34 %"
        );
        assert_eq!(startup("none", Given::default(), Memory::Off), "none");
        assert_eq!(
            startup("onramp", Given::default(), Memory::AtOnce),
            "onramp memory at-once"
        );
        let without = Given {
            without: Without::all()[1],
            ..Given::default()
        };
        assert_eq!(
            startup("onramp", without, Memory::Off),
            "onramp without measuring"
        );
        let linux = Given {
            search: SearchVersion::all()[1],
            ..Given::default()
        };
        assert_eq!(startup("search", linux, Memory::Off), "search linux");
    }

    #[test]
    fn a_plain_path_has_no_words() {
        assert_eq!(words("queue = \"40 packets\"\nloss = \"1 %\"\n"), "");
    }

    #[test]
    fn parameters_that_are_not_the_default_are_named() {
        let elements = "discipline = \"codel\"\njitter = \"5 ms\"\npolicer_rate = \"20 Mbit/s\"\n\
                        policer_burst = \"100 kB\"\n";
        assert_eq!(
            words(elements),
            "codel, jitter 5 ms, policer 20 Mbit/s 100 kB"
        );
        let marks = "discipline = \"fq-codel\"\necn = true\n";
        assert_eq!(words(marks), "fq-codel ECN");
        let more = "duplicate = \"1 %\"\njitter = \"5 ms\"\nreorder = true\n\
                    aggregate = \"2 ms\"\nmtu = \"9000 B\"\nqueue = \"40 packets\"\n\
                    discipline = \"red\"\n[path.bursts]\nenter = \"1 %\"\nleave = \"30 %\"\n";
        assert_eq!(
            words(more),
            "red 3 packets–10 packets 10 % weight 0.2 %, bursts 1 % to 30 %, losing 0 % and 100 %, \
             duplicate 1 %, jitter 5 ms reordering, aggregate 2 ms or 64, mtu 9 kB"
        );
        let changed = "[[path.change]]\nat = \"2 s\"\nrate = \"1 Mbit/s\"\nrtt = \"200 ms\"\n";
        assert_eq!(words(changed), "from 2 s 1 Mbit/s 100 ms one way");
        let outage = "[[path.change]]\nat = \"30 s\"\nloss = \"100 %\"\n\
                      [[path.change]]\nat = \"32 s\"\nloss = \"0 %\"\n";
        assert_eq!(words(outage), "from 30 s loss 100 %, from 32 s loss 0 %");
        assert_eq!(
            words(&format!("[path.reverse]\nrate = \"8 Mbit/s\"\n{outage}")),
            words(outage)
        );
        assert_eq!(
            words("[path.reverse]\nack_filter = true\n"),
            "back: ACK filter"
        );
        let back =
            "[path.reverse]\nrate = \"1 Mbit/s\"\nloss = \"2 %\"\ndiscipline = \"fq-codel\"\n";
        assert_eq!(
            words(back),
            "back: 1 Mbit/s, queue 10240 packets, loss 2 %, fq-codel"
        );
    }
}
