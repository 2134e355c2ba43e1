//! The state of a link that carries bytes at single moments.

use crate::random::{exponential, stream, unit, Element};
use crate::{Config, Opportunities, Service, OPPORTUNITY_BYTES};
use rand_core::Rng;
use rand_pcg::Pcg32;
use std::sync::Arc;

/// Uses opportunities for packets, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Deliveries {
    source: Source,
    /// Time of the opportunity that was used last.
    at_ns: u64,
    /// Bytes of that opportunity that are not used yet.
    left_bytes: u32,
}

/// Where the opportunities come from. There is always a next one.
#[derive(Clone, Debug)]
enum Source {
    Trace {
        opportunities: Arc<Opportunities>,
        /// The time of the recording at the driver's time zero. It may be negative.
        shift_ns: i128,
        /// Beginning of the current repetition of the recording, in the recording's time.
        base_ns: u64,
        /// The next opportunity of that repetition.
        index: usize,
    },
    Poisson {
        mean_ns: f64,
        random: Pcg32,
        next_ns: u64,
    },
}

impl Source {
    /// Time of the next opportunity.
    fn next_ns(&self) -> u64 {
        match self {
            Source::Trace {
                opportunities,
                shift_ns,
                base_ns,
                index,
            } => {
                let recorded_ns = base_ns + opportunities.at_ns(*index);
                // Opportunities before the driver's time zero have been skipped.
                u64::try_from(i128::from(recorded_ns) - shift_ns).unwrap_or(0)
            }
            Source::Poisson { next_ns, .. } => *next_ns,
        }
    }

    /// Uses the next opportunity.
    fn advance(&mut self) {
        match self {
            Source::Trace {
                opportunities,
                base_ns,
                index,
                ..
            } => {
                *index += 1;
                if *index == opportunities.count() {
                    *index = 0;
                    *base_ns += opportunities.length_ns();
                }
            }
            Source::Poisson {
                mean_ns,
                random,
                next_ns,
            } => {
                *next_ns += exponential(unit(random.next_u64()), *mean_ns) as u64;
            }
        }
    }

    /// Leaves out all opportunities until this time, included.
    fn skip_until(&mut self, now_ns: u64) {
        if let Source::Trace {
            opportunities,
            shift_ns,
            base_ns,
            index,
        } = self
        {
            let recorded_ns = u64::try_from(i128::from(now_ns) + *shift_ns).unwrap_or(0);
            let length_ns = opportunities.length_ns();
            let repetitions = recorded_ns.saturating_sub(*base_ns) / length_ns;
            if repetitions > 0 {
                *base_ns += repetitions * length_ns;
                *index = 0;
            }
            if let Some(time_ns) = recorded_ns.checked_sub(*base_ns) {
                // Less than the length has passed, so that the last opportunity is still to come.
                *index = (*index).max(opportunities.first_after(time_ns));
            }
        }
        while self.next_ns() <= now_ns {
            self.advance();
        }
    }
}

impl Deliveries {
    /// The opportunities of a link; `None` where it has a rate at all times.
    pub fn new(config: &Config) -> Option<Deliveries> {
        let source = match &config.service {
            Service::Steady | Service::Rates { .. } => return None,
            Service::Poisson => {
                let bits = f64::from(OPPORTUNITY_BYTES * 8);
                let mut source = Source::Poisson {
                    mean_ns: bits * 1e9 / config.rate_bits_per_s.get() as f64,
                    random: stream(config.seed, Element::Service),
                    next_ns: config.begin_ns,
                };
                // The run does not begin with an opportunity.
                source.advance();
                source
            }
            Service::Trace {
                opportunities,
                offset_ns,
            } => Source::Trace {
                opportunities: opportunities.clone(),
                shift_ns: i128::from(*offset_ns) - i128::from(config.begin_ns),
                base_ns: 0,
                index: 0,
            },
        };
        Some(Deliveries {
            source,
            at_ns: 0,
            left_bytes: 0,
        })
    }

    /// The time at which a packet has left that is first in line from `start_ns` on. A packet that
    /// `waited` in the queue shares the opportunity with which the packet before it has left. Any
    /// other packet has missed it.
    #[inline(never)]
    pub fn end_ns(&mut self, start_ns: u64, wire_bytes: u32, waited: bool) -> u64 {
        if !(waited && start_ns == self.at_ns) {
            self.left_bytes = 0;
            self.source.skip_until(start_ns);
        }
        let mut missing_bytes = wire_bytes;
        loop {
            let carried_bytes = missing_bytes.min(self.left_bytes);
            missing_bytes -= carried_bytes;
            self.left_bytes -= carried_bytes;
            if missing_bytes == 0 {
                return self.at_ns;
            }
            self.at_ns = self.source.next_ns();
            self.source.advance();
            self.left_bytes = OPPORTUNITY_BYTES;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Numbered;
    use crate::{Limit, Link, Verdict};
    use proptest::prelude::*;
    use std::num::NonZeroU64;

    const MS: u64 = 1_000_000;

    fn config(trace: &str, offset_ms: u64) -> Config {
        let rate = NonZeroU64::new(12_000_000).unwrap();
        Config {
            service: Service::Trace {
                opportunities: Arc::new(Opportunities::parse(trace).unwrap()),
                offset_ns: offset_ms * MS,
            },
            ..Config::plain(rate, 0, Limit::Packets(1000))
        }
    }

    /// Offers packets, by time in nanoseconds and size, and lets all of them leave.
    fn departures(config: &Config, packets: &[(u64, u32)]) -> Vec<u64> {
        let mut link = Link::from_config(config);
        for (number, &(at_ns, bytes)) in packets.iter().enumerate() {
            let packet = Numbered {
                number: number as u32,
                bytes,
                flow: 0,
                expedited: false,
                ..Numbered::default()
            };
            assert_eq!(link.offer(at_ns, packet), Verdict::Queued);
        }
        std::iter::from_fn(|| link.poll(u64::MAX / 2))
            .map(|left| left.due_ns)
            .collect()
    }

    fn departures_ms(trace: &str, packets: &[(u64, u32)]) -> Vec<u64> {
        let due_ns = departures(&config(trace, 0), packets);
        due_ns.iter().map(|ns| ns / MS).collect()
    }

    #[test]
    fn a_packet_leaves_at_the_first_opportunity_after_its_arrival() {
        let trace = "3\n5\n5\n9\n";
        assert_eq!(departures_ms(trace, &[(0, 1500)]), [3]);
        assert_eq!(departures_ms(trace, &[(3 * MS - 1, 1500)]), [3]);
        // A packet that arrives at the opportunity has missed it.
        assert_eq!(departures_ms(trace, &[(3 * MS, 1500)]), [5]);
        assert_eq!(
            departures_ms(trace, &[(0, 1500), (0, 1500), (0, 1500)]),
            [3, 5, 5]
        );
    }

    #[test]
    fn an_opportunity_that_is_not_used_is_lost() {
        assert_eq!(
            departures_ms("1\n2\n3\n9\n", &[(4 * MS, 1500), (4 * MS, 1500)]),
            [9, 10]
        );
    }

    #[test]
    fn small_packets_share_an_opportunity_and_large_ones_need_several() {
        let small = [(0, 500), (0, 500), (0, 500), (0, 40)];
        assert_eq!(departures_ms("2\n7\n", &small), [2, 2, 2, 7]);
        // The second packet has 1000 of its 1500 bytes at 2, and the third the rest of 7.
        assert_eq!(
            departures_ms("2\n7\n", &[(0, 500), (0, 1500), (0, 1000)]),
            [2, 7, 7]
        );
        assert_eq!(departures_ms("2\n7\n", &[(0, 3001)]), [9]);
    }

    #[test]
    fn what_is_left_of_an_opportunity_is_lost_to_later_packets() {
        assert_eq!(departures_ms("2\n7\n", &[(0, 40), (2 * MS, 40)]), [2, 7]);
    }

    #[test]
    fn the_recording_begins_again_at_its_last_time() {
        // 4 is the end: the times go on with 4 + 1, 4 + 4, 8 + 1 ...
        let packets = [(0, 1500); 5];
        assert_eq!(departures_ms("1\n4\n", &packets), [1, 4, 5, 8, 9]);
        // Where it begins with 0, the end carries two packets.
        assert_eq!(departures_ms("0\n4\n", &packets), [4, 4, 8, 8, 12]);
        assert_eq!(
            departures_ms("1\n4\n", &[(4_000_000 * MS, 1500)]),
            [4_000_001]
        );
    }

    #[test]
    fn an_offset_starts_within_the_recording() {
        let due = |offset_ms, at_ns| departures(&config("1\n4\n10\n", offset_ms), &[(at_ns, 1500)]);
        assert_eq!(due(4, 0), [6 * MS]);
        assert_eq!(due(3, 0), [MS]);
        assert_eq!(due(23, 0), [MS]);
        assert_eq!(due(23, 2 * MS), [7 * MS]);
    }

    #[test]
    fn a_recording_begins_with_the_run() {
        let begin_ns = 987_654_321;
        let config = Config {
            begin_ns,
            ..config("1\n4\n10\n", 3)
        };
        assert_eq!(departures(&config, &[(begin_ns, 1500)]), [begin_ns + MS]);
    }

    #[test]
    fn a_poisson_link_has_the_mean_rate() {
        let config = Config {
            service: Service::Poisson,
            ..Config::plain(
                NonZeroU64::new(12_000_000).unwrap(),
                0,
                Limit::Packets(20_000),
            )
        };
        let due_ns = departures(&config, &[(0, 1500); 10_000]);
        let mean_ns = due_ns[9_999] / 10_000;
        assert!((970_000..1_030_000).contains(&mean_ns), "{mean_ns}");
        let gaps = due_ns.windows(2).map(|pair| pair[1] - pair[0]);
        // An exponential distribution has a share of exp(-2) above twice its mean.
        let long = gaps.filter(|gap_ns| *gap_ns > 2 * MS).count();
        assert!((1200..1500).contains(&long), "{long}");
    }

    /// mahimahi's `LinkQueue`, one opportunity after the other: the departure of each packet.
    fn as_mm_link(times_ms: &[u64], offset_ns: u64, packets: &[(u64, u32)]) -> Vec<u64> {
        let length_ms = *times_ms.last().unwrap();
        let (mut due_ns, mut next, mut missing) = (Vec::new(), 0, 0);
        for step in 0.. {
            let repetition = (step / times_ms.len()) as u64;
            let recorded_ms = repetition * length_ms + times_ms[step % times_ms.len()];
            let Some(at_ns) = (recorded_ms * MS).checked_sub(offset_ns) else {
                continue;
            };
            let mut left = OPPORTUNITY_BYTES;
            while left > 0 && next < packets.len() && packets[next].0 < at_ns {
                if missing == 0 {
                    missing = packets[next].1;
                }
                let carried = missing.min(left);
                (missing, left) = (missing - carried, left - carried);
                if missing == 0 {
                    due_ns.push(at_ns);
                    next += 1;
                }
            }
            if next == packets.len() {
                return due_ns;
            }
        }
        unreachable!("the recording repeats")
    }

    proptest! {
        #[test]
        fn departures_are_those_of_mm_link(
            mut times_ms in prop::collection::vec(0u64..40, 1..30),
            last_ms in 40u64..60,
            offset_ns in 0u64..200_000_000,
            packets in prop::collection::vec((0u64..20_000_000, 1u32..4000), 1..60),
        ) {
            times_ms.sort_unstable();
            times_ms.push(last_ms);
            let text: String = times_ms.iter().map(|time| format!("{time}\n")).collect();
            let mut now_ns = 0;
            let packets: Vec<(u64, u32)> = packets
                .into_iter()
                .map(|(pause_ns, bytes)| {
                    // Half of the pauses are whole milliseconds: arrivals at an opportunity.
                    let pause_ns = if bytes % 2 == 0 { pause_ns / MS * MS } else { pause_ns };
                    now_ns += pause_ns;
                    (now_ns, bytes)
                })
                .collect();
            let mut config = config(&text, 0);
            config.service = Service::Trace {
                opportunities: Arc::new(Opportunities::parse(&text).unwrap()),
                offset_ns,
            };
            prop_assert_eq!(
                departures(&config, &packets),
                as_mm_link(&times_ms, offset_ns, &packets)
            );
        }
    }
}
