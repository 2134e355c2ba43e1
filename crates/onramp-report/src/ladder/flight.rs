//! What is drawn of a ladder's rungs: each from its sending to its arrival, or as far as a lost one
//! goes.

use super::labels::clock;
use super::{Ladder, Rung};
use crate::svg::axes::Scale;

/// A rung whose times are numbers.
pub(super) struct Flight<'a> {
    pub(super) rung: &'a Rung,
    /// When its line ends.
    pub(super) end_s: f64,
    /// What its line covers of the way.
    reach: f64,
}

impl Flight<'_> {
    pub(super) fn is_lost(&self) -> bool {
        self.rung.arrived_s.is_none()
    }

    /// Where its line begins and ends within the range: as a share of the way, and when.
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

/// Of a lost one's time for the whole way, were it as fast as the one before it. A half would put
/// it onto the line of the one before it if they were sent at one moment.
const LOST_AFTER: f64 = 0.6;

/// Those whose times are numbers, lost ones with an end.
pub(super) fn flights(ladder: &Ladder, given_s: Option<(f64, f64)>) -> Vec<Flight<'_>> {
    let is_sound =
        |rung: &&Rung| rung.sent_s.is_finite() && rung.arrived_s.is_none_or(f64::is_finite);
    let sound: Vec<&Rung> = ladder.rungs.iter().filter(is_sound).collect();
    // When sent and how long on the way, of those that arrived.
    let delays = [false, true].map(|from_left| {
        let rungs = sound.iter().filter(|rung| rung.from_left == from_left);
        let delay = |rung: &&Rung| Some((rung.sent_s, (rung.arrived_s? - rung.sent_s).max(0.0)));
        let mut delays: Vec<(f64, f64)> = rungs.filter_map(delay).collect();
        delays.sort_by(|a, b| a.0.total_cmp(&b.0));
        delays
    });
    // Where nothing arrives a lost one takes a share of what there is of time.
    let extent_s = || {
        let times = sound.iter().map(|rung| rung.sent_s);
        times.clone().fold(f64::NEG_INFINITY, f64::max) - times.fold(f64::INFINITY, f64::min)
    };
    let some_s = given_s.map_or_else(extent_s, |(from_s, to_s)| to_s - from_s) / 10.0;
    let some_s = if some_s.is_finite() && some_s > 0.0 {
        some_s
    } else {
        0.1
    };
    let delay_s = |rung: &Rung| {
        let own = &delays[usize::from(rung.from_left)];
        let before = own
            .partition_point(|delay| delay.0 <= rung.sent_s)
            .saturating_sub(1);
        let other = delays[usize::from(!rung.from_left)].first();
        own.get(before).or(other).map_or(some_s, |delay| delay.1)
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

/// From the first moment to the last one, or a second where these are one.
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

/// What the diagram shows of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) from_s: f64,
    pub(super) to_s: f64,
}

impl Range {
    /// As the scale has it, which refuses what it cannot divide by.
    pub(super) fn new((from_s, to_s): (f64, f64)) -> Range {
        let scale = Scale::new(from_s, to_s, 0.0, 1.0);
        Range {
            from_s: scale.from(),
            to_s: scale.to(),
        }
    }

    /// With some room for moments that are the range's end but for rounding.
    pub(super) fn holds(&self, time_s: f64) -> bool {
        let rounding = (self.to_s - self.from_s) * 1e-6;
        (self.from_s - rounding..=self.to_s + rounding).contains(&time_s)
    }

    pub(super) fn shows(&self, flight: &Flight<'_>) -> bool {
        let (sent_s, end_s) = (flight.rung.sent_s, flight.end_s);
        let spans = sent_s.min(end_s) <= self.from_s && sent_s.max(end_s) >= self.to_s;
        spans || self.holds(sent_s) || self.holds(end_s)
    }

    pub(super) fn cut(&self, time_s: f64) -> f64 {
        time_s.clamp(self.from_s, self.to_s)
    }
}
