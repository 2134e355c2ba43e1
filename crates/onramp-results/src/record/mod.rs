//! What a transfer answered: one flat record, the same for simulator and lab.

mod bound;
mod wording;

use crate::StartupEvent;
use bound::{bound_ns, Way, WayHop};
use onramp_net::LinkStats;
use onramp_scenario::{
    Case, Channel, Clocks, Connect, Dscp, Hop, InitialWindow, Memory, Path, Receiver, Recovery,
    Stack, Timers, Traffic, Transfers, HEADER_BYTES, NO_STARTUP,
};
use serde::{Deserialize, Serialize};
pub use wording::connections;

/// The role of a transfer that a scenario is about.
pub const TRANSFER: &str = "transfer";
/// The role of a transfer that is part of its traffic.
pub const TRAFFIC: &str = "traffic";

/// One transfer's result. Field names are the column names of every export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Name of the scenario.
    pub scenario: String,
    /// Where it ran: `sim` or `kernel`.
    pub host: String,
    /// `transfer`, or `traffic` where it is part of measured traffic.
    pub role: String,
    /// Number of the case within its scenario, from 1: flows of one case ran at the same time.
    pub case: u32,
    /// Number of the transfer within its run, from 1.
    pub flow: u32,
    /// Of measured traffic: the algorithms of the transfer that it ran beside, as `paced + cubic`;
    /// empty otherwise.
    pub beside: String,
    /// Of measured traffic: the payload of that transfer.
    pub beside_bytes: Option<u64>,
    /// Rate of the bottleneck's serialiser.
    pub rate_bits_per_s: u64,
    /// What the way carries for long, at the start: the least of its rates, shapers' and policers'
    /// included.
    pub capacity_bits_per_s: u64,
    /// The payload in it, with full packets of the transfer.
    pub capacity_bytes_per_s: u64,
    /// Round-trip propagation time.
    pub rtt_ms: f64,
    /// Queue of the bottleneck as the scenario gives it, for example `0.4 bdp`.
    pub queue: String,
    /// Random loss of the data's direction as the scenario gives it, for example `0.1 %`; the mean
    /// of bursts.
    pub loss: String,
    /// What else of the bottleneck is not the default, for example `codel, jitter 5 ms`; empty for
    /// a plain path.
    pub path: String,
    /// Receive buffer as the scenario gives it, for example `64 MiB`.
    pub receiver_buffer: String,
    /// Send buffer as the scenario gives it.
    pub sender_buffer: String,
    /// What the scenario calls the transfer; empty where tables tell its choices.
    pub label: String,
    /// Start-up algorithm, or `none`; with what the scenario gives it or takes from it, as in
    /// `gamma 34 %`, `onramp memory careful` or `onramp without spacing`.
    pub startup: String,
    /// Congestion avoidance after the start-up.
    pub avoidance: String,
    /// Initial window as the scenario gives it: `host`, `paper` or a number of segments.
    pub initial_window: String,
    /// The sender's TCP.
    pub stack: String,
    /// The sender's loss recovery.
    pub recovery: String,
    /// The sender's retransmission timer, and its host's clocks where they are not the stack's:
    /// `decoupled, tick 10 ms`.
    pub timers: String,
    /// What else of the sender's TCP is not its stack's or its way's, for example `segment 512 B,
    /// byte counting 2 segments`; empty where nothing is.
    pub sender_tcp: String,
    /// Of what connections the transfer is made: `4 connections`, `split at edge, ground, rate 10
    /// Mbit/s`; empty for one from end to end.
    pub connections: String,
    /// Payload; 0 is without end.
    pub size_bytes: u64,
    /// What the sending application writes, for example `100 kB every 10 ms`; empty if it has all
    /// of it at once when it is asked. Ends with `unasked (sender connects)` where it is not asked.
    pub application: String,
    /// Which repetition, from 1.
    pub run: u32,
    /// Seed of the run's random streams.
    pub seed: u64,
    /// When the transfer's connect began, since the beginning of the run.
    pub start_s: f64,
    /// All of the payload arrived before the run ended.
    pub finished: bool,
    /// From the connect to the receiver's last byte, if it is finished.
    pub completion_s: Option<f64>,
    /// The least possible: handshake, request if there is one, and every packet through each
    /// serialiser and token bucket.
    pub bound_s: f64,
    /// Round trips wasted, (completion - bound) / RTT, if it is finished.
    pub excess_rtts: Option<f64>,
    /// Payload that the receiver got.
    pub delivered_bytes: u64,
    /// Data segments sent again by the measured transfer.
    pub retransmitted_segments: u64,
    /// Times that its retransmission timer ended, where the host tells.
    pub timeouts: Option<u64>,
    /// Packets dropped on the path by queues and policers, all flows.
    pub dropped_packets: u64,
    /// Those of them that policers and the profiles of expedited flows dropped.
    pub policed_packets: u64,
    /// Packets lost at random, all flows, both directions.
    pub lost_packets: u64,
    /// Most bytes that stood in the forward queue, in BDPs.
    pub peak_queue_bdp: f64,
    /// Why the start-up ended; `none` without one, `unfinished` where the transfer ended first.
    pub exit_reason: String,
    /// cwnd when the start-up ended, if it did.
    pub exit_cwnd_bytes: Option<u64>,
    /// Time from the connect to the start-up's end, if it ended.
    pub exit_time_s: Option<f64>,
    /// The start-up's last bandwidth estimate (payload), if it made one.
    pub estimate_bytes_per_s: Option<u64>,
    /// What its start-up was told that the path had carried in a round trip, where it was
    /// remembered and could be used.
    pub remembered_bytes: Option<u64>,
    /// What the competing traffic delivered in the 20 round trips before the transfer, if there was
    /// any.
    pub traffic_before_bytes_per_s: Option<f64>,
    /// What it delivered in the 20 round trips from the transfer's start on.
    pub traffic_during_bytes_per_s: Option<f64>,
    /// The emulator's own delay of packets beyond the path's, 99th percentile (0 in `sim`).
    pub lateness_p99_us: f64,
    /// The largest of them.
    pub lateness_max_us: f64,
    /// Lateness was large enough to change the result: repeat this run on a quieter machine.
    pub suspect: bool,
}

/// What the record of a flow needs of it beside its way.
#[derive(Clone, Copy)]
struct FlowOf<'a> {
    size_bytes: u64,
    /// Its largest IP packet on a way that takes any.
    packet_bytes: u32,
    receiver: Receiver,
    connect: Connect,
    /// The nodes at which it is split.
    relays: &'a [usize],
    /// How many expedited flows it consists of.
    expedited_flows: u32,
    start_ns: u64,
}

impl Record {
    /// The record of the transfer's first copy before it has run: the columns that the scenario
    /// gives, and no result. `host` is `sim` or `kernel`. [`complete`](Record::complete) it with
    /// the time it took, and fill in what else is known.
    pub fn of_case(case: &Case, host: &str) -> Self {
        Record::of_copy(case, host, 0)
    }

    /// The same of any copy of the transfer, copies counted from 0. Flows are numbered from 1 in
    /// this order.
    pub fn of_copy(case: &Case, host: &str, copy: u32) -> Self {
        let transfer = &case.transfer;
        let start_ns = case.transfer_start_ns() + u64::from(copy) * transfer.spacing_ns;
        let (size_bytes, connect) = (transfer.size_bytes, transfer.connect);
        let packet_bytes = transfer.packet_bytes(u32::MAX);
        let relays = transfer
            .split
            .as_ref()
            .map_or(&[][..], |split| &split.nodes);
        let (receiver, expedited_flows) = (case.receiver, transfer.expedited_flows());
        let flow = FlowOf {
            size_bytes,
            packet_bytes,
            receiver,
            connect,
            relays,
            expedited_flows,
            start_ns,
        };
        Record {
            flow: copy + 1,
            label: transfer.label.to_string(),
            startup: wording::startup(&transfer.startup, transfer.given, transfer.memory),
            avoidance: transfer.avoidance.name().to_owned(),
            initial_window: transfer.initial_window.to_string(),
            sender_tcp: wording::sender_tcp(transfer),
            connections: connections(case),
            application: wording::application(transfer.application, transfer.connect),
            ..Record::of_flow(case, transfer.ends(copy), host, flow)
        }
        .with_tcp(
            transfer.stack,
            transfer.recovery,
            transfer.timers,
            transfer.clocks,
        )
    }

    /// The same of one of the transfers that traffic consists of, which starts at this time; the
    /// caller knows its number within the run.
    pub fn of_traffic(
        case: &Case,
        host: &str,
        traffic: &Traffic,
        transfers: &Transfers,
        size_bytes: u64,
        start_ns: u64,
    ) -> Self {
        let beside = &case.transfer;
        let (receiver, connect) = (transfers.receiver, transfers.connect);
        let (packet_bytes, expedited_flows) = (u32::MAX, u32::from(traffic.dscp == Dscp::Ef));
        let flow = FlowOf {
            size_bytes,
            packet_bytes,
            receiver,
            connect,
            relays: &[],
            expedited_flows,
            start_ns,
        };
        let measured = Record {
            label: beside.label.to_string(),
            startup: wording::startup(&beside.startup, beside.given, beside.memory),
            avoidance: beside.avoidance.name().to_owned(),
            initial_window: beside.initial_window.to_string(),
            sender_tcp: wording::sender_tcp(beside),
            connections: connections(case),
            ..Record::blank(case, host, beside.size_bytes, case.receiver)
        }
        .with_tcp(beside.stack, beside.recovery, beside.timers, beside.clocks);
        Record {
            role: TRAFFIC.to_owned(),
            beside: match wording::application(beside.application, beside.connect) {
                all_at_once if all_at_once.is_empty() => measured.algorithms(),
                writes => format!("{}, {writes}", measured.algorithms()),
            },
            beside_bytes: Some(beside.size_bytes),
            startup: wording::startup(&transfers.startup, transfers.given, Memory::Off),
            avoidance: transfers.avoidance.name().to_owned(),
            sender_tcp: wording::dscp(traffic.dscp).unwrap_or_default(),
            application: wording::application(None, transfers.connect),
            ..Record::of_flow(case, (traffic.from, traffic.to), host, flow)
        }
        .with_tcp(
            transfers.stack,
            transfers.recovery,
            transfers.timers,
            transfers.clocks,
        )
    }

    fn of_flow(case: &Case, ends: (usize, usize), host: &str, flow: FlowOf<'_>) -> Self {
        let mut record = Record::blank(case, host, flow.size_bytes, flow.receiver);
        record.start_s = flow.start_ns as f64 / 1e9;
        let network = &case.network;
        let [there, back] =
            [ends, (ends.1, ends.0)].map(|(from, to)| network.route(from, to).unwrap_or_default());
        let own = if ends == case.transfer.ends(0) {
            None
        } else {
            network.shared_path(&there, &back, &case.crossings)
        };
        let path = own.as_ref().unwrap_or(&case.path);
        let channels = |hops: &[Hop]| hops.iter().map(|hop| network.channel(*hop)).collect();
        let mut way = match (&there[..], &back[..]) {
            // A case may have been given another path than its network's.
            ([_], [_]) => Way::whole(vec![&path.forward], vec![&path.reverse], path.mtu_bytes),
            _ if flow.relays.is_empty() => {
                Way::whole(channels(&there), channels(&back), path.mtu_bytes)
            }
            _ => {
                let nodes: Vec<usize> = [&[ends.0], flow.relays, &[ends.1]].concat();
                let route = |from, to| channels(&network.route(from, to).unwrap_or_default());
                let hop = |ends: &[usize]| WayHop {
                    there: route(ends[0], ends[1]),
                    back: route(ends[1], ends[0]),
                };
                // Each hop has packets of its own size: the bound counts the least headers that any
                // of them may have.
                let mtu_bytes = there
                    .iter()
                    .map(|hop| network.links[hop.link].mtu_bytes)
                    .max();
                let mtu_bytes = mtu_bytes.unwrap_or(path.mtu_bytes);
                Way {
                    hops: nodes.windows(2).map(hop).collect(),
                    expedited_flows: 0,
                    mtu_bytes,
                }
            }
        };
        way.expedited_flows = flow.expedited_flows;
        record.follow(path, &way, flow);
        record
    }

    fn blank(case: &Case, host: &str, size_bytes: u64, receiver: Receiver) -> Self {
        Record {
            scenario: case.scenario.clone(),
            host: host.to_owned(),
            role: TRANSFER.to_owned(),
            case: case.number,
            flow: 1,
            beside: String::new(),
            beside_bytes: None,
            rate_bits_per_s: 0,
            capacity_bits_per_s: 0,
            capacity_bytes_per_s: 0,
            rtt_ms: 0.0,
            queue: String::new(),
            loss: String::new(),
            path: String::new(),
            receiver_buffer: receiver.buffer.to_string(),
            sender_buffer: case.sender.buffer.to_string(),
            label: String::new(),
            startup: String::new(),
            avoidance: String::new(),
            initial_window: InitialWindow::Host.to_string(),
            stack: String::new(),
            recovery: String::new(),
            timers: String::new(),
            sender_tcp: String::new(),
            connections: String::new(),
            size_bytes,
            application: String::new(),
            run: case.run,
            seed: case.seed,
            start_s: 0.0,
            finished: false,
            completion_s: None,
            bound_s: 0.0,
            excess_rtts: None,
            delivered_bytes: 0,
            retransmitted_segments: 0,
            timeouts: None,
            dropped_packets: 0,
            policed_packets: 0,
            lost_packets: 0,
            peak_queue_bdp: 0.0,
            exit_reason: String::new(),
            exit_cwnd_bytes: None,
            exit_time_s: None,
            estimate_bytes_per_s: None,
            remembered_bytes: None,
            traffic_before_bytes_per_s: None,
            traffic_during_bytes_per_s: None,
            lateness_p99_us: 0.0,
            lateness_max_us: 0.0,
            suspect: false,
        }
    }

    /// Enters the way that the transfer takes.
    fn follow(&mut self, path: &Path, way: &Way<'_>, flow: FlowOf<'_>) {
        let full = |mtu_bytes: u32| {
            full_packet(mtu_bytes.min(flow.packet_bytes), flow.receiver.timestamps)
        };
        let (header_bytes, payload_bytes) = full(path.mtu_bytes);
        let (_, most_payload_bytes) = full(way.mtu_bytes);
        let wire_bytes =
            self.size_bytes + self.size_bytes.div_ceil(most_payload_bytes) * header_bytes;
        self.rate_bits_per_s = path.forward.rate_bits_per_s;
        let capacity = |channel: &Channel| channel.capacity_bits_per_s(flow.expedited_flows);
        self.capacity_bits_per_s = way.there().map(capacity).min().unwrap_or(0);
        self.capacity_bytes_per_s = (self.capacity_bits_per_s as f64 / 8.0 * payload_bytes as f64
            / (payload_bytes + header_bytes) as f64) as u64;
        self.rtt_ms = path.rtt_ns as f64 / 1e6;
        self.queue = path.forward.queue.to_string();
        self.loss = path.forward.describe_loss();
        self.path = wording::elements(path);
        self.bound_s = bound_ns(way, flow.connect, flow.start_ns, wire_bytes) as f64 / 1e9;
    }

    fn with_tcp(
        mut self,
        stack: Stack,
        recovery: Recovery,
        timers: Timers,
        clocks: Clocks,
    ) -> Self {
        self.stack = stack.name().to_owned();
        self.recovery = recovery.name().to_owned();
        self.timers = wording::timers(stack, timers, clocks);
        self.exit_reason = if self.startup == NO_STARTUP {
            NO_STARTUP
        } else {
            "unfinished"
        }
        .to_owned();
        self
    }

    /// Enters what the links of its way and back have lost: each of them, once.
    pub fn count_losses<'a>(&mut self, links: impl IntoIterator<Item = &'a LinkStats>) {
        for link in links {
            self.dropped_packets +=
                link.dropped.packets + link.evicted.packets + link.policed.packets;
            self.policed_packets += link.policed.packets;
            self.lost_packets += link.lost.packets;
        }
    }

    /// Enters what its start-up reported, in order of time. The first exit counts: one that runs
    /// again after a timeout has had its chance.
    pub fn fill_startup(&mut self, events: &[StartupEvent]) {
        if let Some(exit) = events.iter().find(|event| event.kind == "exit") {
            self.exit_reason = exit.what.clone();
            self.exit_cwnd_bytes = Some(exit.cwnd_bytes);
            self.exit_time_s = Some(exit.time_s);
        }
        self.estimate_bytes_per_s = events
            .iter()
            .rev()
            .map(|event| event.estimate_bytes_per_s)
            .find(|rate| *rate > 0);
        self.remembered_bytes = events
            .iter()
            .map(|event| event.remembered_bytes)
            .find(|bytes| *bytes > 0);
    }

    /// Enters the completion time and, with it, the round trips wasted beyond
    /// [`bound_s`](Record::bound_s), the figure by which start-ups are compared.
    pub fn complete(&mut self, completion_s: f64) {
        self.finished = true;
        self.delivered_bytes = self.size_bytes;
        self.completion_s = Some(completion_s);
        self.excess_rtts = Some((completion_s - self.bound_s) / (self.rtt_ms / 1e3));
    }
}

/// The part of them that timestamps take.
const TIMESTAMP_BYTES: u64 = 12;

/// Header and payload of a full data segment.
fn full_packet(mtu_bytes: u32, timestamps: bool) -> (u64, u64) {
    let header_bytes = if timestamps {
        HEADER_BYTES
    } else {
        HEADER_BYTES - TIMESTAMP_BYTES
    };
    (
        header_bytes,
        u64::from(mtu_bytes).saturating_sub(header_bytes).max(1),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case() -> Case {
        let text = "name = \"x\"\n[path]\nrate = \"50 Mbit/s\"\nrtt = \"600 ms\"\nqueue = \"0.4 bdp\"\n\
                    [receiver]\nbuffer = \"64 MiB\"\n[[transfer]]\nsize = \"1448 B\"\nstartup = \"paced\"\n";
        onramp_scenario::parse("x.toml", text)
            .unwrap()
            .cases
            .remove(0)
    }

    #[test]
    fn a_record_begins_with_the_wording_of_its_scenario() {
        let record = Record::of_case(&case(), "sim");
        assert_eq!((record.rate_bits_per_s, record.rtt_ms), (50_000_000, 600.0));
        assert_eq!(
            (record.queue.as_str(), record.receiver_buffer.as_str()),
            ("0.4 bdp", "64 MiB")
        );
        assert_eq!(
            (record.startup.as_str(), record.avoidance.as_str()),
            ("paced", "cubic")
        );
        assert_eq!(
            (record.initial_window.as_str(), record.exit_reason.as_str()),
            ("host", "unfinished")
        );
    }

    #[test]
    fn the_bound_counts_headers() {
        let mut case = case();
        assert_eq!(
            Record::of_case(&case, "sim").bound_s,
            1.2 + 1500.0 * 8.0 / 50e6
        );
        assert_eq!(
            Record::of_case(&case, "sim").capacity_bytes_per_s,
            6_250_000 * 1448 / 1500
        );
        case.transfer.size_bytes = 2 * 1460;
        case.receiver.timestamps = false;
        assert_eq!(
            Record::of_case(&case, "sim").bound_s,
            1.2 + 3000.0 * 8.0 / 50e6
        );
    }

    #[test]
    fn what_a_path_carries_is_the_least_of_its_rates() {
        let mut case = case();
        let bucket = |rate_bits_per_s| {
            Some(onramp_scenario::TokenBucket {
                rate_bits_per_s,
                burst_bytes: 3_000,
            })
        };
        (case.path.forward.shaper, case.path.forward.policer) =
            (bucket(30_000_000), bucket(60_000_000));
        let record = Record::of_case(&case, "sim");
        assert_eq!(
            (record.rate_bits_per_s, record.capacity_bits_per_s),
            (50_000_000, 30_000_000)
        );
        assert_eq!(record.path, "shaper 30 Mbit/s 3 kB, policer 60 Mbit/s 3 kB");
    }

    #[test]
    fn an_expedited_flow_has_what_it_is_guaranteed_and_no_more() {
        let mut case = case();
        case.path.forward.expedited = Some(onramp_scenario::TokenBucket {
            rate_bits_per_s: 1_000_000,
            burst_bytes: 3_000,
        });
        case.transfer.size_bytes = 1448 * 10;
        let best_effort = Record::of_case(&case, "sim");
        assert_eq!(best_effort.capacity_bits_per_s, 50_000_000);
        assert_eq!(
            (best_effort.algorithms().as_str(), best_effort.path.as_str()),
            ("paced + cubic", "EF 1 Mbit/s 3 kB")
        );
        case.transfer.dscp = Dscp::Ef;
        let of = |case: &Case| {
            let record = Record::of_case(case, "sim");
            (
                record.algorithms(),
                record.capacity_bits_per_s,
                record.bound_s,
            )
        };
        assert_eq!(
            of(&case),
            (
                "paced + cubic, EF".to_owned(),
                1_000_000,
                1.2 + 12_000.0 * 8.0 / 1e6
            )
        );
        // Each connection is a flow.
        case.transfer.connections = onramp_scenario::Connections::Fixed(3);
        let three = "paced + cubic, EF, 3 connections".to_owned();
        assert_eq!(of(&case), (three, 3_000_000, 1.2 + 6_000.0 * 8.0 / 3e6));
    }

    #[test]
    fn excess_is_counted_in_round_trips() {
        let mut record = Record::of_case(&case(), "sim");
        record.complete(record.bound_s + 1.5);
        assert!((record.excess_rtts.unwrap() - 2.5).abs() < 1e-12);
        assert_eq!(
            (record.finished, record.completion_s),
            (true, Some(record.bound_s + 1.5))
        );
        assert_eq!(record.delivered_bytes, 1448);
    }

    #[test]
    fn copies_and_traffic_have_records_of_their_own_way() {
        let text = "name = \"x\"\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n[[node]]\nname = \"c\"\n\
                    [[link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\ndelay = \"10 ms\"\n\
                    [[link]]\nfrom = \"b\"\nto = \"c\"\nrate = \"2 Mbit/s\"\ndelay = \"10 ms\"\n\
                    [[transfer]]\nsize = \"1 kB\"\nstack = \"lite\"\nfrom = [\"a\", \"b\"]\nto = \"c\"\ncount = 2\n\
                    start = \"1 s\"\nspacing = \"2 s\"\n\
                    [[traffic]]\nsize = \"5 kB\"\nfrom = \"c\"\nto = \"b\"\nmeasured = true\n";
        let case = onramp_scenario::parse("x.toml", text)
            .unwrap()
            .cases
            .remove(0);
        let (first, second) = (
            Record::of_copy(&case, "sim", 0),
            Record::of_copy(&case, "sim", 1),
        );
        assert_eq!(first, Record::of_case(&case, "sim"));
        assert_eq!(
            (first.rate_bits_per_s, first.rtt_ms, first.start_s),
            (1_000_000, 40.0, 5.0)
        );
        assert_eq!(
            (second.rate_bits_per_s, second.rtt_ms, second.start_s),
            (2_000_000, 20.0, 7.0)
        );
        assert_eq!(
            (
                second.flow,
                second.recovery.as_str(),
                second.timers.as_str()
            ),
            (2, "reno", "bsd")
        );
        let onramp_scenario::TrafficKind::Transfers(transfers) = &case.traffic[0].kind else {
            panic!()
        };
        let traffic = Record::of_traffic(&case, "sim", &case.traffic[0], transfers, 5_000, 3);
        assert_eq!(
            (traffic.case, traffic.beside.as_str(), traffic.beside_bytes),
            (1, "reno, lite", Some(1_000))
        );
        assert_eq!(
            (traffic.role.as_str(), traffic.rtt_ms, traffic.size_bytes),
            ("traffic", 20.0, 5_000)
        );
        assert_eq!(
            (traffic.stack.as_str(), traffic.exit_reason.as_str()),
            ("linux", "none")
        );
    }
}
