//! Why a start-up was switched off.

use crate::counts::Interval;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why a start-up was switched off, with the measured values. Its text is a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "reason")]
pub enum Reason {
    /// The start-up's connections take longer than the control group's.
    Slower {
        /// The payload until which the time was measured, in bytes.
        payload_bytes: u64,
        /// The ratio of the times.
        ratio: Interval,
        /// The ratio of the means; it is exact.
        mean_ratio: f64,
        /// The ratio that is tolerated.
        tolerated: f64,
    },
    /// They retransmit a larger share of their segments.
    RetransmitsMore {
        /// The share of the start-up's connections.
        with_startup: f64,
        /// The share of the control group.
        control: f64,
        /// The difference.
        difference: Interval,
        /// The difference that is tolerated.
        tolerated: f64,
    },
    /// They retransmit more than the policy's budget.
    BeyondBudget {
        /// The share of the start-up's connections.
        with_startup: f64,
        /// The share of the control group; `None`: it sent nothing.
        control: Option<f64>,
        /// The budget.
        budget: f64,
    },
}

impl Reason {
    /// One word, for metrics and journal fields.
    pub fn name(&self) -> &'static str {
        match self {
            Reason::Slower { .. } => "slower",
            Reason::RetransmitsMore { .. } => "retransmits-more",
            Reason::BeyondBudget { .. } => "beyond-budget",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Slower {
                payload_bytes,
                ratio,
                mean_ratio,
                tolerated,
            } => write!(
                f,
                "connections with the start-up took {} times as long as the control group for the \
                 first {} kB (at least {}, tolerated {}; means {}; {} connections against {})",
                Ratio(ratio.estimate),
                payload_bytes / 1000,
                Ratio(ratio.lower),
                Ratio(*tolerated),
                Ratio(*mean_ratio),
                ratio.with_startup,
                ratio.control,
            ),
            Reason::RetransmitsMore {
                with_startup,
                control,
                difference,
                tolerated,
            } => write!(
                f,
                "connections with the start-up retransmitted {} of their segments, the control \
                 group {} (at least {} percentage points more, tolerated {}; {} connections \
                 against {})",
                Percent(*with_startup),
                Percent(*control),
                Points(difference.lower),
                Points(*tolerated),
                difference.with_startup,
                difference.control,
            ),
            Reason::BeyondBudget {
                with_startup,
                control,
                budget,
            } => {
                write!(
                    f,
                    "connections with the start-up retransmitted {} of their segments, and the \
                     budget is {}",
                    Percent(*with_startup),
                    Percent(*budget)
                )?;
                match control {
                    Some(control) => write!(f, " (control group: {})", Percent(*control)),
                    None => Ok(()),
                }
            }
        }
    }
}

/// A ratio with three digits.
struct Ratio(f64);

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

/// A share as percent.
struct Percent(f64);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} %", 100.0 * self.0)
    }
}

/// A difference of shares as percentage points.
struct Points(f64);

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2}", 100.0 * self.0)
    }
}
