//! The changes of a recorded rate.

use super::steps::STANDSTILL;
use crate::{Change, Config, RecordedRates, Service};
use std::num::NonZeroU64;
use std::sync::Arc;

/// The coming changes of a recorded rate. There is always a next one.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    rates: Arc<RecordedRates>,
    /// The row that begins at the next change.
    row: usize,
    /// The time of the recording at the next change.
    at_ns: u64,
    next_ns: u64,
}

impl Recorded {
    /// The changes of a link, if its rate is a recorded one. The first is at the beginning.
    pub fn new(config: &Config) -> Option<Recorded> {
        let Service::Rates { rates, offset_ns } = &config.service else {
            return None;
        };
        Some(Recorded {
            rates: rates.clone(),
            row: rates.at(*offset_ns),
            at_ns: offset_ns % rates.length_ns(),
            next_ns: config.begin_ns,
        })
    }

    /// Time of the next change.
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// Takes the next change.
    pub fn pop(&mut self) -> Change {
        let at_ns = self.next_ns;
        let (rate_bits_per_s, end_ns) = self.rates.row(self.row);
        self.next_ns = at_ns.saturating_add(end_ns - self.at_ns);
        self.row = self.rates.after(self.row);
        self.at_ns = end_ns % self.rates.length_ns();
        Change {
            at_ns,
            rate_bits_per_s: Some(NonZeroU64::new(rate_bits_per_s).unwrap_or(STANDSTILL)),
            delay_ns: None,
            loss_ppm: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limit, Link, Packet};

    fn config(text: &str, offset_ns: u64, begin_ns: u64) -> Config {
        let rates = Arc::new(RecordedRates::parse(text).unwrap());
        let mut config = Config::plain(NonZeroU64::MIN, 0, Limit::Packets(1000));
        config.service = Service::Rates { rates, offset_ns };
        config.begin_ns = begin_ns;
        config.check().unwrap();
        config
    }

    const RATES: &str = "time_ns,rate_bits_per_s\n0,7\n10,0\n30,9\n";

    fn changes(offset_ns: u64, count: usize) -> Vec<(u64, u64)> {
        let mut recorded = Recorded::new(&config(RATES, offset_ns, 100)).unwrap();
        let mut pop = |_| {
            let change = recorded.pop();
            (change.at_ns, change.rate_bits_per_s.unwrap().get())
        };
        (0..count).map(&mut pop).collect()
    }

    #[test]
    fn rows_follow_each_other_and_the_recording_repeats() {
        assert_eq!(
            changes(0, 5),
            [(100, 7), (110, 1), (130, 9), (150, 7), (160, 1)]
        );
    }

    #[test]
    fn a_run_may_begin_within_a_row() {
        assert_eq!(changes(15, 3), [(100, 1), (115, 9), (135, 7)]);
        assert_eq!(changes(65, 3), changes(15, 3));
    }

    #[derive(Clone)]
    struct Bytes(u32);

    impl Packet for Bytes {
        fn wire_bytes(&self) -> u32 {
            self.0
        }
    }

    /// 1500 bytes take 12 ms at 1 Mbit/s; a pause of 10 ms and the double rate follow after 6 ms.
    #[test]
    fn the_bits_of_a_packet_wait_for_the_end_of_a_pause() {
        let text = "time_ms,rate_mbits_per_s\n0,1\n6,0\n16,2\n";
        let mut link = Link::from_config(&config(text, 0, 0));
        link.offer(0, Bytes(1500));
        link.offer(0, Bytes(250));
        let mut due_ns = Vec::new();
        while let Some(next_ns) = link.next_departure_ns() {
            due_ns.extend(link.poll(next_ns).map(|left| left.due_ns));
        }
        // A pause carries 1 bit/s, 5 ns of a packet at 2 Mbit/s.
        assert_eq!(due_ns, [18_999_995, 19_999_995]);
    }
}
