//! A clock that is seen only at its ticks, like the periodic interrupts of BSD.

/// Ticks at a phase and at whole periods after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TickClock {
    period_ns: u64,
    first_ns: u64,
}

impl TickClock {
    /// A clock that ticks every `period_ns` (at least 1), once at `phase_ns`.
    pub fn new(period_ns: u64, phase_ns: u64) -> TickClock {
        let period_ns = period_ns.max(1);
        TickClock { period_ns, first_ns: phase_ns % period_ns }
    }

    /// Time between two ticks.
    pub fn period_ns(&self) -> u64 {
        self.period_ns
    }

    /// Ticks after `from_ns`, up to and with `to_ns`.
    pub fn ticks_between(&self, from_ns: u64, to_ns: u64) -> u64 {
        self.ticks_until(to_ns).saturating_sub(self.ticks_until(from_ns))
    }

    /// When the `count`-th tick (from 1) after `now_ns` comes. A tick at `now_ns` itself is over.
    pub fn nth_after_ns(&self, now_ns: u64, count: u64) -> u64 {
        let index = self.ticks_until(now_ns).saturating_add(count.max(1) - 1);
        index.saturating_mul(self.period_ns).saturating_add(self.first_ns)
    }

    /// The first tick at this time or after it.
    pub fn at_or_after_ns(&self, time_ns: u64) -> u64 {
        match time_ns.checked_sub(1) {
            Some(just_before_ns) => self.nth_after_ns(just_before_ns, 1),
            None => self.first_ns,
        }
    }

    /// Ticks from the clock's start up to and with `time_ns`.
    fn ticks_until(&self, time_ns: u64) -> u64 {
        time_ns.saturating_add(self.period_ns - self.first_ns) / self.period_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_of_n_ticks_ends_at_the_nth_tick_after_it_was_set() {
        let clock = TickClock::new(500, 100);
        assert_eq!(clock.nth_after_ns(0, 1), 100);
        assert_eq!(clock.nth_after_ns(99, 2), 600);
        assert_eq!(clock.nth_after_ns(100, 2), 1100);
        assert_eq!(clock.nth_after_ns(599, 2), 1100);
    }

    #[test]
    fn ticks_are_counted_not_time() {
        let clock = TickClock::new(500, 0);
        assert_eq!(clock.ticks_between(10, 490), 0);
        assert_eq!(clock.ticks_between(499, 501), 1);
        assert_eq!(clock.ticks_between(500, 1000), 1);
        assert_eq!(clock.ticks_between(1000, 500), 0);
    }

    #[test]
    fn a_fine_clock_is_exact() {
        let clock = TickClock::new(1, 0);
        assert_eq!((clock.at_or_after_ns(0), clock.at_or_after_ns(7)), (0, 7));
        assert_eq!(clock.ticks_between(3, 10), 7);
        assert_eq!(TickClock::new(10, 3).at_or_after_ns(14), 23);
    }
}
