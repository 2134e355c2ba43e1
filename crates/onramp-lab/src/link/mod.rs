//! The emulated path: one thread that carries packets between two TUN devices through two onramp-net links.

mod buffers;
mod emissions;
mod lateness;
mod realtime;
mod segments;
mod thread;

pub use buffers::{Buffer, Pool};
pub use emissions::Emission;
pub use lateness::Lateness;
pub use realtime::{pin_away_from, CpuLease};
pub use segments::SegmentLog;
pub use thread::{LinkReport, LinkThread, Path};
