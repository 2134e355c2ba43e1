//! The formats.

use serde::Serialize;

/// A format of trace files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A line for each acknowledgement that a sender dealt with.
    Csv,
    /// All packets at all hosts and links.
    Pcapng,
    /// What a sender did, as events; a file for each flow.
    Qlog,
    /// A time-sequence graph; a file for each flow.
    Xplot,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 4] = [Format::Csv, Format::Pcapng, Format::Qlog, Format::Xplot];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Pcapng => "pcapng",
            Format::Qlog => "qlog",
            Format::Xplot => "xplot",
        }
    }

    /// How its files' names end. `.sqlog` tells readers that a qlog file is a sequence of JSON
    /// texts.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Format::Qlog => "sqlog",
            Format::Xplot => "xpl",
            other => other.name(),
        }
    }

    /// What is counted against the limit of a file.
    pub(crate) fn entries(self) -> &'static str {
        match self {
            Format::Csv => "lines",
            Format::Pcapng => "packets",
            Format::Qlog => "events",
            Format::Xplot => "segments and acknowledgements",
        }
    }
}
