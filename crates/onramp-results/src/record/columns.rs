//! The columns of a record that the scenario gives: its path, and the minimum time of the flow.

use super::bound::{bound_ns, Connection, Route};
use super::words;
use super::{Record, TRANSFER};
use onramp_scenario::{
    header_bytes, quic_header_bytes, Arrival, Case, Channel, Connect, Dscp, Hop, InitialWindow,
    IpVersion, Path, Receiver, Traffic, Transfers, Transport,
};

/// The properties of a flow on which its record depends, other than its path.
pub(super) struct Flow<'a> {
    size_bytes: u64,
    ip: IpVersion,
    /// Size of its largest IP packet where the MTU does not limit it.
    packet_bytes: u32,
    transport: Transport,
    receiver: Receiver,
    connect: Connect,
    /// The sending and the receiving node.
    ends: (usize, usize),
    /// The nodes at which it is split.
    relays: &'a [usize],
    /// The number of expedited flows of which it consists; 0: it is best effort.
    expedited_flows: u32,
    start_ns: u64,
    /// Round trips of requests after the first.
    later_round_trips: u32,
}

impl<'a> Flow<'a> {
    /// A copy of the case's transfer, copies counted from 0.
    pub(super) fn of_copy(case: &'a Case, copy: u32, arrival: Arrival) -> Flow<'a> {
        let transfer = &case.transfer;
        let split = transfer.split.as_ref();
        Flow {
            size_bytes: arrival.size_bytes,
            ip: transfer.ip,
            packet_bytes: transfer.packet_bytes(u32::MAX),
            transport: transfer.transport,
            receiver: case.receiver,
            connect: transfer.connect,
            ends: transfer.ends(copy),
            relays: split.map_or(&[][..], |split| &split.nodes),
            expedited_flows: transfer.expedited_flows(),
            start_ns: arrival.start_ns,
            later_round_trips: transfer.later_round_trips(),
        }
    }

    /// A transfer of measured traffic.
    pub(super) fn of_traffic(
        traffic: &Traffic,
        transfers: &Transfers,
        size_bytes: u64,
        start_ns: u64,
    ) -> Flow<'static> {
        Flow {
            size_bytes,
            ip: transfers.ip,
            packet_bytes: u32::MAX,
            transport: Transport::Tcp,
            receiver: transfers.receiver,
            connect: transfers.connect,
            ends: (traffic.from, traffic.to),
            relays: &[],
            expedited_flows: u32::from(traffic.dscp == Dscp::Ef),
            start_ns,
            later_round_trips: 0,
        }
    }
}

/// The record of a flow without its algorithms.
pub(super) fn of_flow(case: &Case, host: &str, flow: &Flow<'_>) -> Record {
    let mut record = blank(case, host, flow.size_bytes, flow.receiver);
    record.start_s = flow.start_ns as f64 / 1e9;
    let network = &case.network;
    let (from, to) = flow.ends;
    let [forward, reverse] =
        [(from, to), (to, from)].map(|(from, to)| network.route(from, to).unwrap_or_default());
    let own_path = match flow.ends == case.transfer.ends(0) {
        true => None,
        false => network.shared_path(&forward, &reverse, &case.crossings),
    };
    let path = own_path.as_ref().unwrap_or(&case.path);
    let route = route_of(case, flow, path, &forward, &reverse);
    record.path = words::path(path, case.hosts);
    enter_path(&mut record, path, &route, flow);
    record
}

/// The channels of a flow.
fn route_of<'a>(
    case: &'a Case,
    flow: &Flow<'_>,
    path: &'a Path,
    forward: &[Hop],
    reverse: &[Hop],
) -> Route<'a> {
    let network = &case.network;
    let channels = |hops: &[Hop]| hops.iter().map(|hop| network.channel(*hop)).collect();
    let numbered = |hops: &[Hop]| {
        let number = |hop: &Hop| (hop.number(), network.channel(*hop));
        hops.iter().map(number).collect()
    };
    let end_to_end = |forward, reverse| Route {
        connections: vec![Connection { forward, reverse }],
        expedited_flows: flow.expedited_flows,
        mtu_bytes: path.mtu_bytes,
        run_seed: case.seed,
    };
    match (forward, reverse) {
        // The case may have another path than its network.
        ([hop], [_]) => end_to_end(vec![(hop.number(), &path.forward)], vec![&path.reverse]),
        _ if flow.relays.is_empty() => end_to_end(numbered(forward), channels(reverse)),
        _ => {
            let (from, to) = flow.ends;
            let nodes: Vec<usize> = [&[from], flow.relays, &[to]].concat();
            let between = |from, to| network.route(from, to).unwrap_or_default();
            let connection = |ends: &[usize]| Connection {
                forward: numbered(&between(ends[0], ends[1])),
                reverse: channels(&between(ends[1], ends[0])),
            };
            // Each connection has packets of its own size. The bound counts the minimum of headers
            // that any of them may have.
            let mtus = forward.iter().map(|hop| network.links[hop.link].mtu_bytes);
            Route {
                connections: nodes.windows(2).map(connection).collect(),
                expedited_flows: flow.expedited_flows,
                mtu_bytes: mtus.max().unwrap_or(path.mtu_bytes),
                run_seed: case.seed,
            }
        }
    }
}

/// Enters the path that the flow takes.
fn enter_path(record: &mut Record, path: &Path, route: &Route<'_>, flow: &Flow<'_>) {
    let full = |mtu_bytes: u32| full_packet(mtu_bytes.min(flow.packet_bytes), flow);
    let (header_bytes, payload_bytes) = full(path.mtu_bytes);
    let (_, max_payload_bytes) = full(route.mtu_bytes);
    let packets = record.size_bytes.div_ceil(max_payload_bytes);
    let wire_bytes = record.size_bytes + packets * header_bytes;
    record.rate_bits_per_s = path.forward.packet_bits_per_s();
    let capacity = |channel: &Channel| channel.capacity_bits_per_s(flow.expedited_flows);
    record.capacity_bits_per_s = route.forward().map(capacity).min().unwrap_or(0);
    record.capacity_bytes_per_s = (record.capacity_bits_per_s as f64 / 8.0 * payload_bytes as f64
        / (payload_bytes + header_bytes) as f64) as u64;
    record.rtt_ms = path.rtt_ns as f64 / 1e6;
    record.queue = path.forward.queue.to_string();
    record.loss = path.forward.describe_loss();
    let later_ns = u64::from(flow.later_round_trips) * path.rtt_ns;
    let bound_ns = bound_ns(route, flow.connect, flow.start_ns, wire_bytes) + later_ns;
    record.bound_s = bound_ns as f64 / 1e9;
}

/// A record with the columns that every flow of the case has, and no result.
pub(super) fn blank(case: &Case, host: &str, size_bytes: u64, receiver: Receiver) -> Record {
    Record {
        scenario: case.scenario.clone(),
        host: host.to_owned(),
        role: TRANSFER.to_owned(),
        case: case.number,
        flow: 1,
        receiver_buffer: receiver.buffer.to_string(),
        sender_buffer: case.sender.buffer.to_string(),
        initial_window: InitialWindow::Host.to_string(),
        size_bytes,
        run: case.run,
        seed: case.seed,
        ..Record::default()
    }
}

/// Header and payload of a full data segment, in bytes.
fn full_packet(mtu_bytes: u32, flow: &Flow<'_>) -> (u64, u64) {
    let header_bytes = match flow.transport {
        Transport::Tcp => header_bytes(flow.ip, flow.receiver.timestamps),
        Transport::Quic => quic_header_bytes(flow.ip),
    };
    (
        header_bytes,
        u64::from(mtu_bytes).saturating_sub(header_bytes).max(1),
    )
}
