//! Departures from a link whose exit is not a plain FIFO: with reordering, aggregation, a late
//! timer or duplication.

use super::{Departure, Elements};
use crate::aggregation::Aggregator;
use crate::Packet;

impl<P: Packet> Elements<P> {
    /// Earliest time at which a packet may leave.
    #[inline(never)]
    pub(super) fn earliest_departure_ns(&self) -> Option<u64> {
        let propagating_ns = self.propagation.front().map(|(due_ns, _)| *due_ns);
        let held_ns = self.holds.iter().filter_map(Aggregator::next_ns);
        [propagating_ns, self.in_service_ns()]
            .into_iter()
            .flatten()
            .chain(held_ns)
            .min()
    }

    /// Removes the next packet that has reached the far end.
    #[inline(never)]
    pub(super) fn leave(&mut self, now_ns: u64) -> Option<Departure<P>> {
        self.advance(now_ns);
        if let Some((first, others)) = self.holds.split_first_mut() {
            while let Some((due_ns, packet)) = self.propagation.pop(now_ns) {
                first.hold(due_ns, packet);
            }
            first.release_until(now_ns);
            if let Some(last) = others.first_mut() {
                while let Some((due_ns, packet)) = first.pop(now_ns) {
                    last.hold(due_ns, packet);
                }
                last.release_until(now_ns);
            }
        }
        if let Some(copy) = self.copy(now_ns) {
            return Some(copy);
        }
        let (due_ns, packet) = match self.holds.last_mut() {
            None => self.propagation.pop(now_ns)?,
            Some(last) => last.pop(now_ns)?,
        };
        self.stats.delivered.add(packet.wire_bytes());
        Some(Departure {
            due_ns,
            packet,
            is_copy: false,
        })
    }

    /// A copy of the packet that leaves next, if that packet is duplicated.
    fn copy(&mut self, now_ns: u64) -> Option<Departure<P>> {
        let duplication = self.duplication.as_mut()?;
        let (due_ns, packet) = match self.holds.last() {
            None => self
                .propagation
                .front()
                .filter(|(due_ns, _)| *due_ns <= now_ns)?,
            Some(last) => last.front(now_ns)?,
        };
        if !duplication.copy_first() {
            return None;
        }
        self.stats.duplicated.add(packet.wire_bytes());
        self.stats.delivered.add(packet.wire_bytes());
        Some(Departure {
            due_ns: *due_ns,
            packet: packet.clone(),
            is_copy: true,
        })
    }
}
