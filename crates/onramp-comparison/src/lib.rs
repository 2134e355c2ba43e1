//! Start-ups, compared over families of paths.
//!
//! | step | use |
//! |---|---|
//! | which paths | [`families`], [`recorded_families`], or a [`Family`] of your own scenarios |
//! | which start-ups | [`Startup`], [`DEFAULT_STARTUPS`] |
//! | which runs | [`Plan`]: the same paths, seeds and avoidance for each start-up |
//! | the results | [`Comparison`]: a [`Row`] for each start-up and family |
//! | simulator and kernel | [`side_by_side`] |
//! | for people | [`page`](page()), [`tables`], [`manual`] |
//!
//! `docs/comparison.md` shows the whole comparison, and says what each number means.

mod beside;
mod cell;
mod comparison;
pub mod manual;
mod page;
mod plan;
mod recorded;
mod run;
mod set;
mod startup;
pub mod tables;

pub use beside::{side_by_side, SideBySide};
pub use cell::CellResult;
pub use comparison::{Comparison, FamilyResult, Place, Row, NEAR};
pub use onramp_report::statistics;
pub use page::{page, PageOptions};
pub use plan::Plan;
pub use recorded::{recorded_families, recorded_scenarios, RECORDED_STARTS};
pub use run::Run;
pub use set::{families, kernel_family, real_paths, tried_families};
pub use set::{Family, Kind, RealPaths, SECOND};
pub use startup::{Startup, UnknownStartup, DEFAULT_STARTUPS};

/// The example in the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
