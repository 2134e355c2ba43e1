//! From what was seen to record and trace.

use crate::link::LinkReport;
use crate::options::percentile_us;
use crate::suspect;
use crate::work::{FlowState, Sample, TcpInfo};
use crate::{ConnectionEvent, LinkSummary, Outcome, RunOptions};
use onramp_net::LinkStats;
use onramp_scenario::{rate_in, traffic_windows, Case, Record, SegmentSample, SenderSample, StartupEvent, Trace};
use std::ops::Range;
use std::sync::Arc;

/// Everything a run left.
pub struct Observed<'a> {
    /// The measured transfer, which is complete.
    pub flow: &'a FlowState,
    /// Competing traffic.
    pub rivals: &'a [Arc<FlowState>],
    /// The sender's account at the end.
    pub info: TcpInfo,
    /// What start-ups reported, of all connections of the machine.
    pub events: Vec<ConnectionEvent>,
    /// Looks at the sender.
    pub samples: Vec<Sample>,
    /// What the link did.
    pub report: LinkReport,
}

/// Writes it up.
pub fn outcome(case: &Case, observed: Observed<'_>, options: &RunOptions) -> Outcome {
    let Observed { flow, rivals, info, events, samples, report } = observed;
    let time_s = |ns: u64| (ns as f64 - flow.connect_ns() as f64) / 1e9;
    let events = own_events(events, flow, time_s);
    let mut record = Record::of_case(case, "kernel");
    let completion_s = time_s(flow.completed_ns());
    record.complete(completion_s);
    record.retransmitted_segments = u64::from(info.total_retrans);
    record.timeouts = info.timeouts();
    let dropped = |link: &LinkStats| link.dropped.packets + link.evicted.packets + link.policed.packets;
    record.dropped_packets = dropped(&report.forward) + dropped(&report.reverse);
    record.lost_packets = report.forward.lost.packets + report.reverse.lost.packets;
    record.peak_queue_bdp = report.forward.peak_queue.bytes as f64 / case.path.bdp_bytes().max(1) as f64;
    fill_startup(&mut record, &events);
    fill_traffic(&mut record, case, flow.connect_ns(), rivals);
    record.lateness_p99_us = percentile_us(&report.lateness, 99);
    record.lateness_max_us = report.lateness.max_ns() as f64 / 1e3;
    let mut notes = report.notes;
    let reasons = suspect::reasons(case, &report.lateness, report.early_lateness_ns);
    record.suspect = !reasons.is_empty();
    if record.suspect {
        notes.push(format!("{}: repeat this run while the machine is quiet, or on faster CPUs", reasons.join("; ")));
        if report.stolen_ms > 0 {
            notes.push(format!("the hypervisor withheld the link thread's CPU for {} ms meanwhile", report.stolen_ms));
        }
    }
    if info.sndbuf_limited_us as f64 / 1e6 > 0.02 * completion_s {
        notes.push(format!(
            "the send buffer held the sender back for {:.1} ms: give the scenario's sender a larger `buffer`",
            info.sndbuf_limited_us as f64 / 1e3
        ));
    }
    if report.segments_left_out > 0 {
        notes.push(format!("the trace ends early: {} segments are left out", report.segments_left_out));
    }
    let mut trace = Trace::default();
    if options.trace {
        trace.events = events;
        trace.sender = samples.iter().map(|sample| sender_sample(sample, time_s, case.transfer.size_bytes)).collect();
        trace.segments = report
            .segments
            .iter()
            .map(|segment| SegmentSample {
                time_s: time_s(segment.time_ns),
                start_byte: segment.start_byte,
                length_bytes: segment.length_bytes,
                retransmission: segment.retransmission,
                dropped: segment.dropped,
            })
            .collect();
    }
    let link = LinkSummary {
        forward: report.forward,
        reverse: report.reverse,
        lateness_p50_us: percentile_us(&report.lateness, 50),
        forward_emissions: report.forward_emissions,
        reverse_emissions: report.reverse_emissions,
    };
    Outcome { record, trace, notes, link }
}

/// The events of the measured connection, their times counted from its connect. What came after the last byte was
/// read, at the connection's end, is none of the transfer's.
fn own_events(events: Vec<ConnectionEvent>, flow: &FlowState, time_s: impl Fn(u64) -> f64) -> Vec<StartupEvent> {
    let Some((local, remote)) = flow.addresses() else { return Vec::new() };
    let is_own = |event: &ConnectionEvent| {
        event.local == local && event.remote == remote && event.time_ns <= flow.completed_ns()
    };
    let own = events.into_iter().filter(is_own);
    own.map(|event| StartupEvent { time_s: time_s(event.time_ns), ..event.event }).collect()
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

fn fill_traffic(record: &mut Record, case: &Case, start_ns: u64, rivals: &[Arc<FlowState>]) {
    let Some(first_ns) = rivals.iter().map(|rival| rival.connect_ns()).min() else { return };
    let goodput = |window: Range<u64>| {
        let bytes: f64 = rivals.iter().map(|rival| rival.received_between(window.start, window.end)).sum();
        rate_in(&window, bytes)
    };
    let [before, during] = traffic_windows(start_ns, case.path.rtt_ns, &(first_ns..u64::MAX)).map(goodput);
    (record.traffic_before_bytes_per_s, record.traffic_during_bytes_per_s) = (before, during);
}

fn sender_sample(sample: &Sample, time_s: impl Fn(u64) -> f64, size_bytes: u64) -> SenderSample {
    let (info, mss) = (&sample.info, u64::from(sample.info.snd_mss));
    SenderSample {
        time_s: time_s(sample.time_ns),
        acked_bytes: info.bytes_acked.min(size_bytes),
        cwnd_bytes: u64::from(info.snd_cwnd) * mss,
        ssthresh_bytes: (info.snd_ssthresh < 0x7fff_ffff).then(|| u64::from(info.snd_ssthresh) * mss),
        inflight_bytes: (info.bytes_sent - info.bytes_retrans).saturating_sub(info.bytes_acked),
        pacing_bytes_per_s: (info.pacing_rate != u64::MAX).then_some(info.pacing_rate),
        delivery_bytes_per_s: info.delivery_rate,
        srtt_s: f64::from(info.rtt_us) / 1e6,
    }
}
