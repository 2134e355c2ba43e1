//! `[[traffic]]`.

use super::flows::{check_mtu_of_version, Routes};
use super::startup_keys::check_reservation;
use crate::cases::{avoidance_of, tcp_of, ReceiverDraft, SenderDraft};
use crate::keys::traffic::{
    ARRIVALS, AVOIDANCE, CLOCK, CONNECT, COUNT, DISTRIBUTION, DSCP, ECN, FROM, INITIAL_SSTHRESH,
    IP, KIND, LEAD, MEASURED, OFF, ON, PACKET, QOS_BURST, QOS_RATE, RATE, RECOVERY, SIZE, STACK,
    START, STARTUP, STOP, TICK, TIMERS, TO,
};
use crate::mistake::{exclude, refuse, Mistake};
use crate::model::{
    Buffer, Clocks, Given, OnOff, Packets, Payload, Poisson, Sizes, Traffic, TrafficKind,
    TrafficStart, Transfers,
};
use onramp_config::document::{Reader, Section};
use onramp_config::key::AnyKey;
use onramp_config::units::format_size;
use std::slice;

/// How long before the transfer traffic starts whose table gives no time.
const USUAL_LEAD_NS: u64 = 5_000_000_000;

/// The size of packets of traffic whose table gives none.
const USUAL_PACKET_BYTES: u32 = 1500;

/// The keys of one kind of traffic only.
const OF_TRANSFERS: &[&dyn AnyKey] = &[
    &IP,
    &STACK,
    &ECN,
    &RECOVERY,
    &TIMERS,
    &CLOCK,
    &TICK,
    &STARTUP,
    &QOS_RATE,
    &QOS_BURST,
    &AVOIDANCE,
    &CONNECT,
    &INITIAL_SSTHRESH,
    &SIZE,
    &COUNT,
    &ARRIVALS,
    &MEASURED,
];
const OF_PACKETS: &[&dyn AnyKey] = &[&RATE, &PACKET];
const OF_ON_OFF: &[&dyn AnyKey] = &[&ON, &OFF, &DISTRIBUTION];

/// The parts of the file on which traffic depends, other than its own table.
pub(super) struct Surroundings<'s> {
    pub routes: &'s Routes,
    pub receiver: Option<&'s ReceiverDraft>,
    pub sender: Option<&'s SenderDraft>,
    /// The run ends at a given time, even if transfers are unfinished.
    pub has_duration: bool,
}

/// Reads traffic whose receivers have the default buffer.
pub(super) fn read_traffic(
    reader: &mut Reader,
    around: &Surroundings<'_>,
    section: &Section,
) -> Option<Traffic> {
    let name = reader.one(section, &KIND);
    let transfers = read_transfers(reader, around, section);
    let measured = reader.one(section, &MEASURED);
    let dscp = reader.one(section, &DSCP);
    let start = read_start(reader, section);
    let stop_ns = reader.one(section, &STOP);
    let ends = around.routes.read_ends(reader, section, [&FROM, &TO], 1);
    let mtu_bytes = ends
        .as_ref()
        .and_then(|(from, to)| around.routes.mtu_bytes(from[0], to[0]));
    if let Some(transfers) = &transfers {
        check_mtu_of_version(reader, section, &IP, transfers.ip, mtu_bytes);
    }
    let packets = read_packets(reader, section, name, mtu_bytes.unwrap_or(u32::MAX));
    let kind = kind_of(reader, section, name?, transfers, packets)?;
    let start = start?;
    if let (TrafficStart::At(start_ns), Some(stop_ns)) = (start, stop_ns) {
        if stop_ns <= start_ns {
            reader.fault(Mistake::StopsFirst, section.span(STOP.name()));
        }
    }
    let measured = measured?;
    if measured && !around.has_duration && stop_ns.is_none() && is_endless(&kind) {
        reader.fault(Mistake::NeverEnds, section.span(MEASURED.name()));
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

/// The kind of the traffic, with its parameters. Keys of other kinds are refused.
fn kind_of(
    reader: &mut Reader,
    section: &Section,
    name: &'static str,
    transfers: Option<Transfers>,
    packets: Option<OnOff>,
) -> Option<TrafficKind> {
    let mut refuse_keys = |keys: &[&dyn AnyKey], only| {
        for key in keys {
            refuse(reader, section, key.facts().name, only, name);
        }
    };
    if name == "transfer" {
        let only = "the kinds `constant`, `poisson` and `on-off`";
        refuse_keys(OF_PACKETS, only);
    } else {
        refuse_keys(OF_TRANSFERS, "kind `transfer`");
    }
    if name != "on-off" {
        refuse_keys(OF_ON_OFF, "kind `on-off`");
    }
    Some(match name {
        "transfer" => {
            let transfers = transfers?;
            let startup = slice::from_ref(&transfers.startup);
            check_reservation(reader, section, &QOS_RATE, &QOS_BURST, Some(startup));
            TrafficKind::Transfers(Box::new(transfers))
        }
        "constant" => TrafficKind::Constant(packets?.on),
        "poisson" => TrafficKind::Poisson(packets?.on),
        _ => TrafficKind::OnOff(packets?),
    })
}

fn is_endless(kind: &TrafficKind) -> bool {
    let TrafficKind::Transfers(transfers) = kind else {
        return false;
    };
    transfers.sizes.are_endless() || transfers.count.is_none()
}

fn read_transfers(
    reader: &mut Reader,
    around: &Surroundings<'_>,
    section: &Section,
) -> Option<Transfers> {
    let ip = reader.one(section, &IP);
    let stack = reader.one(section, &STACK);
    let ecn = reader.one(section, &ECN);
    let recovery = reader.one(section, &RECOVERY);
    let timers = reader.one(section, &TIMERS);
    let clock_ns = reader.one(section, &CLOCK);
    let tick_ns = reader.one(section, &TICK);
    let startup = reader.one(section, &STARTUP);
    let given = Given {
        qos_rate_bits_per_s: reader.one(section, &QOS_RATE),
        qos_burst_bytes: reader.one(section, &QOS_BURST),
        ..Given::default()
    };
    let avoidance = reader.one(section, &AVOIDANCE);
    let connect = reader.one(section, &CONNECT);
    let initial_ssthresh_bytes = reader.one(section, &INITIAL_SSTHRESH);
    let sizes = read_sizes(reader, section);
    let count = reader.one(section, &COUNT);
    let arrivals = reader.one(section, &ARRIVALS);
    let (stack, startup) = (stack?, startup?);
    let (tcp, clocks) = (tcp_of(stack), Clocks::of(stack));
    let receiver = around
        .receiver?
        .of(stack, &startup, Buffer::LinuxDefault, around.sender?);
    Some(Transfers {
        receiver,
        startup,
        given,
        avoidance: avoidance.unwrap_or_else(|| avoidance_of(stack)),
        ip: ip?,
        stack,
        ecn: ecn?,
        recovery: recovery.unwrap_or(tcp.recovery),
        timers: timers.unwrap_or(tcp.timers),
        clocks: Clocks {
            clock_ns: clock_ns.unwrap_or(clocks.clock_ns),
            tick_ns: tick_ns.unwrap_or(clocks.tick_ns),
        },
        connect: connect?,
        initial_ssthresh_bytes,
        sizes,
        count: count.or(arrivals.is_none().then_some(1)),
        arrivals: arrivals.map(|per_million_s| Poisson { per_million_s }),
    })
}

/// The sizes of transfers. A distribution stands alone.
fn read_sizes(reader: &mut Reader, section: &Section) -> Sizes {
    let sizes = reader.list(section, &SIZE).unwrap_or_default();
    let drawn = sizes.iter().find_map(|size| size.distribution());
    match (drawn, sizes.len()) {
        (Some(drawn), 1) => return Sizes::Drawn(drawn),
        (Some(drawn), _) => {
            let only = "several sizes, or one distribution";
            let chosen = format!("{} in a list", drawn.name());
            refuse(reader, section, SIZE.name(), only, &chosen);
        }
        (None, _) => {}
    }
    Sizes::Of(sizes.into_iter().map(Payload::mean_bytes).collect())
}

/// The packets of `constant`, `poisson` and `on-off`. The times are zero except for `on-off`.
fn read_packets(
    reader: &mut Reader,
    section: &Section,
    kind: Option<&'static str>,
    mtu_bytes: u32,
) -> Option<OnOff> {
    let rate = reader.one(section, &RATE);
    let packet = read_packet(reader, section, mtu_bytes);
    let on = reader.one(section, &ON);
    let off = reader.one(section, &OFF);
    let distribution = reader.one(section, &DISTRIBUTION);
    let kind = kind?;
    let needed: &[&dyn AnyKey] = match kind {
        "constant" | "poisson" => &[&RATE],
        "on-off" => &[&RATE, &ON, &OFF],
        _ => &[],
    };
    let missing = |key: &&&dyn AnyKey| !section.has_name(key.facts().name);
    for key in needed.iter().filter(missing) {
        let mistake = Mistake::NeededFor {
            key: section.path_of_name(key.facts().name),
            chosen: kind.to_owned(),
            expected: key.expected(),
        };
        reader.fault(mistake, section.header.clone());
    }
    let has_turns = kind == "on-off";
    Some(OnOff {
        on: Packets {
            rate_bits_per_s: rate?,
            packet_bytes: packet?,
        },
        mean_on_ns: if has_turns { on? } else { 0 },
        mean_off_ns: if has_turns { off? } else { 0 },
        distribution: distribution?,
    })
}

/// The size of packets. Nobody fragments packets, so none is larger than its route takes.
fn read_packet(reader: &mut Reader, section: &Section, mtu_bytes: u32) -> Option<u32> {
    if !section.has(&PACKET) {
        return Some(USUAL_PACKET_BYTES.min(mtu_bytes));
    }
    let packet_bytes = u32::try_from(reader.one(section, &PACKET)?).ok()?;
    if packet_bytes > mtu_bytes {
        let [found, mtu] = [packet_bytes, mtu_bytes].map(|bytes| format_size(bytes.into()));
        let key = section.path_of(&PACKET);
        let mistake = Mistake::LargePacket { key, found, mtu };
        reader.fault(mistake, section.span(PACKET.name()));
    }
    Some(packet_bytes)
}

fn read_start(reader: &mut Reader, section: &Section) -> Option<TrafficStart> {
    let lead_ns = reader.one(section, &LEAD);
    let start_ns = reader.one(section, &START);
    exclude(reader, section, START.name(), LEAD.name());
    match (section.has(&START), section.has(&LEAD)) {
        (true, _) => start_ns.map(TrafficStart::At),
        (false, true) => lead_ns.map(TrafficStart::Lead),
        (false, false) => Some(TrafficStart::Lead(USUAL_LEAD_NS)),
    }
}
