//! The changes of a recorded rate, delay or loss.

use super::steps::STANDSTILL;
use crate::{Change, Config, RecordedSteps, Service};
use std::num::NonZeroU64;

/// Enters a recorded value into a change.
type Enter = fn(&mut Change, u64);

/// The coming changes of one recorded quantity. There is always a next one.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    steps: RecordedSteps,
    enter: Enter,
    begin_ns: u64,
    /// The next change: its time on the driver's clock, and the value.
    next: (u64, u64),
}

impl Recorded {
    /// The quantities of a link that are recorded. The first change of each is at the beginning.
    pub fn all(config: &Config) -> Vec<Recorded> {
        let rates = match &config.service {
            Service::Rates { rates, offset_ns } => Some(crate::Recorded {
                values: rates.clone(),
                offset_ns: *offset_ns,
            }),
            Service::Steady | Service::Poisson | Service::Trace { .. } => None,
        };
        let quantities: [(_, Enter); 3] = [
            (rates.as_ref(), |change, rate| {
                change.rate_bits_per_s = Some(NonZeroU64::new(rate).unwrap_or(STANDSTILL));
            }),
            (config.recorded_delay.as_ref(), |change, delay_ns| {
                change.delay_ns = Some(delay_ns);
            }),
            (config.recorded_loss.as_ref(), |change, loss_ppm| {
                change.loss_ppm = u32::try_from(loss_ppm).ok();
            }),
        ];
        let of = |(recorded, enter): (Option<&crate::Recorded>, Enter)| {
            let mut recorded = Recorded {
                steps: recorded?.from(0),
                enter,
                begin_ns: config.begin_ns,
                next: (0, 0),
            };
            recorded.advance();
            Some(recorded)
        };
        quantities.into_iter().filter_map(of).collect()
    }

    /// Time of the next change.
    pub fn next_ns(&self) -> u64 {
        self.next.0
    }

    /// Takes the next change.
    pub fn pop(&mut self) -> Change {
        let (at_ns, value) = self.next;
        let mut change = Change {
            at_ns,
            rate_bits_per_s: None,
            delay_ns: None,
            loss_ppm: None,
        };
        (self.enter)(&mut change, value);
        self.advance();
        change
    }

    fn advance(&mut self) {
        if let Some((since_ns, value)) = self.steps.next() {
            self.next = (self.begin_ns.saturating_add(since_ns), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Jitter, Limit, Link, Packet, RecordedTable, Verdict};

    #[derive(Clone)]
    struct Bytes(u32);

    impl Packet for Bytes {
        fn wire_bytes(&self) -> u32 {
            self.0
        }
    }

    const MS: u64 = 1_000_000;
    /// A packet of 1500 bytes takes a millisecond.
    const RATE: u64 = 12_000_000;

    /// A link for which a recording has what it has columns of.
    fn config(text: &str, offset_ns: u64) -> Config {
        let table = RecordedTable::parse(text).unwrap();
        let recorded = |values| crate::Recorded { values, offset_ns };
        let rate = NonZeroU64::new(RATE).unwrap();
        let mut config = Config::plain(rate, 0, Limit::Packets(1000));
        if let Some(rates) = table.rates {
            config.service = Service::Rates { rates, offset_ns };
        }
        config.recorded_delay = table.delays.map(recorded);
        config.recorded_loss = table.losses.map(recorded);
        config
    }

    /// When packets of 1500 bytes arrive that are offered at these times.
    fn arrivals(config: &Config, offered_ns: &[u64]) -> Vec<u64> {
        let mut link = Link::from_config(config);
        for at_ns in offered_ns {
            assert_eq!(link.offer(*at_ns, Bytes(1500)), Verdict::Queued);
        }
        let mut due_ns = Vec::new();
        while let Some(next_ns) = link.next_departure_ns() {
            due_ns.extend(link.poll(next_ns).map(|left| left.due_ns));
        }
        due_ns
    }

    #[test]
    fn changes_count_from_the_beginning_of_the_run() {
        let text = "time_ns,rate_bits_per_s,loss,delay_ns\n0,7,0,5\n10,0,0.5,6\n";
        let mut config = config(text, 15);
        config.begin_ns = 100;
        let mut all = Recorded::all(&config);
        let mut pop = || {
            let change = all
                .iter_mut()
                .map(Recorded::pop)
                .reduce(|one, other| Change {
                    at_ns: one.at_ns.max(other.at_ns),
                    rate_bits_per_s: one.rate_bits_per_s.or(other.rate_bits_per_s),
                    delay_ns: one.delay_ns.or(other.delay_ns),
                    loss_ppm: one.loss_ppm.or(other.loss_ppm),
                });
            let change = change.unwrap();
            let rate = change.rate_bits_per_s.unwrap().get();
            (change.at_ns, rate, change.delay_ns, change.loss_ppm)
        };
        assert_eq!(pop(), (100, 1, Some(6), Some(500_000)));
        assert_eq!(pop(), (105, 7, Some(5), Some(0)));
        assert_eq!(pop(), (115, 1, Some(6), Some(500_000)));
    }

    /// 1500 bytes take 12 ms at 1 Mbit/s; a pause of 10 ms and the double rate follow after 6 ms.
    #[test]
    fn the_bits_of_a_packet_wait_for_the_end_of_a_pause() {
        let text = "time_ms,rate_mbits_per_s\n0,1\n6,0\n16,2\n";
        // A pause carries 1 bit/s, 5 ns of a packet at 2 Mbit/s.
        assert_eq!(
            arrivals(&config(text, 0), &[0, 0]),
            [18_999_995, 24_999_995]
        );
    }

    const FALLING: &str = "time_ms,delay_ms\n0,20\n5,8\n10,9\n";

    #[test]
    fn a_packet_has_the_delay_that_holds_when_it_has_left_the_serialiser() {
        let config = config("time_ms,delay_ms\n0,2\n5,8\n10,9\n", 0);
        let arrivals = arrivals(&config, &[0, 4 * MS, 5 * MS, 10 * MS]);
        // The second leaves at the end of the first delay and still has it.
        assert_eq!(arrivals, [3 * MS, 7 * MS, 14 * MS, 20 * MS]);
    }

    #[test]
    fn packets_wait_for_those_before_them_when_the_delay_falls() {
        let offered = [0, 3 * MS, 5 * MS, 15 * MS];
        let arrivals = arrivals(&config(FALLING, 0), &offered);
        // 3 + 1 + 20 ms, while 5 + 1 + 8 ms would be earlier.
        assert_eq!(arrivals, [21 * MS, 24 * MS, 24 * MS, 36 * MS]);
    }

    #[test]
    fn packets_overtake_each_other_where_the_link_reorders() {
        let mut config = config(FALLING, 0);
        config.jitter = Some(Jitter {
            max_ns: 0,
            reorder: true,
        });
        let arrivals = arrivals(&config, &[0, 3 * MS, 5 * MS]);
        assert_eq!(arrivals, [14 * MS, 21 * MS, 24 * MS]);
    }

    /// 20,000 packets at 2 % and as many at 30 %: the standard deviations are 20 and 65.
    #[test]
    fn as_many_packets_are_lost_as_recorded() {
        let mut config = config("time_s,loss_percent\n0,2\n1,30\n", 0);
        config.seed = 42;
        let mut link = Link::from_config(&config);
        let mut lost = [0u32; 2];
        for packet in 0..40_000 {
            let is_lost = link.offer(packet * 50_000, Bytes(40)) == Verdict::LostRandom;
            lost[packet as usize / 20_000] += u32::from(is_lost);
            while link.poll(packet * 50_000).is_some() {}
        }
        assert!(lost[0].abs_diff(400) < 100, "{lost:?}");
        assert!(lost[1].abs_diff(6_000) < 325, "{lost:?}");
    }
}
