//! TCP (RFC 9293) without a clock and without sockets: it gets segments and times, and returns
//! segments and times.
//!
//! A [`Connection`] is one end. Its driver, a simulator or a program with a real network device,
//! passes on the segments that arrive, calls it when a timer expires, and carries the segments that
//! it returns:
//!
//! ```text
//!    write, read, close          on_segment, on_timer
//!   application ----------> Connection <---------- driver
//!                               |                     ^
//!                               '--> poll_transmit ---'   next_timer_ns
//! ```
//!
//! A connection counts the bytes of its streams but does not hold them, which keeps a simulator
//! fast. [`stream`] adds the bytes for drivers that need them. [`wire`] converts segments into IP
//! packets and back.
//!
//! [`Config`] chooses the parts in which TCP implementations differ. Each choice is a small file
//! that implements a small trait:
//!
//! | Choice | Trait | Files |
//! |---|---|---|
//! | loss recovery | [`recovery::Recovery`] | `recovery/` |
//! | congestion avoidance | [`avoidance::Avoidance`] | `avoidance/` |
//! | retransmission timer | [`rto::Rto`] | `rto/` |
//! | when to acknowledge | [`acks::AckPolicy`] | `acks/` |
//! | what window to advertise | [`receive_window::ReceiveWindow`] | `receive_window/` |
//! | start-up | | `core/`, through `onramp-core` |
//!
//! Each of them measures time and schedules events as its host can: see [`timing`].
//!
//! Times are nanoseconds of the driver's clock and never run backwards. Stream offsets are 64-bit
//! byte counts from the start of a stream; only [`Segment`] has TCP's 32-bit sequence numbers.
//! Nothing in this crate reads a clock or draws a random number: given the same calls, a connection
//! behaves the same on every machine.

pub mod acks;
pub mod avoidance;
mod byte_counting;
mod choice;
mod config;
mod congestion;
mod connection;
mod header;
pub mod receive_window;
pub mod recovery;
pub mod rto;
mod segment;
pub mod stream;
pub mod timing;
mod window;
pub mod wire;

pub use byte_counting::ByteCounting;
pub use choice::{Acks, Avoidance, Ecn, IpVersion, Lie, PacketPair, Recovery, Stack, Timers};
pub use config::{Config, InitialWindow, ReceiveBuffer, Reservation};
pub use connection::{Connection, Failure, State, Stats, Transmit};
pub use header::{IPV4_HEADER_BYTES, IPV6_HEADER_BYTES, TCP_HEADER_BYTES};
pub use onramp_core::ensemble::Ensembles;
pub use onramp_core::memory::PathMemory;
pub use onramp_core::pairs::Counts as PairCounts;
pub use onramp_core::prefix_of;
pub use segment::{EcnField, Flags, Options, PairOptions, SackBlocks, Segment};
pub use timing::Ticks;
pub use window::Window;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeDoctests;
