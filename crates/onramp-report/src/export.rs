//! Records as JSON and CSV, any table as CSV, and traces as JSON of bounded size.

use crate::run::Run;
use onramp_plot::thin;
use onramp_results::{ReceiverSample, Record, SegmentSample, SenderSample, StartupEvent, Trace};
use serde::Serialize;

/// Version of the exported fields. A new field needs no new version. A field that is renamed or
/// removed, or whose meaning changes, needs one.
pub const SCHEMA_VERSION: u32 = 1;

/// Maximum number of samples in each list of an exported trace.
pub(crate) const MAX_SAMPLES: usize = 8_000;

/// The records as a JSON array of objects, one key per field of [`Record`], in the order of its
/// fields.
///
/// Numbers that are not finite become `null`, and so do fields without a value. The text ends with
/// a line break.
pub fn to_json(records: &[Record]) -> String {
    pretty(&records)
}

/// The records as CSV (RFC 4180, with line feeds): a header of field names, then a line for each
/// record. A field without a value is empty. Without records, the text is empty.
pub fn to_csv(records: &[Record]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    if records.is_empty() {
        return String::new();
    }
    for record in records {
        writer
            .serialize(record)
            .expect("a flat record of text and numbers always fits into a line");
    }
    text_of(writer)
}

/// Any table as CSV, in the form of [`to_csv`]: a header, then a line for each row. A row with too
/// few cells gets empty fields. Without columns, the text is empty.
pub fn table_to_csv(head: &[String], rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).fold(head.len(), usize::max);
    if columns == 0 {
        return String::new();
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in std::iter::once(head).chain(rows.iter().map(Vec::as_slice)) {
        let fields = (0..columns).map(|column| row.get(column).map_or("", String::as_str));
        writer
            .write_record(fields)
            .expect("lines of as many fields fit into memory");
    }
    text_of(writer)
}

fn text_of(writer: csv::Writer<Vec<u8>>) -> String {
    let bytes = writer
        .into_inner()
        .expect("memory takes all that is written");
    String::from_utf8(bytes).expect("text stays text")
}

/// Indented JSON.
pub(crate) fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("keys are text and memory takes all that is written")
        + "\n"
}

/// An exported trace: the fields that identify its record, the number of samples, the samples.
#[derive(Serialize)]
struct TraceFile<'a> {
    schema_version: u32,
    /// Position in `results.json`, from 0.
    record_index: usize,
    scenario: &'a str,
    host: &'a str,
    role: &'a str,
    case: u32,
    flow: u32,
    label: &'a str,
    startup: &'a str,
    avoidance: &'a str,
    initial_window: &'a str,
    transport: &'a str,
    stack: &'a str,
    recovery: &'a str,
    timers: &'a str,
    sender_tcp: &'a str,
    connections: &'a str,
    size_bytes: u64,
    run: u32,
    recorded: Recorded,
    sender: Vec<SenderSample>,
    segments: Vec<SegmentSample>,
    receiver: Vec<ReceiverSample>,
    events: Vec<&'a StartupEvent>,
}

/// Number of samples before thinning.
#[derive(Serialize)]
struct Recorded {
    sender: usize,
    segments: usize,
    receiver: usize,
    events: usize,
}

/// The trace of a run as JSON, or `None` where it has none.
pub(crate) fn trace_json(index: usize, run: &Run) -> Option<String> {
    let trace = run.trace.as_ref()?;
    let record = &run.record;
    let file = TraceFile {
        schema_version: SCHEMA_VERSION,
        record_index: index,
        scenario: &record.scenario,
        host: &record.host,
        role: &record.role,
        case: record.case,
        flow: record.flow,
        label: &record.label,
        startup: &record.startup,
        avoidance: &record.avoidance,
        initial_window: &record.initial_window,
        transport: &record.transport,
        stack: &record.stack,
        recovery: &record.recovery,
        timers: &record.timers,
        sender_tcp: &record.sender_tcp,
        connections: &record.connections,
        size_bytes: record.size_bytes,
        run: record.run,
        recorded: Recorded {
            sender: trace.sender.len(),
            segments: trace.segments.len(),
            receiver: trace.receiver.len(),
            events: trace.events.len(),
        },
        sender: sender(trace),
        segments: segments(trace),
        receiver: receiver(trace),
        events: trace.events.iter().take(MAX_SAMPLES).collect(),
    };
    let json =
        serde_json::to_string(&file).expect("keys are text and memory takes all that is written");
    Some(json + "\n")
}

/// The samples of the sender, thinned. The extremes of cwnd stay.
fn sender(trace: &Trace) -> Vec<SenderSample> {
    let samples = &trace.sender;
    let kept = thin::keep(samples.len(), MAX_SAMPLES / 4, |at| {
        samples[at].cwnd_bytes as f64
    });
    kept.into_iter().map(|at| samples[at]).collect()
}

/// The receiver's progress, thinned.
fn receiver(trace: &Trace) -> Vec<ReceiverSample> {
    let samples = &trace.receiver;
    let kept = thin::keep(samples.len(), MAX_SAMPLES / 4, |at| samples[at].time_s);
    kept.into_iter().map(|at| samples[at]).collect()
}

/// The segments, thinned. Half of the room is reserved for retransmissions and drops, which are
/// rare.
fn segments(trace: &Trace) -> Vec<SegmentSample> {
    let (marked, clean): (Vec<usize>, Vec<usize>) = (0..trace.segments.len())
        .partition(|&at| trace.segments[at].retransmission || trace.segments[at].dropped);
    let thinned = |all: Vec<usize>| {
        let kept = thin::keep(all.len(), MAX_SAMPLES / 8, |at| {
            trace.segments[all[at]].start_byte as f64
        });
        kept.into_iter().map(|at| all[at]).collect::<Vec<usize>>()
    };
    let mut kept = thinned(marked);
    kept.extend(thinned(clean));
    kept.sort_unstable();
    kept.into_iter().map(|at| trace.segments[at]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_testing::samples::record;

    #[test]
    fn a_trace_keeps_its_drops_when_it_is_thinned() {
        let segment = |at: u64| SegmentSample {
            time_s: at as f64,
            start_byte: at,
            length_bytes: 1,
            retransmission: false,
            dropped: at == 77_777,
        };
        let trace = Trace {
            segments: (0..100_000).map(segment).collect(),
            ..Trace::default()
        };
        let kept = segments(&trace);
        assert!(kept.len() <= MAX_SAMPLES, "{}", kept.len());
        assert!(kept.iter().any(|s| s.dropped));
        assert!(kept.is_sorted_by_key(|s| s.start_byte));
    }

    #[test]
    fn csv_quotes_line_breaks_and_commas() {
        let text = to_csv(&[record("a, \"b\"\n", "none", "cubic", 1)]);
        assert!(text.contains("\"a, \"\"b\"\"\n\","), "{text}");
        assert!(
            text.starts_with("scenario,host,role,case,flow,beside,beside_bytes,rate_bits_per_s,"),
            "{text}"
        );
    }

    #[test]
    fn any_table_is_csv_with_as_many_fields_in_each_line() {
        let row = |cells: &[&str]| {
            cells
                .iter()
                .map(|&cell| cell.to_owned())
                .collect::<Vec<_>>()
        };
        let text = table_to_csv(
            &row(&["rate, Mbit/s", "time"]),
            &[row(&["10", "1.5"]), row(&["20"])],
        );
        assert_eq!(text, "\"rate, Mbit/s\",time\n10,1.5\n20,\n");
        assert_eq!(table_to_csv(&[], &[]), "");
    }

    #[test]
    fn a_number_that_is_not_finite_is_null() {
        let text = to_json(&[Record {
            completion_s: Some(f64::NAN),
            ..record("a", "none", "cubic", 1)
        }]);
        assert!(text.contains("\"completion_s\": null"), "{text}");
    }
}
