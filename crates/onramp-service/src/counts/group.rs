//! What the connections of one group of a policy did.

use super::{Histogram, Scale};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the connections of one group did: those with the start-up, or the control group.
///
/// All but `exits`, `startup_time` and `estimate` is measured by the same means in both groups,
/// independent of the congestion control. These three only a start-up knows; they are empty for a
/// control group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroupCounts {
    /// Connections that were established.
    pub connections: u64,
    /// Connections that have not ended.
    pub live: u64,
    /// Start-ups that ended, by the reason (the exit names of `core/registry.h`).
    pub exits: BTreeMap<String, u64>,
    /// Time from the establishment until 100 kB were acknowledged, in microseconds.
    pub time_to_100_kb: Histogram,
    /// Time from the establishment until 1 MB was acknowledged, in microseconds.
    pub time_to_1_mb: Histogram,
    /// Time from the establishment to the end of the start-up, in microseconds.
    pub startup_time: Histogram,
    /// The start-up's estimate of the path's rate, in bytes per second.
    pub estimate: Histogram,
    /// Smoothed RTT when the measurement ended, in microseconds.
    pub smoothed_rtt: Histogram,
    /// Segments of connections whose measurement ended.
    pub segments: Segments,
}

impl Default for GroupCounts {
    fn default() -> GroupCounts {
        GroupCounts {
            connections: 0,
            live: 0,
            exits: BTreeMap::new(),
            time_to_100_kb: Histogram::new(Scale::Time),
            time_to_1_mb: Histogram::new(Scale::Time),
            startup_time: Histogram::new(Scale::Time),
            estimate: Histogram::new(Scale::Rate),
            smoothed_rtt: Histogram::new(Scale::Time),
            segments: Segments::default(),
        }
    }
}

impl GroupCounts {
    /// Adds another group's counts to these.
    pub fn merge(&mut self, other: &GroupCounts) {
        self.connections += other.connections;
        self.live += other.live;
        for (exit, startups) in &other.exits {
            *self.exits.entry(exit.clone()).or_default() += startups;
        }
        self.time_to_100_kb.merge(&other.time_to_100_kb);
        self.time_to_1_mb.merge(&other.time_to_1_mb);
        self.startup_time.merge(&other.startup_time);
        self.estimate.merge(&other.estimate);
        self.smoothed_rtt.merge(&other.smoothed_rtt);
        self.segments.merge(&other.segments);
    }

    /// What was counted since `earlier`. `live` stays what it is now.
    pub fn since(&self, earlier: &GroupCounts) -> GroupCounts {
        let exits = self.exits.iter().map(|(exit, startups)| {
            let before = earlier.exits.get(exit).copied().unwrap_or(0);
            (exit.clone(), startups.saturating_sub(before))
        });
        GroupCounts {
            connections: self.connections.saturating_sub(earlier.connections),
            live: self.live,
            exits: exits.collect(),
            time_to_100_kb: self.time_to_100_kb.since(&earlier.time_to_100_kb),
            time_to_1_mb: self.time_to_1_mb.since(&earlier.time_to_1_mb),
            startup_time: self.startup_time.since(&earlier.startup_time),
            estimate: self.estimate.since(&earlier.estimate),
            smoothed_rtt: self.smoothed_rtt.since(&earlier.smoothed_rtt),
            segments: self.segments.since(&earlier.segments),
        }
    }
}

/// Segments that connections sent and retransmitted. A connection is added once: when 1 MB was
/// acknowledged, or when it ended before that.
///
/// The segments of one connection are lost together, so they are not independent trials. The sums
/// of squares and products over connections make the variance of the retransmitted share known all
/// the same (the variance of a ratio of two sums over clusters).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segments {
    /// Connections that were added.
    pub connections: u64,
    /// Those of them that retransmitted at least one segment.
    pub connections_retransmitting: u64,
    /// Segments with payload that were sent, with retransmissions.
    pub sent: u64,
    /// Segments that were retransmitted.
    pub retransmitted: u64,
    /// Sum over connections of `sent` squared.
    pub sent_squares: u64,
    /// Sum over connections of `retransmitted` squared.
    pub retransmitted_squares: u64,
    /// Sum over connections of `sent` times `retransmitted`.
    pub products: u64,
}

impl Segments {
    /// Adds a connection that sent so many segments, of which so many were retransmissions.
    pub fn add(&mut self, sent: u64, retransmitted: u64) {
        self.merge(&Segments {
            connections: 1,
            connections_retransmitting: u64::from(retransmitted > 0),
            sent,
            retransmitted,
            sent_squares: sent * sent,
            retransmitted_squares: retransmitted * retransmitted,
            products: sent * retransmitted,
        });
    }

    /// The share of the segments that were retransmissions; `None`: none was sent.
    pub fn retransmitted_share(&self) -> Option<f64> {
        (self.sent != 0).then(|| self.retransmitted as f64 / self.sent as f64)
    }

    /// Adds other connections to these.
    pub fn merge(&mut self, other: &Segments) {
        *self = self.each(other, u64::wrapping_add);
    }

    /// What was added since `earlier`.
    pub fn since(&self, earlier: &Segments) -> Segments {
        self.each(earlier, u64::saturating_sub)
    }

    fn each(&self, other: &Segments, of: impl Fn(u64, u64) -> u64) -> Segments {
        Segments {
            connections: of(self.connections, other.connections),
            connections_retransmitting: of(
                self.connections_retransmitting,
                other.connections_retransmitting,
            ),
            sent: of(self.sent, other.sent),
            retransmitted: of(self.retransmitted, other.retransmitted),
            sent_squares: of(self.sent_squares, other.sent_squares),
            retransmitted_squares: of(self.retransmitted_squares, other.retransmitted_squares),
            products: of(self.products, other.products),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(connections: u64) -> GroupCounts {
        let mut group = GroupCounts {
            connections,
            live: 1,
            exits: [("delay".to_owned(), connections)].into(),
            ..GroupCounts::default()
        };
        for number in 0..connections {
            group.time_to_100_kb.add(20_000 * (number + 1));
            group.segments.add(100, number % 2);
        }
        group
    }

    #[test]
    fn what_was_merged_is_the_difference() {
        let (earlier, further) = (group(3), group(5));
        let mut later = earlier.clone();
        later.merge(&further);
        assert_eq!(later.connections, 8);
        let mut since = later.since(&earlier);
        assert_eq!(since.live, 2);
        since.live = further.live;
        assert_eq!(since, further);
    }

    #[test]
    fn the_retransmitted_share_is_that_of_all_segments() {
        let segments = group(4).segments;
        assert_eq!(segments.retransmitted_share(), Some(2.0 / 400.0));
        assert_eq!(segments.connections_retransmitting, 2);
        assert_eq!(Segments::default().retransmitted_share(), None);
    }
}
