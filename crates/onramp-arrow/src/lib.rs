//! Results and traces as Arrow record batches: typed columns, with the unit in each name.

mod column;
mod records;
mod traces;

pub use column::{column, record_batch, Cell, Unsigned};
pub use records::{records, Row};
pub use traces::{events, receivers, segments, senders};

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct ReadmeDoctests;
