//! The start-up's group beside the control group, as the canary's test computes it.

use serde::{Deserialize, Serialize};

/// An estimate, and the interval that holds the true value at every look, with the error rate of
/// its [`Comparison`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The most plausible value.
    pub estimate: f64,
    /// The lower end of the interval.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
    /// Connections with the start-up that it rests on.
    pub with_startup: u64,
    /// Connections of the control group that it rests on.
    pub control: u64,
}

/// The start-up's group beside its control group. `None`: too few connections for an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The probability that one of the intervals misses the true value at any look.
    pub error_rate: f64,
    /// The ratio of the times until 100 kB were acknowledged: above 1, the start-up is slower.
    pub time_to_100_kb: Option<Interval>,
    /// The same until 1 MB was acknowledged.
    pub time_to_1_mb: Option<Interval>,
    /// The difference of the retransmitted shares of segments: above 0, the start-up retransmits
    /// more. 0.01 is one percentage point.
    pub retransmitted: Option<Interval>,
}
