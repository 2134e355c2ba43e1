//! Minimum and maximum values that several keys share, and the tables in which they may have lists.

use onramp_config::key::List;

pub(crate) const RATES: (&str, &str) = ("1 kbit/s", "1000 Gbit/s");
/// Losses for a whole run. A transfer beyond 50 % hardly ends.
pub(crate) const LOSSES: (&str, &str) = ("0 %", "50 %");
pub(crate) const PROBABILITIES: (&str, &str) = ("0 %", "100 %");
pub(crate) const DELAYS: (&str, &str) = ("0 s", "3600 s");
/// Queues, in each unit.
pub(crate) const QUEUES: [(&str, &str); 3] = [
    ("1 packet", "1000000000 packets"),
    ("1 B", "1000 GB"),
    ("0.000001 bdp", "1000 bdp"),
];

/// Keys that may have a list for the forward direction of a path.
pub(crate) const FORWARD: List = List::FactorIn(&["path"]);
/// Keys that may have a list for either direction of a path.
pub(crate) const BOTH_DIRECTIONS: List = List::FactorIn(&["path", "path.reverse"]);
