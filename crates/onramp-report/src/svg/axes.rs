//! Scales, ticks and the frame of a plot.

use super::{Anchor, Svg};
use crate::units::fixed;

/// A linear scale from values to pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    from: f64,
    to: f64,
    from_px: f64,
    to_px: f64,
}

impl Scale {
    /// An empty or impossible range becomes 0 to 1.
    pub(crate) fn new(from: f64, to: f64, from_px: f64, to_px: f64) -> Scale {
        let is_sound = from.is_finite() && to.is_finite() && to - from > 0.0 && (to - from).is_finite();
        let (from, to) = if is_sound { (from, to) } else { (0.0, 1.0) };
        Scale { from, to, from_px, to_px }
    }

    pub(crate) fn px(&self, value: f64) -> f64 {
        self.from_px + (value - self.from) / (self.to - self.from) * (self.to_px - self.from_px)
    }

    pub(crate) fn from(&self) -> f64 {
        self.from
    }

    pub(crate) fn to(&self) -> f64 {
        self.to
    }

    /// Multiples of 1, 2 or 5 times a power of ten, at most about `count` of them.
    pub(crate) fn ticks(&self, count: usize) -> Vec<f64> {
        let step = self.step(count);
        let first = (self.from / step).ceil();
        let last = (self.to / step * (1.0 + 1e-12)).floor();
        if !(first.is_finite() && last.is_finite()) || last - first > 100.0 {
            return Vec::new();
        }
        (0..=(last - first) as usize).map(|at| (first + at as f64) * step).collect()
    }

    /// Decimals that tell neighbouring ticks apart.
    pub(crate) fn tick_decimals(&self, count: usize) -> usize {
        (-self.step(count).log10().floor()).clamp(0.0, 9.0) as usize
    }

    fn step(&self, count: usize) -> f64 {
        let rough = (self.to - self.from) / count.max(1) as f64;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|&s| s >= rough * 0.999);
        step.filter(|s| s.is_normal()).unwrap_or(self.to - self.from)
    }
}

/// The rectangle in which data is drawn, with its two scales.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) x: Scale,
    pub(crate) y: Scale,
}

impl Frame {
    /// `x` and `y` are the ranges of values; y grows upwards.
    pub(crate) fn new(corner: (f64, f64), width: f64, height: f64, x: (f64, f64), y: (f64, f64)) -> Frame {
        let (left, top) = corner;
        let x = Scale::new(x.0, x.1, left, left + width);
        let y = Scale::new(y.0, y.1, top + height, top);
        Frame { left, top, width, height, x, y }
    }

    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    pub(crate) fn px(&self, point: (f64, f64)) -> (f64, f64) {
        (self.x.px(point.0), self.y.px(point.1))
    }

    /// Grid, ticks and labels; `y_unit` divides the y values (1e6 for MB).
    pub(crate) fn draw(&self, svg: &mut Svg, x_label: &str, y_label: &str, y_unit: f64) {
        let y_axis = Scale::new(self.y.from / y_unit, self.y.to / y_unit, self.bottom(), self.top);
        let (x_ticks, y_ticks) = (10, (self.height / 32.0) as usize);
        for tick in self.x.ticks(x_ticks) {
            let x = self.x.px(tick);
            svg.line("grid", (x, self.top), (x, self.bottom()));
            let label = fixed(tick, self.x.tick_decimals(x_ticks));
            svg.text("tick", (x, self.bottom() + 16.0), Anchor::Middle, &label);
        }
        for tick in y_axis.ticks(y_ticks) {
            let y = y_axis.px(tick);
            svg.line("grid", (self.left, y), (self.right(), y));
            let label = fixed(tick, y_axis.tick_decimals(y_ticks));
            svg.text("tick", (self.left - 7.0, y + 4.0), Anchor::End, &label);
        }
        svg.line("axis", (self.left, self.bottom()), (self.right(), self.bottom()));
        svg.line("axis", (self.left, self.top), (self.left, self.bottom()));
        svg.text("label", (self.left + self.width / 2.0, self.bottom() + 34.0), Anchor::Middle, x_label);
        svg.text_up("label", (self.left - 52.0, self.top + self.height / 2.0), y_label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers() {
        let scale = Scale::new(0.0, 4.3, 0.0, 100.0);
        assert_eq!(
            scale.ticks(10).iter().map(|t| fixed(*t, 1)).collect::<Vec<_>>().join(" "),
            "0.0 0.5 1.0 1.5 2.0 2.5 3.0 3.5 4.0"
        );
        assert_eq!(scale.tick_decimals(10), 1);
        assert_eq!(scale.px(4.3), 100.0);
    }

    #[test]
    fn impossible_ranges_still_give_an_axis() {
        for (from, to) in [(0.0, 0.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (5.0, 1.0), (f64::MIN, f64::MAX)] {
            let scale = Scale::new(from, to, 0.0, 10.0);
            assert!(!scale.ticks(5).is_empty() && scale.px(0.5).is_finite());
        }
        let tiny = Scale::new(0.0, f64::MIN_POSITIVE / 4.0, 0.0, 10.0);
        assert!(tiny.ticks(5).len() <= 101);
        let huge = Scale::new(0.0, f64::MAX, 0.0, 10.0);
        assert!(huge.ticks(5).len() <= 101);
    }
}
