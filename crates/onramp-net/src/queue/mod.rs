//! Queue disciplines: who waits, who is refused, who goes next.

mod drop_tail;

pub use drop_tail::{DropTail, Limit};

use crate::Packet;

/// The queue before a serialiser. The packet in service has left it and does not count, and a packet that finds
/// the serialiser idle goes straight into service: the queue holds only those that wait, as in ns-2 and in a
/// router's output queue. `now_ns` never decreases from call to call.
pub trait Discipline<P: Packet> {
    /// Takes a packet in, or gives it back where it is refused.
    fn enqueue(&mut self, now_ns: u64, packet: P) -> Result<(), P>;
    /// The next packet to serialise, at the moment at which the serialiser becomes free.
    fn dequeue(&mut self, now_ns: u64) -> Option<P>;
    /// Packets that wait.
    fn packets(&self) -> u64;
    /// Their wire bytes.
    fn bytes(&self) -> u64;
}
