//! A grid of ticks: one at a phase, and one every whole period after it.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    pub period_ns: u64,
    pub first_ns: u64,
}

impl Grid {
    /// Ticks every `period_ns` (at least 1), one of them at `phase_ns`.
    pub fn new(period_ns: u64, phase_ns: u64) -> Grid {
        let period_ns = period_ns.max(1);
        Grid {
            period_ns,
            first_ns: phase_ns % period_ns,
        }
    }

    /// Number of ticks after time 0, up to and including this time.
    pub fn ticks_since_0(&self, time_ns: u64) -> u64 {
        let lead_ns = if self.first_ns == 0 {
            0
        } else {
            self.period_ns - self.first_ns
        };
        time_ns.saturating_add(lead_ns) / self.period_ns
    }

    /// Time of the tick with this index, counted as in [`ticks_since_0`](Grid::ticks_since_0).
    pub fn tick_ns(&self, index: u64) -> u64 {
        let index = if self.first_ns == 0 {
            index
        } else {
            index.saturating_sub(1)
        };
        index
            .saturating_mul(self.period_ns)
            .saturating_add(self.first_ns)
    }
}
