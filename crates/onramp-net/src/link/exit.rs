//! The exit of a link whose packets do not simply leave in order: reordering, aggregation,
//! duplication.

use super::{Departure, Link};
use crate::Packet;

impl<P: Packet> Link<P> {
    /// The earliest moment at which a packet may leave.
    #[inline(never)]
    pub(super) fn earliest_ns(&self) -> Option<u64> {
        let on_the_way_ns = self.line.front().map(|(due_ns, _)| *due_ns);
        let held_ns = self
            .aggregator
            .as_ref()
            .and_then(|aggregator| aggregator.next_ns());
        [on_the_way_ns, self.in_service_ns(), held_ns]
            .into_iter()
            .flatten()
            .min()
    }

    /// The next packet leaves, by way of what is not plain.
    #[inline(never)]
    pub(super) fn leave(&mut self, now_ns: u64) -> Option<Departure<P>> {
        self.advance(now_ns);
        if let Some(aggregator) = &mut self.aggregator {
            while let Some((due_ns, packet)) = self.line.pop(now_ns) {
                aggregator.hold(due_ns, packet);
            }
            aggregator.release_until(now_ns);
        }
        if let Some(copy) = self.copy(now_ns) {
            return Some(copy);
        }
        let (due_ns, packet) = match &mut self.aggregator {
            None => self.line.pop(now_ns)?,
            Some(aggregator) => aggregator.pop()?,
        };
        self.stats.delivered.add(packet.wire_bytes());
        Some(Departure {
            due_ns,
            packet,
            copy: false,
        })
    }

    /// A copy of the packet that is about to leave, if it is to be copied.
    fn copy(&mut self, now_ns: u64) -> Option<Departure<P>> {
        let duplication = self.duplication.as_mut()?;
        let (due_ns, packet) = match &self.aggregator {
            None => self.line.front().filter(|(due_ns, _)| *due_ns <= now_ns)?,
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
            copy: true,
        })
    }
}
