//! The packets of a run: one slab, so that links move small handles and nothing is allocated per
//! packet.

use crate::observe::Direction;
use onramp_scenario::Dscp;
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
    /// How it is marked.
    pub dscp: Dscp,
}

/// A packet as links carry it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handle {
    /// Its slot in the [`Pool`].
    pub slot: u32,
    /// Size of the IP packet, below 2^30, and its class: links move many of these.
    size_and_class: u32,
    /// Number of its flow.
    pub flow: u32,
    /// Where on its route it is: an index into [`Routes`](crate::routes::Routes).
    pub hop: u32,
}

/// In the size: the packet is expedited.
const EXPEDITED: u32 = 1 << 31;

impl Handle {
    /// That of a packet in this slot, of so many bytes with its IP header, at this place of its
    /// route.
    pub fn new(slot: u32, wire_bytes: u32, content: &Content, hop: u32) -> Handle {
        debug_assert!(wire_bytes < 1 << 30);
        let class = match content.dscp {
            Dscp::BestEffort => 0,
            Dscp::Ef => EXPEDITED,
        };
        Handle {
            slot,
            size_and_class: wire_bytes | class,
            flow: content.flow,
            hop,
        }
    }
}

impl onramp_net::Packet for Handle {
    fn wire_bytes(&self) -> u32 {
        self.size_and_class & !EXPEDITED
    }

    fn flow_hash(&self) -> u32 {
        self.flow
    }

    fn is_expedited(&self) -> bool {
        self.size_and_class & EXPEDITED != 0
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
                u32::try_from(self.contents.len() - 1)
                    .expect("fewer than 2^32 packets are under way")
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
    use onramp_net::Packet;

    fn packet(stream_start: u64) -> Content {
        let (segment, direction) = (Segment::default(), Direction::Data);
        let (flow, flow_slot, dscp) = (7, 0, Dscp::Ef);
        Content {
            segment,
            stream_start,
            retransmission: false,
            flow,
            flow_slot,
            direction,
            dscp,
        }
    }

    #[test]
    fn a_handle_knows_size_class_and_flow() {
        let expedited = packet(0);
        let plain = Content {
            dscp: Dscp::BestEffort,
            ..expedited
        };
        let of = |content| {
            let handle = Handle::new(0, 1500, &content, 0);
            (
                handle.wire_bytes(),
                handle.is_expedited(),
                handle.flow_hash(),
            )
        };
        assert_eq!(
            [of(expedited), of(plain)],
            [(1500, true, 7), (1500, false, 7)]
        );
    }

    #[test]
    fn slots_are_used_again_and_none_is_lost() {
        let mut pool = Pool::default();
        let handle = |slot| Handle::new(slot, 40, &packet(0), 0);
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
