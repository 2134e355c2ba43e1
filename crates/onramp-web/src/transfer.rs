//! A measured transfer as the page shows it. Its times are those of the run.

use crate::columns::{Column, Table};
use crate::recorder::{Change, RecordedTransfer};
use crate::words;
use onramp_results::{Record, StartupEvent, Trace};
use serde::Serialize;
use serde_json::Value;

/// `TransferRun` of `page/src/engine/types.ts`, without its tables.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TransferFacts {
    /// Place of its record among those of the scenario.
    pub record: usize,
    /// The record.
    pub fields: Value,
    /// Its start-up in the scenario.
    pub startup: String,
    /// The receiver's connect.
    pub start_s: f64,
    /// The receiver's last byte.
    pub completed_s: Option<f64>,
    /// What its start-up reported.
    pub events: Vec<Event>,
    /// The phases of its start-up.
    pub phases: Vec<Phase>,
}

/// `StartupEvent` of `types.ts`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    time_s: f64,
    kind: String,
    what: String,
    words: String,
    estimate_bytes_per_s: Option<u64>,
    cwnd_bytes: u64,
    ssthresh_bytes: Option<u64>,
    pacing_bytes_per_s: Option<u64>,
    remembered_bytes: Option<u64>,
}

/// `Phase` of `types.ts`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Phase {
    begin_s: f64,
    end_s: f64,
    name: &'static str,
    words: &'static str,
}

/// A measured transfer.
#[derive(Clone, Debug)]
pub struct PlayedTransfer {
    /// What is no table.
    pub facts: TransferFacts,
    /// The sender's state over time.
    pub sender: Table,
    /// Its RTT samples.
    pub rtt: Table,
    /// Data segments at the bottleneck.
    pub segments: Table,
    /// What the receiver has read.
    pub receiver: Table,
}

impl PlayedTransfer {
    /// A transfer with the record at this place, in a run that ends at `end_s`. `recorded` is
    /// `None` for a transfer that did not start.
    pub fn new(
        place: usize,
        record: &Record,
        startup: &str,
        trace: &Trace,
        recorded: Option<RecordedTransfer>,
        end_s: f64,
    ) -> PlayedTransfer {
        let start_s = record.start_s;
        let completed_s = record
            .completion_s
            .map(|completion_s| start_s + completion_s);
        let (rtt, changes) =
            recorded.map_or_else(Default::default, |recorded| (recorded.rtt, recorded.phases));
        let min_rtts = MinRtts(&rtt);
        let event = |event: &StartupEvent| {
            let time_s = start_s + event.time_s;
            let min_rtt_s = min_rtts.at(time_s).unwrap_or(record.rtt_ms / 1e3);
            Event {
                time_s,
                kind: event.kind.clone(),
                what: event.what.clone(),
                words: words::event(event, (min_rtt_s * 1e9) as u64),
                estimate_bytes_per_s: not_0(event.estimate_bytes_per_s),
                cwnd_bytes: event.cwnd_bytes,
                ssthresh_bytes: not_0(event.ssthresh_bytes),
                pacing_bytes_per_s: not_0(event.pacing_bytes_per_s),
                remembered_bytes: not_0(event.remembered_bytes),
            }
        };
        let facts = TransferFacts {
            record: place,
            fields: serde_json::to_value(record).expect("a flat record of text and numbers"),
            startup: startup.to_owned(),
            start_s,
            completed_s,
            events: trace.events.iter().map(event).collect(),
            phases: phases(&changes, completed_s.unwrap_or(end_s)),
        };
        PlayedTransfer {
            facts,
            sender: sender(trace, start_s),
            segments: segments(trace, start_s),
            receiver: receiver(trace, start_s),
            rtt,
        }
    }
}

/// The smallest RTT sample up to a time.
struct MinRtts<'a>(&'a Table);

impl MinRtts<'_> {
    fn at(&self, time_s: f64) -> Option<f64> {
        if self.0.rows() == 0 {
            return None;
        }
        let times = self.0.f64("timeS");
        let place = times.partition_point(|own| *own <= time_s);
        Some(self.0.f64("minRttS")[place.checked_sub(1)?])
    }
}

fn not_0(value: u64) -> Option<u64> {
    Some(value).filter(|value| *value != 0)
}

fn phases(changes: &[Change], end_s: f64) -> Vec<Phase> {
    let begin = |change: &Change| change.time_ns as f64 / 1e9;
    let ends = changes.iter().skip(1).map(begin).chain([end_s]);
    let phase = |(change, next_s): (&Change, f64)| Phase {
        begin_s: begin(change),
        end_s: next_s.min(end_s),
        name: change.name,
        words: words::phase(change.name),
    };
    let phases = changes.iter().zip(ends).map(phase);
    phases.filter(|phase| phase.begin_s < phase.end_s).collect()
}

/// A column of the values of these samples.
fn column<T>(samples: &[T], value: impl Fn(&T) -> f64) -> Column {
    Column::F64(samples.iter().map(value).collect())
}

fn flags<T>(samples: &[T], value: impl Fn(&T) -> bool) -> Column {
    Column::U8(
        samples
            .iter()
            .map(|sample| u8::from(value(sample)))
            .collect(),
    )
}

fn sender(trace: &Trace, start_s: f64) -> Table {
    let samples = &trace.sender;
    let some = |value: Option<u64>| value.map_or(f64::NAN, |value| value as f64);
    Table::new(vec![
        ("timeS", column(samples, |sample| start_s + sample.time_s)),
        (
            "ackedBytes",
            column(samples, |sample| sample.acked_bytes as f64),
        ),
        (
            "cwndBytes",
            column(samples, |sample| sample.cwnd_bytes as f64),
        ),
        (
            "ssthreshBytes",
            column(samples, |sample| some(sample.ssthresh_bytes)),
        ),
        (
            "inflightBytes",
            column(samples, |sample| sample.inflight_bytes as f64),
        ),
        (
            "pacingBytesPerS",
            column(samples, |sample| some(sample.pacing_bytes_per_s)),
        ),
        (
            "deliveryBytesPerS",
            column(samples, |sample| sample.delivery_bytes_per_s as f64),
        ),
        (
            "srttS",
            column(samples, |sample| match sample.srtt_s {
                0.0 => f64::NAN,
                srtt_s => srtt_s,
            }),
        ),
    ])
}

fn segments(trace: &Trace, start_s: f64) -> Table {
    let samples = &trace.segments;
    let lengths = samples.iter().map(|sample| sample.length_bytes);
    Table::new(vec![
        ("timeS", column(samples, |sample| start_s + sample.time_s)),
        (
            "startByte",
            column(samples, |sample| sample.start_byte as f64),
        ),
        ("lengthBytes", Column::U32(lengths.collect())),
        (
            "retransmission",
            flags(samples, |sample| sample.retransmission),
        ),
        ("dropped", flags(samples, |sample| sample.dropped)),
    ])
}

fn receiver(trace: &Trace, start_s: f64) -> Table {
    let samples = &trace.receiver;
    Table::new(vec![
        ("timeS", column(samples, |sample| start_s + sample.time_s)),
        (
            "receivedBytes",
            column(samples, |sample| sample.received_bytes as f64),
        ),
    ])
}
