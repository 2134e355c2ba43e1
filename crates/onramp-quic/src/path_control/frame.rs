//! One ACK frame, from the calls for each of its packets.

use crate::paths::Clock;
use std::time::Instant;

/// The packets that an ACK frame newly acknowledges, until the library reports its end.
///
/// Packets have numbers that rise in the order of sending: packet numbers, or times of sending
/// where the library does not tell packet numbers. Packets may then share a number.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    /// Number and size of each packet, in no order.
    packets: Vec<(u64, u64)>,
    bytes: u64,
    newest: Option<(u64, Instant)>,
    /// The largest packet number that an earlier frame acknowledged.
    largest: Option<u64>,
}

impl Frame {
    /// A packet is acknowledged.
    pub fn add(&mut self, sent: Instant, bytes: u64, number: u64) {
        if self.newest.is_none() {
            self.packets.clear();
            self.bytes = 0;
        }
        self.packets.push((number, bytes));
        self.bytes += bytes;
        if self.newest.is_none_or(|(newest, _)| number > newest) {
            self.newest = Some((number, sent));
        }
    }

    /// Bytes of all packets of the frame.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Number and time of sending of the newest packet of the frame; `None`: there is none yet.
    pub fn newest(&self) -> Option<(u64, Instant)> {
        self.newest
    }

    /// The RTT sample of the frame, whose largest packet number is `largest`; 0: an earlier frame
    /// acknowledged a larger one.
    pub fn rtt_ns(&self, clock: Clock, now: Instant, largest: Option<u64>) -> u64 {
        match self.newest {
            Some((_, sent)) if largest > self.largest => (clock.ns(now) - clock.ns(sent)).max(1),
            _ => 0,
        }
    }

    /// The frame has been reported. Its packets stay until the next one, for the losses that it
    /// shows.
    pub fn close(&mut self, largest: Option<u64>) {
        self.newest = None;
        self.largest = self.largest.max(largest);
    }

    /// Bytes of the latest frame's packets that did not leave before the packet of this number.
    pub fn bytes_behind(&self, number: u64) -> u64 {
        let behind = self.packets.iter().filter(|(packet, _)| *packet >= number);
        behind.map(|(_, bytes)| bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_frame_has_an_rtt_sample_only_if_its_largest_packet_number_rises() {
        let begin = Instant::now();
        let clock = Clock::new(begin, 0);
        let mut frame = Frame::default();
        // Packets of one burst share the time that is their number.
        let samples = [3, 5, 5, 4, 6].map(|largest| {
            frame.add(begin, 1_200, 0);
            let rtt_ns = frame.rtt_ns(clock, begin + 20 * MS, Some(largest));
            frame.close(Some(largest));
            rtt_ns
        });
        let ns = 20_000_000;
        assert_eq!(samples, [ns, ns, 0, 0, ns]);
    }

    #[test]
    fn bytes_behind_a_loss_are_those_of_packets_that_did_not_leave_before() {
        let now = Instant::now();
        let mut frame = Frame::default();
        for (number, bytes) in [(1, 100), (2, 20), (3, 3)] {
            frame.add(now, bytes, number);
        }
        frame.close(Some(3));
        assert_eq!(
            [0, 2, 4].map(|first| frame.bytes_behind(first)),
            [123, 23, 0]
        );
        frame.add(now, 7, 5);
        assert_eq!(frame.bytes_behind(0), 7);
    }
}
