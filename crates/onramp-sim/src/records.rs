//! Builds the records of a run.

use crate::engine::{FinishedTransfer, RunResult};
use onramp_results::{rate_in, traffic_windows, Record};
use onramp_scenario::{bytes_in, Arrival, Case, ENDLESS};
use std::collections::HashMap;
use std::ops::Range;

/// The records of the measured transfers, each with its result from the engine. The copies of the
/// transfer come first and those of traffic follow, each in the order of their starts.
pub(crate) fn records<'a>(
    case: &Case,
    result: &'a RunResult,
) -> Vec<(Record, &'a FinishedTransfer)> {
    let mut templates = RecordTemplates {
        case,
        of_ends: HashMap::new(),
    };
    let (copies, traffic): (Vec<_>, Vec<_>) = result
        .finished
        .iter()
        .partition(|finished| finished.traffic.is_none());
    let ordered = copies.into_iter().chain(traffic);
    (0..)
        .zip(ordered)
        .map(|(number, finished)| {
            (
                record(case, result, finished, templates.of(number, finished)),
                finished,
            )
        })
        .collect()
}

/// Templates of records, with everything that is known before a transfer runs.
struct RecordTemplates<'a> {
    case: &'a Case,
    /// Templates of copies by their ends. Copies with the same ends differ only in number and
    /// start, and in their bounds if links change. The search for their path is the expensive part.
    of_ends: HashMap<(usize, usize), (Record, Vec<u32>)>,
}

impl RecordTemplates<'_> {
    /// The template of a transfer, with the links of its path and its return path.
    fn of(&mut self, number: u32, finished: &FinishedTransfer) -> (Record, Vec<u32>) {
        let case = self.case;
        let (template, links) = match finished
            .traffic
            .map(|traffic| &case.traffic[traffic as usize])
        {
            None => {
                let ends = case.transfer.ends(number);
                if case.network.changes() || case.transfer.sizes.is_some() {
                    self.of_ends.clear();
                }
                let arrival = Arrival {
                    start_ns: finished.started_ns,
                    size_bytes: finished.size_bytes,
                };
                let of_copy = || {
                    (
                        Record::of_arrival(case, "sim", number, arrival),
                        case.network.round_trip(ends),
                    )
                };
                self.of_ends.entry(ends).or_insert_with(of_copy).clone()
            }
            Some(traffic) => {
                let transfers = traffic.transfers();
                let transfers = transfers.expect("only TCP transfers are measured");
                let size_bytes = if finished.size_bytes == ENDLESS {
                    0
                } else {
                    finished.size_bytes
                };
                let record = Record::of_traffic(
                    case,
                    "sim",
                    traffic,
                    transfers,
                    size_bytes,
                    finished.started_ns,
                );
                (record, case.network.round_trip((traffic.from, traffic.to)))
            }
        };
        (
            Record {
                flow: number + 1,
                start_s: finished.started_ns as f64 / 1e9,
                ..template
            },
            links,
        )
    }
}

fn record(
    case: &Case,
    result: &RunResult,
    finished: &FinishedTransfer,
    (template, links): (Record, Vec<u32>),
) -> Record {
    let mut record = template;
    if let Some(completed_ns) = finished.completed_ns {
        let waited_ns = finished.answers.as_ref().map_or(0, |all| all.waited_ns);
        record.complete((completed_ns - finished.started_ns - waited_ns) as f64 / 1e9);
    }
    if let Some(answers) = &finished.answers {
        record.fill_answers(finished.started_ns, answers);
    }
    record.delivered_bytes = finished.delivered_bytes;
    record.retransmitted_segments = finished.sender.retransmitted_segments;
    record.timeouts = finished
        .reports_timeouts
        .then_some(finished.sender.timeouts);
    record.count_losses(
        links
            .iter()
            .map(|link| &result.links_at_completion[*link as usize]),
    );
    let bottleneck = &result.links_at_completion[finished.bottleneck as usize];
    let bdp_bytes = bytes_in(record.rate_bits_per_s, (record.rtt_ms * 1e6) as u64);
    record.peak_queue_bdp = bottleneck.peak_queue.bytes as f64 / bdp_bytes.max(1) as f64;
    record.fill_startup(&finished.startup.events);
    fill_traffic(&mut record, case, result, finished);
    record
}

fn fill_traffic(record: &mut Record, case: &Case, result: &RunResult, finished: &FinishedTransfer) {
    let has_traffic_windows = finished.traffic.is_none() && finished.started_ns <= result.until_ns;
    let Some(span) = case.traffic_span().filter(|_| has_traffic_windows) else {
        return;
    };
    let at = |time_ns| {
        let position = result
            .meter
            .binary_search_by_key(&time_ns, |(read_ns, _)| *read_ns)
            .ok()?;
        Some(result.meter[position].1)
    };
    let observed = span.start..span.end.min(result.until_ns);
    let rate = |window: Range<u64>| rate_in(&window, (at(window.end)? - at(window.start)?) as f64);
    let [before, during] =
        traffic_windows(finished.started_ns, case.path.rtt_ns, &observed).map(rate);
    (
        record.traffic_before_bytes_per_s,
        record.traffic_during_bytes_per_s,
    ) = (before, during);
}
