//! What each segment records when it leaves, for the loss rate: P.tx_in_flight, P.lost and
//! P.is_app_limited of the draft. Segments that leave at one time share a record.

use std::collections::VecDeque;

/// Records older than this, compared with the newest that arrived, are forgotten. Losses are found
/// sooner, except after a timeout.
const MAX_AGE_NS: u64 = 2_000_000_000;

/// The record of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Packet {
    sent_ns: u64,
    /// In flight when it left, including itself.
    pub tx_in_flight_bytes: u64,
    /// Lost since the start when it left.
    pub lost_bytes: u64,
    pub is_app_limited: bool,
}

/// The records of the segments in flight, and of some that have arrived.
#[derive(Clone, Debug, Default)]
pub(super) struct Packets {
    packets: VecDeque<Packet>,
}

impl Packets {
    pub fn sent(&mut self, now_ns: u64, inflight_bytes: u64, lost_bytes: u64, app_limited: bool) {
        let packet = Packet {
            sent_ns: now_ns,
            tx_in_flight_bytes: inflight_bytes,
            lost_bytes,
            is_app_limited: app_limited,
        };
        match self
            .packets
            .back_mut()
            .filter(|last| last.sent_ns == now_ns)
        {
            Some(last) => *last = packet,
            None => self.packets.push_back(packet),
        }
    }

    /// The record of a segment that left at this time.
    pub fn of(&self, sent_ns: u64) -> Option<Packet> {
        let index = self
            .packets
            .binary_search_by_key(&sent_ns, |packet| packet.sent_ns);
        index.ok().map(|index| self.packets[index])
    }

    /// A segment that left at this time has arrived.
    pub fn forget_before(&mut self, sent_ns: u64) {
        let is_old = |packet: &Packet| packet.sent_ns + MAX_AGE_NS < sent_ns;
        while self.packets.front().is_some_and(is_old) {
            self.packets.pop_front();
        }
    }
}
