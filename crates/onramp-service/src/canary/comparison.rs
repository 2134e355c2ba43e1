//! What a look at a policy's two groups shows.

use super::{shares, times, Settings};
use crate::counts::{Comparison, GroupCounts, Histogram, Interval};

/// Quantities that are compared: each has a third of the error rate.
const QUANTITIES: f64 = 3.0;

/// Compares two groups that were measured in the same time. `error_rate` is that of all intervals
/// together.
pub fn compare(
    startup: &GroupCounts,
    control: &GroupCounts,
    settings: &Settings,
    error_rate: f64,
) -> Comparison {
    let each = error_rate / QUANTITIES;
    let enough = |interval: &Interval| {
        interval.with_startup.min(interval.control) >= settings.min_connections
    };
    let ratio = |startup, control| times::ratio(startup, control, each).filter(enough);
    let retransmitted = shares::difference(&startup.segments, &control.segments, each);
    Comparison {
        error_rate,
        time_to_100_kb: ratio(&startup.time_to_100_kb, &control.time_to_100_kb),
        time_to_1_mb: ratio(&startup.time_to_1_mb, &control.time_to_1_mb),
        retransmitted: retransmitted.filter(enough),
    }
}

/// What is worse in the start-up's group, beyond what is tolerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Worse {
    TimeTo100Kb,
    TimeTo1Mb,
    Retransmitted,
}

/// The first quantity that is worse. It needs less time than a [`Comparison`], so that every look
/// can ask.
pub(super) fn worse(
    startup: &GroupCounts,
    control: &GroupCounts,
    settings: &Settings,
    error_rate: f64,
) -> Option<Worse> {
    let each = error_rate / QUANTITIES;
    let enough = |startup: u64, control: u64| startup.min(control) >= settings.min_connections;
    let tolerated = 1.0 + settings.tolerated_slowdown;
    let longer = |startup: &Histogram, control: &Histogram| {
        enough(startup.count(), control.count()) && times::longer(startup, control, tolerated, each)
    };
    if longer(&startup.time_to_100_kb, &control.time_to_100_kb) {
        return Some(Worse::TimeTo100Kb);
    }
    if longer(&startup.time_to_1_mb, &control.time_to_1_mb) {
        return Some(Worse::TimeTo1Mb);
    }
    let (startup, control) = (&startup.segments, &control.segments);
    let more = enough(startup.connections, control.connections)
        && shares::larger(startup, control, settings.tolerated_retransmissions, each);
    more.then_some(Worse::Retransmitted)
}
