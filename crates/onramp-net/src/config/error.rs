//! The error of an invalid configuration.

use std::fmt;

/// Why a link cannot be built from a [`Config`](crate::Config).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigError {
    /// A value is outside its range.
    Range {
        /// The field, as a path of field names.
        field: &'static str,
        /// Its value.
        value: u64,
        /// Smallest valid value.
        min: u64,
        /// Largest valid value.
        max: u64,
    },
    /// A change has an earlier time than the change before it in the list.
    ChangesUnsorted {
        /// Index of the change with the earlier time.
        index: usize,
    },
    /// A change or step of the rate of a link that carries bytes at single moments.
    RateOfOpportunities,
    /// Frames on a link that carries bytes at single moments.
    FramesOfOpportunities,
    /// A change of the rate of a link whose rate changes at random.
    RateOfSteps,
    /// A change of what a recording gives.
    ChangeOfRecorded {
        /// `delay` or `loss`.
        what: &'static str,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Range {
                field,
                value,
                min,
                max,
            } => {
                write!(f, "{field} is {value}; it must be between {min} and {max}")
            }
            ConfigError::ChangesUnsorted { index } => {
                write!(
                    f,
                    "changes[{index}] is earlier than the change before it; \
                     sort the changes by time"
                )
            }
            ConfigError::RateOfOpportunities => f.write_str(
                "a link with delivery opportunities or a recorded rate has no rate that could \
                 change; remove the changes and steps of the rate, or make the service steady",
            ),
            ConfigError::FramesOfOpportunities => f.write_str(
                "delivery opportunities count IP packets; \
                 remove the framing, or make the service steady",
            ),
            ConfigError::RateOfSteps => f.write_str(
                "a link cannot have both rate steps and changes of the rate; \
                 remove one of them",
            ),
            ConfigError::ChangeOfRecorded { what } => write!(
                f,
                "a link cannot have both a recorded {what} and changes of the {what}; \
                 remove one of them"
            ),
        }
    }
}

impl std::error::Error for ConfigError {}
