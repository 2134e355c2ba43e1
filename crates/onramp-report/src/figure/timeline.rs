//! The common parts of the three plots over time: frame, legend, reference lines, lines of steps.

use super::Series;
use onramp_plot::svg::axes::Frame;
use onramp_plot::svg::marks::{self, Key};
use onramp_plot::svg::{lines, Anchor, Svg, LEFT, RIGHT, WIDTH};

/// The label of the time axis of one transfer.
pub(crate) const SINCE_CONNECT: &str = "time since the receiver's connect (s)";

/// The range and the units of a plot over time.
pub(crate) struct Plan<'a> {
    pub(crate) name: &'a str,
    pub(crate) x_label: &'a str,
    pub(crate) y_label: &'a str,
    /// Divides the y values: 1e6 where the label has MB.
    pub(crate) y_unit: f64,
    pub(crate) y_max: f64,
    pub(crate) end_s: f64,
    pub(crate) height: f64,
    pub(crate) legend: Vec<(Key, String)>,
}

/// A plot over time whose frame is drawn. Everything that follows is clipped to it.
pub(crate) struct Timeline {
    pub(crate) svg: Svg,
    pub(crate) frame: Frame,
    notes: Vec<Note>,
}

/// A text that is drawn last, on top of all lines.
struct Note {
    at: (f64, f64),
    anchor: Anchor,
    text: String,
}

impl Timeline {
    pub(crate) fn new(plan: Plan<'_>) -> Timeline {
        let width = WIDTH - LEFT - RIGHT;
        let (places, legend_height) = marks::legend_places(&plan.legend, width);
        let top = legend_height + 12.0;
        let mut svg = Svg::new(WIDTH, top + plan.height + 42.0, plan.name);
        marks::legend(&mut svg, (LEFT, 2.0), &plan.legend, &places);
        let frame = Frame::new(
            (LEFT, top),
            width,
            plan.height,
            (0.0, plan.end_s * 1.01),
            (0.0, plan.y_max * 1.06),
        );
        frame.draw(&mut svg, plan.x_label, plan.y_label, plan.y_unit);
        // At the edges, half of the width of a line is visible.
        svg.begin_clip((LEFT - 1.0, top - 1.0), width + 2.0, plan.height + 2.0);
        Timeline {
            svg,
            frame,
            notes: Vec::new(),
        }
    }

    /// Draws a thinned line of steps, which keeps each value until the next one.
    pub(crate) fn steps(&mut self, class: &str, points: &[(f64, f64)], tooltip: &str) {
        let pixels: Vec<(f64, f64)> = points.iter().map(|&point| self.frame.px(point)).collect();
        lines::steps(&mut self.svg, &self.frame, class, &pixels, tooltip);
    }

    /// Draws some markers of the series along a line of steps. Two series have them at different
    /// times.
    pub(crate) fn markers(
        &mut self,
        series: &Series<'_>,
        points: &[(f64, f64)],
        tooltip: impl Fn(f64, f64) -> String,
    ) {
        for (time, value) in lines::along_steps(points, series.look) {
            if value <= self.frame.y.to() {
                let at = self.frame.px((time, value));
                marks::marker(&mut self.svg, series.look, at, &tooltip(time, value));
            }
        }
    }

    /// Draws a horizontal line with its name at the left edge, where the plot is empty during the
    /// handshake. A line above the plot is left out. Names do not overlap if the lines are drawn
    /// from the highest to the lowest.
    pub(crate) fn level(&mut self, class: &str, value: f64, text: &str) {
        if !value.is_finite() || value > self.frame.y.to() {
            return;
        }
        let y = self.frame.y.px(value);
        self.svg
            .line(class, (self.frame.left, y), (self.frame.right(), y));
        let above = y - 5.0;
        let lowest = self
            .notes
            .iter()
            .filter(|n| n.anchor == Anchor::Start)
            .map(|n| n.at.1)
            .fold(0.0, f64::max);
        let text_y = if above < lowest + 14.0 {
            y + 14.0
        } else {
            above
        };
        self.note((self.frame.left + 8.0, text_y), Anchor::Start, text);
    }

    /// Draws the ends of the start-ups as vertical lines through the plot.
    pub(crate) fn exits(&mut self, series: &[Series<'_>]) {
        for one in series {
            let Some(time_s) = one.exit_time_s() else {
                continue;
            };
            let x = self.frame.x.px(time_s);
            let tooltip = format!(
                "{}: start-up ends at {}: {}",
                one.label,
                super::seconds(time_s),
                one.record.exit_reason
            );
            let line = [(x, self.frame.top), (x, self.frame.bottom())];
            self.svg.polyline(
                &format!("exit {}", marks::colour(one.look)),
                &line,
                &tooltip,
            );
        }
    }

    fn note(&mut self, at: (f64, f64), anchor: Anchor, text: &str) {
        self.notes.push(Note {
            at,
            anchor,
            text: text.to_owned(),
        });
    }

    /// Writes into the upper right corner what lies above the plot.
    pub(crate) fn cut_off(&mut self, text: &str) {
        let at = (self.frame.right() - 6.0, self.frame.top + 15.0);
        self.note(at, Anchor::End, text);
    }

    pub(crate) fn finish(mut self) -> String {
        self.svg.end_clip();
        for note in &self.notes {
            self.svg.text("note", note.at, note.anchor, &note.text);
        }
        self.svg.finish()
    }
}

/// The entries of the legend for the start-ups, and for their ends if there are any.
pub(crate) fn legend_of(series: &[Series<'_>]) -> Vec<(Key, String)> {
    let names = series.iter().map(|one| {
        (
            Key::Series(one.look),
            onramp_plot::svg::shortened(&one.label, 400.0),
        )
    });
    let ends = series.iter().any(|one| one.exit_time_s().is_some());
    names
        .chain(ends.then(|| (Key::Line("exit"), "start-up ends".to_owned())))
        .collect()
}
