//! Pacing: segments are sent at a rate, one by one or in the bursts of Linux, or as a token bucket
//! permits.
//!
//! Linux paces packets before segmentation (`tcp_tso_autosize()`). Such a packet has the segments
//! of a millisecond, at least two and at most 64 KiB. These segments leave the host back to back.
//!
//! The bucket's depth is the burst that the traffic contract of a reservation permits
//! (`core/parts/token_bucket.h`). A host that wakes only at timer ticks cannot send at the moment
//! when tokens become available, but up to a tick later. Everything that became due since the last
//! tick is then sent at once. Traffic of a given rate and burst that is delayed by up to t conforms
//! to the same rate and a burst larger by rate * t. Therefore the bucket of a coarse host is deeper
//! by rate * tick. With a smaller bucket the host could not reach its rate, because the tokens of
//! one tick would overflow. A policer on the path must permit this: 10 ms at 10 Mbit/s are 12,500
//! bytes.

use crate::congestion::Pacing;
use crate::timing::Events;
use onramp_core::bucket::Bucket;

const NS_PER_S: u64 = 1_000_000_000;

/// Linux's `sk_pacing_shift`: a burst is the bytes of a second, divided by 2^10.
const BURST_SHIFT: u32 = 10;
/// Linux's `tcp_min_tso_segs`.
const MIN_BURST_SEGMENTS: u64 = 2;
/// Linux's `sk_gso_max_size` of IPv4, without the room for headers.
const MAX_BURST_BYTES: u64 = 65_536 - 321;

/// When the next segment may be sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pacer {
    events: Events,
    in_bursts: bool,
    /// Earliest time of the next segment outside of the burst.
    next_ns: u64,
    burst: Burst,
    bucket: Bucket,
    /// Segments that may still leave without a gap after them.
    unpaced_segments: u32,
    /// A segment waits until this time.
    waits_until_ns: Option<u64>,
}

/// Segments that leave at the same moment.
#[derive(Clone, Copy, Debug, Default)]
struct Burst {
    at_ns: u64,
    bytes: u64,
    /// `next_ns` before the burst
    due_ns: u64,
}

impl Pacer {
    /// A pacer on a host with these timer ticks. The first `unpaced_segments` segments of a
    /// connection leave without gaps. A host with an exact clock may pace in the bursts of Linux.
    pub fn new(events: Events, unpaced_segments: u32, in_bursts: bool) -> Pacer {
        Pacer {
            events,
            in_bursts: in_bursts && events.is_exact(),
            next_ns: 0,
            burst: Burst::default(),
            bucket: Bucket::default(),
            unpaced_segments: unpaced_segments.saturating_sub(1),
            waits_until_ns: None,
        }
    }

    /// Forgets the segment that waited.
    pub fn clear_wait(&mut self) {
        self.waits_until_ns = None;
    }

    /// May a segment of `bytes` bytes be sent now? If not, the pacer remembers that a segment
    /// waits.
    pub fn permits(&mut self, now_ns: u64, bytes: u32, pacing: Option<Pacing>) -> bool {
        let at_ns = match pacing {
            None => 0,
            Some(Pacing {
                bytes_per_s,
                burst_bytes: 0,
            }) if self.is_in_burst(now_ns, bytes, bytes_per_s) => 0,
            Some(Pacing { burst_bytes: 0, .. }) => self.next_ns,
            Some(_) => self.tokens_available_ns(bytes, pacing),
        };
        self.waits_until_ns = (now_ns < at_ns).then_some(at_ns);
        self.waits_until_ns.is_none()
    }

    /// Does a segment of `bytes` bytes leave with the segments before it?
    fn is_in_burst(&self, now_ns: u64, bytes: u32, bytes_per_s: u64) -> bool {
        let bytes = u64::from(bytes);
        let limit_bytes = (bytes_per_s >> BURST_SHIFT)
            .min(MAX_BURST_BYTES)
            .max(MIN_BURST_SEGMENTS * bytes);
        self.in_bursts
            && self.burst.at_ns == now_ns
            && self.burst.bytes > 0
            && self.burst.bytes + bytes <= limit_bytes
    }

    /// The first time at which the bucket has enough tokens for `bytes` bytes, which may be in the
    /// past; 0 if there is no bucket.
    pub fn tokens_available_ns(&self, bytes: u32, pacing: Option<Pacing>) -> u64 {
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
        self.bucket.ready_ns(bytes, bytes_per_s, depth_bytes)
    }

    /// Accounts for a segment that was sent. The next one outside of its burst follows after the
    /// bytes of the burst / rate. A delay of less than one tick, or than half of this gap, is made
    /// up for.
    pub fn sent(&mut self, now_ns: u64, bytes: u32, pacing: Option<Pacing>) {
        let is_unpaced = self.unpaced_segments > 0;
        self.unpaced_segments = self.unpaced_segments.saturating_sub(1);
        match pacing {
            None => {}
            Some(Pacing { burst_bytes: 0, .. }) if is_unpaced => {}
            Some(Pacing {
                bytes_per_s,
                burst_bytes: 0,
            }) => {
                if !self.is_in_burst(now_ns, bytes, bytes_per_s) {
                    self.burst = Burst {
                        at_ns: now_ns,
                        bytes: 0,
                        due_ns: self.next_ns,
                    };
                }
                self.burst.bytes += u64::from(bytes);
                let gap_ns = gap_ns(self.burst.bytes, bytes_per_s);
                let credit_ns = if self.events.is_exact() {
                    gap_ns / 2
                } else {
                    self.events.granularity_ns()
                };
                self.next_ns = self.burst.due_ns.max(now_ns.saturating_sub(credit_ns)) + gap_ns;
            }
            Some(pacing) => self.bucket.take(now_ns, bytes, pacing.bytes_per_s),
        }
    }

    /// Accounts for the first segment of a pair. The pair takes one turn of the pacer. No earlier
    /// delay is made up for, because the second segment is itself a turn early.
    pub fn pair_sent(&mut self, now_ns: u64, bytes: u32, pacing: Option<Pacing>) {
        match pacing {
            Some(Pacing {
                bytes_per_s,
                burst_bytes: 0,
            }) if self.unpaced_segments == 0 => {
                self.burst = Burst::default();
                self.next_ns = self.next_ns.max(now_ns) + gap_ns(u64::from(bytes), bytes_per_s);
            }
            pacing => self.sent(now_ns, bytes, pacing),
        }
    }

    /// The first time at which the waiting segment may be sent.
    pub fn wake_up_ns(&self) -> Option<u64> {
        self.waits_until_ns
            .map(|at_ns| self.events.at_or_after_ns(at_ns))
    }
}

fn gap_ns(bytes: u64, bytes_per_s: u64) -> u64 {
    bytes * NS_PER_S / bytes_per_s.max(1)
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

    /// Times at which `count` segments of 1000 bytes are sent at 1 MB/s, starting at `now_ns`.
    fn departures(ticks: Ticks, mut now_ns: u64, count: usize, burst_bytes: u32) -> Vec<u64> {
        let pacing = Some(Pacing {
            bytes_per_s: 1_000_000,
            burst_bytes,
        });
        let (mut pacer, mut left) = (Pacer::new(ticks.events(), 0, false), Vec::new());
        while left.len() < count {
            pacer.clear_wait();
            if pacer.permits(now_ns, 1000, pacing) {
                pacer.sent(now_ns, 1000, pacing);
                left.push(now_ns);
            } else {
                now_ns = pacer.wake_up_ns().expect("a segment waits");
            }
        }
        left
    }

    #[test]
    fn a_fine_clock_spaces_each_segment() {
        // After a pause, the pacer makes up for half a segment time.
        assert_eq!(
            departures(Ticks::FINE, 5_000_000, 4, 0),
            [5_000_000, 5_500_000, 6_500_000, 7_500_000]
        );
    }

    /// Linux: `tcp_update_skb_after_send()`.
    #[test]
    fn the_first_ten_segments_of_linux_are_not_spaced() {
        let pacing = Some(Pacing {
            bytes_per_s: 1_000_000,
            burst_bytes: 0,
        });
        let mut pacer = Pacer::new(Ticks::FINE.events(), 10, false);
        for _ in 0..10 {
            assert!(pacer.permits(5_000_000, 1000, pacing));
            pacer.sent(5_000_000, 1000, pacing);
        }
        assert!(!pacer.permits(5_000_000, 1000, pacing));
        assert_eq!(pacer.wake_up_ns(), Some(5_500_000));
    }

    /// Linux: `tcp_tso_autosize()`. A millisecond at 5 MB/s has five segments of 1000 bytes.
    #[test]
    fn linux_sends_a_millisecond_s_worth_at_once() {
        let pacing = |bytes_per_s| {
            Some(Pacing {
                bytes_per_s,
                burst_bytes: 0,
            })
        };
        let burst = |bytes_per_s, now_ns| {
            let mut pacer = Pacer::new(Ticks::FINE.events(), 0, true);
            let mut segments = 0;
            while pacer.permits(now_ns, 1000, pacing(bytes_per_s)) {
                pacer.sent(now_ns, 1000, pacing(bytes_per_s));
                segments += 1;
            }
            (segments, pacer.wake_up_ns().expect("a segment waits"))
        };
        // After a pause, the pacer makes up for half of the burst.
        assert_eq!(burst(5_200_000, 9_000_000), (5, 9_480_769));
        assert_eq!(burst(100_000, 90_000_000), (2, 100_000_000));
        assert_eq!(burst(1_000_000_000, 9_000_000), (65, 9_032_500));
    }

    /// Aron & Druschel, section 4.2.2: N segments each T, with T at least the event clock's tick.
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

    /// Tokens that remain after the segments of one tick are available at the next tick.
    #[test]
    fn a_coarse_host_s_bucket_keeps_the_rate_and_a_tick_s_worth_more_than_its_depth() {
        let left = departures(COARSE, 112_000_000, 1000, 1500);
        let last_ns = *left.last().unwrap();
        // 11,500 bytes allow 11 segments at once. The others follow at the rate.
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
                Pacer::new(Ticks::BSD.events(), 0, true),
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
