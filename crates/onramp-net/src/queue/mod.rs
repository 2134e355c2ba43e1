//! Queue disciplines: which packets wait, which are dropped, and which is served next.

mod ack_filter;
mod codel;
pub(crate) mod discipline;
mod drop_tail;
mod dualpi2;
mod expedited;
mod fq_codel;
mod limit;
mod pure_ack;
mod red;
mod timestamped;

pub use codel::CoDelConfig;
pub use dualpi2::DualPi2Config;
pub use fq_codel::FqCoDelConfig;
pub use limit::Limit;
pub use pure_ack::PureAck;
pub use red::RedConfig;

use crate::token_bucket::TokenBucket;
use crate::{Count, Framing, Packet, Verdict};
use ack_filter::AckFilter;
use codel::CoDel;
use discipline::{Discipline, Evicted};
use drop_tail::DropTail;
use dualpi2::DualPi2;
use expedited::Expedited;
use fq_codel::FqCoDel;
use red::Red;
use std::num::NonZeroU64;

/// The queue discipline.
#[derive(Clone, Debug, PartialEq)]
pub enum QueueConfig {
    /// First in, first out, until the queue is full.
    DropTail(Limit),
    /// Random early detection (Floyd & Jacobson 1993).
    Red(RedConfig),
    /// Controlled delay (RFC 8289).
    CoDel(CoDelConfig),
    /// One CoDel queue per flow, served round robin (RFC 8290).
    FqCoDel(FqCoDelConfig),
    /// A queue for low latency and a classic one, coupled (L4S, RFC 9332).
    DualPi2(DualPi2Config),
    /// Drop-tail, with removal of queued ACKs that a later ACK supersedes.
    AckFilter(Limit),
}

/// The queue of a link, chosen when it is built.
#[derive(Clone, Debug)]
pub(crate) enum Queue<P> {
    DropTail(DropTail<P>),
    Red(Box<Red<P>>),
    CoDel(Box<CoDel<P>>),
    FqCoDel(Box<FqCoDel<P>>),
    DualPi2(Box<DualPi2<P>>),
    AckFilter(Box<AckFilter<P>>),
    /// An expedited queue, with one of the other disciplines for all other packets.
    Expedited(Box<Expedited<P, Queue<P>>>),
}

impl<P: Packet> Queue<P> {
    /// The queue of a link that has this rate at first, with the profile of expedited flows.
    pub fn new(
        config: &QueueConfig,
        expedited: Option<TokenBucket>,
        rate_bits_per_s: NonZeroU64,
        framing: Framing,
        seed: u64,
    ) -> Queue<P> {
        let queue = match config {
            QueueConfig::DropTail(limit) => Queue::DropTail(DropTail::new(*limit)),
            QueueConfig::Red(red) => {
                Queue::Red(Box::new(Red::new(red, rate_bits_per_s, framing, seed)))
            }
            QueueConfig::CoDel(codel) => Queue::CoDel(Box::new(CoDel::new(codel))),
            QueueConfig::FqCoDel(fq) => Queue::FqCoDel(Box::new(FqCoDel::new(fq, seed))),
            QueueConfig::DualPi2(dual) => Queue::DualPi2(Box::new(DualPi2::new(dual, seed))),
            QueueConfig::AckFilter(limit) => Queue::AckFilter(Box::new(AckFilter::new(*limit))),
        };
        match expedited {
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
            Queue::DualPi2($discipline) => $call,
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
