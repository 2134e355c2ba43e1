//! The papers that Onramp builds on: their measurements, repeated by Onramp's simulator.
//!
//! Each paper has a folder beside this one, named as on the command line:
//!
//! - `paper.toml`, its [`Ledger`]: its parts, the words of its figures and tables, every number and
//!   statement that counts, the questions that the paper leaves open, their decided answers, and
//!   the alternatives;
//! - its scenarios, files that `onramp sim` runs too;
//! - `mod.rs` and its parts: how each [`Part`] is measured in those scenarios, with the data of its
//!   figures and tables.
//!
//! [`reproduce`] measures, judges each row by its rule and returns a [`Reproduction`]. `onramp
//! reproduce` prints it on a terminal, and [`page`](page()) makes a page of it. Only the ledger
//! contains a paper's numbers.

mod bench;
mod entries;
mod error;
mod expectation;
mod figure;
mod frozen;
mod judge;
mod ledger;
mod memo;
mod page;
mod paper;
mod reproduce;
mod settings;
mod study_table;
mod view;
mod watch;

mod aron_druschel_1998;
mod chaher_geo_satellite;
mod nishida_packet_pair;
mod ritter_guaranteed_bandwidth;
mod wang_astart;

pub use bench::{Bench, Options, OtherSeeds, Run};
pub use entries::{changes_table, entries_table, entry_of, rows_table, verdict, Entry};
pub use error::Error;
pub use expectation::{Claim, Expected, Rule, Value};
pub use figure::Figure;
pub use judge::{Seeds, Verdict};
pub use ledger::{AboutFigure, AboutPart, AboutTable};
pub use ledger::{Alternative, Changed, Choice, Kind, Ledger, Row};
pub use page::{file_name, index, page};
pub use paper::{KernelFigures, Measure, Measured, Paper, Part, Samples};
pub use reproduce::{reproduce, Influence, Record, ReproducedPart, Reproduction};
pub use settings::Settings;
pub use study_table::Table;
pub use view::{Change, Note, PartView};
pub use watch::{Crossing, Flow, Sum, Timeout, Total, Watch, Windows};

/// All papers, by first author.
pub fn papers() -> Vec<Paper> {
    vec![
        aron_druschel_1998::paper(),
        chaher_geo_satellite::paper(),
        nishida_packet_pair::paper(),
        ritter_guaranteed_bandwidth::paper(),
        wang_astart::paper(),
    ]
}

/// The example of the README.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeExample;
