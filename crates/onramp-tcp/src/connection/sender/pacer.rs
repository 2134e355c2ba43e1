//! Pacing: segments leave one by one at a rate.

use crate::timing::Events;

const NS_PER_S: u64 = 1_000_000_000;

/// When the next segment may leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacer {
    events: Events,
    next_ns: u64,
    /// A segment waits for that moment.
    is_waiting: bool,
}

impl Pacer {
    /// On a host that can act at these moments.
    pub fn new(events: Events) -> Pacer {
        Pacer { events, next_ns: 0, is_waiting: false }
    }

    /// Nothing waits so far.
    pub fn begin(&mut self) {
        self.is_waiting = false;
    }

    /// May a segment leave now? Remembers that one waits, if not.
    pub fn permits(&mut self, now_ns: u64, bytes_per_s: Option<u64>) -> bool {
        self.is_waiting = bytes_per_s.is_some() && now_ns < self.next_ns;
        !self.is_waiting
    }

    /// The next segment follows one's length at the rate later; a pause of less than a tick is made good.
    pub fn sent(&mut self, now_ns: u64, bytes: u32, bytes_per_s: Option<u64>) {
        if let Some(rate) = bytes_per_s {
            let gap_ns = gap_ns(bytes, rate);
            let credit_ns = if self.events.is_exact() { gap_ns / 2 } else { self.events.granularity_ns() };
            self.next_ns = self.next_ns.max(now_ns.saturating_sub(credit_ns)) + gap_ns;
        }
    }

    /// The first segment of a pair, which takes one turn: the second makes good more than any pause is worth.
    pub fn pair_sent(&mut self, now_ns: u64, bytes: u32, bytes_per_s: Option<u64>) {
        if let Some(rate) = bytes_per_s {
            self.next_ns = self.next_ns.max(now_ns) + gap_ns(bytes, rate);
        }
    }

    /// The first moment at which the segment that waits may leave.
    pub fn wakes_ns(&self) -> Option<u64> {
        self.is_waiting.then(|| self.events.at_or_after_ns(self.next_ns))
    }
}

fn gap_ns(bytes: u32, bytes_per_s: u64) -> u64 {
    u64::from(bytes) * NS_PER_S / bytes_per_s.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ticks;

    /// When so many segments of 1000 bytes leave at 1 MB/s from this time on.
    fn departures(ticks: Ticks, mut now_ns: u64, count: usize) -> Vec<u64> {
        let (mut pacer, rate, mut left) = (Pacer::new(ticks.events()), Some(1_000_000), Vec::new());
        while left.len() < count {
            pacer.begin();
            if pacer.permits(now_ns, rate) {
                pacer.sent(now_ns, 1000, rate);
                left.push(now_ns);
            } else {
                now_ns = pacer.wakes_ns().expect("a segment waits");
            }
        }
        left
    }

    #[test]
    fn a_fine_clock_spaces_each_segment() {
        // After a pause, half a segment's time is made good.
        assert_eq!(departures(Ticks::FINE, 5_000_000, 4), [5_000_000, 5_500_000, 6_500_000, 7_500_000]);
    }

    /// Aron & Druschel, section 4.2.2: N segments each T, T no less than the event clock's tick.
    #[test]
    fn a_coarse_clock_sends_a_tick_s_worth_at_once() {
        let ticks = Ticks { event_ns: 10_000_000, phase_ns: 12_000_000, ..Ticks::FINE };
        let left = departures(ticks, 100_000_000, 40);
        let at = |ns: u64| left.iter().filter(|left_ns| **left_ns == ns).count();
        assert_eq!((at(112_000_000), at(122_000_000)), (10, 10));
    }
}
