//! The range of an axis.

use super::{Annotation, Axis, Plot};
use crate::svg::axes::Scale;

/// Space beyond the maximum, as a share of the range.
const HEADROOM: f64 = 0.05;

/// The scale of the x axis between these pixels.
pub(super) fn scale_x(plot: &Plot, left: f64, right: f64) -> Scale {
    let at = |a: &Annotation| match a {
        Annotation::Vertical { x, .. } => Some(*x),
        Annotation::Horizontal { .. } => None,
    };
    scale(&plot.x, values(plot, |p| p.0, at), 0.01, left, right)
}

/// The scale of the y axis between these pixels.
pub(super) fn scale_y(plot: &Plot, bottom: f64, top: f64) -> Scale {
    let at = |a: &Annotation| match a {
        Annotation::Horizontal { y, .. } => Some(*y),
        Annotation::Vertical { .. } => None,
    };
    scale(&plot.y, values(plot, |p| p.1, at), HEADROOM, bottom, top)
}

fn values(
    plot: &Plot,
    of: fn(&(f64, f64)) -> f64,
    at: impl Fn(&Annotation) -> Option<f64>,
) -> Vec<f64> {
    let series = plot.series.iter().flat_map(|s| &s.points);
    let marks = plot.marks.iter().flat_map(|m| &m.points);
    let finite = |(x, y): &&(f64, f64)| x.is_finite() && y.is_finite();
    let points = series.chain(marks).filter(finite).map(of);
    points
        .chain(plot.annotations.iter().filter_map(at))
        .filter(|v| v.is_finite())
        .collect()
}

fn scale(axis: &Axis, mut values: Vec<f64>, headroom: f64, from_px: f64, to_px: f64) -> Scale {
    if axis.log {
        values.retain(|v| *v > 0.0);
    }
    let given = axis
        .range
        .filter(|(from, to)| is_sound(*from, *to, axis.log));
    let min = values.iter().copied().fold(f64::INFINITY, f64::min);
    let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (from, to) = match (given, values.is_empty(), axis.log) {
        (Some(range), ..) => range,
        (None, true, false) => (0.0, 1.0),
        (None, true, true) => (1.0, 10.0),
        (None, false, true) => around_log(min, max, headroom),
        (None, false, false) => around(min, max, headroom),
    };
    if axis.log {
        Scale::log(from, to, from_px, to_px)
    } else {
        Scale::new(from, to, from_px, to_px)
    }
}

fn is_sound(from: f64, to: f64, log: bool) -> bool {
    from.is_finite() && to.is_finite() && to > from && (from > 0.0 || !log)
}

/// A range with zero, unless all values are far from zero compared with their range. A single value
/// has space around it.
fn around(min: f64, max: f64, headroom: f64) -> (f64, f64) {
    if min == max {
        return match min {
            0.0 => (0.0, 1.0),
            v if v > 0.0 => (0.0, v * 1.25),
            v => (v * 1.25, 0.0),
        };
    }
    let room = (max - min) * headroom;
    if min >= 0.0 && min <= (max - min) * 2.0 {
        (0.0, max + room)
    } else if max <= 0.0 && -max <= (max - min) * 2.0 {
        (min - room, 0.0)
    } else {
        (min - room, max + room)
    }
}

/// A logarithmic range with the same factor of space on both sides. A single value has a decade
/// around it.
fn around_log(min: f64, max: f64, headroom: f64) -> (f64, f64) {
    let room = if min == max {
        10f64.sqrt()
    } else {
        (max / min).powf(headroom)
    };
    let (from, to) = (min / room, max * room);
    if from > 0.0 && to.is_finite() {
        (from, to)
    } else {
        (min, max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(axis: Axis, values: &[f64]) -> (f64, f64) {
        let scale = scale(&axis, values.to_vec(), 0.0, 0.0, 1.0);
        (scale.from(), scale.to())
    }

    #[test]
    fn a_range_contains_zero_unless_zero_is_far_away() {
        let axis = || Axis::new("");
        assert_eq!(shown(axis(), &[3.0, 8.0]), (0.0, 8.0));
        assert_eq!(shown(axis(), &[1000.0, 1010.0]), (1000.0, 1010.0));
        assert_eq!(shown(axis(), &[-3.0, 8.0]), (-3.0, 8.0));
        assert_eq!(shown(axis(), &[-8.0, -3.0]), (-8.0, 0.0));
    }

    #[test]
    fn one_value_or_none_still_gives_a_range() {
        assert_eq!(shown(Axis::new(""), &[]), (0.0, 1.0));
        assert_eq!(shown(Axis::new(""), &[0.0, 0.0]), (0.0, 1.0));
        assert_eq!(shown(Axis::new(""), &[4.0]), (0.0, 5.0));
        assert_eq!(shown(Axis::new(""), &[-4.0]), (-5.0, 0.0));
        assert_eq!(shown(Axis::new("").log(), &[]), (1.0, 10.0));
        let (from, to) = shown(Axis::new("").log(), &[5.0]);
        assert!(from < 5.0 && to > 5.0 && (to / from - 10.0).abs() < 1e-9);
    }

    #[test]
    fn a_logarithmic_range_is_above_zero() {
        assert_eq!(
            shown(Axis::new("").log(), &[-1.0, 0.0, 3.0, 70.0]),
            (3.0, 70.0)
        );
        assert_eq!(
            shown(Axis::new("").log().range(0.0, 5.0), &[3.0, 70.0]),
            (3.0, 70.0)
        );
        assert_eq!(
            shown(Axis::new("").log(), &[f64::MIN_POSITIVE, f64::MAX]),
            (f64::MIN_POSITIVE, f64::MAX)
        );
    }

    #[test]
    fn an_impossible_range_is_ignored() {
        for (from, to) in [
            (5.0, 1.0),
            (2.0, 2.0),
            (f64::NAN, 1.0),
            (0.0, f64::INFINITY),
        ] {
            assert_eq!(
                shown(Axis::new("").range(from, to), &[0.0, 8.0]),
                (0.0, 8.0)
            );
        }
        assert_eq!(
            shown(Axis::new("").range(2.0, 3.0), &[0.0, 8.0]),
            (2.0, 3.0)
        );
    }
}
