//! Packets that leave in bunches.
//!
//! A WiFi station or an LTE scheduler saves transmissions by sending what has gathered in one
//! frame; a sender then sees its acknowledgements arrive in bursts at the line rate. Here packets
//! are held at the end of the link, from the first one until an interval is over or a number is
//! reached, whichever is first.

use crate::Aggregation;
use std::collections::VecDeque;

/// Holds packets back and releases them.
#[derive(Debug)]
pub(crate) struct Aggregator<P> {
    config: Aggregation,
    /// Those that have been released, with the time at which they were, then the open bunch.
    packets: VecDeque<(u64, P)>,
    /// How many of them are in the open bunch.
    open: u32,
    /// When the open bunch is released at the latest.
    release_ns: u64,
}

impl<P> Aggregator<P> {
    pub fn new(config: Aggregation) -> Aggregator<P> {
        Aggregator {
            config,
            packets: VecDeque::new(),
            open: 0,
            release_ns: 0,
        }
    }

    /// A packet arrives at the end of the link; in order of time.
    pub fn hold(&mut self, at_ns: u64, packet: P) {
        self.release_until(at_ns);
        if self.open == 0 {
            self.release_ns = at_ns + self.config.interval_ns;
        }
        self.packets.push_back((at_ns, packet));
        self.open += 1;
        if self.open == self.config.most_packets.get() {
            self.release(at_ns);
        }
    }

    /// Releases what is due; to be called after all packets of that time have been passed to
    /// `hold`.
    pub fn release_until(&mut self, now_ns: u64) {
        if self.open > 0 && self.release_ns <= now_ns {
            self.release(self.release_ns);
        }
    }

    fn release(&mut self, at_ns: u64) {
        let released = self.packets.len() - self.open as usize;
        self.packets
            .range_mut(released..)
            .for_each(|(due_ns, _)| *due_ns = at_ns);
        self.open = 0;
    }

    /// How many are here.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    fn has_released(&self) -> bool {
        self.packets.len() > self.open as usize
    }

    /// When the next packet leaves, unless more packets arrive before.
    pub fn next_ns(&self) -> Option<u64> {
        match self.packets.front() {
            Some((due_ns, _)) if self.has_released() => Some(*due_ns),
            first => first.map(|_| self.release_ns),
        }
    }

    /// The next packet, if it has been released.
    pub fn front(&self) -> Option<&(u64, P)> {
        self.packets.front().filter(|_| self.has_released())
    }

    /// Takes the next packet out, if it has been released.
    pub fn pop(&mut self) -> Option<(u64, P)> {
        self.front()?;
        self.packets.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;

    fn released(arrivals_ns: &[u64]) -> Vec<(u64, usize)> {
        let config = Aggregation {
            interval_ns: 100,
            most_packets: NonZeroU32::new(3).unwrap(),
        };
        let mut aggregator = Aggregator::new(config);
        arrivals_ns
            .iter()
            .enumerate()
            .for_each(|(number, at_ns)| aggregator.hold(*at_ns, number));
        aggregator.release_until(1_000_000);
        std::iter::from_fn(|| aggregator.pop()).collect()
    }

    #[test]
    fn the_interval_begins_with_the_first_held_packet() {
        assert_eq!(released(&[10, 109, 500]), [(110, 0), (110, 1), (600, 2)]);
    }

    #[test]
    fn a_packet_in_the_nanosecond_of_the_release_is_of_the_next_bunch() {
        assert_eq!(released(&[10, 110, 209]), [(110, 0), (210, 1), (210, 2)]);
    }

    #[test]
    fn a_full_bunch_leaves_at_once() {
        assert_eq!(
            released(&[10, 20, 30, 40]),
            [(30, 0), (30, 1), (30, 2), (140, 3)]
        );
    }

    #[test]
    fn an_open_bunch_stays() {
        let config = Aggregation {
            interval_ns: 100,
            most_packets: NonZeroU32::MAX,
        };
        let mut aggregator = Aggregator::new(config);
        aggregator.hold(10, 'a');
        aggregator.release_until(109);
        assert_eq!((aggregator.next_ns(), aggregator.pop()), (Some(110), None));
        aggregator.release_until(110);
        assert_eq!(
            (aggregator.next_ns(), aggregator.pop()),
            (Some(110), Some((110, 'a')))
        );
        assert_eq!(aggregator.next_ns(), None);
    }
}
