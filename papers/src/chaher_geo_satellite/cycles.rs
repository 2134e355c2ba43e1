//! Cycles derived from a sender's windows: its losses, its slow starts, and the start of congestion
//! avoidance.

use crate::Flow;

/// The time from one detected loss to the next. The first cycle begins with the transfer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle {
    /// When it begins.
    pub begin_s: f64,
    /// ssthresh in packets; infinite where there is none.
    pub threshold: f64,
    /// When congestion avoidance begins, and the window; `None` if the loss comes before.
    pub avoidance: Option<(f64, f64)>,
    /// The window at its end.
    pub window: f64,
    /// The loss that ends the cycle: the time of its detection, and ssthresh from then on. `None`
    /// if the run ends the cycle.
    pub end: Option<(f64, f64)>,
}

impl Cycle {
    /// Whether slow start overflowed the buffer. The paper's sign (section 3): "If X2 - X1 < W,
    /// this means that the loss detected has happened in the slow-start phase". Congestion
    /// avoidance, if it began, had less than a window acknowledged; a whole window raises it by a
    /// packet.
    pub fn is_of_slow_start(&self) -> bool {
        self.end.is_some() && !self.lasts()
    }

    /// Whether congestion avoidance began and had at least a window acknowledged.
    pub fn lasts(&self) -> bool {
        self.avoidance
            .is_some_and(|(_, begin)| self.window >= begin + 1.0)
    }
}

/// A flow's cycles, with windows in packets of `segment_bytes`.
pub fn cycles(flow: &Flow, segment_bytes: f64) -> Vec<Cycle> {
    let packets = |bytes: u64| {
        if bytes == u64::MAX {
            f64::INFINITY
        } else {
            bytes as f64 / segment_bytes
        }
    };
    let blank = |begin_s, threshold| Cycle {
        begin_s,
        threshold,
        avoidance: None,
        window: 1.0,
        end: None,
    };
    let mut all = vec![blank(flow.sender_start_s(), f64::INFINITY)];
    for pair in flow.windows.windows(2) {
        let [before, now] = [pair[0], pair[1]];
        let cycle = all.last_mut().expect("there is a first");
        if now.cwnd_bytes < before.cwnd_bytes {
            let threshold = packets(now.ssthresh_bytes);
            cycle.end = Some((now.at_s, threshold));
            all.push(blank(now.at_s, threshold));
            continue;
        }
        cycle.window = packets(now.cwnd_bytes);
        if cycle.avoidance.is_none() && !now.slow_start {
            cycle.avoidance = Some((now.at_s, cycle.window));
        }
    }
    all
}

/// The slow starts between a loss in congestion avoidance and the next lasting congestion
/// avoidance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Restart {
    /// The window before that loss.
    pub lost_at: f64,
    /// Number of slow starts.
    pub slow_starts: u32,
    /// When congestion avoidance then began.
    pub begin_s: f64,
    /// The window at which it began.
    pub avoidance: f64,
}

/// All complete restarts of a run.
pub fn restarts(cycles: &[Cycle]) -> Vec<Restart> {
    let mut all = Vec::new();
    let mut lost: Option<(f64, u32)> = None;
    for cycle in cycles {
        lost = lost.map(|(lost_at, slow_starts)| (lost_at, slow_starts + 1));
        let Some((begin_s, avoidance)) = cycle.avoidance.filter(|_| cycle.lasts()) else {
            continue;
        };
        all.extend(lost.map(|(lost_at, slow_starts)| Restart {
            lost_at,
            slow_starts,
            begin_s,
            avoidance,
        }));
        lost = Some((cycle.window, 0));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycle(avoidance: Option<f64>, window: f64) -> Cycle {
        Cycle {
            begin_s: 0.0,
            threshold: 50.0,
            avoidance: avoidance.map(|begin| (1.0, begin)),
            window,
            end: Some((3.0, window / 2.0)),
        }
    }

    /// The time of detection does not matter.
    #[test]
    fn a_loss_before_the_window_has_grown_belongs_to_slow_start() {
        assert!(cycle(None, 40.0).is_of_slow_start());
        assert!(cycle(Some(50.0), 50.9).is_of_slow_start());
        assert!(!cycle(Some(50.0), 51.0).is_of_slow_start());
        assert!(!Cycle {
            end: None,
            ..cycle(Some(50.0), 50.0)
        }
        .is_of_slow_start());
    }

    /// The first slow start has no ssthresh and follows no loss of congestion avoidance. The same
    /// holds for the slow starts that its own loss causes.
    #[test]
    fn slow_starts_are_counted_from_a_loss_of_avoidance_to_the_avoidance_that_lasts() {
        let (none, early, late) = (
            cycle(None, 200.0),
            cycle(Some(50.0), 50.0),
            cycle(Some(40.0), 100.0),
        );
        let counts = |cycles: &[Cycle]| {
            restarts(cycles)
                .iter()
                .map(|restart| restart.slow_starts)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            counts(&[none, early, late, early, late, late, early, early, late]),
            [2, 1, 3]
        );
        assert_eq!(counts(&[none, late, early]), [0; 0]);
        assert_eq!(
            restarts(&[late, early, late])[0],
            Restart {
                lost_at: 100.0,
                slow_starts: 2,
                begin_s: 1.0,
                avoidance: 40.0
            }
        );
    }
}
