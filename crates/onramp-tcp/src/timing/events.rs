//! The event service: the times at which a host can act by itself.

use super::grid::Grid;

/// The times at which a host can act: ticks of a periodic interrupt, or of any other wake-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Events {
    grid: Grid,
}

impl Events {
    /// Ticks with this period (at least 1), one of them at `phase_ns`.
    pub fn new(granularity_ns: u64, phase_ns: u64) -> Events {
        Events {
            grid: Grid::new(granularity_ns, phase_ns),
        }
    }

    /// Time from one tick to the next.
    pub fn granularity_ns(&self) -> u64 {
        self.grid.period_ns
    }

    /// Is the tick 1 ns, so that the host can act at any time?
    pub fn is_exact(&self) -> bool {
        self.grid.period_ns == 1
    }

    /// The first tick at or after this time.
    pub fn at_or_after_ns(&self, time_ns: u64) -> u64 {
        match time_ns.checked_sub(1) {
            Some(just_before_ns) => self.nth_tick_after_ns(just_before_ns, 1),
            None => self.grid.first_ns,
        }
    }

    /// The `count`-th tick (from 1) after `now_ns`. A tick at `now_ns` itself does not count.
    pub fn nth_tick_after_ns(&self, now_ns: u64, count: u64) -> u64 {
        self.grid
            .tick_ns(self.grid.ticks_since_0(now_ns).saturating_add(count.max(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_of_n_ticks_ends_at_the_nth_tick_after_it_was_set() {
        let events = Events::new(500, 100);
        assert_eq!(events.nth_tick_after_ns(0, 1), 100);
        assert_eq!(events.nth_tick_after_ns(99, 2), 600);
        assert_eq!(events.nth_tick_after_ns(100, 2), 1100);
        assert_eq!(events.nth_tick_after_ns(599, 2), 1100);
        assert_eq!(Events::new(500, 0).nth_tick_after_ns(0, 1), 500);
    }

    #[test]
    fn an_event_between_two_ticks_is_late_until_the_second_one() {
        let events = Events::new(10, 3);
        assert_eq!(
            [0, 3, 4, 13, 14].map(|wanted| events.at_or_after_ns(wanted)),
            [3, 3, 13, 13, 23]
        );
        assert_eq!(
            [0, 1, 10].map(|wanted| Events::new(10, 0).at_or_after_ns(wanted)),
            [0, 10, 10]
        );
    }

    #[test]
    fn a_fine_host_acts_at_any_time() {
        let events = Events::new(1, 9);
        assert_eq!(
            (
                events.at_or_after_ns(0),
                events.at_or_after_ns(7),
                events.nth_tick_after_ns(7, 1)
            ),
            (0, 7, 8)
        );
    }

    #[test]
    fn the_largest_times_do_not_overflow() {
        for events in [Events::new(1, 0), Events::new(500, 3)] {
            let end = u64::MAX;
            assert!(
                events.at_or_after_ns(end) >= end - 500
                    && events.nth_tick_after_ns(end, end) >= end - 500
            );
        }
    }
}
