//! TCP (RFC 9293) without a clock and without sockets: segments and times in, segments and times
//! out.
//!
//! A [`Connection`] is one end. Whoever drives it, a simulator or a program with a real network
//! device, hands it the segments that arrive and the moments that it asked for, and carries the
//! segments that it makes:
//!
//! ```text
//!    write, read, close          on_segment, on_timer
//!   application ----------> Connection <---------- driver
//!                               |                     ^
//!                               '--> poll_transmit ---'   next_timer_ns
//! ```
//!
//! A connection counts bytes of the stream and does not hold them, which keeps a simulator fast;
//! [`stream`] adds the bytes where somebody reads them. [`wire`] turns segments into IP packets and
//! back.
//!
//! What TCPs differ in is chosen by [`Config`]; each choice is a small file behind a small trait:
//!
//! | Choice | Trait | Files |
//! |---|---|---|
//! | loss recovery | [`recovery::Recovery`] | `recovery/` |
//! | congestion avoidance | [`avoidance::Avoidance`] | `avoidance/` |
//! | retransmission timer | [`rto::Rto`] | `rto/` |
//! | when to acknowledge | [`acks::AckPolicy`] | `acks/` |
//! | what window to offer | [`receive_window::ReceiveWindow`] | `receive_window/` |
//! | start-up | | `core/`, through `onramp-core` |
//!
//! What it measures and schedules, it does as its host can: [`timing`].
//!
//! Times are nanoseconds on the driver's clock and never run backwards. Positions in a stream are
//! bytes since its start, in 64 bits; only [`Segment`] has TCP's 32-bit numbers. Nothing here reads
//! a clock or draws a random number: given the same calls, a connection does the same on every
//! machine.

pub mod acks;
pub mod avoidance;
mod byte_counting;
mod choice;
mod config;
mod congestion;
mod connection;
mod memory;
pub mod receive_window;
pub mod recovery;
pub mod rto;
mod segment;
pub mod stream;
pub mod timing;
mod window;
pub mod wire;

pub use byte_counting::ByteCounting;
pub use choice::{Acks, Avoidance, PacketPair, Recovery, Stack, Timers};
pub use config::{Config, InitialWindow, ReceiveBuffer, Reservation};
pub use connection::{Connection, Failure, State, Stats, Transmit};
pub use memory::PathMemory;
pub use onramp_core::pairs::Counts as PairCounts;
pub use segment::{
    Flags, Options, PairOptions, SackBlocks, Segment, IPV4_HEADER_BYTES, TCP_HEADER_BYTES,
};
pub use timing::Ticks;
pub use window::Window;
