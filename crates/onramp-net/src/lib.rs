//! Links without a clock.
//!
//! A [`Link`] is one direction of a path, built from a [`Config`]. A packet passes its elements in
//! this order, of which only queue, serialiser and delay are always there:
//!
//! ```text
//!  offer --> policer --> loss --> queue --> shaper --> serialiser --> delay --> aggregation --> duplication --> poll
//!               |          |        |  |                (in service)  + jitter
//!            Policed  LostRandom    |  take_dropped
//!                            DroppedFull, DroppedEarly
//! ```
//!
//! Where flows have a guaranteed rate (expedited forwarding, RFC 3246), what is a queue above is
//!
//! ```text
//!                .-- expedited --> profile of its flow --> FIFO -- first --.
//!   --> class --<                         |                                 >-->
//!                '-- others              Policed          queue -----------'
//! ```
//!
//! Nothing here knows what time it is: whoever drives a link passes `now_ns` with each call,
//! simulated or real, and asks [`Link::next_departure_ns`] when to come back. Times never run
//! backwards. Given the same calls and the same seed, a link does the same on every machine: all
//! arithmetic is in integers, and each element draws from its own stream of random numbers. When
//! the driver looks has no influence on what happens.
//!
//! A new queue discipline is a file beside `queue/drop_tail.rs` and an arm of `queue::Queue`; a new
//! loss process is a file beside `loss/gilbert_elliott.rs` and an arm of `loss::Loss`.

mod aggregation;
mod bucket;
mod config;
mod duplication;
mod jitter;
mod line;
mod link;
mod loss;
mod queue;
mod random;
mod serialiser;
mod stats;
#[cfg(test)]
mod testing;

pub use config::{
    Aggregation, Change, Config, ConfigError, Jitter, LossConfig, QueueConfig, TokenBucket,
};
pub use link::{Departure, Link, Verdict};
pub use queue::{CoDelConfig, FqCoDelConfig, Limit, PureAck, RedConfig};
pub use stats::{Count, LinkStats};

/// What a link must know of a packet: a simulator's handle into a pool, or a buffer of bytes.
///
/// A link clones packets only where it duplicates them, and says so in [`Departure::copy`].
pub trait Packet: Clone {
    /// Size of the IP packet, header included, as the serialiser and queues in bytes count it.
    /// Below 2^30.
    fn wire_bytes(&self) -> u32;

    /// The same number for all packets of a flow; FQ-CoDel and profiles tell flows apart by it.
    fn flow_hash(&self) -> u32 {
        0
    }

    /// It belongs to a flow with a guaranteed rate, on links that [have such](Config::expedited).
    fn expedited(&self) -> bool {
        false
    }
}
