//! How Onramp's tests wait, and made-up results for tests and examples.

#[cfg(feature = "samples")]
pub mod samples;
mod waiting;

pub use waiting::{is_true_soon, undisturbed, wait_for, wait_until, HANG, RUNS};

/// The example in the README compiles.
#[cfg(all(doctest, feature = "samples"))]
#[doc = include_str!("../README.md")]
struct Readme;
