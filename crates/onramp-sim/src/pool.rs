//! The packets of a run, in one slab. Links move small handles, and no memory is allocated per
//! packet.

use crate::observe::Direction;
use onramp_scenario::Dscp;
use onramp_tcp::{EcnField, Segment};

/// The content of a packet, to which its handles refer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Content {
    /// The segment. For a datagram only the payload length is meaningful.
    pub segment: Segment,
    /// Offset in the stream of the first payload byte, or the number of a datagram.
    pub stream_start: u64,
    /// Whether some of the payload was sent before.
    pub retransmission: bool,
    /// Number of its flow.
    pub flow: u32,
    /// Slot of the flow. A datagram has none.
    pub flow_slot: u32,
    /// Direction of the packet in its flow.
    pub direction: Direction,
    /// DSCP of the packet.
    pub dscp: Dscp,
    /// Number of its bytes in the [`Pool`], for a packet of QUIC; otherwise [`NO_BYTES`].
    pub bytes: u32,
}

/// The number of bytes that a packet does not have.
pub(crate) const NO_BYTES: u32 = u32::MAX;

/// The handle of a packet, which links carry. It has two words, because a processor moves those
/// without a detour over the stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handle {
    /// The lower half is the slot of the packet in the [`Pool`], the upper half the size of the IP
    /// packet, below 2^26, and flags.
    slot_and_size: u64,
    /// The lower half is the position on its route, an index into
    /// [`Routes`](crate::routes::Routes), the upper half the number of its flow.
    hop_and_flow: u64,
}

/// Flag of an expedited packet.
const EXPEDITED: u64 = 1 << 63;
/// Flag of a packet that may be marked (ECN).
const ECN_CAPABLE: u64 = 1 << 62;
/// Flag of a packet that a queue has marked.
const MARKED: u64 = 1 << 61;
/// Flag of a packet that the next link's queue will drop.
const DROPPED_AHEAD: u64 = 1 << 60;
/// Flag of a packet that the next link will lose at random.
const LOST_AHEAD: u64 = 1 << 59;
/// Flag of a packet for the low-latency queue (L4S).
const L4S: u64 = 1 << 58;
/// All flags.
const FLAGS: u64 = EXPEDITED | ECN_CAPABLE | MARKED | DROPPED_AHEAD | LOST_AHEAD | L4S;

/// What becomes of a packet at the next link, where that is known already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ahead {
    /// The link queues it.
    Queued,
    /// The queue of the link is full.
    Dropped,
    /// The link loses it at random.
    Lost,
}

impl Handle {
    /// The handle of the packet in `slot`, with `wire_bytes` including the IP header, at the
    /// position `hop` of its route.
    pub fn new(slot: u32, wire_bytes: u32, content: &Content, hop: u32) -> Handle {
        let size = u64::from(wire_bytes) << 32;
        debug_assert!(size & FLAGS == 0);
        let class = match content.dscp {
            Dscp::BestEffort => 0,
            Dscp::Ef => EXPEDITED,
        };
        let field = content.segment.ecn;
        let ecn = match (field.is_capable(), field.is_l4s()) {
            (_, true) => ECN_CAPABLE | L4S,
            (true, false) => ECN_CAPABLE,
            (false, false) => 0,
        };
        Handle {
            slot_and_size: u64::from(slot) | size | class | ecn,
            hop_and_flow: u64::from(hop) | u64::from(content.flow) << 32,
        }
    }

    /// The handle of a copy of the packet, which is in `slot`.
    pub fn of_copy(self, slot: u32) -> Handle {
        Handle {
            slot_and_size: self.slot_and_size >> 32 << 32 | u64::from(slot),
            ..self
        }
    }

    /// Position of the packet on its route.
    #[inline]
    pub fn hop(self) -> u32 {
        self.hop_and_flow as u32
    }

    /// The handle at the next position of the route.
    #[inline]
    pub fn at_next_hop(self) -> Handle {
        Handle {
            hop_and_flow: self.hop_and_flow + 1,
            ..self
        }
    }

    /// The slot of the packet in the [`Pool`].
    #[inline]
    pub fn slot(self) -> usize {
        (self.slot_and_size as u32) as usize
    }

    /// Whether a queue has marked the packet.
    pub fn is_marked(self) -> bool {
        self.slot_and_size & MARKED != 0
    }

    /// Notes what becomes of the packet at the next link.
    pub fn set_ahead(&mut self, ahead: Ahead) {
        self.slot_and_size |= match ahead {
            Ahead::Queued => 0,
            Ahead::Dropped => DROPPED_AHEAD,
            Ahead::Lost => LOST_AHEAD,
        };
    }

    /// What becomes of the packet at the next link.
    pub fn ahead(self) -> Ahead {
        match self.slot_and_size & (DROPPED_AHEAD | LOST_AHEAD) {
            0 => Ahead::Queued,
            DROPPED_AHEAD => Ahead::Dropped,
            _ => Ahead::Lost,
        }
    }
}

impl onramp_net::Packet for Handle {
    fn wire_bytes(&self) -> u32 {
        ((self.slot_and_size & !FLAGS) >> 32) as u32
    }

    fn flow_hash(&self) -> u32 {
        (self.hop_and_flow >> 32) as u32
    }

    fn is_expedited(&self) -> bool {
        self.slot_and_size & EXPEDITED != 0
    }

    fn is_ecn_capable(&self) -> bool {
        self.slot_and_size & ECN_CAPABLE != 0
    }

    fn is_l4s(&self) -> bool {
        self.slot_and_size & (L4S | MARKED) != 0
    }

    fn mark_ce(&mut self) {
        self.slot_and_size |= MARKED;
    }
}

/// The slab. It grows to the maximum number of packets in flight and does not shrink.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    contents: Vec<Content>,
    free: Vec<u32>,
    /// The bytes of packets of QUIC, with the number of packets that have them: a link may
    /// duplicate a packet.
    bytes: Vec<(Vec<u8>, u32)>,
    free_bytes: Vec<u32>,
}

impl Pool {
    /// Adds a packet and returns its slot.
    pub fn insert(&mut self, content: Content) -> u32 {
        if content.bytes != NO_BYTES {
            self.bytes[content.bytes as usize].1 += 1;
        }
        match self.free.pop() {
            Some(slot) => {
                self.contents[slot as usize] = content;
                slot
            }
            None => {
                self.contents.push(content);
                u32::try_from(self.contents.len() - 1)
                    .expect("fewer than 2^32 packets are in flight")
            }
        }
    }

    /// Stores the bytes of a packet that is [inserted](Pool::insert) next. Returns their number.
    #[cfg(any(test, feature = "quic"))]
    pub fn insert_bytes(&mut self, packet: &[u8]) -> u32 {
        let number = self.free_bytes.pop().unwrap_or_else(|| {
            self.bytes.push(Default::default());
            self.bytes.len() as u32 - 1
        });
        let (bytes, _) = &mut self.bytes[number as usize];
        bytes.clear();
        bytes.extend_from_slice(packet);
        number
    }

    /// The bytes of a packet of QUIC; empty for others.
    pub fn bytes(&self, content: &Content) -> &[u8] {
        match content.bytes {
            NO_BYTES => &[],
            number => &self.bytes[number as usize].0,
        }
    }

    /// The packet of a handle.
    pub fn get(&self, handle: Handle) -> &Content {
        &self.contents[handle.slot()]
    }

    /// Enters the mark of a handle into its packet.
    pub fn mark(&mut self, handle: Handle) {
        self.contents[handle.slot()].segment.ecn = EcnField::Ce;
    }

    /// Removes a packet that arrived or was dropped. Its slot is free again.
    pub fn remove(&mut self, handle: Handle) {
        let number = self.contents[handle.slot()].bytes;
        if number != NO_BYTES {
            let (_, users) = &mut self.bytes[number as usize];
            *users -= 1;
            if *users == 0 {
                self.free_bytes.push(number);
            }
        }
        self.free.push(handle.slot() as u32);
    }

    /// Number of packets in flight.
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
            bytes: NO_BYTES,
        }
    }

    #[test]
    fn a_handle_has_the_size_class_and_flow_of_its_packet() {
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
    fn bytes_stay_as_long_as_a_packet_or_a_copy_of_it() {
        let mut pool = Pool::default();
        let bytes = pool.insert_bytes(b"datagram");
        let content = Content { bytes, ..packet(1) };
        let handles = [content; 2].map(|copy| Handle::new(pool.insert(copy), 40, &copy, 0));
        pool.remove(handles[0]);
        assert_eq!(pool.bytes(&content), b"datagram");
        assert_ne!(pool.insert_bytes(b"other"), bytes);
        pool.remove(handles[1]);
        assert_eq!(pool.insert_bytes(b"third"), bytes);
        assert_eq!(pool.bytes(&packet(2)), b"");
    }

    #[test]
    fn free_slots_are_used_again() {
        let mut pool = Pool::default();
        let handle = |slot| Handle::new(slot, 40, &packet(0), 0);
        let slots = [1, 2, 3].map(|start| pool.insert(packet(start)));
        assert_eq!(pool.get(handle(slots[1])).stream_start, 2);
        pool.remove(handle(slots[1]));
        assert_eq!((pool.len(), pool.insert(packet(4))), (3 - 1, slots[1]));
        for slot in slots {
            pool.remove(handle(slot));
        }
        assert_eq!((pool.len(), pool.contents.len()), (0, 3));
    }
}
