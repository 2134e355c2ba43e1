//! ACK aggregation: packets that leave the link in bursts.
//!
//! A WiFi station or an LTE scheduler saves transmissions: it collects packets and sends them in
//! one frame. The sender then sees its ACKs arrive in bursts at line rate. This element holds
//! packets at the end of the link. It releases them when an interval has passed since the first
//! held packet, or when a maximum number of packets is held, whichever is first. With slots, which
//! interrupts and grants of an uplink have, it releases them at multiples of the interval.
//!
//! A late timer holds packets in the same way: the first packet after an idle time waits until the
//! timer has fired, and those that are due meanwhile leave with it.

use crate::random::{stream, Element};
use crate::{Aggregation, Config, LateTimer};
use rand_core::Rng;
use rand_pcg::Pcg32;
use std::collections::VecDeque;
use std::num::NonZeroU32;

/// Holds packets and releases them together.
#[derive(Clone, Debug)]
pub(crate) struct Aggregator<P> {
    end: End,
    max_packets: NonZeroU32,
    /// Time from one released packet of an aggregate to the next.
    gap_ns: u64,
    /// When the next released packet may leave: a gap after the one before.
    free_ns: u64,
    /// The released packets, each with its release time, followed by the packets of the open
    /// aggregate.
    packets: VecDeque<(u64, P)>,
    /// Number of packets in the open aggregate: the last ones of `packets`.
    open_packets: u32,
    /// Latest release time of the open aggregate.
    release_ns: u64,
}

/// When an aggregate ends that a packet begins.
#[derive(Clone, Debug)]
enum End {
    /// After this time.
    After(u64),
    /// At the next multiple of the interval, which are counted from `begin_ns` on.
    Slot { interval_ns: u64, begin_ns: u64 },
    /// When the timer has fired, which is late where nothing has left for `idle_ns`.
    Fired {
        timer: LateTimer,
        random: Pcg32,
        last_ns: u64,
    },
}

impl End {
    fn of_aggregation(aggregation: &Aggregation, config: &Config) -> End {
        let interval_ns = aggregation.interval_ns;
        if !aggregation.in_slots {
            return End::After(interval_ns);
        }
        let drawn = u128::from(stream(config.seed, Element::Aggregation).next_u64());
        let phase_ns = (drawn * u128::from(interval_ns)) >> 64;
        End::Slot {
            interval_ns,
            begin_ns: config.begin_ns + phase_ns as u64,
        }
    }

    /// The end of the aggregate that begins at this time, at the earliest at that time.
    fn of_packet(&mut self, at_ns: u64) -> u64 {
        match self {
            End::After(interval_ns) => at_ns + *interval_ns,
            End::Slot {
                interval_ns,
                begin_ns,
            } => match at_ns.checked_sub(*begin_ns) {
                None => *begin_ns,
                Some(passed_ns) => at_ns + *interval_ns - passed_ns % *interval_ns,
            },
            End::Fired {
                timer,
                random,
                last_ns,
            } => {
                if at_ns.saturating_sub(*last_ns) > timer.idle_ns {
                    let drawn = u128::from(random.next_u64()) * (u128::from(timer.max_ns) + 1);
                    *last_ns = at_ns + (drawn >> 64) as u64;
                } else {
                    *last_ns = at_ns;
                }
                *last_ns
            }
        }
    }
}

impl<P> Aggregator<P> {
    /// The aggregation and the late timer of a link, as far as it has them.
    pub fn of(config: &Config) -> Vec<Aggregator<P>> {
        let aggregation = config.aggregation.as_ref().map(|aggregation| {
            let end = End::of_aggregation(aggregation, config);
            Aggregator {
                gap_ns: aggregation.gap_ns,
                ..Aggregator::new(end, aggregation.max_packets)
            }
        });
        let late = config.late.map(|timer| {
            let end = End::Fired {
                timer,
                random: stream(config.seed, Element::Late),
                last_ns: config.begin_ns,
            };
            Aggregator::new(end, NonZeroU32::MAX)
        });
        aggregation.into_iter().chain(late).collect()
    }

    fn new(end: End, max_packets: NonZeroU32) -> Aggregator<P> {
        Aggregator {
            end,
            max_packets,
            gap_ns: 0,
            free_ns: 0,
            packets: VecDeque::new(),
            open_packets: 0,
            release_ns: 0,
        }
    }

    /// Accepts a packet that reached the end of the link at `at_ns`. Times must not decrease.
    pub fn hold(&mut self, at_ns: u64, packet: P) {
        self.release_until(at_ns);
        if self.open_packets == 0 {
            self.release_ns = self.end.of_packet(at_ns);
        }
        self.packets.push_back((at_ns, packet));
        self.open_packets += 1;
        if self.open_packets == self.max_packets.get() {
            self.release(at_ns);
        }
    }

    /// Releases the open aggregate if its interval has ended. Call it after `hold` was called for
    /// all packets that are due at `now_ns` or before.
    pub fn release_until(&mut self, now_ns: u64) {
        if self.open_packets > 0 && self.release_ns <= now_ns {
            self.release(self.release_ns);
        }
    }

    fn release(&mut self, at_ns: u64) {
        let released = self.packets.len() - self.open_packets as usize;
        // An aggregate before it may still be leaving.
        let mut next_ns = at_ns.max(self.free_ns);
        for (due_ns, _) in self.packets.range_mut(released..) {
            *due_ns = next_ns;
            next_ns += self.gap_ns;
        }
        self.free_ns = next_ns;
        self.open_packets = 0;
    }

    /// Number of packets held or released and not yet taken out.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    fn has_released(&self) -> bool {
        self.packets.len() > self.open_packets as usize
    }

    /// Time at which the next packet leaves, if no further packet arrives before.
    pub fn next_ns(&self) -> Option<u64> {
        match self.packets.front() {
            Some((due_ns, _)) if self.has_released() => Some(*due_ns),
            first => first.map(|_| self.release_ns),
        }
    }

    /// The next packet, if it was released and leaves now or earlier.
    pub fn front(&self, now_ns: u64) -> Option<&(u64, P)> {
        let front = self.packets.front().filter(|_| self.has_released());
        front.filter(|(due_ns, _)| *due_ns <= now_ns)
    }

    /// Removes that packet.
    pub fn pop(&mut self, now_ns: u64) -> Option<(u64, P)> {
        self.front(now_ns)?;
        self.packets.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At most three packets, for 100 ns.
    fn three() -> Aggregator<usize> {
        Aggregator::new(End::After(100), NonZeroU32::new(3).unwrap())
    }

    fn released_by(mut aggregator: Aggregator<usize>, arrivals_ns: &[u64]) -> Vec<(u64, usize)> {
        arrivals_ns
            .iter()
            .enumerate()
            .for_each(|(number, at_ns)| aggregator.hold(*at_ns, number));
        aggregator.release_until(1_000_000);
        std::iter::from_fn(|| aggregator.pop(1_000_000)).collect()
    }

    fn released(arrivals_ns: &[u64]) -> Vec<(u64, usize)> {
        released_by(three(), arrivals_ns)
    }

    #[test]
    fn the_interval_starts_at_the_first_held_packet() {
        assert_eq!(released(&[10, 109, 500]), [(110, 0), (110, 1), (600, 2)]);
    }

    #[test]
    fn a_packet_at_the_release_time_joins_the_next_aggregate() {
        assert_eq!(released(&[10, 110, 209]), [(110, 0), (210, 1), (210, 2)]);
    }

    #[test]
    fn a_full_aggregate_is_released_at_once() {
        assert_eq!(
            released(&[10, 20, 30, 40]),
            [(30, 0), (30, 1), (30, 2), (140, 3)]
        );
    }

    #[test]
    fn packets_of_an_aggregate_may_leave_one_after_the_other() {
        let apart = || Aggregator {
            gap_ns: 60,
            ..three()
        };
        let due = [(30, 0), (90, 1), (150, 2), (210, 3), (270, 4)];
        // The second aggregate ends at 140, while the first is leaving.
        assert_eq!(released_by(apart(), &[10, 20, 30, 40, 50]), due);
        let mut aggregator = apart();
        (0..3).for_each(|number| aggregator.hold(10, number));
        assert_eq!(
            (aggregator.pop(69), aggregator.pop(69)),
            (Some((10, 0)), None)
        );
        assert_eq!(aggregator.next_ns(), Some(70));
    }

    #[test]
    fn slots_are_multiples_of_the_interval() {
        let slots = End::Slot {
            interval_ns: 100,
            begin_ns: 1030,
        };
        let slots = Aggregator::new(slots, NonZeroU32::MAX);
        assert_eq!(
            released_by(slots, &[7, 1029, 1030, 1129, 1130, 1500]),
            [
                (1030, 0),
                (1030, 1),
                (1130, 2),
                (1130, 3),
                (1230, 4),
                (1530, 5)
            ]
        );
    }

    #[test]
    fn a_timer_is_late_after_an_idle_time_only() {
        let late = |seed| {
            let timer = LateTimer {
                max_ns: 1000,
                idle_ns: 100,
            };
            let mut config = Config::plain(1.try_into().unwrap(), 0, crate::Limit::Packets(0));
            (config.late, config.seed) = (Some(timer), seed);
            released_by(
                Aggregator::of(&config).remove(0),
                &[5000, 7000, 7001, 8100, 8200, 8300],
            )
        };
        let all: Vec<_> = (0..50).map(late).collect();
        for due in &all {
            let at = |number: usize| due[number].0;
            assert!((5000..=6000).contains(&at(0)) && (7000..=8000).contains(&at(1)));
            assert_eq!(at(2), at(1).max(7001));
            // Packets that come while the link is awake leave in time.
            assert!((4..6).all(|number| at(number) == at(3).max(8100 + 100 * (number as u64 - 3))));
        }
        assert!(all.iter().any(|due| due[0].0 != all[0][0].0));
    }

    #[test]
    fn an_open_aggregate_is_held_until_its_interval_ends() {
        let mut aggregator = Aggregator::new(End::After(100), NonZeroU32::MAX);
        aggregator.hold(10, 'a');
        aggregator.release_until(109);
        assert_eq!(
            (aggregator.next_ns(), aggregator.pop(109)),
            (Some(110), None)
        );
        aggregator.release_until(110);
        assert_eq!(
            (aggregator.next_ns(), aggregator.pop(110)),
            (Some(110), Some((110, 'a')))
        );
        assert_eq!(aggregator.next_ns(), None);
    }
}
