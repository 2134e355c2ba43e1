//! One ACK frame, from the calls for each of its packets.

use crate::paths::Clock;
use std::time::Instant;

/// The packets that an ACK frame newly acknowledges, until noq reports its end.
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

    /// When the newest packet of the frame was sent.
    pub fn newest_sent(&self) -> Option<Instant> {
        self.newest.map(|(_, sent)| sent)
    }

    /// The RTT sample of the frame; 0: its packets are older than those of an earlier frame.
    pub fn rtt_ns(&self, clock: Clock, now: Instant) -> u64 {
        match self.newest {
            Some((number, sent)) if self.largest.is_none_or(|largest| number > largest) => {
                (clock.ns(now) - clock.ns(sent)).max(1)
            }
            _ => 0,
        }
    }

    /// The frame has been reported. Its packets stay until the next one, for the losses that it
    /// shows.
    pub fn close(&mut self) {
        if let Some((number, _)) = self.newest.take() {
            self.largest = Some(self.largest.map_or(number, |largest| largest.max(number)));
        }
    }

    /// Bytes of the latest frame's packets behind this number.
    pub fn bytes_behind(&self, number: u64) -> u64 {
        let behind = self.packets.iter().filter(|(packet, _)| *packet > number);
        behind.map(|(_, bytes)| bytes).sum()
    }
}
