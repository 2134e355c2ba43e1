//! Queue disciplines: which packets wait, which are dropped, and which is served next.

mod ack_filter;
mod codel;
mod drop_tail;
mod expedited;
mod fq_codel;
mod limit;
mod red;
mod timestamped;

pub use ack_filter::PureAck;
pub use codel::CoDelConfig;
pub use fq_codel::FqCoDelConfig;
pub use limit::Limit;
pub use red::RedConfig;

use crate::{Config, Count, Packet, QueueConfig, Verdict};
use ack_filter::AckFilter;
use codel::CoDel;
use drop_tail::DropTail;
use expedited::Expedited;
use fq_codel::FqCoDel;
use red::Red;
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

/// Packets that a queue accepted and dropped later, until the driver takes them.
#[derive(Debug)]
pub(crate) struct Evicted<P> {
    pub packets: VecDeque<P>,
    /// All evicted packets so far, without superseded ACKs.
    pub count: Count,
    /// All ACKs so far that were dropped because a later ACK superseded them.
    pub thinned: Count,
}

impl<P: Packet> Evicted<P> {
    pub fn new() -> Evicted<P> {
        Evicted {
            packets: VecDeque::new(),
            count: Count::default(),
            thinned: Count::default(),
        }
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

/// The queue of a link, chosen when it is built.
#[derive(Debug)]
pub(crate) enum Queue<P> {
    DropTail(DropTail<P>),
    Red(Box<Red<P>>),
    CoDel(Box<CoDel<P>>),
    FqCoDel(Box<FqCoDel<P>>),
    AckFilter(Box<AckFilter<P>>),
    /// An expedited queue, with one of the other disciplines for all other packets.
    Expedited(Box<Expedited<P>>),
}

impl<P: Packet> Queue<P> {
    pub fn new(config: &Config) -> Queue<P> {
        let queue = match &config.queue {
            QueueConfig::DropTail(limit) => Queue::DropTail(DropTail::new(*limit)),
            QueueConfig::Red(red) => {
                Queue::Red(Box::new(Red::new(red, config.rate_bits_per_s, config.seed)))
            }
            QueueConfig::CoDel(codel) => Queue::CoDel(Box::new(CoDel::new(codel))),
            QueueConfig::FqCoDel(fq) => Queue::FqCoDel(Box::new(FqCoDel::new(fq, config.seed))),
            QueueConfig::AckFilter(limit) => Queue::AckFilter(Box::new(AckFilter::new(*limit))),
        };
        match config.expedited {
            None => queue,
            Some(profile) => Queue::Expedited(Box::new(Expedited::new(profile, queue))),
        }
    }
}

/// Calls the method of a discipline other than drop-tail.
macro_rules! dispatch {
    ($queue:expr, $discipline:ident => $call:expr) => {
        match $queue {
            Queue::DropTail(_) => unreachable!("drop-tail is served inline"),
            Queue::Red($discipline) => $call,
            Queue::CoDel($discipline) => $call,
            Queue::FqCoDel($discipline) => $call,
            Queue::AckFilter($discipline) => $call,
            Queue::Expedited($discipline) => $call,
        }
    };
}

impl<P: Packet> Queue<P> {
    #[inline(never)]
    fn enqueue_dispatched(&mut self, now_ns: u64, packet: P, evicted: &mut Evicted<P>) -> Verdict {
        dispatch!(self, discipline => discipline.enqueue(now_ns, packet, evicted))
    }

    #[inline(never)]
    fn dequeue_dispatched(&mut self, now_ns: u64, evicted: &mut Evicted<P>) -> Option<P> {
        dispatch!(self, discipline => discipline.dequeue(now_ns, evicted))
    }

    #[inline(never)]
    fn pass_dispatched(
        &mut self,
        now_ns: u64,
        packet: P,
        evicted: &mut Evicted<P>,
    ) -> Result<P, Verdict> {
        dispatch!(self, discipline => discipline.pass(now_ns, packet, evicted))
    }

    #[inline(never)]
    fn waiting_dispatched(&self) -> Count {
        dispatch!(self, discipline => discipline.waiting())
    }
}

/// Drop-tail is inlined and the others are called, because nearly all links of a simulation are
/// drop-tail.
impl<P: Packet> Discipline<P> for Queue<P> {
    #[inline(always)]
    fn enqueue(&mut self, now_ns: u64, packet: P, evicted: &mut Evicted<P>) -> Verdict {
        match self {
            Queue::DropTail(queue) => queue.enqueue(now_ns, packet, evicted),
            other => other.enqueue_dispatched(now_ns, packet, evicted),
        }
    }

    fn enqueue_ack(
        &mut self,
        now_ns: u64,
        packet: P,
        ack: &PureAck,
        evicted: &mut Evicted<P>,
    ) -> Verdict {
        match self {
            Queue::DropTail(queue) => queue.enqueue(now_ns, packet, evicted),
            other => {
                dispatch!(other, discipline => discipline.enqueue_ack(now_ns, packet, ack, evicted))
            }
        }
    }

    #[inline(always)]
    fn dequeue(&mut self, now_ns: u64, evicted: &mut Evicted<P>) -> Option<P> {
        match self {
            Queue::DropTail(queue) => queue.dequeue(now_ns, evicted),
            other => other.dequeue_dispatched(now_ns, evicted),
        }
    }

    #[inline(always)]
    fn pass(&mut self, now_ns: u64, packet: P, evicted: &mut Evicted<P>) -> Result<P, Verdict> {
        match self {
            Queue::DropTail(queue) => queue.pass(now_ns, packet, evicted),
            other => other.pass_dispatched(now_ns, packet, evicted),
        }
    }

    fn reserve(&mut self, packets: usize) {
        match self {
            Queue::DropTail(queue) => queue.reserve(packets),
            other => dispatch!(other, discipline => discipline.reserve(packets)),
        }
    }

    #[inline(always)]
    fn waiting(&self) -> Count {
        match self {
            Queue::DropTail(queue) => queue.waiting(),
            other => other.waiting_dispatched(),
        }
    }
}
