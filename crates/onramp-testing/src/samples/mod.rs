//! Made-up results that look like real ones, for tests and examples: a coarse model of a TCP sender
//! and a drop-tail bottleneck.

mod counts;

pub use counts::{counts, COUNTS_TIME_S};

use onramp_results::{ReceiverSample, Record, SegmentSample, SenderSample, StartupEvent, Trace};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Payload of a full segment.
const MSS_BYTES: u64 = 1448;
/// The same segment with its headers.
const PACKET_BYTES: u64 = 1500;

/// A path and a transfer.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Name of the scenario.
    pub scenario: &'static str,
    /// Rate of the bottleneck, with headers.
    pub rate_bits_per_s: u64,
    /// Propagation round trip.
    pub rtt_ms: f64,
    /// Size of the drop-tail queue, in bandwidth-delay products.
    pub queue_bdp: f64,
    /// Payload of the transfer.
    pub size_bytes: u64,
}

/// 5 MB over a geostationary satellite: 50 Mbit/s, 600 ms, a queue of 0.4 BDP.
pub const SATELLITE: Setup = Setup {
    scenario: "geo-download",
    rate_bits_per_s: 50_000_000,
    rtt_ms: 600.0,
    queue_bdp: 0.4,
    size_bytes: 5_000_000,
};
/// 2 MB over a path with a shallow queue: 20 Mbit/s, 80 ms, a queue of 0.15 BDP.
pub const SHALLOW: Setup = Setup {
    scenario: "shallow-buffer",
    rate_bits_per_s: 20_000_000,
    rtt_ms: 80.0,
    queue_bdp: 0.15,
    size_bytes: 2_000_000,
};

/// A finished transfer of 1 MB over the satellite path, without a trace: for tests of everything
/// but plots.
///
/// Slow start (`startup` is `none`) needs 4.214 s, every other start-up 2.013 s.
pub fn record(scenario: &str, startup: &str, avoidance: &str, run: u32) -> Record {
    let setup = Setup {
        size_bytes: 1_000_000,
        ..SATELLITE
    };
    let completion_s = if startup == "none" { 4.214 } else { 2.013 };
    let mut record = blank(&setup, startup, avoidance, run);
    record.scenario = scenario.to_owned();
    record.queue = "0.5 bdp".to_owned();
    record.complete(completion_s);
    if startup != "none" {
        record.exit_reason = "estimate".to_owned();
        record.estimate_bytes_per_s = Some(5_870_000);
    }
    record
}

fn blank(setup: &Setup, startup: &str, avoidance: &str, run: u32) -> Record {
    let wire_bytes =
        setup.size_bytes + setup.size_bytes.div_ceil(MSS_BYTES) * (PACKET_BYTES - MSS_BYTES);
    Record {
        scenario: setup.scenario.to_owned(),
        host: "sim".to_owned(),
        role: "transfer".to_owned(),
        case: 1,
        capacity_bits_per_s: setup.rate_bits_per_s,
        capacity_bytes_per_s: setup.rate_bits_per_s / 8 * MSS_BYTES / PACKET_BYTES,
        flow: 1,
        rate_bits_per_s: setup.rate_bits_per_s,
        rtt_ms: setup.rtt_ms,
        queue: format!("{} bdp", setup.queue_bdp),
        loss: "0 %".to_owned(),
        receiver_buffer: "64 MiB".to_owned(),
        sender_buffer: "64 MiB".to_owned(),
        startup: startup.to_owned(),
        avoidance: avoidance.to_owned(),
        initial_window: "host".to_owned(),
        transport: "tcp".to_owned(),
        stack: "linux".to_owned(),
        recovery: "rack".to_owned(),
        timers: "linux".to_owned(),
        size_bytes: setup.size_bytes,
        run,
        seed: u64::from(run),
        bound_s: 2.0 * setup.rtt_ms / 1e3 + wire_bytes as f64 * 8.0 / setup.rate_bits_per_s as f64,
        exit_reason: "none".to_owned(),
        ..Record::default()
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum EventKind {
    /// A segment was acknowledged, by the number of its first byte.
    Acked { start: u64 },
    /// A segment was marked lost.
    Lost { start: u64 },
    /// Pacing allows the next segment.
    Send,
}

/// A sender and its bottleneck.
struct Sender<'a> {
    setup: &'a Setup,
    trace: Trace,
    record: Record,
    now_ns: u64,
    events: BinaryHeap<Reverse<(u64, u64, EventKind)>>,
    /// Number of events so far: events of one time keep their order.
    order: u64,
    /// First byte that was never sent.
    next: u64,
    received: BTreeSet<u64>,
    acked: u64,
    inflight: u64,
    cwnd: f64,
    ssthresh: Option<f64>,
    pacing: Option<f64>,
    next_send_ns: u64,
    send_is_scheduled: bool,
    /// When the link will have sent all that stands in the queue.
    link_idle_ns: u64,
    /// Starts of the segments to retransmit.
    lost: Vec<u64>,
    /// Losses until then belong to the last reduction of cwnd.
    recovery_end_ns: u64,
    acks: u64,
}

/// Runs one transfer, with all that the plots are drawn from.
///
/// - `none` is slow start.
/// - `paced` sends at half of the estimated rate after one round trip, then at all of it.
/// - `gamma` doubles cwnd per round trip, paces, and stops when a standing queue builds.
///
/// With the avoidance `bbr`, `none` paces while it doubles cwnd up to two BDPs. `run` is the number
/// of the repeat, from 1; repeats differ by 0.7 ms.
pub fn run(setup: &Setup, startup: &str, avoidance: &str, run: u32) -> (Record, Trace) {
    let rtt_ns = (setup.rtt_ms * 1e6) as u64;
    let mut sender = Sender {
        setup,
        trace: Trace::default(),
        record: blank(setup, startup, avoidance, run),
        // Repeats differ a little, as on a real host.
        now_ns: rtt_ns * 3 / 2 + u64::from(run) * 700_000,
        events: BinaryHeap::new(),
        order: 0,
        next: 0,
        received: BTreeSet::new(),
        acked: 0,
        inflight: 0,
        cwnd: (10 * MSS_BYTES) as f64,
        ssthresh: None,
        pacing: None,
        next_send_ns: 0,
        send_is_scheduled: false,
        link_idle_ns: 0,
        lost: Vec::new(),
        recovery_end_ns: 0,
        acks: 0,
    };
    if startup != "none" {
        sender.event("phase", "probe", 0.0);
    }
    sender.sample();
    sender.fill();
    while let Some(Reverse((time_ns, _, kind))) = sender.events.pop() {
        sender.now_ns = time_ns;
        match kind {
            EventKind::Acked { start } => sender.acked(start),
            EventKind::Lost { start } => sender.loss(start),
            EventKind::Send => sender.send_is_scheduled = false,
        }
        sender.fill();
        sender.sample();
        if sender.acked >= setup.size_bytes {
            break;
        }
    }
    let completion_s = sender.now_ns as f64 / 1e9 - setup.rtt_ms / 2e3;
    sender.record.complete(completion_s);
    (sender.record, sender.trace)
}

impl Sender<'_> {
    fn capacity(&self) -> f64 {
        self.setup.rate_bits_per_s as f64 / 8.0 * MSS_BYTES as f64 / PACKET_BYTES as f64
    }

    fn rtt_s(&self) -> f64 {
        self.setup.rtt_ms / 1e3
    }

    fn push(&mut self, time_ns: u64, kind: EventKind) {
        self.order += 1;
        self.events.push(Reverse((time_ns, self.order, kind)));
    }

    fn fill(&mut self) {
        while self.inflight as f64 + MSS_BYTES as f64 <= self.cwnd {
            if self.pacing.is_some() && self.next_send_ns > self.now_ns {
                if !self.send_is_scheduled {
                    self.send_is_scheduled = true;
                    self.push(self.next_send_ns, EventKind::Send);
                }
                return;
            }
            let (start, is_retransmission) = match self.lost.pop() {
                Some(start) => (start, true),
                None if self.next < self.setup.size_bytes => (self.next, false),
                None => return,
            };
            self.next = self.next.max(start + MSS_BYTES);
            self.send(start, is_retransmission);
        }
    }

    fn send(&mut self, start: u64, is_retransmission: bool) {
        let length = MSS_BYTES.min(self.setup.size_bytes - start);
        if let Some(rate) = self.pacing {
            self.next_send_ns =
                self.now_ns.max(self.next_send_ns) + (length as f64 / rate * 1e9) as u64;
        }
        let rate = self.setup.rate_bits_per_s as f64 / 8.0;
        let backlog = self.link_idle_ns.saturating_sub(self.now_ns) as f64 / 1e9 * rate;
        let bdp = rate * self.rtt_s();
        let dropped = backlog + PACKET_BYTES as f64 > self.setup.queue_bdp * bdp;
        self.inflight += MSS_BYTES;
        self.record.retransmitted_segments += u64::from(is_retransmission);
        self.record.dropped_packets += u64::from(dropped);
        let rtt_ns = (self.setup.rtt_ms * 1e6) as u64;
        if dropped {
            self.push(self.link_idle_ns + rtt_ns + 3, EventKind::Lost { start });
        } else {
            self.record.peak_queue_bdp = self.record.peak_queue_bdp.max(backlog / bdp);
            self.link_idle_ns =
                self.link_idle_ns.max(self.now_ns) + ((length + 52) as f64 / rate * 1e9) as u64;
            self.push(self.link_idle_ns + rtt_ns, EventKind::Acked { start });
        }
        self.trace.segments.push(SegmentSample {
            time_s: self.now_ns as f64 / 1e9,
            start_byte: start,
            length_bytes: length as u32,
            retransmission: is_retransmission,
            dropped,
        });
    }

    fn acked(&mut self, start: u64) {
        self.inflight -= MSS_BYTES;
        self.received.insert(start);
        while self.received.remove(&self.acked) {
            self.acked += MSS_BYTES;
        }
        self.acks += 1;
        let in_slow_start = self.ssthresh.is_none_or(|s| self.cwnd < s);
        let paced_jump = self.record.startup == "paced" && self.ssthresh.is_none();
        if in_slow_start && !paced_jump {
            self.cwnd += MSS_BYTES as f64;
        } else if !in_slow_start {
            self.cwnd += 2.0 * (MSS_BYTES * MSS_BYTES) as f64 / self.cwnd;
        }
        match self.record.startup.as_str() {
            "paced" => self.paced(),
            "gamma" => self.gamma(),
            _ if self.record.avoidance == "bbr" => self.bbr(),
            _ => {}
        }
    }

    fn paced(&mut self) {
        let capacity = self.capacity();
        if self.acks == 10 {
            self.pacing = Some(capacity * 0.47);
            self.cwnd = capacity * 0.94 * self.rtt_s() / 2.0;
            self.event("estimate", "", capacity * 0.94);
            self.event("phase", "half rate", capacity * 0.94);
        } else if self.acks == 120 {
            self.pacing = Some(capacity * 0.985);
            self.cwnd = capacity * 1.05 * self.rtt_s();
            self.ssthresh = Some(self.cwnd);
            self.event("estimate", "", capacity * 0.985);
            self.exit("estimate", capacity * 0.985);
        }
    }

    fn gamma(&mut self) {
        if self.ssthresh.is_some() {
            self.pacing = Some(self.capacity() * 1.2);
            return;
        }
        self.pacing = Some(2.0 * self.cwnd / self.rtt_s());
        let estimate = (self.cwnd / self.rtt_s()).min(self.capacity());
        if self.acks % 200 == 40 {
            self.event("estimate", "", estimate);
        }
        let queued_ns = self.link_idle_ns.saturating_sub(self.now_ns);
        if queued_ns as f64 / 1e9 > self.rtt_s() / 16.0 && self.acks > 60 {
            self.ssthresh = Some(self.capacity() * self.rtt_s());
            self.cwnd = self.capacity() * self.rtt_s();
            self.exit("delay rose", estimate);
        }
    }

    /// Paced doubling up to two BDPs, then the link's rate.
    fn bbr(&mut self) {
        let bdp = self.capacity() * self.rtt_s();
        self.cwnd = (self.cwnd + MSS_BYTES as f64 * 0.3).min(2.0 * bdp);
        self.pacing = Some((2.89 * self.cwnd / self.rtt_s()).min(self.capacity() * 1.01));
    }

    fn loss(&mut self, start: u64) {
        self.inflight -= MSS_BYTES;
        self.lost.push(start);
        if self.now_ns > self.recovery_end_ns {
            self.cwnd *= 0.7;
            self.ssthresh = Some(self.cwnd);
            self.recovery_end_ns = self.now_ns + (self.setup.rtt_ms * 1.4e6) as u64;
        }
    }

    fn exit(&mut self, reason: &str, estimate: f64) {
        self.event("exit", reason, estimate);
        self.record.exit_reason = reason.to_owned();
        self.record.exit_time_s = Some(self.now_ns as f64 / 1e9);
        self.record.exit_cwnd_bytes = Some(self.cwnd as u64);
        self.record.estimate_bytes_per_s = Some(estimate as u64);
    }

    fn event(&mut self, kind: &str, what: &str, estimate: f64) {
        self.trace.events.push(StartupEvent {
            time_s: self.now_ns as f64 / 1e9,
            kind: kind.to_owned(),
            what: what.to_owned(),
            estimate_bytes_per_s: estimate as u64,
            cwnd_bytes: self.cwnd as u64,
            ssthresh_bytes: self.ssthresh.unwrap_or(0.0) as u64,
            pacing_bytes_per_s: self.pacing.unwrap_or(0.0) as u64,
            remembered_bytes: 0,
        });
    }

    fn sample(&mut self) {
        // What the sender learns now, the receiver had read half a round trip earlier.
        self.trace.receiver.push(ReceiverSample {
            time_s: self.now_ns as f64 / 1e9 - self.rtt_s() / 2.0,
            received_bytes: self.acked.min(self.setup.size_bytes),
        });
        self.trace.sender.push(SenderSample {
            time_s: self.now_ns as f64 / 1e9,
            acked_bytes: self.acked.min(self.setup.size_bytes),
            cwnd_bytes: self.cwnd as u64,
            ssthresh_bytes: self.ssthresh.map(|s| s as u64),
            inflight_bytes: self.inflight,
            pacing_bytes_per_s: self.pacing.map(|p| p as u64),
            delivery_bytes_per_s: 0,
            srtt_s: self.rtt_s(),
        });
    }
}
