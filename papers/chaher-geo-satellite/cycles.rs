//! What a sender's windows tell: its losses, its slow starts, and where congestion avoidance began.

use crate::Flow;

/// From one detected loss to the next; the first begins with the transfer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle {
    /// When it begins.
    pub begin_s: f64,
    /// The slow-start threshold; infinite where there is none.
    pub threshold: f64,
    /// When congestion avoidance begins, and the window then; `None`: the loss comes before.
    pub avoidance: Option<(f64, f64)>,
    /// The loss that ends it; `None`: the run does.
    pub end: Option<Reduction>,
}

/// A loss that brings the window back to one segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    /// When it is detected.
    pub at_s: f64,
    /// The window until then.
    pub window: f64,
    /// The threshold from then on.
    pub threshold: f64,
}

impl Cycle {
    /// Did slow start overflow the buffer? By the paper's own sign (section 3): "If X2 - X1 < W, this means that the loss detected
    /// has happened in the slow-start phase": less than a window was acknowledged in congestion avoidance, which is less than
    /// the round trip.
    pub fn is_of_slow_start(&self, round_trip_s: f64) -> bool {
        let Some(end) = self.end else { return false };
        self.avoidance.is_none_or(|(begin_s, _)| end.at_s - begin_s < round_trip_s)
    }
}

/// A flow's cycles, with windows in packets of so many bytes.
pub fn cycles(flow: &Flow, segment_bytes: f64) -> Vec<Cycle> {
    let packets = |bytes: u64| if bytes == u64::MAX { f64::INFINITY } else { bytes as f64 / segment_bytes };
    let blank = |begin_s, threshold| Cycle { begin_s, threshold, avoidance: None, end: None };
    let mut all = vec![blank(flow.sender_start_s(), f64::INFINITY)];
    for pair in flow.windows.windows(2) {
        let [before, now] = [pair[0], pair[1]];
        let cycle = all.last_mut().expect("there is a first");
        if now.cwnd_bytes < before.cwnd_bytes {
            let threshold = packets(now.ssthresh_bytes);
            cycle.end = Some(Reduction { at_s: now.at_s, window: packets(before.cwnd_bytes), threshold });
            all.push(blank(now.at_s, threshold));
        } else if cycle.avoidance.is_none() && !now.slow_start {
            cycle.avoidance = Some((now.at_s, packets(now.cwnd_bytes)));
        }
    }
    all
}

/// How many slow starts it took from each loss of congestion avoidance until congestion avoidance lasted again, in a run that
/// ends at this time. The first slow start follows no loss; what the end cuts off is not known.
pub fn slow_starts(cycles: &[Cycle], round_trip_s: f64, end_s: f64) -> Vec<u32> {
    let mut all = Vec::new();
    let mut count = 0;
    for (place, cycle) in cycles.iter().enumerate() {
        let overflows = cycle.is_of_slow_start(round_trip_s);
        let lasts = !overflows && cycle.avoidance.is_some_and(|(begin_s, _)| begin_s + round_trip_s < end_s);
        count += 1;
        // The first cycle is not counted: its slow start has no threshold.
        if place == 0 {
            count = 0;
        } else if lasts {
            all.push(count);
            count = 0;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycle(avoidance_s: Option<f64>, end_s: Option<f64>) -> Cycle {
        let end = end_s.map(|at_s| Reduction { at_s, window: 100.0, threshold: 50.0 });
        Cycle { begin_s: 0.0, threshold: 50.0, avoidance: avoidance_s.map(|at_s| (at_s, 50.0)), end }
    }

    #[test]
    fn a_loss_within_a_round_trip_of_avoidance_is_slow_start_s() {
        assert!(cycle(None, Some(3.0)).is_of_slow_start(0.6));
        assert!(cycle(Some(2.5), Some(3.0)).is_of_slow_start(0.6));
        assert!(!cycle(Some(2.3), Some(3.0)).is_of_slow_start(0.6));
        assert!(!cycle(Some(2.5), None).is_of_slow_start(0.6));
    }

    /// The first cycle's slow start has no threshold, and what the run cuts off is not known.
    #[test]
    fn slow_starts_are_counted_from_one_loss_to_the_avoidance_that_lasts() {
        let (early, late, open) = (cycle(None, Some(3.0)), cycle(Some(1.0), Some(9.0)), cycle(Some(9.0), None));
        assert_eq!(slow_starts(&[late, early, late, late, early, early, open], 0.6, 10.0), [2, 1, 3]);
        assert_eq!(slow_starts(&[late, early, open], 0.6, 9.5), [0; 0]);
    }
}
