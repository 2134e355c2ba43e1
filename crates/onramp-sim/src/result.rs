//! From what was seen to records.

use crate::case::meter_moments;
use crate::engine::{Finished, Ran};
use onramp_net::LinkStats;
use onramp_scenario::{Case, Record};

/// The records of the measured transfers.
pub(crate) fn records(case: &Case, ran: &Ran) -> Vec<Record> {
    ran.finished.iter().map(|finished| record(case, ran, finished)).collect()
}

fn record(case: &Case, ran: &Ran, finished: &Finished) -> Record {
    let mut record = Record::of_case(case, "sim");
    if let Some(completed_ns) = finished.completed_ns {
        record.complete(case, (completed_ns - finished.started_ns) as f64 / 1e9);
    }
    record.retransmitted_segments = finished.sender.retransmitted_segments;
    let sum = |count: fn(&LinkStats) -> u64| ran.net.links.iter().map(count).sum();
    record.dropped_packets = sum(|link| link.dropped.packets + link.evicted.packets + link.policed.packets);
    record.lost_packets = sum(|link| link.lost.packets);
    let bottleneck = &ran.net.links[ran.bottlenecks[finished.group as usize] as usize];
    record.peak_queue_bdp = bottleneck.peak_queue.bytes as f64 / case.path.bdp_bytes().max(1) as f64;
    fill_startup(&mut record, finished);
    fill_traffic(&mut record, case, ran, finished);
    record
}

/// The first exit counts: a start-up that runs again after a timeout has had its chance.
fn fill_startup(record: &mut Record, finished: &Finished) {
    let events = &finished.startup.events;
    if let Some(exit) = events.iter().find(|event| event.kind == "exit") {
        record.exit_reason = exit.what.clone();
        record.exit_cwnd_bytes = Some(exit.cwnd_bytes);
        record.exit_time_s = Some(exit.time_s);
    }
    record.estimate_bytes_per_s = events.iter().rev().map(|event| event.estimate_bytes_per_s).find(|rate| *rate > 0);
}

fn fill_traffic(record: &mut Record, case: &Case, ran: &Ran, finished: &Finished) {
    let [before_ns, start_ns, after_ns] = meter_moments(case, finished.started_ns);
    let at = |moment_ns| ran.meter.iter().find(|(ns, _)| *ns == moment_ns).map(|(_, bytes)| *bytes);
    let window_s = (after_ns - start_ns) as f64 / 1e9;
    let rate = |from_ns, to_ns| Some((at(to_ns)? - at(from_ns)?) as f64 / window_s);
    record.traffic_before_bytes_per_s = rate(before_ns, start_ns);
    record.traffic_during_bytes_per_s = rate(start_ns, after_ns);
}
