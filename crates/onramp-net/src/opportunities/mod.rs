//! Delivery opportunities: moments at which a link carries up to 1500 bytes.
//!
//! A recording of a mobile network is a list of such moments. The format is that of mahimahi
//! (Netravali et al., USENIX ATC 2015), and a link behaves as its `mm-link` does:
//!
//! - The bytes of an opportunity are shared by several small packets, and a packet may need several
//!   opportunities. It has left when its last byte has been carried.
//! - What an opportunity could carry beyond the waiting packets is lost.
//! - A packet that arrives at the very time of an opportunity is too late for it.
//! - After the last opportunity the recording begins again. The time of the last one is its length.

mod fading;
mod trace;

pub use trace::{Opportunities, TraceError, MAX_TRACE_BYTES};

/// What an opportunity carries.
pub const OPPORTUNITY_BYTES: u32 = 1500;

/// A millisecond, the unit of recordings.
const MS_NS: u64 = 1_000_000;
