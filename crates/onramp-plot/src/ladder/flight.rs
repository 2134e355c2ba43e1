//! The lines of a ladder: each from the sending of a packet to its arrival, or to its loss.

use super::labels::clock;
use super::{Ladder, Rung};
use crate::svg::axes::Scale;

/// A rung with finite times.
pub(super) struct Flight<'a> {
    pub(super) rung: &'a Rung,
    /// The time at which its line ends.
    pub(super) end_s: f64,
    /// The share of the distance between the ends that its line covers.
    reach: f64,
}

impl Flight<'_> {
    pub(super) fn is_lost(&self) -> bool {
        self.rung.arrived_s.is_none()
    }

    /// Begin and end of the line within the range, each as a share of the distance and a time.
    pub(super) fn within(&self, range: &Range) -> [(f64, f64); 2] {
        let (sent_s, end_s) = (self.rung.sent_s, self.end_s);
        let share = |time_s: f64| (time_s - sent_s) / (end_s - sent_s) * self.reach;
        let from = if range.holds(sent_s) {
            0.0
        } else {
            share(range.cut(sent_s))
        };
        let to = if range.holds(end_s) {
            self.reach
        } else {
            share(range.cut(end_s))
        };
        [(from, range.cut(sent_s)), (to, range.cut(end_s))]
    }

    pub(super) fn tooltip(&self) -> String {
        let Rung {
            text,
            kind,
            sent_s,
            arrived_s,
            ..
        } = self.rung;
        let colon = if text.is_empty() { "" } else { ": " };
        let end = match arrived_s {
            Some(arrived_s) => format!("arrived {} s", clock(*arrived_s)),
            None => "lost on the way".to_owned(),
        };
        format!(
            "{text}{colon}{}, sent {} s, {end}",
            kind.name(),
            clock(*sent_s)
        )
    }
}

/// The line of a lost packet ends at half of the distance, after this share of the delay of the
/// packet before it. With a share of 0.5, it would lie on the line of that packet if both were sent
/// at the same time.
const LOST_AFTER: f64 = 0.6;

/// The rungs with finite times, with an end for each lost packet.
pub(super) fn flights(ladder: &Ladder, given_s: Option<(f64, f64)>) -> Vec<Flight<'_>> {
    let is_sound =
        |rung: &&Rung| rung.sent_s.is_finite() && rung.arrived_s.is_none_or(f64::is_finite);
    let sound: Vec<&Rung> = ladder.rungs.iter().filter(is_sound).collect();
    // Sending time and delay of the packets that arrived, by direction.
    let delays = [false, true].map(|from_left| {
        let rungs = sound.iter().filter(|rung| rung.from_left == from_left);
        let delay = |rung: &&Rung| Some((rung.sent_s, (rung.arrived_s? - rung.sent_s).max(0.0)));
        let mut delays: Vec<(f64, f64)> = rungs.filter_map(delay).collect();
        delays.sort_by(|a, b| a.0.total_cmp(&b.0));
        delays
    });
    // Where no packet arrives, the delay of a lost one is a tenth of the range.
    let extent_s = || {
        let times = sound.iter().map(|rung| rung.sent_s);
        times.clone().fold(f64::NEG_INFINITY, f64::max) - times.fold(f64::INFINITY, f64::min)
    };
    let default_delay_s = given_s.map_or_else(extent_s, |(from_s, to_s)| to_s - from_s) / 10.0;
    let default_delay_s = if default_delay_s.is_finite() && default_delay_s > 0.0 {
        default_delay_s
    } else {
        0.1
    };
    let delay_s = |rung: &Rung| {
        let own = &delays[usize::from(rung.from_left)];
        let before = own
            .partition_point(|delay| delay.0 <= rung.sent_s)
            .saturating_sub(1);
        let other = delays[usize::from(!rung.from_left)].first();
        own.get(before)
            .or(other)
            .map_or(default_delay_s, |delay| delay.1)
    };
    let flights = sound.iter().map(|&rung| match rung.arrived_s {
        Some(arrived_s) => Flight {
            rung,
            end_s: arrived_s,
            reach: 1.0,
        },
        None => Flight {
            rung,
            end_s: rung.sent_s + delay_s(rung) * LOST_AFTER,
            reach: 0.5,
        },
    });
    flights.filter(|flight| flight.end_s.is_finite()).collect()
}

/// The first and the last time; one second where they are equal.
pub(super) fn extent_s(flights: &[Flight<'_>]) -> (f64, f64) {
    let times = flights
        .iter()
        .flat_map(|flight| [flight.rung.sent_s, flight.end_s]);
    let (from_s, to_s) = (
        times.clone().fold(f64::INFINITY, f64::min),
        times.fold(f64::NEG_INFINITY, f64::max),
    );
    match (from_s, to_s) {
        (from_s, to_s) if from_s < to_s => (from_s, to_s),
        (from_s, to_s) if from_s == to_s => (from_s, from_s + 1.0),
        _ => (0.0, 1.0),
    }
}

/// The times that the diagram shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) from_s: f64,
    pub(super) to_s: f64,
}

impl Range {
    /// The range as [`Scale`] accepts it, which replaces impossible ranges.
    pub(super) fn new((from_s, to_s): (f64, f64)) -> Range {
        let scale = Scale::new(from_s, to_s, 0.0, 1.0);
        Range {
            from_s: scale.from(),
            to_s: scale.to(),
        }
    }

    /// Whether a time is in the range. A small tolerance allows for the rounding of its ends.
    pub(super) fn holds(&self, time_s: f64) -> bool {
        let rounding = (self.to_s - self.from_s) * 1e-6;
        (self.from_s - rounding..=self.to_s + rounding).contains(&time_s)
    }

    /// Whether a part of the line is in the range.
    pub(super) fn shows(&self, flight: &Flight<'_>) -> bool {
        let (sent_s, end_s) = (flight.rung.sent_s, flight.end_s);
        let spans = sent_s.min(end_s) <= self.from_s && sent_s.max(end_s) >= self.to_s;
        spans || self.holds(sent_s) || self.holds(end_s)
    }

    /// The time, clamped to the range.
    pub(super) fn cut(&self, time_s: f64) -> f64 {
        time_s.clamp(self.from_s, self.to_s)
    }
}
