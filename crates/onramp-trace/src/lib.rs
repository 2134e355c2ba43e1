//! Traces of simulated runs, in the formats that people's tools read.
//!
//! A [`CaseTrace`] is an [`Observer`](onramp_sim::observe::Observer): the simulator shows it a run,
//! and it writes each of the wanted [`Format`]s as the run goes on. It changes nothing of the run,
//! and what it writes depends on nothing but the case. [`Traces`] keeps the files of all cases
//! together:
//!
//! ```text
//!    Traces::begin --> Traces::case --> CaseTrace --> a run --> Traces::keep --> Traces::finish
//!    checks DIR        for each case    observes                renames          writes the list of files
//! ```
//!
//! `docs/traces.md` describes the formats for those who read the files.

mod address;
mod case_trace;
mod csv;
mod directory;
mod format;
mod names;
mod output;
mod packet;
mod pcapng;
mod qlog;
mod sender_view;
mod xplot;

#[cfg(test)]
mod testing;

pub use address::{endpoints, node_address};
pub use case_trace::CaseTrace;
pub use directory::{Error, FileEntry, Kept, Traces};
pub use format::Format;
