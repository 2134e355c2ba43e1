//! The result of a comparison: what was measured, what was predicted, and the verdict.

use crate::{Allowed, Comparison, Measured};
use serde::Serialize;

/// A comparison that has been measured. The serialised names are an interface
/// (`onramp theory --json`).
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Title of the section.
    pub section: &'static str,
    /// What distinguishes this row from the others of its section.
    pub what: String,
    /// Unit of `measured` and `predicted`.
    pub unit: &'static str,
    /// The measured value.
    pub measured: f64,
    /// Standard error of `measured`.
    pub error: f64,
    /// The value of the formula.
    pub predicted: f64,
    /// `measured / predicted`.
    pub ratio: f64,
    /// Minimum and maximum permitted for `measured`; null if the row is not judged.
    pub allowed: Option<[f64; 2]>,
    /// Whether `measured` lies within `allowed`; null if the row is not judged.
    pub holds: Option<bool>,
    /// The formula of the section.
    #[serde(skip)]
    pub formula: &'static str,
    /// The reason for the tolerance.
    #[serde(skip)]
    pub reason: &'static str,
}

impl Row {
    /// Judges a measurement.
    pub fn new(comparison: &Comparison, measured: Measured) -> Row {
        let predicted = comparison.predicted;
        Row {
            section: comparison.section.title,
            what: comparison.what.clone(),
            unit: comparison.section.unit,
            measured: measured.value,
            error: measured.error,
            predicted,
            ratio: measured.value / predicted,
            allowed: match comparison.allowed {
                Allowed::Shares(min, max) => Some([min * predicted, max * predicted]),
                Allowed::Values(min, max) => Some([min, max]),
                Allowed::Anything => None,
            },
            holds: comparison.judge(measured.value),
            formula: comparison.section.formula,
            reason: comparison.section.reason,
        }
    }

    /// Whether the row was judged and the measurement lies outside its tolerance.
    pub fn misses(&self) -> bool {
        self.holds == Some(false)
    }
}
