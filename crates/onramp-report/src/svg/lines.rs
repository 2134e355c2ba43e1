//! Lines through many points, thinned to what a plot can show.

use super::axes::Frame;
use super::{px, Svg};
use crate::thin;
use std::collections::HashSet;
use std::fmt::Write;

/// Width of the columns of which each shows four points of a line at most, in pixels.
const COLUMN_PX: f64 = 2.0;
/// Markers along a line.
const MARKERS: usize = 7;
/// Most dots of a cloud, about ten bytes each.
const MOST_DOTS: usize = 6000;

/// A line that keeps each value until the next one, through pixels.
pub(crate) fn steps(
    svg: &mut Svg,
    frame: &Frame,
    class: &str,
    pixels: &[(f64, f64)],
    tooltip: &str,
) {
    let mut path = String::new();
    let mut before = f64::NAN;
    for (x, y) in thinned(frame, pixels) {
        if path.is_empty() {
            let _ = write!(path, "M{} {}", px(x), px(y));
        } else {
            let _ = write!(path, "H{}", px(x));
        }
        if px(y) != px(before) {
            let _ = write!(path, "V{}", px(y));
        }
        before = y;
    }
    if !path.is_empty() {
        svg.path(class, &path, tooltip);
    }
}

/// A line straight from point to point, through pixels.
pub(crate) fn straight(
    svg: &mut Svg,
    frame: &Frame,
    class: &str,
    pixels: &[(f64, f64)],
    tooltip: &str,
) {
    svg.polyline(class, &thinned(frame, pixels), tooltip);
}

/// Many points as one element: dots of a common size, no two in one cell. The cells are a pixel
/// wide, or wider if that leaves too many.
pub(crate) fn dots(svg: &mut Svg, class: &str, pixels: &[(f64, f64)], tooltip: &str) {
    let mut cell = 1.0;
    let kept = loop {
        let mut seen = HashSet::new();
        let is_new = |&&(x, y): &&(f64, f64)| {
            seen.insert(((x / cell).round() as i64, (y / cell).round() as i64))
        };
        let kept: Vec<_> = pixels.iter().filter(is_new).collect();
        if kept.len() <= MOST_DOTS || cell > 64.0 {
            break kept;
        }
        cell *= 1.4;
    };
    let path = kept.into_iter().fold(String::new(), |path, &(x, y)| {
        format!("{path}M{} {}h0", px(x), px(y))
    });
    if !path.is_empty() {
        svg.path(class, &path, tooltip);
    }
}

/// Upright marks from `y` down to `y + length`, as one element, no two in one column of a pixel.
pub(crate) fn hashes(
    svg: &mut Svg,
    class: &str,
    xs: impl Iterator<Item = f64>,
    y: f64,
    length: f64,
    tooltip: &str,
) {
    let (y, length) = (px(y), px(length));
    let path = merged(xs).into_iter().fold(String::new(), |path, x| {
        format!("{path}M{} {y}v{length}", px(x))
    });
    if !path.is_empty() {
        svg.path(class, &path, tooltip);
    }
}

/// One of those that share a column of a pixel, in order. Those that are no number are left out.
pub(crate) fn merged(xs: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut xs: Vec<f64> = xs.filter(|x| x.is_finite()).collect();
    xs.sort_by(f64::total_cmp);
    xs.dedup_by_key(|x| x.floor());
    xs
}

/// Places on a line of steps, in its own units, at which its marker tells it from others: no two
/// looks at the same places.
pub(crate) fn along_steps(points: &[(f64, f64)], look: usize) -> Vec<(f64, f64)> {
    along(points, look)
        .into_iter()
        .map(|(x, point)| (x, point.1))
        .collect()
}

/// The same for a line straight from point to point: some of its points.
pub(crate) fn along_straight(points: &[(f64, f64)], look: usize) -> Vec<(f64, f64)> {
    along(points, look)
        .into_iter()
        .map(|(_, point)| point)
        .collect()
}

/// The places and the points before them.
fn along(points: &[(f64, f64)], look: usize) -> Vec<(f64, (f64, f64))> {
    let sorted = sorted(points);
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
        return Vec::new();
    };
    let span = last.0 - first.0;
    let offset = (look % 5) as f64 / 5.0;
    let place = |at: usize| {
        let x = first.0 + span * (at as f64 + 0.15 + 0.7 * offset) / MARKERS as f64;
        let before = sorted.partition_point(|p| p.0 <= x).saturating_sub(1);
        (x, sorted[before])
    };
    (0..MARKERS).map(place).collect()
}

/// What is left of a line inside the frame: the last point before it and the first after it stay.
fn thinned(frame: &Frame, pixels: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let sorted = sorted(pixels);
    let from = sorted
        .partition_point(|p| p.0 < frame.left)
        .saturating_sub(1);
    let to = (sorted.partition_point(|p| p.0 <= frame.right()) + 1).min(sorted.len());
    thin::line(
        &sorted[from.min(to)..to],
        frame.left,
        frame.right(),
        (frame.width / COLUMN_PX) as usize,
    )
}

/// Points of one moment stay in order.
fn sorted(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut sorted: Vec<(f64, f64)> = points
        .iter()
        .copied()
        .filter(|(x, y)| x.is_finite() && y.is_finite())
        .collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_closer_than_a_pixel_merge() {
        let xs = (0..30_000)
            .map(|at| f64::from(at) / 30.0)
            .chain([f64::NAN, f64::INFINITY]);
        assert_eq!(merged(xs).len(), 1000);
    }

    #[test]
    fn a_view_of_a_part_keeps_the_line_up_to_its_edges() {
        let frame = Frame::new((100.0, 0.0), 100.0, 50.0, (0.0, 1.0), (0.0, 1.0));
        let pixels: Vec<(f64, f64)> = (0..30).map(|at| (f64::from(at) * 15.0, 5.0)).collect();
        let kept = thinned(&frame, &pixels);
        assert_eq!((kept[0].0, kept[kept.len() - 1].0), (90.0, 210.0));
        assert_eq!(thinned(&frame, &[]), []);
        assert_eq!(thinned(&frame, &[(500.0, 1.0)]), [(500.0, 1.0)]);
    }
}
