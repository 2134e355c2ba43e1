//! The record of a transfer: one flat table row, the same for simulator and lab.

mod bound;
mod columns;
mod numbers;
#[cfg(test)]
mod tests;
mod words;

pub use words::{connections, describe_case};

use columns::of_flow;
use columns::Flow;
use onramp_core::StartupEvent;
use onramp_net::LinkStats;
use onramp_scenario::{
    header_bytes, quic_header_bytes, Answers, Arrival, Case, FlowSizes, IpVersion, Memory, Traffic,
    Transfers, Transport, NO_STARTUP,
};
use serde::{Deserialize, Serialize};

/// The role of a transfer that a scenario measures.
pub const TRANSFER: &str = "transfer";
/// The role of a transfer that is part of measured traffic.
pub const TRAFFIC: &str = "traffic";

/// The exit reason of a start-up that had not ended when its transfer ended.
pub const UNFINISHED: &str = "unfinished";

/// One transfer's result. The field names are the column names of every export.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Name of the scenario.
    pub scenario: String,
    /// The host that ran the transfer: `sim` or `kernel`.
    pub host: String,
    /// `transfer`, or `traffic` if the transfer is part of measured traffic.
    pub role: String,
    /// Number of the case within its scenario, from 1. Flows of one case ran at the same time.
    pub case: u32,
    /// Number of the transfer within its run, from 1.
    pub flow: u32,
    /// For measured traffic: the algorithms of the measured transfer, as `paced + cubic`; empty
    /// otherwise.
    pub beside: String,
    /// For measured traffic: the payload of that transfer, in bytes.
    pub beside_bytes: Option<u64>,
    /// Rate of the bottleneck's serialiser, counted in IP packets, without the headers of frames.
    pub rate_bits_per_s: u64,
    /// The rate that the forward path sustains at the start: the minimum of its rates, including
    /// those of shapers and policers.
    pub capacity_bits_per_s: u64,
    /// The payload in that rate, with full packets of the transfer.
    pub capacity_bytes_per_s: u64,
    /// Round-trip propagation time.
    pub rtt_ms: f64,
    /// Queue of the bottleneck as the scenario gives it, for example `0.4 bdp`.
    pub queue: String,
    /// Random loss of the forward path as the scenario gives it, for example `0.1 %`; the mean loss
    /// of bursts.
    pub loss: String,
    /// Other parameters of the bottleneck that are not the default, for example `codel, jitter
    /// 5 ms`; empty for a plain path.
    pub path: String,
    /// Receive buffer as the scenario gives it, for example `64 MiB`.
    pub receiver_buffer: String,
    /// Send buffer as the scenario gives it.
    pub sender_buffer: String,
    /// The label that the scenario gives the transfer; empty where tables list its choices.
    pub label: String,
    /// Start-up algorithm, or `none`, with the parameters that the scenario gives it, as in
    /// `gamma 34 %`, `onramp memory careful` or `onramp without spacing`.
    pub startup: String,
    /// Congestion avoidance after the start-up.
    pub avoidance: String,
    /// Initial window as the scenario gives it: `host`, `paper` or a number of segments.
    pub initial_window: String,
    /// The transport protocol: `tcp` or `quic`.
    pub transport: String,
    /// The sender's TCP; `noq` for QUIC.
    pub stack: String,
    /// The sender's loss recovery; empty for QUIC.
    pub recovery: String,
    /// The sender's retransmission timer, and its host's clocks if they are not the stack's:
    /// `decoupled, tick 10 ms`; empty for QUIC.
    pub timers: String,
    /// Other parameters of the sender's TCP that are not the default of its stack or route, for
    /// example `segment 512 B, byte counting 2 segments`; empty if there are none.
    pub sender_tcp: String,
    /// The connections of the transfer: `4 connections`, `split at edge, ground, rate 10 Mbit/s`;
    /// empty for one end-to-end connection.
    pub connections: String,
    /// Payload; 0 for a transfer without end.
    pub size_bytes: u64,
    /// The distribution from which the payload was drawn, as in `web-search`; empty if it was not
    /// drawn, or is that of traffic.
    #[serde(default)]
    pub sizes: String,
    /// The writes of the sending application, for example `100 kB every 10 ms`; empty if it has all
    /// of the payload at once. Ends with `unasked (sender connects)` if nobody requests the data.
    pub application: String,
    /// Number of the repetition, from 1.
    pub run: u32,
    /// Seed of the random streams of the run.
    pub seed: u64,
    /// Time of the connect, since the beginning of the run.
    pub start_s: f64,
    /// The whole payload arrived before the run ended.
    pub finished: bool,
    /// Time from the connect to the receiver's last byte, if the transfer is finished. Times in
    /// which a receiver of several answers waits by itself are left out: think times, and a full
    /// player buffer.
    pub completion_s: Option<f64>,
    /// The minimum possible time: the handshake, the request if there is one, and every packet
    /// through each serialiser and token bucket.
    pub bound_s: f64,
    /// Wasted round trips, (completion - bound) / RTT, if the transfer is finished.
    pub excess_rtts: Option<f64>,
    /// Payload that arrived at the receiver.
    pub delivered_bytes: u64,
    /// Data segments that the transfer retransmitted.
    pub retransmitted_segments: u64,
    /// Retransmission timeouts (RTOs) of the transfer, if the host reports them.
    pub timeouts: Option<u64>,
    /// Packets dropped on the path by queues and policers, all flows.
    pub dropped_packets: u64,
    /// The part of them that policers and the profiles of expedited flows dropped.
    pub policed_packets: u64,
    /// Packets that queues on the path marked instead of dropping them (ECN), all flows.
    pub marked_packets: u64,
    /// Packets lost at random, all flows, both directions.
    pub lost_packets: u64,
    /// Maximum of the forward queue, in BDPs.
    pub peak_queue_bdp: f64,
    /// Why the start-up ended; `none` without a start-up, `unfinished` if the transfer ended first.
    pub exit_reason: String,
    /// cwnd at the end of the start-up, if it ended.
    pub exit_cwnd_bytes: Option<u64>,
    /// Time from the connect to the end of the start-up, if it ended.
    pub exit_time_s: Option<f64>,
    /// The last bandwidth estimate of the start-up (payload), if it made one.
    pub estimate_bytes_per_s: Option<u64>,
    /// The remembered BDP of the path (payload), if its start-up could use one.
    pub remembered_bytes: Option<u64>,
    /// Time from the connect to the last byte of the first answer, if there are several requests
    /// and the answer arrived. A video starts to play then.
    pub first_answer_s: Option<f64>,
    /// Mean time from a later request to the last byte of its answer, over those that arrived.
    pub later_answer_s: Option<f64>,
    /// How often a video stalled; `None`: the transfer is no video.
    pub stalls: Option<u32>,
    /// How long a video stalled in all.
    pub stalled_s: Option<f64>,
    /// The rate at which competing traffic delivered payload in the 20 round trips before the
    /// transfer, if there was any.
    pub traffic_before_bytes_per_s: Option<f64>,
    /// The same rate in the 20 round trips from the start of the transfer.
    pub traffic_during_bytes_per_s: Option<f64>,
    /// Delay of packets that the emulator adds to the path's, 99th percentile (0 in `sim`).
    pub lateness_p99_us: f64,
    /// Maximum of that delay.
    pub lateness_max_us: f64,
    /// The added delay was large enough to change the result, or the sender or receiver waited that
    /// long for a CPU: repeat this run on a quieter machine.
    pub suspect: bool,
}

impl Record {
    /// The IP version of the transfer's packets.
    pub fn ip_version(&self) -> IpVersion {
        match self.sender_tcp.split(", ").any(|word| word == words::IPV6) {
            true => IpVersion::V6,
            false => IpVersion::V4,
        }
    }

    /// All headers of a full data packet, in bytes. TCP has timestamps.
    pub fn header_bytes(&self) -> u64 {
        match self.transport == Transport::Quic.name() {
            true => quic_header_bytes(self.ip_version()),
            false => header_bytes(self.ip_version(), true),
        }
    }

    /// The record of the transfer's first copy before it runs: the columns that the scenario gives,
    /// and no result. `host` is `sim` or `kernel`. [`complete`](Record::complete) the record with
    /// the time of the transfer, and fill in what else is known.
    pub fn of_case(case: &Case, host: &str) -> Self {
        Record::of_copy(case, host, 0)
    }

    /// The same record of any copy of the transfer, copies counted from 0. Flows are numbered from
    /// 1 in this order.
    /// If the copies start at random times or draw their sizes, use [`Record::of_arrival`].
    pub fn of_copy(case: &Case, host: &str, copy: u32) -> Self {
        let after_ns = u64::from(copy) * case.transfer.spacing.mean_ns();
        let arrival = Arrival {
            start_ns: case.transfer_start_ns() + after_ns,
            size_bytes: case.transfer.size_bytes,
        };
        Record::of_arrival(case, host, copy, arrival)
    }

    /// The same record of a copy with this start and this size.
    pub fn of_arrival(case: &Case, host: &str, copy: u32, arrival: Arrival) -> Self {
        let transfer = &case.transfer;
        let flow = Flow::of_copy(case, copy, arrival);
        let mut record = of_flow(case, host, &flow);
        record.flow = copy + 1;
        record.enter_choices_of_the_transfer(case);
        record.application = words::application(transfer);
        record.sizes = transfer.sizes.map_or("", FlowSizes::name).to_owned();
        record.with_exit_reason()
    }

    /// The record of one of the transfers of measured traffic, which starts at this time. The
    /// caller enters its number within the run.
    pub fn of_traffic(
        case: &Case,
        host: &str,
        traffic: &Traffic,
        transfers: &Transfers,
        size_bytes: u64,
        start_ns: u64,
    ) -> Self {
        let beside = &case.transfer;
        let mut measured = columns::blank(case, host, beside.size_bytes, case.receiver);
        measured.enter_choices_of_the_transfer(case);
        let mut record = of_flow(
            case,
            host,
            &Flow::of_traffic(traffic, transfers, size_bytes, start_ns),
        );
        record.role = TRAFFIC.to_owned();
        record.beside = match words::application(beside) {
            all_at_once if all_at_once.is_empty() => measured.algorithms(),
            writes => format!("{}, {writes}", measured.algorithms()),
        };
        record.beside_bytes = Some(beside.size_bytes);
        record.startup = words::startup(&transfers.startup, transfers.given, Memory::Off);
        record.avoidance = transfers.avoidance.name().to_owned();
        record.sender_tcp = words::traffic_tcp(traffic, transfers);
        record.application = words::unasked(transfers.connect).unwrap_or_default();
        record.transport = Transport::Tcp.name().to_owned();
        record.stack = transfers.stack.name().to_owned();
        record.recovery = transfers.recovery.name().to_owned();
        record.timers = words::timers(transfers.stack, transfers.timers, transfers.clocks);
        record.with_exit_reason()
    }

    /// Enters the algorithms of the case's transfer.
    fn enter_choices_of_the_transfer(&mut self, case: &Case) {
        let transfer = &case.transfer;
        self.label = transfer.label.to_string();
        self.startup = words::startup(&transfer.startup, transfer.given, transfer.memory);
        self.avoidance = transfer.avoidance.name().to_owned();
        self.initial_window = transfer.initial_window.to_string();
        self.sender_tcp = words::sender_tcp(transfer);
        self.connections = connections(case);
        self.transport = transfer.transport.name().to_owned();
        match transfer.transport {
            Transport::Tcp => {
                self.stack = transfer.stack.name().to_owned();
                self.recovery = transfer.recovery.name().to_owned();
                self.timers = words::timers(transfer.stack, transfer.timers, transfer.clocks);
            }
            Transport::Quic => self.stack = words::QUIC_STACK.to_owned(),
        }
    }

    /// The exit reason of a start-up that has not ended.
    fn with_exit_reason(mut self) -> Self {
        self.exit_reason = match self.startup.as_str() {
            NO_STARTUP => NO_STARTUP,
            _ => UNFINISHED,
        }
        .to_owned();
        self
    }

    /// Enters the losses of the links of the forward path and the return path, each link once.
    pub fn count_losses<'a>(&mut self, links: impl IntoIterator<Item = &'a LinkStats>) {
        for link in links {
            self.dropped_packets +=
                link.dropped.packets + link.evicted.packets + link.policed.packets;
            self.policed_packets += link.policed.packets;
            self.marked_packets += link.marked.packets;
            self.lost_packets += link.lost.packets;
        }
    }

    /// Enters the events of its start-up, in order of time. The first exit counts: a start-up may
    /// run again after a timeout.
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

    /// Enters the times of several answers of a transfer that started at this time, and of a video.
    pub fn fill_answers(&mut self, started_ns: u64, answers: &Answers) {
        let Some(((_, first_ns), later)) = answers.times.split_first() else {
            return;
        };
        self.first_answer_s = Some(first_ns.saturating_sub(started_ns) as f64 / 1e9);
        if !later.is_empty() {
            let sum_ns: u64 = later.iter().map(|(asked, answered)| answered - asked).sum();
            self.later_answer_s = Some(sum_ns as f64 / 1e9 / later.len() as f64);
        }
        if let Some(player) = &answers.player {
            self.stalls = Some(player.stalls);
            self.stalled_s = Some(player.stalled_ns as f64 / 1e9);
        }
    }

    /// Enters the completion time in seconds, and the wasted round trips beyond
    /// [`bound_s`](Record::bound_s), by which start-ups are compared.
    pub fn complete(&mut self, completion_s: f64) {
        self.finished = true;
        self.delivered_bytes = self.size_bytes;
        self.completion_s = Some(completion_s);
        self.excess_rtts = Some((completion_s - self.bound_s) / (self.rtt_ms / 1e3));
    }
}
