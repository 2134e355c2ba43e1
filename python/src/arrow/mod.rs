//! Results and traces as Arrow record batches: typed columns, with the unit in each name.
//!
//! Counts and sizes are signed integers of 64 bits, so that differences have their sign.

pub(crate) mod column;
mod records;
mod traces;

pub(crate) use column::batch;
pub use records::{records, Row};
pub use traces::{events, receivers, segments, senders};
