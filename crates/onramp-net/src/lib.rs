//! A model of network links that has no clock of its own.
//!
//! A [`Link`] is one direction of a path. It is built from a [`Config`]. Each packet passes the
//! elements of the link in this order. Queue, serialiser and delay are always present; every other
//! element is optional.
//!
//! ```text
//!  offer --> policer --> loss --> queue --> shaper --> serialiser
//!               |          |        |  |                (in service)
//!            Policed  LostRandom    |  take_dropped        |
//!                      DroppedFull, DroppedEarly           v
//!     poll <-- duplication <-- late timer <-- aggregation <-- propagation delay + jitter
//! ```
//!
//! A link can guarantee a rate to some flows (expedited forwarding, RFC 3246). Two queues then
//! stand in the place of the one queue above:
//!
//! ```text
//!                .-- expedited --> flow's token bucket --> FIFO -- first --.
//!   --> class --<                         |                                 >-->
//!                '-- others            Policed          queue -------------'
//! ```
//!
//! # Time
//!
//! The link never asks what time it is. The caller drives it: each call passes `now_ns`, simulated
//! or real, and [`Link::next_departure_ns`] reports when to call again. `now_ns` never decreases
//! from call to call. How often the caller polls does not change what happens to the packets.
//!
//! # Determinism
//!
//! The same calls with the same seed give the same result on every machine. All arithmetic uses
//! integers. Each element draws from its own stream of random numbers, so that switching one
//! element on does not change the numbers of another.
//!
//! # Example
//!
//! A bottleneck of 12 Mbit/s with 10 ms of delay and a drop-tail queue of one packet. A packet of
//! 1500 bytes takes 1 ms to serialise. Three packets arrive at once: the first is in service, the
//! second waits, and the third is dropped.
//!
//! ```
//! use onramp_net::{Config, Limit, Link, Packet, Verdict};
//! use std::num::NonZeroU64;
//!
//! #[derive(Clone)]
//! struct Segment;
//!
//! impl Packet for Segment {
//!     fn wire_bytes(&self) -> u32 {
//!         1500
//!     }
//! }
//!
//! let rate_bits_per_s = NonZeroU64::new(12_000_000).expect("not zero");
//! let config = Config::plain(rate_bits_per_s, 10_000_000, Limit::Packets(1));
//! let mut link = Link::from_config(&config);
//!
//! assert_eq!(link.offer(0, Segment), Verdict::Queued);
//! assert_eq!(link.offer(0, Segment), Verdict::Queued);
//! assert_eq!(link.offer(0, Segment), Verdict::DroppedFull);
//!
//! assert_eq!(link.next_departure_ns(), Some(11_000_000));
//! assert!(link.poll(10_999_999).is_none());
//! assert_eq!(link.poll(11_000_000).map(|left| left.due_ns), Some(11_000_000));
//! assert_eq!(link.poll(12_000_000).map(|left| left.due_ns), Some(12_000_000));
//! ```
//!
//! # Where to add an element
//!
//! A new queue discipline is a file beside `queue/drop_tail.rs` and a variant of `queue::Queue`. A
//! new loss process is a file beside `loss/gilbert_elliott.rs` and a variant of `loss::Process`.

mod aggregation;
mod config;
mod duplication;
mod framing;
mod jitter;
mod link;
mod loss;
mod opportunities;
mod packet;
mod propagation;
mod queue;
pub mod random;
mod recorded;
mod serialiser;
mod stats;
#[cfg(test)]
mod testing;
mod token_bucket;
mod verdict;

pub use config::{
    Aggregation, Change, Config, ConfigError, Jitter, LateTimer, LossConfig, Outages, RateSteps,
    Service,
};
pub use framing::Framing;
pub use link::{Departure, Link};
pub use opportunities::{Opportunities, TraceError, MAX_TRACE_BYTES, OPPORTUNITY_BYTES};
pub use packet::Packet;
pub use queue::{
    CoDelConfig, DualPi2Config, FqCoDelConfig, Limit, PureAck, QueueConfig, RedConfig,
};
pub use recorded::{Recorded, RecordedSteps, RecordedTable, RecordedValues, RecordingError};
pub use stats::{Count, LinkStats};
pub use token_bucket::TokenBucket;
pub use verdict::Verdict;

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct ReadmeDoctests;
