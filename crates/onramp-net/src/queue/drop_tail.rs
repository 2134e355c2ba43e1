//! Drop-tail: first come, first served, until the room is full.

use super::Discipline;
use crate::Packet;
use std::collections::VecDeque;

/// Room of a [`DropTail`] queue. The packet in service is not in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// At most so many packets wait, whatever their size.
    Packets(u32),
    /// At most so many wire bytes wait; a packet that does not fit whole is refused.
    Bytes(u64),
}

/// A first-in first-out queue that refuses what does not fit.
#[derive(Debug)]
pub struct DropTail<P> {
    limit: Limit,
    bytes: u64,
    waiting: VecDeque<P>,
}

impl<P> DropTail<P> {
    /// An empty queue.
    pub fn new(limit: Limit) -> DropTail<P> {
        DropTail { limit, bytes: 0, waiting: VecDeque::new() }
    }

    /// An empty queue that holds so many packets before it allocates.
    pub fn with_capacity(limit: Limit, packets: usize) -> DropTail<P> {
        DropTail { limit, bytes: 0, waiting: VecDeque::with_capacity(packets) }
    }
}

impl<P: Packet> Discipline<P> for DropTail<P> {
    fn enqueue(&mut self, _now_ns: u64, packet: P) -> Result<(), P> {
        let bytes = self.bytes + u64::from(packet.wire_bytes());
        let fits = match self.limit {
            Limit::Packets(packets) => self.waiting.len() < packets as usize,
            Limit::Bytes(limit) => bytes <= limit,
        };
        if !fits {
            return Err(packet);
        }
        self.bytes = bytes;
        self.waiting.push_back(packet);
        Ok(())
    }

    fn dequeue(&mut self, _now_ns: u64) -> Option<P> {
        let packet = self.waiting.pop_front()?;
        self.bytes -= u64::from(packet.wire_bytes());
        Some(packet)
    }

    fn packets(&self) -> u64 {
        self.waiting.len() as u64
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
