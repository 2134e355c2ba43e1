//! `[[traffic]]`.

use super::transfer::of_qos;
use super::values::{avoidance, boolean, choice, distribution, startup, word};
use super::ways::Ways;
use crate::cases::{avoidance_of, tcp_of, ReceiverDraft, SenderDraft};
use crate::document::{integer, quantity, Reader, Section};
use crate::keys::{self, Key};
use crate::units::{format_size, parse_frequency, parse_rate, parse_size, parse_time};
use crate::{
    Buffer, Clocks, Connect, Dscp, Given, Mistake, OnOff, Packets, Poisson, Recovery, Stack,
    Timers, Traffic, TrafficKind, TrafficStart, Transfers,
};
use std::slice;

/// Names of the kinds, in the order in which help texts list them.
pub(crate) const KINDS_OF_TRAFFIC: &[&str] = &["transfer", "constant", "poisson", "on-off"];

/// How long before the transfer traffic starts that does not say when.
const USUAL_LEAD_NS: u64 = 5_000_000_000;

/// The packets of traffic that does not say how large they are.
const USUAL_PACKET_BYTES: u32 = 1500;

/// Keys by the kinds that have them, other than those that all have.
static OF_TRANSFERS: &[&Key] = &[
    &keys::TRAFFIC_STACK,
    &keys::TRAFFIC_RECOVERY,
    &keys::TRAFFIC_TIMERS,
    &keys::TRAFFIC_CLOCK,
    &keys::TRAFFIC_TICK,
    &keys::TRAFFIC_STARTUP,
    &keys::TRAFFIC_QOS_RATE,
    &keys::TRAFFIC_QOS_BURST,
    &keys::TRAFFIC_AVOIDANCE,
    &keys::TRAFFIC_CONNECT,
    &keys::TRAFFIC_SSTHRESH,
    &keys::TRAFFIC_SIZE,
    &keys::TRAFFIC_COUNT,
    &keys::TRAFFIC_ARRIVALS,
    &keys::TRAFFIC_MEASURED,
];
static OF_PACKETS: &[&Key] = &[&keys::TRAFFIC_RATE, &keys::TRAFFIC_PACKET];
static OF_ON_OFF: &[&Key] = &[
    &keys::TRAFFIC_ON,
    &keys::TRAFFIC_OFF,
    &keys::TRAFFIC_DISTRIBUTION,
];

/// Traffic whose receivers have the default buffer. `run_ends`: at some time, whatever is
/// unfinished.
pub(super) fn read_traffic(
    reader: &mut Reader,
    startups: &[&str],
    ways: &Ways,
    hosts: (Option<&ReceiverDraft>, Option<&SenderDraft>),
    run_ends: bool,
    section: &Section,
) -> Option<Traffic> {
    let kind = reader.one(section, &keys::TRAFFIC_KIND, &word(KINDS_OF_TRAFFIC));
    let transfers = read_transfers(reader, startups, hosts, section);
    let measured = reader.one(section, &keys::TRAFFIC_MEASURED, &boolean);
    let dscp = reader.one(
        section,
        &keys::TRAFFIC_DSCP,
        &choice(&Dscp::ALL, Dscp::name),
    );
    let start = read_start(reader, section);
    let stop_ns = reader.one(section, &keys::TRAFFIC_STOP, &quantity(parse_time));
    let ends = ways.read(reader, section, [&keys::TRAFFIC_FROM, &keys::TRAFFIC_TO], 1);
    let mtu_bytes = ends
        .as_ref()
        .and_then(|(from, to)| ways.mtu_bytes(from[0], to[0]));
    let packets = read_packets(reader, section, kind, mtu_bytes.unwrap_or(u32::MAX));
    let kind = match kind? {
        "transfer" => {
            refuse(
                reader,
                section,
                OF_PACKETS,
                "the kinds `constant`, `poisson` and `on-off`",
                "transfer",
            );
            refuse(reader, section, OF_ON_OFF, "kind `on-off`", "transfer");
            let transfers = transfers?;
            let startup = slice::from_ref(&transfers.startup);
            of_qos(
                reader,
                section,
                [&keys::TRAFFIC_QOS_RATE, &keys::TRAFFIC_QOS_BURST],
                Some(startup),
            );
            TrafficKind::Transfers(transfers)
        }
        kind @ ("constant" | "poisson") => {
            refuse(reader, section, OF_TRANSFERS, "kind `transfer`", kind);
            refuse(reader, section, OF_ON_OFF, "kind `on-off`", kind);
            let packets = packets?.on;
            if kind == "constant" {
                TrafficKind::Constant(packets)
            } else {
                TrafficKind::Poisson(packets)
            }
        }
        _ => {
            refuse(reader, section, OF_TRANSFERS, "kind `transfer`", "on-off");
            TrafficKind::OnOff(packets?)
        }
    };
    let start = start?;
    if matches!((start, stop_ns), (TrafficStart::At(start_ns), Some(stop_ns)) if stop_ns <= start_ns)
    {
        reader.fault(Mistake::StopsFirst, section.span("stop"));
    }
    let measured = measured?;
    if measured && !run_ends && stop_ns.is_none() && is_endless(&kind) {
        reader.fault(Mistake::NeverEnds, section.span("measured"));
    }
    let (from, to) = ends?;
    Some(Traffic {
        kind,
        from: from[0],
        to: to[0],
        dscp: dscp?,
        measured,
        start,
        stop_ns,
    })
}

fn is_endless(kind: &TrafficKind) -> bool {
    matches!(kind, TrafficKind::Transfers(transfers) if transfers.sizes.is_empty() || transfers.count.is_none())
}

fn refuse(reader: &mut Reader, section: &Section, keys: &[&Key], only: &'static str, chosen: &str) {
    for key in keys.iter().filter(|key| section.has(key.name)) {
        let mistake = Mistake::NotFor {
            key: key.path(),
            only,
            chosen: chosen.to_owned(),
        };
        reader.fault(mistake, section.span(key.name));
    }
}

fn read_transfers(
    reader: &mut Reader,
    startups: &[&str],
    (receiver, sender): (Option<&ReceiverDraft>, Option<&SenderDraft>),
    section: &Section,
) -> Option<Transfers> {
    let stack = reader.one(
        section,
        &keys::TRAFFIC_STACK,
        &choice(Stack::ALL, Stack::name),
    );
    let recovery = reader.one(
        section,
        &keys::TRAFFIC_RECOVERY,
        &choice(Recovery::ALL, Recovery::name),
    );
    let timers = reader.one(
        section,
        &keys::TRAFFIC_TIMERS,
        &choice(Timers::ALL, Timers::name),
    );
    let clock_ns = reader.one(section, &keys::TRAFFIC_CLOCK, &quantity(parse_time));
    let tick_ns = reader.one(section, &keys::TRAFFIC_TICK, &quantity(parse_time));
    let startup = reader.one(section, &keys::TRAFFIC_STARTUP, &startup(startups));
    let given = Given {
        qos_rate_bits_per_s: reader.one(section, &keys::TRAFFIC_QOS_RATE, &quantity(parse_rate)),
        qos_burst_bytes: reader.one(section, &keys::TRAFFIC_QOS_BURST, &quantity(parse_size)),
        ..Given::default()
    };
    let avoidance = reader.one(section, &keys::TRAFFIC_AVOIDANCE, &avoidance);
    let connect = reader.one(
        section,
        &keys::TRAFFIC_CONNECT,
        &choice(&Connect::ALL, Connect::name),
    );
    let initial_ssthresh_bytes =
        reader.one(section, &keys::TRAFFIC_SSTHRESH, &quantity(parse_size));
    let sizes = reader.list(section, &keys::TRAFFIC_SIZE, &quantity(parse_size));
    let count = reader.one(section, &keys::TRAFFIC_COUNT, &integer::<u32>);
    let arrivals = reader.one(section, &keys::TRAFFIC_ARRIVALS, &quantity(parse_frequency));
    let stack = stack?;
    let (usual, clocks) = (tcp_of(stack), Clocks::of(stack));
    let startup = startup?;
    Some(Transfers {
        receiver: receiver?.of(stack, &startup, Buffer::LinuxDefault, sender?),
        startup,
        given,
        avoidance: avoidance.unwrap_or_else(|| avoidance_of(stack)),
        stack,
        recovery: recovery.unwrap_or(usual.recovery),
        timers: timers.unwrap_or(usual.timers),
        clocks: Clocks {
            clock_ns: clock_ns.unwrap_or(clocks.clock_ns),
            tick_ns: tick_ns.unwrap_or(clocks.tick_ns),
        },
        connect: connect?,
        initial_ssthresh_bytes,
        sizes: sizes.unwrap_or_default().into(),
        count: count.or(arrivals.is_none().then_some(1)),
        arrivals: arrivals.map(|per_million_s| Poisson { per_million_s }),
    })
}

/// What `constant`, `poisson` and `on-off` say; the times of `on-off` alone.
fn read_packets(
    reader: &mut Reader,
    section: &Section,
    kind: Option<&'static str>,
    mtu_bytes: u32,
) -> Option<OnOff> {
    let rate = reader.one(section, &keys::TRAFFIC_RATE, &quantity(parse_rate));
    let packet = read_packet(reader, section, mtu_bytes);
    let on = reader.one(section, &keys::TRAFFIC_ON, &quantity(parse_time));
    let off = reader.one(section, &keys::TRAFFIC_OFF, &quantity(parse_time));
    let distribution = reader.one(section, &keys::TRAFFIC_DISTRIBUTION, &distribution);
    let needed: &[&Key] = match kind? {
        "constant" | "poisson" => &[&keys::TRAFFIC_RATE],
        "on-off" => &[&keys::TRAFFIC_RATE, &keys::TRAFFIC_ON, &keys::TRAFFIC_OFF],
        _ => &[],
    };
    for key in needed.iter().filter(|key| !section.has(key.name)) {
        let (chosen, expected) = (kind.unwrap_or_default().to_owned(), key.kind.expected());
        reader.fault(
            Mistake::NeededFor {
                key: key.path(),
                chosen,
                expected,
            },
            section.header.clone(),
        );
    }
    let turns = kind == Some("on-off");
    let on_ns = if turns { on } else { Some(0) };
    let off_ns = if turns { off } else { Some(0) };
    Some(OnOff {
        on: Packets {
            rate_bits_per_s: rate?,
            packet_bytes: packet?,
        },
        mean_on_ns: on_ns?,
        mean_off_ns: off_ns?,
        distribution: distribution?,
    })
}

/// Nobody fragments packets: none is larger than its way takes.
fn read_packet(reader: &mut Reader, section: &Section, mtu_bytes: u32) -> Option<u32> {
    let key = &keys::TRAFFIC_PACKET;
    if !section.has(key.name) {
        return Some(USUAL_PACKET_BYTES.min(mtu_bytes));
    }
    let packet_bytes = u32::try_from(reader.one(section, key, &quantity(parse_size))?).ok()?;
    if packet_bytes > mtu_bytes {
        let [found, mtu] = [packet_bytes, mtu_bytes].map(|bytes| format_size(bytes.into()));
        reader.fault(
            Mistake::LargePacket {
                key: key.path(),
                found,
                mtu,
            },
            section.span(key.name),
        );
    }
    Some(packet_bytes)
}

fn read_start(reader: &mut Reader, section: &Section) -> Option<TrafficStart> {
    let lead_ns = reader.one(section, &keys::TRAFFIC_LEAD, &quantity(parse_time));
    let start_ns = reader.one(section, &keys::TRAFFIC_START, &quantity(parse_time));
    if section.has("lead") && section.has("start") {
        let (key, other) = (keys::TRAFFIC_START.path(), keys::TRAFFIC_LEAD.path());
        let mistake = Mistake::Excludes {
            key,
            other,
            other_at: section.span("lead"),
        };
        reader.fault(mistake, section.span("start"));
    }
    match (section.has("start"), section.has("lead")) {
        (true, _) => start_ns.map(TrafficStart::At),
        (false, true) => lead_ns.map(TrafficStart::Lead),
        (false, false) => Some(TrafficStart::Lead(USUAL_LEAD_NS)),
    }
}
