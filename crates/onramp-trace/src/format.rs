//! The formats of trace files.

use serde::Serialize;

/// A format of trace files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// CSV: a line for each ACK that a sender processed.
    Csv,
    /// A capture of all packets at all hosts and links, for Wireshark.
    Pcapng,
    /// qlog: the events of a sender; a file for each flow.
    Qlog,
    /// A time-sequence graph for xplot; a file for each flow.
    Xplot,
}

impl Format {
    /// All formats, in the order in which files are listed.
    pub const ALL: [Format; 4] = [Format::Csv, Format::Pcapng, Format::Qlog, Format::Xplot];

    /// The name of the format, such as `pcapng`.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Pcapng => "pcapng",
            Format::Qlog => "qlog",
            Format::Xplot => "xplot",
        }
    }

    /// The extension of its files' names. `.sqlog` marks a qlog file as a sequence of JSON texts.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Qlog => "sqlog",
            Format::Xplot => "xpl",
            other => other.name(),
        }
    }

    /// The entries whose number in a file is limited.
    pub(crate) fn entries(self) -> &'static str {
        match self {
            Format::Csv => "lines",
            Format::Pcapng => "packets",
            Format::Qlog => "events",
            Format::Xplot => "segments and acknowledgements",
        }
    }
}
