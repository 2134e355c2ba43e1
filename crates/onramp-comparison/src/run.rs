//! One run: the measured transfers of a case.

use crate::statistics::fairness;
use onramp_results::{Record, TRANSFER};

/// The measured transfers of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// One record for each copy of the transfer, at least one.
    pub transfers: Vec<Record>,
}

impl Run {
    /// The transfers among the records of a case: records of measured traffic are left out. `None`
    /// if there is none.
    pub fn of(records: Vec<Record>) -> Option<Run> {
        let is_transfer = |record: &Record| record.role == TRANSFER;
        let transfers: Vec<Record> = records.into_iter().filter(is_transfer).collect();
        (!transfers.is_empty()).then_some(Run { transfers })
    }

    /// Completion of the first transfer, in seconds. One that does not finish counts as endless.
    pub fn completion_s(&self) -> f64 {
        self.transfers[0].completion_s.unwrap_or(f64::INFINITY)
    }

    /// Retransmitted segments of all transfers.
    pub fn resent(&self) -> f64 {
        let resent = |record: &Record| record.retransmitted_segments as f64;
        self.transfers.iter().map(resent).sum()
    }

    /// Payload that all transfers delivered, in bytes.
    pub fn delivered_bytes(&self) -> f64 {
        let delivered = |record: &Record| record.delivered_bytes as f64;
        self.transfers.iter().map(delivered).sum()
    }

    /// Jain's fairness index of the delivered bytes: 1 if all are equal.
    pub fn fairness(&self) -> f64 {
        let delivered = |record: &Record| record.delivered_bytes as f64;
        fairness(&self.transfers.iter().map(delivered).collect::<Vec<_>>())
    }

    /// The share of the capacity that competing flows have in the 20 round trips from the start of
    /// the transfer, in percent; NaN without such flows.
    pub fn left_percent(&self) -> f64 {
        let record = &self.transfers[0];
        let left = record.traffic_during_bytes_per_s.unwrap_or(f64::NAN);
        100.0 * left / record.capacity_bytes_per_s as f64
    }

    /// Wasted round trips of the first transfer, if it finished.
    pub fn wasted_rtts(&self) -> Option<f64> {
        self.transfers[0].excess_rtts
    }

    /// Whether all transfers finished.
    pub fn is_finished(&self) -> bool {
        self.transfers.iter().all(|transfer| transfer.finished)
    }

    /// Whether the machine disturbed a transfer.
    pub fn is_suspect(&self) -> bool {
        self.transfers.iter().any(|transfer| transfer.suspect)
    }

    /// The mean completion time of the transfers in seconds; endless if one did not finish.
    fn mean_completion_s(&self) -> f64 {
        let completion_s = |record: &Record| record.completion_s.unwrap_or(f64::INFINITY);
        self.transfers.iter().map(completion_s).sum::<f64>() / self.transfers.len() as f64
    }

    /// The time that this run needs, of the time of `baseline`. Where the end of the run cuts the
    /// transfers of both off, it is the time for the same bytes: the bytes of `baseline`, of the
    /// bytes of this run. `None` if no ratio exists, because only `baseline` did not finish.
    pub fn time_ratio(&self, baseline: &Run, is_cut_off: bool) -> Option<f64> {
        if is_cut_off && !(self.is_finished() && baseline.is_finished()) {
            let ratio = baseline.delivered_bytes() / self.delivered_bytes();
            return (!ratio.is_nan()).then_some(ratio);
        }
        let ratio = self.mean_completion_s() / baseline.mean_completion_s();
        (!ratio.is_nan() && baseline.is_finished()).then_some(ratio)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_scenario::Case;

    fn case() -> Case {
        let text = "name = \"x\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 ms\"\n\
                    [[transfer]]\nsize = \"1 MB\"\n";
        onramp_scenario::parse("x.toml", text)
            .unwrap()
            .cases
            .remove(0)
    }

    fn run(times_s: &[Option<f64>], delivered: &[u64]) -> Run {
        let transfer = |(time_s, delivered): (&Option<f64>, &u64)| {
            let mut record = Record::of_case(&case(), "sim");
            if let Some(time_s) = time_s {
                record.complete(*time_s);
            }
            record.delivered_bytes = *delivered;
            record
        };
        Run::of(times_s.iter().zip(delivered).map(transfer).collect()).unwrap()
    }

    #[test]
    fn finished_runs_are_compared_by_their_mean_times() {
        let cubic = run(&[Some(2.0), Some(4.0)], &[1, 1]);
        let other = run(&[Some(1.0), Some(2.0)], &[1, 1]);
        assert_eq!(other.time_ratio(&cubic, false), Some(0.5));
    }

    #[test]
    fn runs_that_are_cut_off_are_compared_by_their_bytes() {
        let cubic = run(&[None, None], &[3, 3]);
        let other = run(&[None, None], &[4, 8]);
        assert_eq!(other.time_ratio(&cubic, true), Some(0.5));
        assert_eq!(other.fairness(), 0.9);
    }

    #[test]
    fn a_run_that_gives_up_is_endless() {
        let cubic = run(&[Some(2.0)], &[1]);
        let other = run(&[None], &[0]);
        assert_eq!(other.time_ratio(&cubic, false), Some(f64::INFINITY));
        assert_eq!(cubic.time_ratio(&other, false), None);
    }
}
