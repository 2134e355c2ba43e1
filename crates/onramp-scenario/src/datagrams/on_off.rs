//! An on-off source: it sends for a time and pauses for a time.
//!
//! The datagrams are spaced over the on periods as if there were no pauses: an interval between two
//! datagrams that a pause interrupts continues after the pause. So the mean rate is rate * on / (on
//! + off), however short the periods are.

use crate::random::{Interval, Stream};

/// Maximum number of pauses in one interval that are drawn one by one. If more are expected, their
/// sum is drawn: the work must not grow with the number of periods between two datagrams.
const MAX_DRAWN_PAUSES: u64 = 256;

/// The on and off periods of a source.
#[derive(Clone, Debug)]
pub(super) struct OnOffCycle {
    on: Interval,
    off: Interval,
    /// Start of the next pause.
    pause_ns: u64,
}

impl OnOffCycle {
    /// Starts with an on period at `start_ns`.
    pub fn new(on: Interval, off: Interval, start_ns: u64, random: &mut Stream) -> OnOffCycle {
        OnOffCycle {
            on,
            off,
            pause_ns: start_ns.saturating_add(random.interval(on)),
        }
    }

    /// The time of an event that would be due at `due_ns` if there were no more pauses.
    pub fn delay(&mut self, due_ns: u64, random: &mut Stream) -> u64 {
        if due_ns < self.pause_ns {
            return due_ns;
        }
        match (self.on, self.off) {
            (Interval::Fixed(on_ns), Interval::Fixed(off_ns)) => {
                self.jump_fixed(due_ns, on_ns.max(1), off_ns)
            }
            (Interval::Exponential(on_ns), Interval::Exponential(off_ns))
                if (due_ns - self.pause_ns) / on_ns.max(1) > MAX_DRAWN_PAUSES =>
            {
                self.jump_exponential(due_ns, on_ns.max(1) as f64, off_ns as f64, random)
            }
            _ => self.step(due_ns, random),
        }
    }

    fn step(&mut self, mut due_ns: u64, random: &mut Stream) -> u64 {
        while due_ns >= self.pause_ns && self.pause_ns < u64::MAX {
            let rest_ns = due_ns - self.pause_ns;
            let resume_ns = self.pause_ns.saturating_add(random.interval(self.off));
            self.pause_ns = resume_ns.saturating_add(random.interval(self.on));
            due_ns = resume_ns.saturating_add(rest_ns);
        }
        due_ns
    }

    fn jump_fixed(&mut self, due_ns: u64, on_ns: u64, off_ns: u64) -> u64 {
        let rest_ns = due_ns - self.pause_ns;
        let pauses = 1 + rest_ns / on_ns;
        let next_ns = due_ns.saturating_add(off_ns.saturating_mul(pauses));
        self.pause_ns = next_ns.saturating_add(on_ns - rest_ns % on_ns);
        next_ns
    }

    /// The number of pauses has a Poisson distribution and their sum a gamma distribution. Both are
    /// nearly normal for many pauses. The rest of the last on period has the same distribution as a
    /// whole one.
    fn jump_exponential(
        &mut self,
        due_ns: u64,
        on_ns: f64,
        off_ns: f64,
        random: &mut Stream,
    ) -> u64 {
        let expected = (due_ns - self.pause_ns) as f64 / on_ns;
        let pauses = 1.0 + libm::round(expected + libm::sqrt(expected) * random.normal()).max(0.0);
        let silence_ns = (off_ns * (pauses + libm::sqrt(pauses) * random.normal())).max(0.0);
        let next_ns = due_ns.saturating_add(silence_ns as u64);
        self.pause_ns = next_ns.saturating_add(random.interval(self.on));
        next_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The fraction of time in on periods, measured with intervals of this length.
    fn share(on: Interval, off: Interval, gap_ns: u64, gaps: u64) -> f64 {
        let mut random = Stream::new(3);
        let mut on_off = OnOffCycle::new(on, off, 0, &mut random);
        let end_ns = (0..gaps).fold(0, |now_ns, _| on_off.delay(now_ns + gap_ns, &mut random));
        (gaps * gap_ns) as f64 / end_ns as f64
    }

    #[test]
    fn the_mean_rate_is_the_fraction_of_on_time_for_all_period_lengths() {
        let (on, off) = (1_000_000, 3_000_000);
        // Intervals of a hundredth of an on period, of 120 on periods, and of 12 million.
        for (gap_ns, gaps) in [
            (10_000, 40_000_000 / 10_000 * 250),
            (120_000_000, 2_000),
            (12_000_000_000_000, 1000),
        ] {
            let fixed = share(Interval::Fixed(on), Interval::Fixed(off), gap_ns, gaps);
            assert!(
                (fixed - 0.25).abs() < 1e-5,
                "fixed, gap {gap_ns} ns: {fixed}"
            );
            let random = share(
                Interval::Exponential(on),
                Interval::Exponential(off),
                gap_ns,
                gaps,
            );
            assert!(
                (random - 0.25).abs() < 0.008,
                "exponential, gap {gap_ns} ns: {random}"
            );
        }
    }

    #[test]
    fn intervals_with_very_many_periods_are_computed_without_stepping() {
        let ends =
            |interval: fn(u64) -> Interval| share(interval(1), interval(1), 3_600_000_000_000, 100);
        assert!((ends(Interval::Fixed) - 0.5).abs() < 1e-9);
        assert!((ends(Interval::Exponential) - 0.5).abs() < 1e-3);
    }

    proptest! {
        #[test]
        fn a_jump_over_fixed_periods_equals_stepping_through_them(
            on_ns in 1u64..50, off_ns in 0u64..50, gaps in prop::collection::vec(1u64..300, 1..20),
        ) {
            let mut random = Stream::new(1);
            let (on, off) = (Interval::Fixed(on_ns), Interval::Fixed(off_ns));
            let new = |random: &mut Stream| OnOffCycle::new(on, off, 7, random);
            let (mut jumping, mut walking) = (new(&mut random), new(&mut random));
            let mut now_ns = 7;
            for gap_ns in gaps {
                let next_ns = jumping.delay(now_ns + gap_ns, &mut random);
                prop_assert_eq!(next_ns, walking.step(now_ns + gap_ns, &mut random));
                prop_assert_eq!(jumping.pause_ns, walking.pause_ns);
                now_ns = next_ns;
            }
        }
    }
}
