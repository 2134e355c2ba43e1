//! Does the start-up's group retransmit a larger share of its segments?
//!
//! The share R of a group is a ratio of two sums over its connections: retransmitted segments over
//! sent segments. One connection's segments are lost together, so a test that takes segments as
//! independent would see differences where there are none. The variance of R is that of the
//! residuals r - R s over the connections (Cochran 1977, 6.3), from the sums of squares and
//! products that the kernel counts.

use super::sequence::{effective, limit};
use crate::counts::{Interval, Segments};

/// The test is made when so many connections of both groups retransmitted. Fewer of them say too
/// little about the variance.
pub const MIN_RETRANSMITTING: u64 = 30;

/// Is the start-up's share larger than the control group's by more than `tolerated` (0.002: 0.2
/// percentage points), with this error rate at any number of looks?
pub fn larger(startup: &Segments, control: &Segments, tolerated: f64, error_rate: f64) -> bool {
    let interval = difference(startup, control, error_rate);
    interval.is_some_and(|interval| interval.lower > tolerated)
}

/// The difference of the retransmitted shares, the start-up's less the control group's, with its
/// interval. `None`: too few connections retransmitted.
pub fn difference(startup: &Segments, control: &Segments, error_rate: f64) -> Option<Interval> {
    let retransmitting = startup.connections_retransmitting + control.connections_retransmitting;
    if retransmitting < MIN_RETRANSMITTING {
        return None;
    }
    let share = startup.retransmitted_share()? - control.retransmitted_share()?;
    let mut both = *startup;
    both.merge(control);
    // A group that was spared by chance has too small a variance: it gets that of both groups.
    let pooled = variance_of_a_connection(&both)?;
    let of_group = |group: &Segments| {
        let own = variance_of_a_connection(group).unwrap_or(0.0);
        own.max(pooled) / group.connections as f64
    };
    let error = (of_group(startup) + of_group(control)).sqrt();
    let values = effective(startup.connections, control.connections);
    let margin = limit(values, error_rate) * error;
    Some(Interval {
        estimate: share,
        lower: share - margin,
        upper: share + margin,
        with_startup: startup.connections,
        control: control.connections,
    })
}

/// The smallest share that is plausible for a group at any number of looks. `None`: too few
/// connections.
pub(super) fn lower_limit(group: &Segments, error_rate: f64) -> Option<f64> {
    if group.connections_retransmitting < MIN_RETRANSMITTING {
        return None;
    }
    let connections = group.connections as f64;
    let error = (variance_of_a_connection(group)? / connections).sqrt();
    Some(group.retransmitted_share()? - limit(connections, error_rate) * error)
}

/// The variance that a single connection would give to the share.
fn variance_of_a_connection(group: &Segments) -> Option<f64> {
    let share = group.retransmitted_share()?;
    let connections = group.connections as f64;
    let residuals = group.retransmitted_squares as f64 - 2.0 * share * group.products as f64
        + share * share * group.sent_squares as f64;
    let mean_sent = group.sent as f64 / connections;
    Some(residuals.max(0.0) / connections / (mean_sent * mean_sent))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every tenth connection loses a burst.
    fn group(connections: u64, burst: u64) -> Segments {
        let mut group = Segments::default();
        for number in 0..connections {
            group.add(100, if number % 10 == 0 { burst } else { 0 });
        }
        group
    }

    #[test]
    fn the_variance_is_that_of_the_connections_not_of_the_segments() {
        let group = group(1_000, 20);
        // The share of a connection is 0.2 with probability 0.1, else 0.
        let variance = variance_of_a_connection(&group).unwrap();
        assert!(
            (variance - 0.2 * 0.2 * 0.1 * 0.9).abs() < 1e-9,
            "{variance}"
        );
        // Independent segments would have 0.02 * 0.98 / 100 for each connection: 18 times less.
        assert!(variance > 18.0 * 0.02 * 0.98 / 100.0);
    }

    #[test]
    fn a_larger_share_is_found_and_a_smaller_one_is_not_called_larger() {
        let control = group(20_000, 10);
        assert!(larger(&group(2_000, 40), &control, 0.002, 0.003));
        assert!(!larger(&group(2_000, 11), &control, 0.002, 0.003));
        assert!(!larger(&group(2_000, 2), &control, 0.002, 0.003));
        let less = difference(&group(2_000, 2), &control, 0.003).unwrap();
        assert!(less.upper < 0.0, "{less:?}");
    }

    #[test]
    fn few_losses_tell_nothing() {
        assert_eq!(difference(&group(100, 20), &group(100, 20), 0.01), None);
        let none = Segments::default();
        assert_eq!(difference(&none, &none, 0.01), None);
        assert_eq!(difference(&group(1_000, 20), &none, 0.01), None);
    }

    #[test]
    fn a_control_group_that_never_retransmitted_has_the_variance_of_both() {
        let interval = difference(&group(400, 2), &group(200, 0), 0.01).unwrap();
        assert!(interval.lower < 0.0 && interval.upper > 0.0, "{interval:?}");
    }
}
