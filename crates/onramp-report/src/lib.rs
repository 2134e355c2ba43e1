//! What a comparison of start-ups says, for people and for programs: a table for the terminal, a
//! page that needs nothing but itself, and files that other tools read.
//!
//! - [`table`] for the terminal;
//! - [`prepare`] before a long run, [`write`](write()) after it, for `--out DIR`;
//! - [`to_json`] for `--json`;
//! - [`plot`], [`trace_graph`], [`ladder`] and [`reproduction`] for papers computed again: any
//!   plot, the trace graph of a sender, what two ends send each other, and a page of tables and
//!   figures; [`text_table`] and [`table_to_csv`] for any table; [`write_files`] puts them into a
//!   directory.
//!
//! `docs/results.md` explains every field, column and plot.

mod columns;
mod export;
mod figure;
mod html;
pub mod ladder;
mod layout;
mod link;
mod out_dir;
mod page;
pub mod plot;
pub mod reproduction;
mod spread;
mod summary;
mod svg;
mod table;
mod text_table;
mod thin;
pub mod trace_graph;
mod units;
mod write;

#[cfg(test)]
#[path = "../examples/sample/synthetic.rs"]
mod sample;

pub use export::{table_to_csv, to_csv, to_json, SCHEMA_VERSION};
pub use layout::TableOptions;
pub use out_dir::{prepare_files, write_files, Error};
pub use page::page;
pub use table::table;
pub use text_table::text_table;
pub use write::{prepare, write, Written};

use onramp_results::{Record, Trace};
use serde::Serialize;

/// One transfer: what it answered and, where it was watched, how it moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The result.
    pub record: Record,
    /// What the plots are drawn from.
    pub trace: Option<Trace>,
}

/// Where and how the runs were made. The caller fills it in, the report repeats it: nothing about
/// the machine is in a report that is not here or in a record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Meta {
    /// Heading of the page.
    pub title: String,
    /// One paragraph: what was run.
    pub what: String,
    /// Sentences about scenarios: name, description.
    pub scenarios: Vec<(String, String)>,
    /// Version of Onramp.
    pub version: String,
    /// The command line that made the report.
    pub command: String,
    /// When, as text, for example `2031-05-04 12:00 UTC`.
    pub date: String,
    /// Release of the kernel, for example `6.18.5`.
    pub kernel_release: String,
    /// Processors that the runs could use.
    pub cpus: usize,
}
