//! Loss processes: packets that vanish for reasons other than a full queue.

mod bernoulli;

pub use bernoulli::Bernoulli;

/// Decides, packet by packet and before the queue, what is lost.
pub trait LossProcess {
    /// Whether the packet that arrives now is lost.
    fn loses(&mut self, now_ns: u64, wire_bytes: u32) -> bool;
}
