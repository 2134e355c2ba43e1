//! The table of results.

use super::batch;
use super::column::Unsigned;
use arrow_array::RecordBatch;
use onramp_results::Record;

/// A row of the table of results.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The result of a transfer.
    pub record: Record,
    /// Why its connection gave up, if it did.
    pub failure: Option<String>,
}

/// The table of results: a column for each field of [`Record`], and further ones.
///
/// - `queue_bdp`, `queue_packets`, `loss_percent` and `receiver_buffer_bytes` are the numbers of
///   the words in the columns before them.
/// - `algorithms` is the name of the transfer in tables.
/// - `failure` says why the connection gave up; empty where it did not.
pub fn records(rows: &[Row]) -> RecordBatch {
    let algorithms: Vec<String> = rows.iter().map(|row| row.record.algorithms()).collect();
    let rows: Vec<(&Row, &String)> = rows.iter().zip(&algorithms).collect();
    batch!(rows, row => {
        scenario: row.0.record.scenario.as_str(),
        host: row.0.record.host.as_str(),
        role: row.0.record.role.as_str(),
        case: row.0.record.case,
        flow: row.0.record.flow,
        beside: row.0.record.beside.as_str(),
        beside_bytes: row.0.record.beside_bytes,
        rate_bits_per_s: row.0.record.rate_bits_per_s,
        capacity_bits_per_s: row.0.record.capacity_bits_per_s,
        capacity_bytes_per_s: row.0.record.capacity_bytes_per_s,
        rtt_ms: row.0.record.rtt_ms,
        queue: row.0.record.queue.as_str(),
        queue_bdp: row.0.record.queue_bdp(),
        queue_packets: row.0.record.queue_packets(),
        loss: row.0.record.loss.as_str(),
        loss_percent: row.0.record.loss_percent(),
        path: row.0.record.path.as_str(),
        receiver_buffer: row.0.record.receiver_buffer.as_str(),
        receiver_buffer_bytes: row.0.record.receiver_buffer_bytes(),
        sender_buffer: row.0.record.sender_buffer.as_str(),
        label: row.0.record.label.as_str(),
        startup: row.0.record.startup.as_str(),
        avoidance: row.0.record.avoidance.as_str(),
        initial_window: row.0.record.initial_window.as_str(),
        transport: row.0.record.transport.as_str(),
        stack: row.0.record.stack.as_str(),
        recovery: row.0.record.recovery.as_str(),
        timers: row.0.record.timers.as_str(),
        sender_tcp: row.0.record.sender_tcp.as_str(),
        connections: row.0.record.connections.as_str(),
        size_bytes: row.0.record.size_bytes,
        sizes: row.0.record.sizes.as_str(),
        application: row.0.record.application.as_str(),
        run: row.0.record.run,
        seed: Unsigned(row.0.record.seed),
        start_s: row.0.record.start_s,
        finished: row.0.record.finished,
        completion_s: row.0.record.completion_s,
        bound_s: row.0.record.bound_s,
        excess_rtts: row.0.record.excess_rtts,
        delivered_bytes: row.0.record.delivered_bytes,
        retransmitted_segments: row.0.record.retransmitted_segments,
        timeouts: row.0.record.timeouts,
        dropped_packets: row.0.record.dropped_packets,
        policed_packets: row.0.record.policed_packets,
        marked_packets: row.0.record.marked_packets,
        lost_packets: row.0.record.lost_packets,
        peak_queue_bdp: row.0.record.peak_queue_bdp,
        exit_reason: row.0.record.exit_reason.as_str(),
        exit_cwnd_bytes: row.0.record.exit_cwnd_bytes,
        exit_time_s: row.0.record.exit_time_s,
        estimate_bytes_per_s: row.0.record.estimate_bytes_per_s,
        remembered_bytes: row.0.record.remembered_bytes,
        first_answer_s: row.0.record.first_answer_s,
        later_answer_s: row.0.record.later_answer_s,
        stalls: row.0.record.stalls,
        stalled_s: row.0.record.stalled_s,
        traffic_before_bytes_per_s: row.0.record.traffic_before_bytes_per_s,
        traffic_during_bytes_per_s: row.0.record.traffic_during_bytes_per_s,
        lateness_p99_us: row.0.record.lateness_p99_us,
        lateness_max_us: row.0.record.lateness_max_us,
        suspect: row.0.record.suspect,
        algorithms: row.1.as_str(),
        failure: row.0.failure.as_deref(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_testing::samples::record;

    #[test]
    fn every_field_of_a_record_is_a_column() {
        let record = record("a", "none", "cubic", 1);
        let json = serde_json::to_value(&record).unwrap();
        let row = Row {
            record,
            failure: None,
        };
        let batch = records(&[row]);
        for field in json.as_object().unwrap().keys() {
            assert!(batch.column_by_name(field).is_some(), "{field}");
        }
    }

    #[test]
    fn tables_with_and_without_rows_have_one_schema() {
        let row = Row {
            record: record("a", "none", "cubic", 1),
            failure: Some("the peer no longer answers".to_owned()),
        };
        assert_eq!(records(&[]).schema(), records(&[row]).schema());
    }
}
