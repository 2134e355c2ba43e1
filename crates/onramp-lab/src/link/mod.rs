//! The emulated path: one thread moves packets between two TUN devices through onramp-net links.

mod departures;
mod emissions;
mod lateness;
mod segments;
mod sources;
mod thread;

pub use emissions::Emission;
pub use lateness::Lateness;
pub use segments::{Segment, SegmentLog, SegmentLogs};
pub use thread::{LinkPlan, LinkReport, LinkThread};
