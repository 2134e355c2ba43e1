//! The interface of a queue discipline.

use super::pure_ack::PureAck;
use crate::{Count, Packet, Verdict};
use std::collections::VecDeque;

/// The queue before a serialiser. It holds only waiting packets, as in ns-2 and in a router's
/// output queue: the packet in service is not part of it, and a packet that finds the serialiser
/// idle goes into service without waiting. `now_ns` never decreases from call to call.
pub(crate) trait Discipline<P: Packet> {
    /// A packet arrives and has to wait. The packet is dropped unless the verdict is
    /// [`Verdict::Queued`].
    fn enqueue(&mut self, now_ns: u64, packet: P, evicted: &mut Evicted<P>) -> Verdict;

    /// The same as `enqueue`, for a pure ACK.
    fn enqueue_ack(
        &mut self,
        now_ns: u64,
        packet: P,
        _ack: &PureAck,
        evicted: &mut Evicted<P>,
    ) -> Verdict {
        self.enqueue(now_ns, packet, evicted)
    }

    /// The next packet to serialise, when the serialiser becomes free.
    fn dequeue(&mut self, now_ns: u64, evicted: &mut Evicted<P>) -> Option<P>;

    /// A packet arrives and need not wait, because serialiser and queue are idle. A discipline may
    /// still drop it.
    fn pass(&mut self, _now_ns: u64, packet: P, _evicted: &mut Evicted<P>) -> Result<P, Verdict> {
        Ok(packet)
    }

    /// Allocates memory for this many packets, as far as the limit allows.
    fn reserve(&mut self, packets: usize);

    /// Packets and bytes in the queue.
    fn waiting(&self) -> Count;
}

/// What a queue does to packets besides their order: packets that it accepted and dropped later,
/// until the driver takes them, and marks.
#[derive(Clone, Debug)]
pub(crate) struct Evicted<P> {
    pub packets: VecDeque<P>,
    /// All evicted packets so far, without superseded ACKs.
    pub count: Count,
    /// All ACKs so far that were dropped because a later ACK superseded them.
    pub thinned: Count,
    /// All packets so far that were marked instead of dropped.
    pub marked: Count,
}

impl<P: Packet> Evicted<P> {
    pub fn new() -> Evicted<P> {
        Evicted {
            packets: VecDeque::new(),
            count: Count::default(),
            thinned: Count::default(),
            marked: Count::default(),
        }
    }

    /// Marks a packet instead of dropping it, if the queue has ECN and so has the packet. Returns
    /// whether it did. A packet that has a mark already keeps it, and counts (RFC 3168, section 5).
    pub fn marks(&mut self, has_ecn: bool, packet: &mut P) -> bool {
        let marks = has_ecn && packet.is_ecn_capable();
        if marks {
            packet.mark_ce();
            self.marked.add(packet.wire_bytes());
        }
        marks
    }

    pub fn push(&mut self, packet: P) {
        self.count.add(packet.wire_bytes());
        self.packets.push_back(packet);
    }

    pub fn push_thinned(&mut self, packet: P) {
        self.thinned.add(packet.wire_bytes());
        self.packets.push_back(packet);
    }
}
