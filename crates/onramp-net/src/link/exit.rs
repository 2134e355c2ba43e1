//! Departures from a link whose exit is not a plain FIFO: with reordering, aggregation or
//! duplication.

use super::{Departure, Link};
use crate::Packet;

impl<P: Packet> Link<P> {
    /// Earliest time at which a packet may leave.
    #[inline(never)]
    pub(super) fn earliest_departure_ns(&self) -> Option<u64> {
        let propagating_ns = self.propagation.front().map(|(due_ns, _)| *due_ns);
        let held_ns = self
            .aggregator
            .as_ref()
            .and_then(|aggregator| aggregator.next_ns());
        [propagating_ns, self.in_service_ns(), held_ns]
            .into_iter()
            .flatten()
            .min()
    }

    /// Removes the next packet that has reached the far end.
    #[inline(never)]
    pub(super) fn leave(&mut self, now_ns: u64) -> Option<Departure<P>> {
        self.advance(now_ns);
        if let Some(aggregator) = &mut self.aggregator {
            while let Some((due_ns, packet)) = self.propagation.pop(now_ns) {
                aggregator.hold(due_ns, packet);
            }
            aggregator.release_until(now_ns);
        }
        if let Some(copy) = self.copy(now_ns) {
            return Some(copy);
        }
        let (due_ns, packet) = match &mut self.aggregator {
            None => self.propagation.pop(now_ns)?,
            Some(aggregator) => aggregator.pop()?,
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
        let (due_ns, packet) = match &self.aggregator {
            None => self
                .propagation
                .front()
                .filter(|(due_ns, _)| *due_ns <= now_ns)?,
            Some(aggregator) => aggregator.front()?,
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
