//! The papers that Onramp builds on: what they measured, and the same measured again by this
//! simulator.
//!
//! Each paper has a folder beside this one, named as on the command line:
//!
//! - `paper.toml`, its [`Ledger`]: every number and statement that counts, what the paper leaves
//!   open and how it was decided, and the alternatives;
//! - its scenarios, files that `onramp sim` runs as well;
//! - `mod.rs` and what belongs to it: how each [`Part`] is measured in those scenarios, its figures
//!   and tables.
//!
//! [`reproduce`] measures, judges each row by its rule and gives a [`Reproduction`]; `onramp
//! reproduce` shows it on a terminal and [`page`](page()) as a page. Nothing here knows a paper's
//! numbers but its ledger.

mod bench;
mod expectation;
mod ledger;
mod page;
mod reproduce;
mod settings;
mod statistics;
mod study_table;
mod view;
mod watch;

mod aron_druschel_1998;
mod chaher_geo_satellite;
mod nishida_packet_pair;
mod ritter_guaranteed_bandwidth;
mod wang_astart;

pub use bench::{Bench, Options, Run};
pub use expectation::{Claim, Expected, Rule, Value};
pub use ledger::{Alternative, Choice, Ledger, Row};
pub use page::{file_name, index, page};
pub use reproduce::{
    reproduce, Figure, Influence, Measured, Part, Record, ReproducedPart, Reproduction,
};
pub use settings::Settings;
pub use statistics::median;
pub use study_table::Table;
pub use view::{Change, Note, PartView};
pub use watch::{Crossing, Flow, Timeout, Total, Watch, Windows};

/// A paper.
pub struct Paper {
    /// What it says.
    pub ledger: Ledger,
    /// How each part of it is measured, in the ledger's order.
    pub parts: &'static [Part],
    /// Texts of scenario files that show the same on a real kernel, beside the controls of today.
    pub kernel: &'static [&'static str],
    /// Draws what they gave there.
    pub kernel_figures: Option<KernelFigures>,
}

/// Draws a paper's figures from the transfers of its [`kernel`](Paper::kernel) scenarios, in their
/// order and with traces.
pub type KernelFigures = fn(&[onramp_report::Run]) -> Vec<Figure>;

/// Why a paper could not be reproduced.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The simulator did not run a scenario.
    #[error("{scenario}: {error}")]
    Simulator {
        /// Its name.
        scenario: String,
        /// Why.
        error: onramp_sim::Error,
    },
}

/// All papers, in the order of their years.
pub fn papers() -> Vec<Paper> {
    vec![
        aron_druschel_1998::paper(),
        chaher_geo_satellite::paper(),
        nishida_packet_pair::paper(),
        ritter_guaranteed_bandwidth::paper(),
        wang_astart::paper(),
    ]
}
