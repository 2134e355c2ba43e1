//! Scales, ticks and the frame of a plot.

use super::{text_width, Anchor, Svg};
use crate::units::{fixed, significant};

/// Minimum distance of an axis from the middle of its label.
const LABEL_PX: f64 = 52.0;
/// Distance of an axis from the labels of its ticks.
const TICK_PX: f64 = 7.0;

/// A scale from values to pixels, linear or logarithmic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    from: f64,
    to: f64,
    from_px: f64,
    to_px: f64,
    log: bool,
}

impl Scale {
    /// A linear scale. An empty or impossible range becomes 0 to 1.
    pub fn new(from: f64, to: f64, from_px: f64, to_px: f64) -> Scale {
        let is_sound =
            from.is_finite() && to.is_finite() && to - from > 0.0 && (to - from).is_finite();
        let (from, to) = if is_sound { (from, to) } else { (0.0, 1.0) };
        Scale {
            from,
            to,
            from_px,
            to_px,
            log: false,
        }
    }

    /// A logarithmic scale; an empty or impossible range becomes 1 to 10.
    pub fn log(from: f64, to: f64, from_px: f64, to_px: f64) -> Scale {
        let is_sound = from > 0.0 && to.is_finite() && to > from;
        let (from, to) = if is_sound { (from, to) } else { (1.0, 10.0) };
        Scale {
            from,
            to,
            from_px,
            to_px,
            log: true,
        }
    }

    /// The pixel of a value. It is not finite for values that the scale cannot show: zero and
    /// negative ones on a logarithmic scale.
    pub fn px(&self, value: f64) -> f64 {
        let share = if self.log {
            (value.log10() - self.from.log10()) / (self.to.log10() - self.from.log10())
        } else {
            (value - self.from) / (self.to - self.from)
        };
        self.from_px + share * (self.to_px - self.from_px)
    }

    /// The first value.
    pub fn from(&self) -> f64 {
        self.from
    }

    /// The last value.
    pub fn to(&self) -> f64 {
        self.to
    }

    /// About `count` ticks at most: their pixels and labels.
    pub fn labelled_ticks(&self, count: usize) -> Vec<(f64, String)> {
        if self.log {
            return self
                .log_ticks(count)
                .into_iter()
                .map(|tick| (self.px(tick), power_label(tick)))
                .collect();
        }
        let decimals = self.tick_decimals(count);
        self.ticks(count)
            .into_iter()
            .map(|tick| (self.px(tick), fixed(tick, decimals)))
            .collect()
    }

    /// Ticks of a logarithmic scale: 1, 2 and 5 of each decade where there is room, else the
    /// decades, else every second, third, ... decade. Where that gives fewer than two ticks, within
    /// one decade, they are those of a linear scale.
    fn log_ticks(&self, count: usize) -> Vec<f64> {
        let (first, last) = (
            self.from.log10().floor() as i32,
            self.to.log10().ceil() as i32,
        );
        let decades = (last - first).max(1) as usize;
        let digits: &[u8] = if decades * 3 <= count {
            &[1, 2, 5]
        } else {
            &[1]
        };
        // Parsing gives the nearest floating-point number; a computed power would be less exact.
        let tick = |digit: &u8, power: i32| {
            format!("{digit}e{power}")
                .parse::<f64>()
                .unwrap_or(f64::NAN)
        };
        let is_shown =
            |tick: &f64| *tick >= self.from * (1.0 - 1e-12) && *tick <= self.to * (1.0 + 1e-12);
        let powers = (first..=last).step_by(decades.div_ceil(count.max(1)));
        let ticks: Vec<f64> = powers
            .flat_map(|power| digits.iter().map(move |digit| tick(digit, power)))
            .filter(is_shown)
            .collect();
        if ticks.len() >= 2 {
            ticks
        } else {
            self.ticks(count)
        }
    }

    /// Multiples of 1, 2 or 5 times a power of ten, about `count` at most.
    pub fn ticks(&self, count: usize) -> Vec<f64> {
        let step = self.step(count);
        let first = (self.from / step).ceil();
        let last = (self.to / step * (1.0 + 1e-12)).floor();
        if !(first.is_finite() && last.is_finite()) || last - first > 100.0 {
            return Vec::new();
        }
        (0..=(last - first) as usize)
            .map(|at| (first + at as f64) * step)
            .collect()
    }

    /// Decimals with which the labels of neighbouring ticks differ.
    pub fn tick_decimals(&self, count: usize) -> usize {
        (-self.step(count).log10().floor()).clamp(0.0, 9.0) as usize
    }

    fn step(&self, count: usize) -> f64 {
        let rough = (self.to - self.from) / count.max(1) as f64;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .map(|m| m * power)
            .into_iter()
            .find(|&s| s >= rough * 0.999);
        step.filter(|s| s.is_normal())
            .unwrap_or(self.to - self.from)
    }
}

/// `0.02`, `5000`, `1e9`.
fn power_label(tick: f64) -> String {
    if (1e-4..1e6).contains(&tick) {
        significant(tick, 3)
    } else {
        format!("{tick:e}")
    }
}

/// The rectangle in which data are drawn, with its two scales.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The x of the left edge, in pixels.
    pub left: f64,
    /// The y of the upper edge, in pixels.
    pub top: f64,
    /// The width in pixels.
    pub width: f64,
    /// The height in pixels.
    pub height: f64,
    /// The scale from left to right.
    pub x: Scale,
    /// The scale from the lower edge upwards.
    pub y: Scale,
}

impl Frame {
    /// A frame of this size in pixels; `x` and `y` are the ranges of values. y grows upwards.
    pub fn new(corner: (f64, f64), width: f64, height: f64, x: (f64, f64), y: (f64, f64)) -> Frame {
        let (left, top) = corner;
        let x = Scale::new(x.0, x.1, left, left + width);
        let y = Scale::new(y.0, y.1, top + height, top);
        Frame {
            left,
            top,
            width,
            height,
            x,
            y,
        }
    }

    /// The x of the right edge, in pixels.
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    /// The y of the lower edge, in pixels.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// A point in pixels.
    pub fn px(&self, point: (f64, f64)) -> (f64, f64) {
        (self.x.px(point.0), self.y.px(point.1))
    }

    /// Draws grid, ticks and labels. `y_unit` divides the y values: 1e6 for MB.
    pub fn draw(&self, svg: &mut Svg, x_label: &str, y_label: &str, y_unit: f64) {
        self.draw_lower(svg, x_label, y_label, y_unit, 0.0);
    }

    /// The same, with the labels of the x axis `below` pixels lower, for marks below the axis.
    pub fn draw_lower(&self, svg: &mut Svg, x_label: &str, y_label: &str, y_unit: f64, below: f64) {
        self.draw_x(svg, x_label, below);
        self.draw_y(svg, y_label, y_unit);
        svg.line(
            "axis",
            (self.left, self.bottom()),
            (self.right(), self.bottom()),
        );
        svg.line("axis", (self.left, self.top), (self.left, self.bottom()));
    }

    fn draw_x(&self, svg: &mut Svg, label: &str, below: f64) {
        let bottom = self.bottom() + below;
        for (x, label) in self.x.labelled_ticks(10) {
            svg.line("grid", (x, self.top), (x, self.bottom()));
            svg.text("tick", (x, bottom + 16.0), Anchor::Middle, &label);
        }
        svg.text(
            "label",
            (self.left + self.width / 2.0, bottom + 34.0),
            Anchor::Middle,
            label,
        );
    }

    fn draw_y(&self, svg: &mut Svg, label: &str, unit: f64) {
        let ticks = y_ticks(&self.y, unit);
        for (y, label) in &ticks {
            svg.line("grid", (self.left, *y), (self.right(), *y));
            svg.text("tick", (self.left - TICK_PX, y + 4.0), Anchor::End, label);
        }
        svg.text_up(
            "label",
            (self.left - label_px(&ticks), self.top + self.height / 2.0),
            label,
        );
    }
}

/// Width that the ticks and the label of a y axis need on its left, in pixels.
pub fn left_room(y: &Scale) -> f64 {
    label_px(&y_ticks(y, 1.0)) + 18.0
}

fn y_ticks(y: &Scale, unit: f64) -> Vec<(f64, String)> {
    let count = ((y.from_px - y.to_px).abs() / 32.0) as usize;
    Scale {
        from: y.from / unit,
        to: y.to / unit,
        ..*y
    }
    .labelled_ticks(count)
}

fn label_px(ticks: &[(f64, String)]) -> f64 {
    let widest = ticks
        .iter()
        .map(|(_, label)| text_width(label))
        .fold(0.0, f64::max);
    (TICK_PX + widest + 10.0).max(LABEL_PX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers() {
        let scale = Scale::new(0.0, 4.3, 0.0, 100.0);
        assert_eq!(
            scale
                .ticks(10)
                .iter()
                .map(|t| fixed(*t, 1))
                .collect::<Vec<_>>()
                .join(" "),
            "0.0 0.5 1.0 1.5 2.0 2.5 3.0 3.5 4.0"
        );
        assert_eq!(scale.tick_decimals(10), 1);
        assert_eq!(scale.px(4.3), 100.0);
    }

    #[test]
    fn impossible_ranges_still_give_an_axis() {
        for (from, to) in [
            (0.0, 0.0),
            (f64::NAN, 1.0),
            (0.0, f64::INFINITY),
            (5.0, 1.0),
            (f64::MIN, f64::MAX),
        ] {
            let scale = Scale::new(from, to, 0.0, 10.0);
            assert!(!scale.ticks(5).is_empty() && scale.px(0.5).is_finite());
        }
        let tiny = Scale::new(0.0, f64::MIN_POSITIVE / 4.0, 0.0, 10.0);
        assert!(tiny.ticks(5).len() <= 101);
        let huge = Scale::new(0.0, f64::MAX, 0.0, 10.0);
        assert!(huge.ticks(5).len() <= 101);
    }

    #[test]
    fn logarithmic_ticks_thin_out_as_room_gets_scarce() {
        let labels = |from, to, count| {
            let ticks = Scale::log(from, to, 0.0, 100.0).labelled_ticks(count);
            ticks
                .into_iter()
                .map(|(_, label)| label)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(labels(0.02, 10.0, 10), "0.02 0.05 0.1 0.2 0.5 1 2 5 10");
        assert_eq!(labels(0.02, 10.0, 5), "0.1 1 10");
        assert_eq!(labels(1e-9, 1e9, 6), "1e-9 1e-6 0.001 1 1000 1e6 1e9");
        assert_eq!(
            labels(3.0, 4.5, 3),
            "3 3.5 4 4.5",
            "within a decade, round numbers"
        );
    }

    #[test]
    fn a_logarithmic_scale_cannot_show_zero() {
        let scale = Scale::log(1.0, 100.0, 0.0, 10.0);
        assert_eq!(scale.px(10.0), 5.0);
        assert!(!scale.px(0.0).is_finite() && !scale.px(-1.0).is_finite());
        for (from, to) in [
            (0.0, 1.0),
            (-5.0, 5.0),
            (f64::NAN, 1.0),
            (1.0, f64::INFINITY),
            (2.0, 2.0),
        ] {
            assert_eq!(
                Scale::log(from, to, 0.0, 10.0),
                Scale::log(1.0, 10.0, 0.0, 10.0)
            );
        }
        assert!(
            Scale::log(f64::MIN_POSITIVE, f64::MAX, 0.0, 10.0)
                .labelled_ticks(5)
                .len()
                < 10
        );
    }
}
