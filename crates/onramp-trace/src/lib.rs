//! Traces of simulated runs, in the formats of common tools: CSV, pcapng, qlog and xplot.
//!
//! A [`CaseTrace`] is an [`Observer`](onramp_sim::observe::Observer). The simulator passes it each
//! event of a run, and it writes each requested [`Format`] while the run goes on. Tracing does not
//! change the run. The files depend on the case alone, so they are the same on every machine.
//! [`Traces`] manages the files of all cases:
//!
//! ```text
//!    Traces::begin --> Traces::case --> CaseTrace --> Traces::keep --> Traces::finish
//!    checks DIR        for each case    observes a    renames its      writes the list
//!                                       run           files            of files
//! ```
//!
//! `docs/traces.md` describes the content of the files.

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
mod writer;
mod xplot;

#[cfg(test)]
mod testing;

pub use address::{endpoints, node_address};
pub use case_trace::{CaseTrace, MemoryFile};
pub use directory::{Error, FileEntry, Kept, Traces};
pub use format::Format;

/// The example in the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
