//! The packets of a run: one slab, so that links move small handles and nothing is allocated per packet.

use crate::observe::Direction;
use onramp_tcp::Segment;

/// What a packet is, once: its handles point here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content {
    /// The segment; of a datagram only its payload's length means something.
    pub segment: Segment,
    /// Place in the stream of its first payload byte; a datagram's number.
    pub stream_start: u64,
    /// Some of its payload had been sent before.
    pub retransmission: bool,
    /// Number of its flow.
    pub flow: u32,
    /// Slot of its flow; a datagram has none.
    pub flow_slot: u32,
    /// What it is of the flow.
    pub direction: Direction,
}

/// A packet as links carry it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handle {
    /// Its slot in the [`Pool`].
    pub slot: u32,
    /// Size of the IP packet.
    pub wire_bytes: u32,
    /// Number of its flow.
    pub flow: u32,
    /// Where on its route it is: an index into [`Routes`](crate::routes::Routes).
    pub hop: u32,
}

impl onramp_net::Packet for Handle {
    fn wire_bytes(&self) -> u32 {
        self.wire_bytes
    }

    fn flow_hash(&self) -> u32 {
        self.flow
    }
}

/// The slab. It grows to the most packets that were ever under way at once, and stays there.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    contents: Vec<Content>,
    free: Vec<u32>,
}

impl Pool {
    /// Takes a packet in.
    pub fn insert(&mut self, content: Content) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.contents[slot as usize] = content;
                slot
            }
            None => {
                self.contents.push(content);
                u32::try_from(self.contents.len() - 1).expect("fewer than 2^32 packets are under way")
            }
        }
    }

    /// A packet under way.
    pub fn get(&self, handle: Handle) -> &Content {
        &self.contents[handle.slot as usize]
    }

    /// The packet is gone: arrived or lost. Its slot is free.
    pub fn remove(&mut self, handle: Handle) -> Content {
        self.free.push(handle.slot);
        self.contents[handle.slot as usize]
    }

    /// Packets under way.
    pub fn len(&self) -> usize {
        self.contents.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(stream_start: u64) -> Content {
        let segment = Segment::default();
        Content { segment, stream_start, retransmission: false, flow: 0, flow_slot: 0, direction: Direction::Data }
    }

    #[test]
    fn slots_are_used_again_and_none_is_lost() {
        let mut pool = Pool::default();
        let handle = |slot| Handle { slot, wire_bytes: 40, flow: 0, hop: 0 };
        let slots = [1, 2, 3].map(|start| pool.insert(packet(start)));
        assert_eq!(pool.get(handle(slots[1])).stream_start, 2);
        assert_eq!(pool.remove(handle(slots[1])).stream_start, 2);
        assert_eq!((pool.len(), pool.insert(packet(4))), (3 - 1, slots[1]));
        for slot in slots {
            pool.remove(handle(slot));
        }
        assert_eq!((pool.len(), pool.contents.len()), (0, 3));
    }
}
