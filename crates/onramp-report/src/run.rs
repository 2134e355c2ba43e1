//! What a report is made from: runs, and where they were made.

use onramp_results::{Record, Trace};
use serde::Serialize;

/// One transfer: its result and, where it was traced, what the plots are drawn from.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The result.
    pub record: Record,
    /// Samples of the sender, its segments and the events of its start-up.
    pub trace: Option<Trace>,
}

/// Where and how the runs were made. The caller fills it in. A report contains no fact about the
/// machine that is not here or in a record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Meta {
    /// Heading of the page.
    pub title: String,
    /// One paragraph: what was run.
    pub what: String,
    /// Name and description of each scenario.
    pub scenarios: Vec<(String, String)>,
    /// Version of Onramp.
    pub version: String,
    /// The command line that made the report.
    pub command: String,
    /// Date and time as text, for example `2031-05-04 12:00 UTC`.
    pub date: String,
    /// Release of the kernel, for example `6.18.5`.
    pub kernel_release: String,
    /// Number of processors that the runs could use.
    pub cpus: usize,
}
