//! Pacing: segments leave one by one at a rate, or as a token bucket permits.
//!
//! A bucket's depth is what the traffic contract of a reservation permits at once
//! (`core/parts/token_bucket.h`). A host that is woken at ticks only cannot send when tokens come, but as
//! much as a tick late. What would have left one by one since the last tick leaves at the next, all
//! at once: traffic of a rate and a burst that is delayed by up to a time t conforms to the rate
//! and a burst of rate * t more. So a coarse host's bucket is deeper by what the rate makes of a
//! tick; with less it could not keep the rate, which a tick's tokens would overflow. Whoever
//! polices it has to permit that: 10 ms at 10 Mbit/s are 12,500 bytes.

use crate::congestion::Pacing;
use crate::timing::Events;
use onramp_core::bucket::Bucket;

const NS_PER_S: u64 = 1_000_000_000;

/// When the next segment may leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacer {
    events: Events,
    /// Where segments leave one by one.
    next_ns: u64,
    bucket: Bucket,
    /// A segment waits for this moment.
    waits_for_ns: Option<u64>,
}

impl Pacer {
    /// On a host that can act at these moments.
    pub fn new(events: Events) -> Pacer {
        Pacer {
            events,
            next_ns: 0,
            bucket: Bucket::default(),
            waits_for_ns: None,
        }
    }

    /// Nothing waits so far.
    pub fn begin(&mut self) {
        self.waits_for_ns = None;
    }

    /// May a segment of so many bytes leave now? Remembers that one waits, if not.
    pub fn permits(&mut self, now_ns: u64, bytes: u32, pacing: Option<Pacing>) -> bool {
        let at_ns = match pacing {
            None => 0,
            Some(Pacing { burst_bytes: 0, .. }) => self.next_ns,
            Some(_) => self.has_tokens_ns(bytes, pacing),
        };
        self.waits_for_ns = (now_ns < at_ns).then_some(at_ns);
        self.waits_for_ns.is_none()
    }

    /// The first moment at which the bucket has so many bytes, which may have passed; 0 where there
    /// is no bucket.
    pub fn has_tokens_ns(&self, bytes: u32, pacing: Option<Pacing>) -> u64 {
        let Some(Pacing {
            bytes_per_s,
            burst_bytes: burst_bytes @ 1..,
        }) = pacing
        else {
            return 0;
        };
        let tick_ns = if self.events.is_exact() {
            0
        } else {
            self.events.granularity_ns()
        };
        let tick_bytes = u128::from(bytes_per_s) * u128::from(tick_ns) / u128::from(NS_PER_S);
        let depth_bytes = u32::try_from(tick_bytes + u128::from(burst_bytes)).unwrap_or(u32::MAX);
        self.bucket.has_ns(bytes, bytes_per_s, depth_bytes)
    }

    /// The next segment follows one's length at the rate later; a pause of less than a tick is made
    /// good.
    pub fn sent(&mut self, now_ns: u64, bytes: u32, pacing: Option<Pacing>) {
        match pacing {
            None => {}
            Some(Pacing {
                bytes_per_s,
                burst_bytes: 0,
            }) => {
                let gap_ns = gap_ns(bytes, bytes_per_s);
                let credit_ns = if self.events.is_exact() {
                    gap_ns / 2
                } else {
                    self.events.granularity_ns()
                };
                self.next_ns = self.next_ns.max(now_ns.saturating_sub(credit_ns)) + gap_ns;
            }
            Some(pacing) => self.bucket.take(now_ns, bytes, pacing.bytes_per_s),
        }
    }

    /// The first segment of a pair, which takes one turn: the second makes good more than any pause
    /// is worth.
    pub fn pair_sent(&mut self, now_ns: u64, bytes: u32, pacing: Option<Pacing>) {
        match pacing {
            Some(Pacing {
                bytes_per_s,
                burst_bytes: 0,
            }) => {
                self.next_ns = self.next_ns.max(now_ns) + gap_ns(bytes, bytes_per_s);
            }
            pacing => self.sent(now_ns, bytes, pacing),
        }
    }

    /// The first moment at which the segment that waits may leave.
    pub fn wakes_ns(&self) -> Option<u64> {
        self.waits_for_ns
            .map(|at_ns| self.events.at_or_after_ns(at_ns))
    }
}

fn gap_ns(bytes: u32, bytes_per_s: u64) -> u64 {
    u64::from(bytes) * NS_PER_S / bytes_per_s.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ticks;

    const COARSE: Ticks = Ticks {
        event_ns: 10_000_000,
        phase_ns: 12_000_000,
        ..Ticks::FINE
    };

    /// When so many segments of 1000 bytes leave at 1 MB/s from this time on.
    fn departures(ticks: Ticks, mut now_ns: u64, count: usize, burst_bytes: u32) -> Vec<u64> {
        let pacing = Some(Pacing {
            bytes_per_s: 1_000_000,
            burst_bytes,
        });
        let (mut pacer, mut left) = (Pacer::new(ticks.events()), Vec::new());
        while left.len() < count {
            pacer.begin();
            if pacer.permits(now_ns, 1000, pacing) {
                pacer.sent(now_ns, 1000, pacing);
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
        assert_eq!(
            departures(Ticks::FINE, 5_000_000, 4, 0),
            [5_000_000, 5_500_000, 6_500_000, 7_500_000]
        );
    }

    /// Aron & Druschel, section 4.2.2: N segments each T, T no less than the event clock's tick.
    #[test]
    fn a_coarse_clock_sends_a_tick_s_worth_at_once() {
        let left = departures(COARSE, 100_000_000, 40, 0);
        let at = |ns: u64| left.iter().filter(|left_ns| **left_ns == ns).count();
        assert_eq!((at(112_000_000), at(122_000_000)), (10, 10));
    }

    #[test]
    fn a_bucket_lets_its_depth_go_at_once() {
        let left = departures(Ticks::FINE, 5_000_000, 6, 3500);
        assert_eq!(
            left,
            [5_000_000, 5_000_000, 5_000_000, 5_500_000, 6_500_000, 7_500_000]
        );
    }

    /// Whatever of a segment a tick leaves over is there at the next one.
    #[test]
    fn a_coarse_host_s_bucket_keeps_the_rate_and_a_tick_s_worth_more_than_its_depth() {
        let left = departures(COARSE, 112_000_000, 1000, 1500);
        let last_ns = *left.last().unwrap();
        // 11 segments of 11,500 bytes at once, the others at the rate.
        assert_eq!(
            left.iter()
                .filter(|left_ns| **left_ns == 112_000_000)
                .count(),
            11
        );
        assert_eq!(
            last_ns,
            COARSE.events().at_or_after_ns(112_000_000 + 988_500_000)
        );
        for (first, from_ns) in left.iter().enumerate() {
            let beyond = |(i, to_ns): (usize, &u64)| {
                1000 * (i as u64 + 1) > 11_500 + (to_ns - from_ns) / 1000
            };
            assert!(
                !left[first..].iter().enumerate().any(beyond),
                "from {from_ns} ns"
            );
        }
    }

    #[test]
    fn a_rate_without_end_has_a_depth_without_overflow() {
        let left = |bytes_per_s| {
            let (mut pacer, pacing) = (
                Pacer::new(Ticks::BSD.events()),
                Some(Pacing {
                    bytes_per_s,
                    burst_bytes: u32::MAX,
                }),
            );
            pacer.sent(0, 9000, pacing);
            pacer.permits(0, 9000, pacing)
        };
        assert!(left(1) && left(u64::MAX));
    }
}
