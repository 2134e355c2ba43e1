//! Made-up results that look like real ones: a coarse model of a sender and a drop-tail bottleneck,
//! just good enough to draw. Used by the example and by the tests.
#![allow(dead_code, missing_docs)]

use onramp_results::{Record, SegmentSample, SenderSample, StartupEvent, Trace};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

const MSS: u64 = 1448;
const WIRE: u64 = 1500;

/// A path and a transfer.
#[derive(Clone)]
pub struct Setup {
    pub scenario: &'static str,
    pub rate_bits_per_s: u64,
    pub rtt_ms: f64,
    pub queue_bdp: f64,
    pub size_bytes: u64,
}

pub const SATELLITE: Setup = Setup {
    scenario: "geo-download",
    rate_bits_per_s: 50_000_000,
    rtt_ms: 600.0,
    queue_bdp: 0.4,
    size_bytes: 5_000_000,
};
pub const SHALLOW: Setup = Setup {
    scenario: "shallow-buffer",
    rate_bits_per_s: 20_000_000,
    rtt_ms: 80.0,
    queue_bdp: 0.15,
    size_bytes: 2_000_000,
};

/// A record without a trace, for tests of everything but plots.
pub fn record(scenario: &str, startup: &str, avoidance: &str, run: u32) -> Record {
    let setup = Setup {
        size_bytes: 1_000_000,
        ..SATELLITE
    };
    let completion_s = if startup == "none" { 4.214 } else { 2.013 };
    let mut record = blank(&setup, startup, avoidance, run);
    record.scenario = scenario.to_owned();
    record.queue = "0.5 bdp".to_owned();
    finish(&mut record, completion_s);
    if startup != "none" {
        record.exit_reason = "estimate".to_owned();
        record.estimate_bytes_per_s = Some(5_870_000);
    }
    record
}

fn finish(record: &mut Record, completion_s: f64) {
    record.complete(completion_s);
}

fn blank(setup: &Setup, startup: &str, avoidance: &str, run: u32) -> Record {
    let wire_bytes = setup.size_bytes + setup.size_bytes.div_ceil(MSS) * (WIRE - MSS);
    Record {
        scenario: setup.scenario.to_owned(),
        host: "sim".to_owned(),
        role: "transfer".to_owned(),
        case: 1,
        beside: String::new(),
        beside_bytes: None,
        capacity_bits_per_s: setup.rate_bits_per_s,
        capacity_bytes_per_s: setup.rate_bits_per_s / 8 * MSS / WIRE,
        path: String::new(),
        application: String::new(),
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
        stack: "linux".to_owned(),
        recovery: "rack".to_owned(),
        timers: "linux".to_owned(),
        label: String::new(),
        sender_tcp: String::new(),
        connections: String::new(),
        size_bytes: setup.size_bytes,
        run,
        seed: u64::from(run),
        start_s: 0.0,
        finished: false,
        completion_s: None,
        bound_s: 2.0 * setup.rtt_ms / 1e3 + wire_bytes as f64 * 8.0 / setup.rate_bits_per_s as f64,
        excess_rtts: None,
        delivered_bytes: 0,
        retransmitted_segments: 0,
        timeouts: None,
        dropped_packets: 0,
        policed_packets: 0,
        lost_packets: 0,
        peak_queue_bdp: 0.0,
        exit_reason: "none".to_owned(),
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

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Acked { start: u64 },
    Lost { start: u64 },
    Send,
}

struct Sender<'a> {
    setup: &'a Setup,
    trace: Trace,
    record: Record,
    now_ns: u64,
    events: BinaryHeap<Reverse<(u64, u64, What)>>,
    order: u64,
    next: u64,
    received: BTreeSet<u64>,
    acked: u64,
    inflight: u64,
    cwnd: f64,
    ssthresh: Option<f64>,
    pacing: Option<f64>,
    pace_from_ns: u64,
    is_waiting: bool,
    idle_ns: u64,
    lost: Vec<u64>,
    quiet_until_ns: u64,
    acks: u64,
}

/// Runs one transfer: `none` is slow start, `paced` jumps to half the estimate after a round trip
/// and then to all of it, `gamma` doubles but paces and stops when a queue stands.
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
        cwnd: (10 * MSS) as f64,
        ssthresh: None,
        pacing: None,
        pace_from_ns: 0,
        is_waiting: false,
        idle_ns: 0,
        lost: Vec::new(),
        quiet_until_ns: 0,
        acks: 0,
    };
    if startup != "none" {
        sender.event("phase", "probe", 0.0);
    }
    sender.sample();
    sender.fill();
    while let Some(Reverse((time_ns, _, what))) = sender.events.pop() {
        sender.now_ns = time_ns;
        match what {
            What::Acked { start } => sender.acked(start),
            What::Lost { start } => sender.loss(start),
            What::Send => sender.is_waiting = false,
        }
        sender.fill();
        sender.sample();
        if sender.acked >= setup.size_bytes {
            break;
        }
    }
    let completion_s = sender.now_ns as f64 / 1e9 - setup.rtt_ms / 2e3;
    finish(&mut sender.record, completion_s);
    (sender.record, sender.trace)
}

impl Sender<'_> {
    fn capacity(&self) -> f64 {
        self.setup.rate_bits_per_s as f64 / 8.0 * MSS as f64 / WIRE as f64
    }

    fn rtt_s(&self) -> f64 {
        self.setup.rtt_ms / 1e3
    }

    fn push(&mut self, time_ns: u64, what: What) {
        self.order += 1;
        self.events.push(Reverse((time_ns, self.order, what)));
    }

    fn fill(&mut self) {
        while self.inflight as f64 + MSS as f64 <= self.cwnd {
            if self.pacing.is_some() && self.pace_from_ns > self.now_ns {
                if !self.is_waiting {
                    self.is_waiting = true;
                    self.push(self.pace_from_ns, What::Send);
                }
                return;
            }
            let (start, again) = match self.lost.pop() {
                Some(start) => (start, true),
                None if self.next < self.setup.size_bytes => (self.next, false),
                None => return,
            };
            self.next = self.next.max(start + MSS);
            self.send(start, again);
        }
    }

    fn send(&mut self, start: u64, again: bool) {
        let length = MSS.min(self.setup.size_bytes - start);
        if let Some(rate) = self.pacing {
            self.pace_from_ns =
                self.now_ns.max(self.pace_from_ns) + (length as f64 / rate * 1e9) as u64;
        }
        let rate = self.setup.rate_bits_per_s as f64 / 8.0;
        let backlog = self.idle_ns.saturating_sub(self.now_ns) as f64 / 1e9 * rate;
        let bdp = rate * self.rtt_s();
        let dropped = backlog + WIRE as f64 > self.setup.queue_bdp * bdp;
        self.inflight += MSS;
        self.record.retransmitted_segments += u64::from(again);
        self.record.dropped_packets += u64::from(dropped);
        let rtt_ns = (self.setup.rtt_ms * 1e6) as u64;
        if dropped {
            self.push(self.idle_ns + rtt_ns + 3, What::Lost { start });
        } else {
            self.record.peak_queue_bdp = self.record.peak_queue_bdp.max(backlog / bdp);
            self.idle_ns =
                self.idle_ns.max(self.now_ns) + ((length + 52) as f64 / rate * 1e9) as u64;
            self.push(self.idle_ns + rtt_ns, What::Acked { start });
        }
        self.trace.segments.push(SegmentSample {
            time_s: self.now_ns as f64 / 1e9,
            start_byte: start,
            length_bytes: length as u32,
            retransmission: again,
            dropped,
        });
    }

    fn acked(&mut self, start: u64) {
        self.inflight -= MSS;
        self.received.insert(start);
        while self.received.remove(&self.acked) {
            self.acked += MSS;
        }
        self.acks += 1;
        let in_slow_start = self.ssthresh.is_none_or(|s| self.cwnd < s);
        let paced_jump = self.record.startup == "paced" && self.ssthresh.is_none();
        if in_slow_start && !paced_jump {
            self.cwnd += MSS as f64;
        } else if !in_slow_start {
            self.cwnd += 2.0 * (MSS * MSS) as f64 / self.cwnd;
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
        let queued_ns = self.idle_ns.saturating_sub(self.now_ns);
        if queued_ns as f64 / 1e9 > self.rtt_s() / 16.0 && self.acks > 60 {
            self.ssthresh = Some(self.capacity() * self.rtt_s());
            self.cwnd = self.capacity() * self.rtt_s();
            self.exit("delay rose", estimate);
        }
    }

    /// Paced doubling up to two BDPs, then the link's rate.
    fn bbr(&mut self) {
        let bdp = self.capacity() * self.rtt_s();
        self.cwnd = (self.cwnd + MSS as f64 * 0.3).min(2.0 * bdp);
        self.pacing = Some((2.89 * self.cwnd / self.rtt_s()).min(self.capacity() * 1.01));
    }

    fn loss(&mut self, start: u64) {
        self.inflight -= MSS;
        self.lost.push(start);
        if self.now_ns > self.quiet_until_ns {
            self.cwnd *= 0.7;
            self.ssthresh = Some(self.cwnd);
            self.quiet_until_ns = self.now_ns + (self.setup.rtt_ms * 1.4e6) as u64;
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
