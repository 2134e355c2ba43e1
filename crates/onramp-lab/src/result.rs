//! From what was seen to records and traces.

use crate::layout::Layout;
use crate::link::{LinkReport, SegmentLog};
use crate::options::percentile_us;
use crate::suspect;
use crate::work::{FlowState, Sample, TcpInfo};
use crate::{ConnectionEvent, LinkSummary, Outcome, RunOptions};
use onramp_scenario::{
    bytes_in, rate_in, traffic_windows, Case, Record, SegmentSample, SenderSample, StartupEvent, Trace,
};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;

/// A copy of the transfer when it was complete, or when the run ended.
pub struct Measured {
    /// The flow.
    pub state: Arc<FlowState>,
    /// When its receiver connected, or was to.
    pub start_ns: u64,
    /// When the last byte had been read, if it was.
    pub completed_ns: Option<u64>,
    /// Payload that was read.
    pub delivered_bytes: u64,
    /// The sender's account at that time.
    pub info: TcpInfo,
}

/// Everything a run left.
pub struct Observed {
    /// Who is who.
    pub layout: Layout,
    /// The run's beginning.
    pub begin_ns: u64,
    /// Its end, where that was not its transfers' doing.
    pub end_ns: Option<u64>,
    /// The copies of the transfer.
    pub copies: Vec<Measured>,
    /// Competing traffic.
    pub rivals: Vec<Arc<FlowState>>,
    /// What start-ups reported, of all connections of the machine.
    pub events: Vec<ConnectionEvent>,
    /// Looks at the sender of each copy.
    pub samples: Vec<Vec<Sample>>,
    /// What the links did.
    pub report: LinkReport,
}

/// Writes it up.
pub fn outcome(case: &Case, observed: Observed, options: &RunOptions) -> Outcome {
    let Observed { layout, begin_ns, end_ns, copies, rivals, events, samples, report } = observed;
    let LinkReport { links, lateness, early_lateness_ns, forward_emissions, reverse_emissions, logs, stolen_ms, notes } =
        report;
    let reasons = suspect::reasons(case, &lateness, early_lateness_ns);
    let mut notes = notes;
    if !reasons.is_empty() {
        notes.push(format!("{}: repeat this run while the machine is quiet, or on faster CPUs", reasons.join("; ")));
        if stolen_ms > 0 {
            notes.push(format!("the hypervisor withheld the link thread's CPU for {stolen_ms} ms meanwhile"));
        }
    }
    let mut events = by_connection(events);
    let (mut samples, mut logs) = (samples.into_iter(), logs.into_iter());
    let (mut results, mut held_back, mut left_out) = (Vec::new(), None::<f64>, 0);
    for (place, copy) in copies.iter().enumerate() {
        let events = copy.state.addresses().and_then(|addresses| events.remove(&addresses)).unwrap_or_default();
        let events = copy.own_events(events, end_ns);
        let mut record = Record::of_copy(case, "kernel", place as u32);
        record.start_s = copy.start_ns.saturating_sub(begin_ns) as f64 / 1e9;
        record.delivered_bytes = copy.delivered_bytes;
        if let Some(completed_ns) = copy.completed_ns {
            record.complete(copy.time_s(completed_ns));
        }
        record.retransmitted_segments = u64::from(copy.info.total_retrans);
        record.timeouts = copy.info.timeouts();
        let way = case.network.round_trip(case.transfer.ends(place as u32));
        record.count_losses(way.iter().map(|link| &links[*link as usize]));
        let bdp_bytes = bytes_in(record.rate_bits_per_s, (record.rtt_ms * 1e6) as u64);
        let queue = links[layout.bottleneck(place) as usize].peak_queue;
        record.peak_queue_bdp = queue.bytes as f64 / bdp_bytes.max(1) as f64;
        fill_startup(&mut record, &events);
        fill_traffic(&mut record, case, copy.start_ns, begin_ns..end_ns.unwrap_or(u64::MAX), &rivals);
        record.lateness_p99_us = percentile_us(&lateness, 99);
        record.lateness_max_us = lateness.max_ns() as f64 / 1e3;
        record.suspect = !reasons.is_empty();
        let held_ms = copy.info.sndbuf_limited_us as f64 / 1e3;
        if record.completion_s.is_some_and(|completion_s| held_ms / 1e3 > 0.02 * completion_s) {
            held_back = Some(held_back.unwrap_or(0.0).max(held_ms));
        }
        let mut trace = Trace::default();
        if options.trace {
            let (segments, more) = logs.next().map(SegmentLog::into_parts).unwrap_or_default();
            left_out += more;
            trace.events = events;
            trace.sender =
                samples.next().unwrap_or_default().iter().map(|sample| copy.sender_sample(sample, case)).collect();
            let segment = |segment: &crate::link::Segment| SegmentSample {
                time_s: copy.time_s(segment.time_ns),
                start_byte: segment.start_byte,
                length_bytes: segment.length_bytes,
                retransmission: segment.retransmission,
                dropped: segment.dropped,
            };
            trace.segments = segments.iter().map(segment).collect();
        }
        results.push((record, trace));
    }
    if let Some(held_ms) = held_back {
        notes.push(format!(
            "the send buffer held the sender back for {held_ms:.1} ms: give the scenario's sender a larger `buffer`"
        ));
    }
    if left_out > 0 {
        notes.push(format!("the trace ends early: {left_out} segments are left out"));
    }
    let forward = layout.bottleneck(0) as usize;
    let link = LinkSummary {
        forward: links[forward],
        reverse: links[forward ^ 1],
        links,
        lateness_p50_us: percentile_us(&lateness, 50),
        forward_emissions,
        reverse_emissions,
    };
    let others = results.split_off(1);
    let (record, trace) = results.pop().expect("a transfer has at least one copy");
    Outcome { record, trace, others, notes, link }
}

/// The events of each connection, which its sender's address and its receiver's name.
fn by_connection(events: Vec<ConnectionEvent>) -> HashMap<(SocketAddr, SocketAddr), Vec<ConnectionEvent>> {
    let mut connections: HashMap<_, Vec<_>> = HashMap::new();
    for event in events {
        connections.entry((event.local, event.remote)).or_default().push(event);
    }
    connections
}

impl Measured {
    /// Time since its receiver connected.
    fn time_s(&self, at_ns: u64) -> f64 {
        (at_ns as f64 - self.start_ns as f64) / 1e9
    }

    /// Its events, with their times. What came after the last byte was read, at the connection's end, or after the end
    /// of the run is none of the transfer's.
    fn own_events(&self, events: Vec<ConnectionEvent>, end_ns: Option<u64>) -> Vec<StartupEvent> {
        let last_ns = self.completed_ns.or(end_ns).unwrap_or(u64::MAX);
        let own = events.into_iter().filter(|event| event.time_ns <= last_ns);
        own.map(|event| StartupEvent { time_s: self.time_s(event.time_ns), ..event.event }).collect()
    }

    fn sender_sample(&self, sample: &Sample, case: &Case) -> SenderSample {
        let (info, mss) = (&sample.info, u64::from(sample.info.snd_mss));
        SenderSample {
            time_s: self.time_s(sample.time_ns),
            acked_bytes: info.bytes_acked.min(case.transfer.size_bytes),
            cwnd_bytes: u64::from(info.snd_cwnd) * mss,
            ssthresh_bytes: (info.snd_ssthresh < 0x7fff_ffff).then(|| u64::from(info.snd_ssthresh) * mss),
            inflight_bytes: (info.bytes_sent - info.bytes_retrans).saturating_sub(info.bytes_acked),
            pacing_bytes_per_s: (info.pacing_rate != u64::MAX).then_some(info.pacing_rate),
            delivery_bytes_per_s: info.delivery_rate,
            srtt_s: f64::from(info.rtt_us) / 1e6,
        }
    }
}

/// The first exit counts: a start-up that runs again after a timeout has had its chance.
fn fill_startup(record: &mut Record, events: &[StartupEvent]) {
    if let Some(exit) = events.iter().find(|event| event.kind == "exit") {
        record.exit_reason = exit.what.clone();
        record.exit_cwnd_bytes = Some(exit.cwnd_bytes);
        record.exit_time_s = Some(exit.time_s);
    }
    record.estimate_bytes_per_s = events.iter().rev().map(|event| event.estimate_bytes_per_s).find(|rate| *rate > 0);
}

fn fill_traffic(record: &mut Record, case: &Case, start_ns: u64, run_ns: Range<u64>, rivals: &[Arc<FlowState>]) {
    let first_ns = rivals.iter().map(|rival| rival.connect_ns()).filter(|connect_ns| *connect_ns != 0).min();
    let Some(first_ns) = first_ns else { return };
    let goodput = |window: Range<u64>| {
        let bytes: f64 = rivals.iter().map(|rival| rival.received_between(window.start, window.end)).sum();
        rate_in(&window, bytes)
    };
    let stops_ns = case.traffic.iter().map(|traffic| traffic.stop_ns.unwrap_or(u64::MAX));
    let last_ns = stops_ns.max().map_or(u64::MAX, |stop_ns| run_ns.start.saturating_add(stop_ns));
    let seen = first_ns..run_ns.end.min(last_ns);
    let [before, during] = traffic_windows(start_ns, case.path.rtt_ns, &seen).map(goodput);
    (record.traffic_before_bytes_per_s, record.traffic_during_bytes_per_s) = (before, during);
}
