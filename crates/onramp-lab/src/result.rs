//! From what was seen to records and traces.

use crate::layout::Layout;
use crate::link::{Lateness, LinkReport, SegmentLog};
use crate::options::percentile_us;
use crate::progress::Measured;
use crate::rivals::MeasuredRival;
use crate::suspect;
use crate::work::{FlowState, Sample};
use crate::{ConnectionEvent, LinkSummary, Outcome, RunOptions};
use onramp_net::LinkStats;
use onramp_results::{
    rate_in, traffic_windows, Record, SegmentSample, SenderSample, StartupEvent, Trace,
};
use onramp_scenario::{bytes_in, Case, TrafficKind, ENDLESS};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;

/// Everything a run left.
pub struct Observed<'a> {
    /// Who is who.
    pub layout: &'a Layout,
    /// The run's beginning.
    pub begin_ns: u64,
    /// Its end, where that was not its transfers' doing.
    pub end_ns: Option<u64>,
    /// The copies of the transfer.
    pub copies: Vec<Measured>,
    /// Transfers of measured traffic.
    pub traffic: Vec<MeasuredRival>,
    /// Those of the other traffic.
    pub rivals: Vec<Arc<FlowState>>,
    /// What start-ups reported, of all connections of the machine.
    pub events: Vec<ConnectionEvent>,
    /// Looks at the sender of each copy.
    pub samples: Vec<Vec<Sample>>,
    /// What the links did.
    pub report: LinkReport,
}

/// Writes it up.
pub fn outcome(case: &Case, observed: Observed<'_>, options: &RunOptions) -> Outcome {
    let Observed {
        layout,
        begin_ns,
        end_ns,
        copies,
        traffic,
        rivals,
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
        notes,
    } = report;
    let reasons = suspect::reasons(case, &lateness, early_lateness_ns);
    let mut notes = notes;
    if !reasons.is_empty() {
        notes.push(format!(
            "{}: repeat this run while the machine is quiet, or on faster CPUs",
            reasons.join("; ")
        ));
        if stolen_ms > 0 {
            notes.push(format!(
                "the hypervisor withheld the link thread's CPU for {stolen_ms} ms meanwhile"
            ));
        }
    }
    let is_suspect = !reasons.is_empty();
    let mut writer = Writer {
        case,
        begin_ns,
        end_ns,
        links: &links,
        lateness: &lateness,
        is_suspect,
        rivals: &rivals,
        held_ms: None,
    };
    let mut events = by_connection(events);
    let (mut samples, mut logs) = (samples.into_iter(), logs.into_iter());
    let (mut results, mut left_out) = (Vec::new(), 0);
    for (place, copy) in (0..).zip(&copies) {
        let events = copy.take_events(&mut events, end_ns);
        let (blank, ends) = (
            Record::of_copy(case, "kernel", place),
            case.transfer.ends(place),
        );
        let mut record = writer.write(
            blank,
            copy,
            ends,
            layout.bottleneck(place as usize),
            &events,
        );
        writer.fill_traffic(&mut record, copy.start_ns);
        let mut trace = Trace::default();
        if options.trace {
            let (segments, more) = logs.next().map(SegmentLog::into_parts).unwrap_or_default();
            left_out += more;
            trace.events = events;
            trace.sender = samples
                .next()
                .unwrap_or_default()
                .iter()
                .map(|sample| copy.sender_sample(sample, case))
                .collect();
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
    let of_traffic = |(flow, rival): (u32, &MeasuredRival)| {
        let MeasuredRival {
            traffic: number,
            arrival,
            measured,
        } = rival;
        let traffic = &case.traffic[*number];
        let TrafficKind::Transfers(transfers) = &traffic.kind else {
            unreachable!("the lab's traffic is made of transfers")
        };
        let size_bytes = if arrival.size_bytes == ENDLESS {
            0
        } else {
            arrival.size_bytes
        };
        let start_ns = measured.start_ns.saturating_sub(begin_ns);
        let blank = Record::of_traffic(case, "kernel", traffic, transfers, size_bytes, start_ns);
        let events = measured.take_events(&mut events, end_ns);
        let (ends, bottleneck) = ((traffic.from, traffic.to), layout.rival_bottleneck(*number));
        writer.write(
            Record { flow, ..blank },
            measured,
            ends,
            bottleneck,
            &events,
        )
    };
    let traffic = (copies.len() as u32 + 1..)
        .zip(&traffic)
        .map(of_traffic)
        .collect();
    if let Some(held_ms) = writer.held_ms {
        notes.push(format!(
            "the send buffer held the sender back for {held_ms:.1} ms: give the scenario's sender a larger `buffer`"
        ));
    }
    if left_out > 0 {
        notes.push(format!(
            "the trace ends early: {left_out} segments are left out"
        ));
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
    Outcome {
        record,
        trace,
        others,
        traffic,
        notes,
        link,
    }
}

/// Writes the records of a run.
struct Writer<'a> {
    case: &'a Case,
    begin_ns: u64,
    end_ns: Option<u64>,
    links: &'a [LinkStats],
    lateness: &'a Lateness,
    is_suspect: bool,
    /// Traffic without records.
    rivals: &'a [Arc<FlowState>],
    /// The longest time for which a send buffer held its sender back, where that mattered.
    held_ms: Option<f64>,
}

impl Writer<'_> {
    /// The record of a flow between these nodes, with this bottleneck.
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
            record.complete(flow.time_s(completed_ns));
        }
        record.retransmitted_segments = u64::from(flow.info.total_retrans);
        record.timeouts = flow.info.timeouts();
        let way = self.case.network.round_trip(ends);
        record.count_losses(way.iter().map(|link| &self.links[*link as usize]));
        let bdp_bytes = bytes_in(record.rate_bits_per_s, (record.rtt_ms * 1e6) as u64);
        let queue = self.links[bottleneck as usize].peak_queue;
        record.peak_queue_bdp = queue.bytes as f64 / bdp_bytes.max(1) as f64;
        record.fill_startup(events);
        record.lateness_p99_us = percentile_us(self.lateness, 99);
        record.lateness_max_us = self.lateness.max_ns() as f64 / 1e3;
        record.suspect = self.is_suspect;
        let held_ms = flow.info.sndbuf_limited_us as f64 / 1e3;
        if record
            .completion_s
            .is_some_and(|completion_s| held_ms / 1e3 > 0.02 * completion_s)
        {
            self.held_ms = Some(self.held_ms.unwrap_or(0.0).max(held_ms));
        }
        record
    }

    fn fill_traffic(&self, record: &mut Record, start_ns: u64) {
        let Some(span) = self.case.traffic_span() else {
            return;
        };
        let goodput = |window: Range<u64>| {
            let bytes: f64 = self
                .rivals
                .iter()
                .map(|rival| rival.received_between(window.start, window.end))
                .sum();
            rate_in(&window, bytes)
        };
        let at = |run_ns: u64| self.begin_ns.saturating_add(run_ns);
        let seen = at(span.start)..at(span.end).min(self.end_ns.unwrap_or(u64::MAX));
        let [before, during] = traffic_windows(start_ns, self.case.path.rtt_ns, &seen).map(goodput);
        (
            record.traffic_before_bytes_per_s,
            record.traffic_during_bytes_per_s,
        ) = (before, during);
    }
}

/// The events of each connection, which its sender's address and its receiver's name.
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
    /// Time since its receiver connected.
    fn time_s(&self, at_ns: u64) -> f64 {
        (at_ns as f64 - self.start_ns as f64) / 1e9
    }

    /// Takes its events out of all, with their times. What came after the last byte was read, at
    /// the connection's end, or after the end of the run is none of the transfer's.
    fn take_events(&self, events: &mut Events, end_ns: Option<u64>) -> Vec<StartupEvent> {
        let events = self
            .state
            .addresses()
            .and_then(|addresses| events.remove(&addresses))
            .unwrap_or_default();
        let last_ns = self.completed_ns.or(end_ns).unwrap_or(u64::MAX);
        let own = events.into_iter().filter(|event| event.time_ns <= last_ns);
        own.map(|event| StartupEvent {
            time_s: self.time_s(event.time_ns),
            ..event.event
        })
        .collect()
    }

    fn sender_sample(&self, sample: &Sample, case: &Case) -> SenderSample {
        let (info, mss) = (&sample.info, u64::from(sample.info.snd_mss));
        SenderSample {
            time_s: self.time_s(sample.time_ns),
            acked_bytes: info.bytes_acked.min(case.transfer.size_bytes),
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
