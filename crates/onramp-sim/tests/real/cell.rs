//! A cell: one path and size, with the runs of CUBIC alone and of `onramp` before it.

use onramp_comparison::statistics::median;
use onramp_comparison::Run;
use onramp_results::Record;
use onramp_scenario::units::{format_rate, format_size, format_time};
use onramp_scenario::Case;

/// The start-ups that are compared: CUBIC's own, and this one.
const STARTUP: &str = "onramp";

/// One path and size, and its runs: without a start-up, and with `onramp`. Runs of one place have
/// the same seed.
pub struct Cell {
    pub case: Case,
    pub runs: [Vec<Run>; 2],
}

/// The cells of a family's runs. A scenario gives its runs by source, case and records.
pub fn cells(runs: Vec<(usize, Case, Vec<Record>)>) -> Vec<Cell> {
    let mut cells: Vec<((usize, String), Cell)> = Vec::new();
    for (source, case, records) in runs {
        let record = &records[0];
        let key = format!(
            "{} {} {} {} {} {} {}",
            record.scenario,
            record.rate_bits_per_s,
            record.rtt_ms,
            record.queue,
            record.path,
            record.receiver_buffer,
            record.size_bytes
        );
        let side = usize::from(record.startup == STARTUP);
        let key = (source, key);
        let place = cells.iter().position(|(other, _)| *other == key);
        let place = place.unwrap_or_else(|| {
            let runs = Default::default();
            cells.push((key, Cell { case, runs }));
            cells.len() - 1
        });
        cells[place].1.runs[side].push(Run { transfers: records });
    }
    cells.into_iter().map(|(_, cell)| cell).collect()
}

impl Cell {
    /// The median over the runs of each side.
    pub fn medians(&self, of: fn(&Run) -> f64) -> [f64; 2] {
        [0, 1].map(|side| median(self.runs[side].iter().map(of)))
    }

    pub fn rtt_s(&self) -> f64 {
        self.case.path.rtt_ns as f64 / 1e9
    }

    pub fn size_bytes(&self) -> u64 {
        self.case.transfer.size_bytes
    }

    /// Whether the BDP is at least 60 packets. On shorter paths, which half a dozen initial windows
    /// fill, a start-up can gain little.
    pub fn is_long(&self) -> bool {
        self.case.path.bdp_bytes() >= 60 * 1500
    }

    /// Median of `onramp`'s times, of CUBIC's.
    pub fn ratio(&self) -> f64 {
        let [cubic_s, onramp_s] = self.medians(Run::completion_s);
        onramp_s / cubic_s
    }

    /// By how many round trips `onramp`'s median is behind CUBIC's.
    pub fn behind_rtts(&self) -> f64 {
        let [cubic_s, onramp_s] = self.medians(Run::completion_s);
        (onramp_s - cubic_s) / self.rtt_s()
    }

    /// The same for each pair of runs with the same seed: by round trips, and as a ratio.
    pub fn pairs(&self) -> Vec<(f64, f64)> {
        let pairs = self.runs[0].iter().zip(&self.runs[1]);
        let compare = |(cubic, onramp): (&Run, &Run)| {
            let (cubic_s, onramp_s) = (cubic.completion_s(), onramp.completion_s());
            ((onramp_s - cubic_s) / self.rtt_s(), onramp_s / cubic_s)
        };
        pairs.map(compare).collect()
    }

    /// Wasted round trips of all runs of a side.
    pub fn wasted(&self, side: usize) -> Vec<f64> {
        let runs = self.runs[side].iter();
        runs.filter_map(Run::wasted_rtts).collect()
    }

    /// Slower than CUBIC by more than 3 %, or by more than half a round trip.
    pub fn is_slow(&self) -> bool {
        self.ratio() > 1.03 || self.behind_rtts() > 0.5
    }

    /// More than half as many retransmissions again as CUBIC's, and ten segments.
    pub fn resends_too_much(&self) -> bool {
        let [cubic, onramp] = self.medians(Run::resent);
        onramp > 1.5 * cubic + 10.0
    }

    /// The exits of `onramp` in its runs.
    fn exits(&self) -> String {
        let transfers = self.runs[1].iter().flat_map(|run| &run.transfers);
        let mut exits: Vec<_> = transfers
            .map(|record| record.exit_reason.as_str())
            .collect();
        exits.sort_unstable();
        exits.dedup();
        exits.join(", ")
    }

    /// The cell in a line.
    pub fn line(&self) -> String {
        let [cubic_s, onramp_s] = self.medians(Run::completion_s);
        let [cubic, onramp] = self.medians(Run::resent);
        let path = &self.case.path;
        let record = &self.runs[0][0].transfers[0];
        format!(
            "{:.3} ({:+.1} RTT) {} | {} {} {} {} | {} | {cubic_s:.3} {onramp_s:.3} s | resent \
             {cubic} {onramp} | {}",
            self.ratio(),
            self.behind_rtts(),
            self.case.scenario,
            format_rate(path.forward.rate_bits_per_s),
            format_time(path.rtt_ns),
            path.forward.queue,
            format_size(self.size_bytes()),
            record.path,
            self.exits(),
        )
    }
}
