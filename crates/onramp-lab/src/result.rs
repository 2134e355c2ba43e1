//! Makes records and traces from the measurements of a run.

use crate::competing::MeasuredCompetitor;
use crate::layout::Layout;
use crate::link::{Lateness, LinkReport, SegmentLog};
use crate::options::percentile_us;
use crate::options::{LinkSummary, Outcome, RunOptions};
use crate::progress::Measured;
use crate::startups::ConnectionEvent;
use crate::suspect;
use crate::work::{FlowState, Sample};
use onramp_net::LinkStats;
use onramp_results::{
    rate_in, traffic_windows, ReceiverSample, Record, SegmentSample, SenderSample, StartupEvent,
    Trace,
};
use onramp_scenario::{bytes_in, Arrival, Case, ENDLESS};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;

/// The measurements of a run.
pub struct Observed<'a> {
    /// Addresses and bottlenecks.
    pub layout: &'a Layout,
    /// Beginning of the run.
    pub begin_ns: u64,
    /// End of the run, if the case limits its duration; `None` if all transfers completed before.
    pub end_ns: Option<u64>,
    /// The copies of the transfer.
    pub copies: Vec<Measured>,
    /// The transfers of measured traffic.
    pub traffic: Vec<MeasuredCompetitor>,
    /// The transfers of the other traffic.
    pub competing: Vec<Arc<FlowState>>,
    /// The reports of start-ups, of all connections of the machine.
    pub events: Vec<ConnectionEvent>,
    /// Samples of the sender of each copy.
    pub samples: Vec<Vec<Sample>>,
    /// The report of the link thread.
    pub report: LinkReport,
}

/// Makes records, traces and notes from the measurements.
pub fn outcome(case: &Case, observed: Observed<'_>, options: &RunOptions) -> Outcome {
    let Observed {
        layout,
        begin_ns,
        end_ns,
        copies,
        traffic,
        competing,
        events,
        samples,
        report,
    } = observed;
    let LinkReport {
        links,
        lateness,
        early_lateness_ns,
        forward_emissions,
        reverse_emissions,
        logs,
        stolen_ms,
        mut notes,
    } = report;
    let mut reasons = suspect::reasons(case, &lateness, early_lateness_ns);
    let waits_ns = copies.iter().map(|copy| copy.state.cpu_waits_ns());
    reasons.extend(suspect::waits(case, waits_ns));
    notes.extend(notes_on_lateness(&reasons, stolen_ms));
    let mut writer = Writer {
        case,
        layout,
        begin_ns,
        end_ns,
        links: &links,
        lateness: &lateness,
        is_suspect: !reasons.is_empty(),
        competing: &competing,
        events: by_connection(events),
        sndbuf_limited_ms: None,
    };
    let mut traces = Traces::new(samples, logs, options.trace);
    let mut results: Vec<(Record, Trace)> = (0..)
        .zip(&copies)
        .map(|(index, copy)| {
            let (record, events) = writer.copy(index, copy);
            (record, traces.next(copy, events))
        })
        .collect();
    let traffic = (copies.len() as u32 + 1..)
        .zip(&traffic)
        .map(|(flow, transfer)| writer.traffic(flow, transfer))
        .collect();
    notes.extend(notes_on_limits(writer.sndbuf_limited_ms, traces.left_out));
    let forward = layout.bottleneck(0) as usize;
    let link = LinkSummary {
        forward: links[forward],
        reverse: links[forward ^ 1],
        lateness_p50_us: percentile_us(&lateness, 50),
        links,
        forward_emissions,
        reverse_emissions,
    };
    let others = results.split_off(1);
    let (record, trace) = results.pop().expect("a transfer has at least one copy");
    Outcome {
        record,
        trace,
        others,
        traffic,
        notes,
        link,
    }
}

/// Notes on what the send buffer and the trace's limit took from the run.
fn notes_on_limits(sndbuf_limited_ms: Option<f64>, left_out_segments: u64) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(ms) = sndbuf_limited_ms {
        notes.push(format!(
            "the send buffer held the sender back for {ms:.1} ms: give the scenario's sender a \
             larger `buffer`"
        ));
    }
    if left_out_segments > 0 {
        notes.push(format!(
            "the trace ends early: {left_out_segments} segments are left out"
        ));
    }
    notes
}

/// Notes on a run that is suspect, for these reasons.
fn notes_on_lateness(reasons: &[String], stolen_ms: u64) -> Vec<String> {
    if reasons.is_empty() {
        return Vec::new();
    }
    let mut notes = vec![format!(
        "{}: repeat this run while the machine is quiet, or on faster CPUs",
        reasons.join("; ")
    )];
    if stolen_ms > 0 {
        notes.push(format!(
            "the hypervisor withheld the CPU of the link thread for {stolen_ms} ms in this run"
        ));
    }
    notes
}

/// The traces of the copies, in their order.
struct Traces {
    samples: std::vec::IntoIter<Vec<Sample>>,
    logs: std::vec::IntoIter<SegmentLog>,
    is_wanted: bool,
    /// Segments for which the logs had no room.
    left_out: u64,
}

impl Traces {
    fn new(samples: Vec<Vec<Sample>>, logs: Vec<SegmentLog>, is_wanted: bool) -> Traces {
        Traces {
            samples: samples.into_iter(),
            logs: logs.into_iter(),
            is_wanted,
            left_out: 0,
        }
    }

    /// The trace of the next copy; it is empty if no traces are wanted.
    fn next(&mut self, copy: &Measured, events: Vec<StartupEvent>) -> Trace {
        if !self.is_wanted {
            return Trace::default();
        }
        let (segments, more) = self
            .logs
            .next()
            .map(SegmentLog::into_parts)
            .unwrap_or_default();
        self.left_out += more;
        let segment = |segment: &crate::link::Segment| SegmentSample {
            time_s: copy.time_s(segment.time_ns),
            start_byte: segment.start_byte,
            length_bytes: segment.length_bytes,
            retransmission: segment.retransmission,
            dropped: segment.dropped,
        };
        let samples = self.samples.next().unwrap_or_default();
        Trace {
            events,
            sender: samples
                .iter()
                .map(|sample| copy.sender_sample(sample))
                .collect(),
            segments: segments.iter().map(segment).collect(),
            receiver: copy.receiver_samples(),
            ..Trace::default()
        }
    }
}

/// A send buffer that held its sender back for a larger share of the completion time changed the
/// result.
const MAX_SNDBUF_LIMITED_SHARE: f64 = 0.02;

/// Writes the records of a run.
struct Writer<'a> {
    case: &'a Case,
    layout: &'a Layout,
    begin_ns: u64,
    end_ns: Option<u64>,
    links: &'a [LinkStats],
    lateness: &'a Lateness,
    is_suspect: bool,
    /// Traffic without records.
    competing: &'a [Arc<FlowState>],
    /// The events of the connections without a record so far.
    events: Events,
    /// The longest time for which a send buffer held its sender back, if that changed a result.
    sndbuf_limited_ms: Option<f64>,
}

impl Writer<'_> {
    /// The record and the events of a copy of the transfer, counted from 0.
    fn copy(&mut self, index: u32, copy: &Measured) -> (Record, Vec<StartupEvent>) {
        let arrival = Arrival {
            start_ns: copy.planned.start_ns.saturating_sub(self.begin_ns),
            ..copy.planned
        };
        let blank = Record::of_arrival(self.case, "kernel", index, arrival);
        let ends = self.case.transfer.ends(index);
        let bottleneck = self.layout.bottleneck(index as usize);
        let events = copy.take_events(&mut self.events, self.end_ns);
        let mut record = self.write(blank, copy, ends, bottleneck, &events);
        if self.case.transfer.requests.is_some() {
            record.fill_answers(copy.start_ns, &copy.answers);
        }
        self.fill_traffic(&mut record, copy.start_ns);
        (record, events)
    }

    /// The record of a transfer of measured traffic.
    fn traffic(&mut self, flow: u32, transfer: &MeasuredCompetitor) -> Record {
        let MeasuredCompetitor {
            traffic: number,
            arrival,
            measured,
        } = transfer;
        let traffic = &self.case.traffic[*number];
        let transfers = traffic.transfers().expect("only transfers have records");
        let size_bytes = match arrival.size_bytes {
            ENDLESS => 0,
            size_bytes => size_bytes,
        };
        let start_ns = measured.start_ns.saturating_sub(self.begin_ns);
        let blank = Record::of_traffic(
            self.case, "kernel", traffic, transfers, size_bytes, start_ns,
        );
        let events = measured.take_events(&mut self.events, self.end_ns);
        let ends = (traffic.from, traffic.to);
        let bottleneck = self.layout.competing_bottleneck(*number);
        self.write(
            Record { flow, ..blank },
            measured,
            ends,
            bottleneck,
            &events,
        )
    }

    /// Fills the record of a flow between two nodes, with its bottleneck.
    fn write(
        &mut self,
        blank: Record,
        flow: &Measured,
        ends: (usize, usize),
        bottleneck: u32,
        events: &[StartupEvent],
    ) -> Record {
        let mut record = blank;
        record.start_s = flow.start_ns.saturating_sub(self.begin_ns) as f64 / 1e9;
        record.delivered_bytes = flow.delivered_bytes;
        if let Some(completed_ns) = flow.completed_ns {
            record.complete(flow.time_s(completed_ns - flow.answers.waited_ns));
        }
        record.retransmitted_segments = u64::from(flow.info.total_retrans);
        record.timeouts = flow.info.timeouts();
        let links = self.case.network.round_trip(ends);
        record.count_losses(links.iter().map(|link| &self.links[*link as usize]));
        let bdp_bytes = bytes_in(record.rate_bits_per_s, (record.rtt_ms * 1e6) as u64);
        let queue = self.links[bottleneck as usize].peak_queue;
        record.peak_queue_bdp = queue.bytes as f64 / bdp_bytes.max(1) as f64;
        record.fill_startup(events);
        record.lateness_p99_us = percentile_us(self.lateness, 99);
        record.lateness_max_us = self.lateness.max_ns() as f64 / 1e3;
        record.suspect = self.is_suspect;
        let limited_ms = flow.info.sndbuf_limited_us as f64 / 1e3;
        if record
            .completion_s
            .is_some_and(|completion_s| limited_ms / 1e3 > MAX_SNDBUF_LIMITED_SHARE * completion_s)
        {
            self.sndbuf_limited_ms = Some(self.sndbuf_limited_ms.unwrap_or(0.0).max(limited_ms));
        }
        record
    }

    /// Fills the goodput of the competing traffic before and during a transfer.
    fn fill_traffic(&self, record: &mut Record, start_ns: u64) {
        let Some(span) = self.case.traffic_span() else {
            return;
        };
        let goodput = |window: Range<u64>| {
            let bytes: f64 = self
                .competing
                .iter()
                .map(|flow| flow.received_between(window.start, window.end))
                .sum();
            rate_in(&window, bytes)
        };
        let at = |run_ns: u64| self.begin_ns.saturating_add(run_ns);
        let observed = at(span.start)..at(span.end).min(self.end_ns.unwrap_or(u64::MAX));
        let [before, during] =
            traffic_windows(start_ns, self.case.path.rtt_ns, &observed).map(goodput);
        (
            record.traffic_before_bytes_per_s,
            record.traffic_during_bytes_per_s,
        ) = (before, during);
    }
}

/// The events of each connection. Its key is the address of its sender and that of its receiver.
type Events = HashMap<(SocketAddr, SocketAddr), Vec<ConnectionEvent>>;

fn by_connection(events: Vec<ConnectionEvent>) -> Events {
    let mut connections = Events::new();
    for event in events {
        connections
            .entry((event.local, event.remote))
            .or_default()
            .push(event);
    }
    connections
}

impl Measured {
    /// Seconds since the receiver connected.
    fn time_s(&self, at_ns: u64) -> f64 {
        (at_ns as f64 - self.start_ns as f64) / 1e9
    }

    /// Removes the flow's events from those of all connections, and sets their times. Events after
    /// the last byte was read or after the end of the run do not belong to the transfer.
    fn take_events(&self, events: &mut Events, end_ns: Option<u64>) -> Vec<StartupEvent> {
        let of_kernel = self
            .state
            .addresses()
            .and_then(|addresses| events.remove(&addresses))
            .unwrap_or_default();
        let of_kernel = of_kernel.into_iter().map(|one| (one.time_ns, one.event));
        let last_ns = self.completed_ns.or(end_ns).unwrap_or(u64::MAX);
        let all = of_kernel.chain(self.state.events());
        let own = all.filter(|(time_ns, _)| *time_ns <= last_ns);
        own.map(|(time_ns, event)| StartupEvent {
            time_s: self.time_s(time_ns),
            ..event
        })
        .collect()
    }

    /// What the receiver had read, over time.
    fn receiver_samples(&self) -> Vec<ReceiverSample> {
        let progress = self.state.progress().into_iter();
        let sample = |(time_ns, received_bytes)| ReceiverSample {
            time_s: self.time_s(time_ns),
            received_bytes,
        };
        progress.map(sample).collect()
    }

    fn sender_sample(&self, sample: &Sample) -> SenderSample {
        let (info, mss) = (&sample.info, u64::from(sample.info.snd_mss));
        SenderSample {
            time_s: self.time_s(sample.time_ns),
            acked_bytes: info.bytes_acked.min(self.planned.size_bytes),
            cwnd_bytes: u64::from(info.snd_cwnd) * mss,
            ssthresh_bytes: (info.snd_ssthresh < 0x7fff_ffff)
                .then(|| u64::from(info.snd_ssthresh) * mss),
            inflight_bytes: (info.bytes_sent - info.bytes_retrans).saturating_sub(info.bytes_acked),
            pacing_bytes_per_s: (info.pacing_rate != u64::MAX).then_some(info.pacing_rate),
            delivery_bytes_per_s: info.delivery_rate,
            srtt_s: f64::from(info.rtt_us) / 1e6,
        }
    }
}
