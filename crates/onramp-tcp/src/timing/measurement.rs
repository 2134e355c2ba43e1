//! The measurement service: the time as a host reads it.

use super::grid::Grid;

/// A clock that can be read at any time, but advances only at its ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measurement {
    grid: Grid,
}

impl Measurement {
    /// A clock with this resolution (at least 1) that advances at `phase_ns`.
    pub fn new(resolution_ns: u64, phase_ns: u64) -> Measurement {
        Measurement {
            grid: Grid::new(resolution_ns, phase_ns),
        }
    }

    /// The time that the host reads at `now_ns`: `currentTime()`. The origin has no meaning; only
    /// intervals do.
    pub fn current_time(&self, now_ns: u64) -> u64 {
        self.grid.ticks_since_0(now_ns) * self.grid.period_ns
    }

    /// The smallest difference of two readings that differ.
    pub fn resolution_ns(&self) -> u64 {
        self.grid.period_ns
    }

    /// An interval as the host measures it; 0 if it ends before it begins.
    pub fn elapsed_ns(&self, from_ns: u64, to_ns: u64) -> u64 {
        self.current_time(to_ns)
            .saturating_sub(self.current_time(from_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_counted_and_not_time() {
        let clock = Measurement::new(500, 0);
        assert_eq!(clock.elapsed_ns(10, 490), 0);
        assert_eq!(clock.elapsed_ns(499, 501), 500);
        assert_eq!(clock.elapsed_ns(500, 1000), 500);
        assert_eq!(clock.elapsed_ns(1000, 500), 0);
    }

    #[test]
    fn a_clock_advances_at_its_phase() {
        let clock = Measurement::new(500, 700);
        assert_eq!(clock.elapsed_ns(0, 199), 0);
        assert_eq!(clock.elapsed_ns(199, 200), 500);
        assert_eq!(clock.elapsed_ns(200, 1200), 1000);
    }

    #[test]
    fn a_fine_clock_reads_the_time() {
        let clock = Measurement::new(1, 7);
        assert_eq!(
            (
                clock.current_time(0),
                clock.current_time(12),
                clock.elapsed_ns(3, 10)
            ),
            (0, 12, 7)
        );
    }
}
