//! ACK aggregation: packets that leave the link in bursts.
//!
//! A WiFi station or an LTE scheduler saves transmissions: it collects packets and sends them in
//! one frame. The sender then sees its ACKs arrive in bursts at line rate. This element holds
//! packets at the end of the link. It releases them when an interval has passed since the first
//! held packet, or when a maximum number of packets is held, whichever is first.

use crate::Aggregation;
use std::collections::VecDeque;

/// Holds packets and releases them together.
#[derive(Debug)]
pub(crate) struct Aggregator<P> {
    config: Aggregation,
    /// The released packets, each with its release time, followed by the packets of the open
    /// aggregate.
    packets: VecDeque<(u64, P)>,
    /// Number of packets in the open aggregate: the last ones of `packets`.
    open_packets: u32,
    /// Latest release time of the open aggregate.
    release_ns: u64,
}

impl<P> Aggregator<P> {
    pub fn new(config: Aggregation) -> Aggregator<P> {
        Aggregator {
            config,
            packets: VecDeque::new(),
            open_packets: 0,
            release_ns: 0,
        }
    }

    /// Accepts a packet that reached the end of the link at `at_ns`. Times must not decrease.
    pub fn hold(&mut self, at_ns: u64, packet: P) {
        self.release_until(at_ns);
        if self.open_packets == 0 {
            self.release_ns = at_ns + self.config.interval_ns;
        }
        self.packets.push_back((at_ns, packet));
        self.open_packets += 1;
        if self.open_packets == self.config.max_packets.get() {
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
        self.packets
            .range_mut(released..)
            .for_each(|(due_ns, _)| *due_ns = at_ns);
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

    /// The next packet, if it was released.
    pub fn front(&self) -> Option<&(u64, P)> {
        self.packets.front().filter(|_| self.has_released())
    }

    /// Removes the next packet, if it was released.
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
            max_packets: NonZeroU32::new(3).unwrap(),
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
    fn an_open_aggregate_is_held_until_its_interval_ends() {
        let config = Aggregation {
            interval_ns: 100,
            max_packets: NonZeroU32::MAX,
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
