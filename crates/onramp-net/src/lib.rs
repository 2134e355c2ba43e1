//! Links without a clock.
//!
//! A [`Link`] is one direction of a path. A packet passes its elements in this order:
//!
//! ```text
//!            LossProcess          Discipline         Serialiser          propagation
//!  offer --> lost at random? --> room in the queue? --> rate --> in_service --> delay --> poll
//!                |                    |
//!            LostRandom           DroppedFull
//! ```
//!
//! Nothing here knows what time it is: whoever drives a link passes `now_ns` with each call, simulated or real,
//! and asks [`Link::next_departure_ns`] when to come back. Times never run backwards. Given the same calls and
//! the same seed, a link does the same on every machine.
//!
//! A new queue discipline is a file beside `queue/drop_tail.rs` that implements [`Discipline`]; a new loss
//! process is a file beside `loss/bernoulli.rs` that implements [`LossProcess`].

mod link;
mod loss;
mod queue;
mod serialiser;
mod stats;

pub use link::{Link, Verdict};
pub use loss::{Bernoulli, LossProcess};
pub use queue::{Discipline, DropTail, Limit};
pub use serialiser::{Instant, Serialiser};
pub use stats::{Count, LinkStats};

/// What a link must know of a packet: a simulator's struct, or a buffer of bytes.
pub trait Packet {
    /// Size of the IP packet, header included, as the serialiser and queues in bytes count it. Below 2^30.
    fn wire_bytes(&self) -> u32;
}
