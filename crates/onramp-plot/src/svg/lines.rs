//! Lines through many points, thinned to the resolution of a plot.

use super::axes::Frame;
use super::{px, Svg};
use crate::thin;
use std::collections::HashSet;
use std::fmt::Write;

/// Width of a column in pixels. A line has at most four points in a column.
const COLUMN_PX: f64 = 2.0;
/// Number of markers along a line.
const MARKERS: usize = 7;
/// Maximum number of dots in a cloud; a dot has about ten bytes.
const MAX_DOTS: usize = 6000;

/// A line of steps, which keeps each value until the next one. Points are in pixels.
pub fn steps(svg: &mut Svg, frame: &Frame, class: &str, pixels: &[(f64, f64)], tooltip: &str) {
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

/// A line straight from point to point. Points are in pixels.
pub fn straight(svg: &mut Svg, frame: &Frame, class: &str, pixels: &[(f64, f64)], tooltip: &str) {
    svg.polyline(class, &thinned(frame, pixels), tooltip);
}

/// Many points as one element: dots of one size, at most one in a cell. A cell is one pixel wide,
/// or wider if there are too many dots.
pub fn dots(svg: &mut Svg, class: &str, pixels: &[(f64, f64)], tooltip: &str) {
    let mut cell = 1.0;
    let kept = loop {
        let mut seen = HashSet::new();
        let is_new = |&&(x, y): &&(f64, f64)| {
            seen.insert(((x / cell).round() as i64, (y / cell).round() as i64))
        };
        let kept: Vec<_> = pixels.iter().filter(is_new).collect();
        if kept.len() <= MAX_DOTS || cell > 64.0 {
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

/// Vertical marks from `y` down to `y + length`, as one element. A pixel column has at most one.
pub fn hashes(
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

/// One position for each pixel column, in ascending order. Numbers that are not finite are left
/// out.
pub fn merged(xs: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut xs: Vec<f64> = xs.filter(|x| x.is_finite()).collect();
    xs.sort_by(f64::total_cmp);
    xs.dedup_by_key(|x| x.floor());
    xs
}

/// Points on a line of steps, in its own units, for its markers. Lines with different looks have
/// their markers at different positions.
pub fn along_steps(points: &[(f64, f64)], look: usize) -> Vec<(f64, f64)> {
    along(points, look)
        .into_iter()
        .map(|(x, point)| (x, point.1))
        .collect()
}

/// The same for a line straight from point to point: some of its points.
pub fn along_straight(points: &[(f64, f64)], look: usize) -> Vec<(f64, f64)> {
    along(points, look)
        .into_iter()
        .map(|(_, point)| point)
        .collect()
}

/// The positions of the markers, and the points before them.
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

/// The points of a line inside the frame, thinned. The last point before the frame and the first
/// one after it stay.
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

/// Finite points, sorted by x. Points with the same x stay in order.
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
