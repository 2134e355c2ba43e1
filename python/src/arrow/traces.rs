//! The tables of traces. Their column `record` is the number of the row in the table of results,
//! from 0.

use super::batch;
use arrow_array::RecordBatch;
use onramp_results::{ReceiverSample, SegmentSample, SenderSample, StartupEvent, Trace};

/// The traces with the numbers of their rows, and one list of each trace.
fn flattened<'t, T>(
    traces: &'t [(u64, Trace)],
    list: impl Fn(&'t Trace) -> &'t Vec<T>,
) -> Vec<(u64, &'t T)> {
    let of_trace = |(number, trace): &'t (u64, Trace)| {
        let number = *number;
        list(trace).iter().map(move |sample| (number, sample))
    };
    traces.iter().flat_map(of_trace).collect()
}

/// The senders' states over time, of transfers with these numbers.
pub fn senders(traces: &[(u64, Trace)]) -> RecordBatch {
    let rows: Vec<(u64, &SenderSample)> = flattened(traces, |trace| &trace.sender);
    batch!(rows, row => {
        record: row.0,
        time_s: row.1.time_s,
        acked_bytes: row.1.acked_bytes,
        cwnd_bytes: row.1.cwnd_bytes,
        ssthresh_bytes: row.1.ssthresh_bytes,
        inflight_bytes: row.1.inflight_bytes,
        pacing_bytes_per_s: row.1.pacing_bytes_per_s,
        delivery_bytes_per_s: row.1.delivery_bytes_per_s,
        srtt_s: row.1.srtt_s,
    })
}

/// The data segments that arrived at the bottlenecks, of transfers with these numbers.
pub fn segments(traces: &[(u64, Trace)]) -> RecordBatch {
    let rows: Vec<(u64, &SegmentSample)> = flattened(traces, |trace| &trace.segments);
    batch!(rows, row => {
        record: row.0,
        time_s: row.1.time_s,
        start_byte: row.1.start_byte,
        length_bytes: row.1.length_bytes,
        retransmission: row.1.retransmission,
        dropped: row.1.dropped,
    })
}

/// What the receivers had read over time, of transfers with these numbers.
pub fn receivers(traces: &[(u64, Trace)]) -> RecordBatch {
    let rows: Vec<(u64, &ReceiverSample)> = flattened(traces, |trace| &trace.receiver);
    batch!(rows, row => {
        record: row.0,
        time_s: row.1.time_s,
        received_bytes: row.1.received_bytes,
    })
}

/// The events of the start-ups, of transfers with these numbers. An estimate, an ssthresh, a pacing
/// rate or a remembered BDP of zero is none.
pub fn events(traces: &[(u64, Trace)]) -> RecordBatch {
    let rows: Vec<(u64, &StartupEvent)> = flattened(traces, |trace| &trace.events);
    let some = |value: u64| (value > 0).then_some(value);
    batch!(rows, row => {
        record: row.0,
        time_s: row.1.time_s,
        kind: row.1.kind.as_str(),
        what: row.1.what.as_str(),
        estimate_bytes_per_s: some(row.1.estimate_bytes_per_s),
        cwnd_bytes: row.1.cwnd_bytes,
        ssthresh_bytes: some(row.1.ssthresh_bytes),
        pacing_bytes_per_s: some(row.1.pacing_bytes_per_s),
        remembered_bytes: some(row.1.remembered_bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{Array, Int64Array};

    #[test]
    fn samples_carry_the_number_of_their_row() {
        let trace = |samples: usize| Trace {
            segments: vec![
                SegmentSample {
                    time_s: 0.5,
                    start_byte: 1448,
                    length_bytes: 1448,
                    retransmission: false,
                    dropped: true,
                };
                samples
            ],
            ..Trace::default()
        };
        let batch = segments(&[(3, trace(2)), (4, trace(0)), (7, trace(1))]);
        let numbers = batch.column(0).as_any().downcast_ref::<Int64Array>();
        assert_eq!(numbers.unwrap().values(), &[3, 3, 7]);
    }

    #[test]
    fn an_event_without_a_rate_has_an_empty_cell() {
        let event = StartupEvent {
            time_s: 0.1,
            kind: "phase".to_owned(),
            what: "slow-start".to_owned(),
            estimate_bytes_per_s: 0,
            cwnd_bytes: 14_480,
            ssthresh_bytes: 0,
            pacing_bytes_per_s: 7,
            remembered_bytes: 0,
        };
        let trace = Trace {
            events: vec![event],
            ..Trace::default()
        };
        let batch = events(&[(0, trace)]);
        let empty = |name: &str| batch.column_by_name(name).unwrap().null_count();
        assert_eq!(
            (empty("estimate_bytes_per_s"), empty("pacing_bytes_per_s")),
            (1, 0)
        );
    }
}
