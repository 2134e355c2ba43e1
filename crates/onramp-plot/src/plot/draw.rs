//! Draws a plot as SVG.

use super::{range, Annotation, Plot, PlotMarks, PlotSeries, PlotStyle};
use crate::svg::axes::{left_room, Frame};
use crate::svg::labels::Labels;
use crate::svg::marks::{self, Key};
use crate::svg::{lines, shortened, Anchor, Svg};
use crate::svg::{LEFT, PLOT_WIDTH, RIGHT};
use crate::units::significant;

const HEIGHT: f64 = 300.0;
const TITLE_HEIGHT: f64 = 22.0;
const LEGEND_WIDTH: f64 = 400.0;
const LABEL_WIDTH: f64 = 420.0;
/// On a line with at most this many points, each has a marker. On longer lines, some have.
const MAX_MARKED: usize = 30;
/// At most this many points without a line are markers with tooltips. More of them are dots.
const MAX_MARKERS: usize = 300;
/// Of markers of one series that are closer than this, in pixels, only the first is drawn.
const MARKER_PX: f64 = 3.0;
/// Rows for the texts of vertical lines.
const ROWS: usize = 6;
const ROW_HEIGHT: f64 = 15.0;

/// The plot as an SVG element, coloured by the style sheet of the page that it is for.
pub fn draw_plot(plot: &Plot) -> String {
    let legend = legend(plot);
    let height = plot
        .height
        .filter(|h| h.is_finite())
        .unwrap_or(HEIGHT)
        .clamp(80.0, 1000.0);
    // The width of the y labels depends on the height of the axis, the legend on that width.
    let left = left_room(&range::scale_y(plot, height, 0.0)).clamp(LEFT, PLOT_WIDTH / 3.0);
    let width = PLOT_WIDTH - left - RIGHT;
    let (places, legend_height) = marks::legend_places(&legend, width);
    let title_height = if plot.title.is_empty() {
        0.0
    } else {
        TITLE_HEIGHT
    };
    let top = title_height + legend_height + 12.0;
    let x = range::scale_x(plot, left, left + width);
    let y = range::scale_y(plot, top + height, top);
    let frame = Frame {
        left,
        top,
        width,
        height,
        x,
        y,
    };
    let mut svg = Svg::new(PLOT_WIDTH, frame.bottom() + 42.0, &plot.title);
    if !plot.title.is_empty() {
        svg.text(
            "lane",
            (left, 15.0),
            Anchor::Start,
            &shortened(&plot.title, width),
        );
    }
    marks::legend(&mut svg, (left, title_height + 2.0), &legend, &places);
    frame.draw(&mut svg, &plot.x.label, &plot.y.label, 1.0);
    let mut canvas = Canvas {
        plot,
        frame,
        labels: Labels::new(frame),
        svg,
    };
    canvas.draw();
    canvas.svg.finish()
}

fn legend(plot: &Plot) -> Vec<(Key, String)> {
    let name = |label: &str| shortened(label, LEGEND_WIDTH);
    let mut legend: Vec<(Key, String)> = Vec::new();
    for (at, series) in plot.series.iter().enumerate() {
        let look = look(series, at);
        let key = match series.style {
            PlotStyle::Line | PlotStyle::Steps => Key::Series(look),
            PlotStyle::Dashed => Key::Dashed(look),
            PlotStyle::Points => Key::Marker(look),
        };
        legend.push((key, name(&series.label)));
    }
    for (at, marks) in plot.marks.iter().enumerate() {
        let of_name = |other: &&PlotMarks| other.label == marks.label;
        if plot.marks[..at].iter().any(|other| of_name(&other)) {
            continue;
        }
        let is_of_one = plot
            .marks
            .iter()
            .filter(of_name)
            .all(|other| other.look == marks.look);
        legend.push((
            Key::Reference(marks.look.filter(|_| is_of_one)),
            name(&marks.label),
        ));
    }
    legend
}

fn look(series: &PlotSeries, at: usize) -> usize {
    series.look.unwrap_or(at)
}

/// A plot whose frame is drawn.
struct Canvas<'a> {
    plot: &'a Plot,
    frame: Frame,
    labels: Labels,
    svg: Svg,
}

impl Canvas<'_> {
    fn draw(&mut self) {
        let Canvas { plot, frame, .. } = *self;
        // At the edges, half of the width of a line is visible.
        self.svg.begin_clip(
            (frame.left - 1.0, frame.top - 1.0),
            frame.width + 2.0,
            frame.height + 2.0,
        );
        for annotation in &plot.annotations {
            self.annotation_line(annotation);
        }
        for (at, series) in plot.series.iter().enumerate() {
            self.line(series, look(series, at));
        }
        self.svg.end_clip();
        // Markers are not clipped: on the edge, they are whole.
        for (at, series) in plot.series.iter().enumerate() {
            self.markers(series, look(series, at));
        }
        for marks in &plot.marks {
            self.references(marks);
        }
        self.left_out();
        for marks in &plot.marks {
            self.reference_texts(marks);
        }
        for annotation in &plot.annotations {
            self.annotation_label(annotation);
        }
        self.labels.draw(&mut self.svg);
    }

    fn line(&mut self, series: &PlotSeries, look: usize) {
        let pixels: Vec<(f64, f64)> = series
            .points
            .iter()
            .map(|&point| self.frame.px(point))
            .collect();
        let class = if series.style == PlotStyle::Dashed {
            "dashed"
        } else {
            "main"
        };
        let class = format!("{class} {}", marks::colour(look));
        match series.style {
            PlotStyle::Line | PlotStyle::Dashed => {
                lines::straight(&mut self.svg, &self.frame, &class, &pixels, &series.label);
                self.labels.avoid_line(&pixels);
            }
            PlotStyle::Steps => {
                lines::steps(&mut self.svg, &self.frame, &class, &pixels, &series.label);
                self.labels.avoid_steps(&pixels);
            }
            PlotStyle::Points => {}
        }
    }

    fn markers(&mut self, series: &PlotSeries, look: usize) {
        let shown: Vec<(f64, f64)> = series
            .points
            .iter()
            .copied()
            .filter(|&point| self.shows(point))
            .collect();
        let chosen = match series.style {
            PlotStyle::Points if shown.len() > MAX_MARKERS => {
                let pixels: Vec<(f64, f64)> =
                    shown.iter().map(|&point| self.frame.px(point)).collect();
                lines::dots(
                    &mut self.svg,
                    &format!("dots {}", marks::colour(look)),
                    &pixels,
                    &series.label,
                );
                pixels.iter().for_each(|&at| self.labels.avoid(at));
                return;
            }
            PlotStyle::Points => shown,
            _ if shown.len() <= MAX_MARKED => shown,
            PlotStyle::Steps => lines::along_steps(&shown, look),
            _ => lines::along_straight(&shown, look),
        };
        let mut before = (f64::NEG_INFINITY, 0.0);
        for point in chosen {
            let at = self.frame.px(point);
            if (at.0 - before.0).hypot(at.1 - before.1) >= MARKER_PX {
                let tooltip = self.tooltip(&series.label, point);
                marks::marker(&mut self.svg, look, at, &tooltip);
                self.labels.avoid(at);
                before = at;
            }
        }
    }

    fn references(&mut self, marks: &PlotMarks) {
        let mut before = (f64::NEG_INFINITY, 0.0);
        for &point in &marks.points {
            if !self.shows(point) {
                continue;
            }
            let at = self.frame.px(point);
            if (at.0 - before.0).hypot(at.1 - before.1) >= 1.0 {
                let tooltip = self.tooltip(&marks.label, point);
                marks::reference(&mut self.svg, marks.look, at, &tooltip);
                self.labels.avoid(at);
                before = at;
            }
        }
    }

    /// Puts the text of a reference beside its diamond, or above or below it.
    fn reference_texts(&mut self, marks: &PlotMarks) {
        for (&point, text) in marks.points.iter().zip(&marks.texts) {
            if !self.shows(point) {
                continue;
            }
            let (x, y) = self.frame.px(point);
            let places = [
                ((x + 12.0, y + 4.0), Anchor::Start),
                ((x - 12.0, y + 4.0), Anchor::End),
                ((x, y - 13.0), Anchor::Middle),
                ((x, y + 21.0), Anchor::Middle),
                ((x + 8.0, y - 10.0), Anchor::Start),
                ((x - 8.0, y - 10.0), Anchor::End),
                ((x + 8.0, y + 18.0), Anchor::Start),
                ((x - 8.0, y + 18.0), Anchor::End),
            ];
            self.labels.place(&shortened(text, LABEL_WIDTH), places);
        }
    }

    fn annotation_line(&mut self, annotation: &Annotation) {
        let frame = self.frame;
        let (line, tooltip) = match annotation {
            Annotation::Vertical { x, text } => {
                let at = frame.x.px(*x);
                (
                    [(at, frame.top), (at, frame.bottom())],
                    self.named(text, &self.plot.x.label, *x),
                )
            }
            Annotation::Horizontal { y, text } => {
                let at = frame.y.px(*y);
                (
                    [(frame.left, at), (frame.right(), at)],
                    self.named(text, &self.plot.y.label, *y),
                )
            }
        };
        if self.is_inside(line[0]) && self.is_inside(line[1]) {
            self.svg.polyline("level", &line, &tooltip);
            self.labels.avoid_line(&line);
        }
    }

    fn annotation_label(&mut self, annotation: &Annotation) {
        let frame = self.frame;
        match annotation {
            Annotation::Vertical { x, text } if !text.is_empty() => {
                let at = frame.x.px(*x);
                if self.is_inside((at, frame.top)) {
                    let rows = (0..ROWS).map(|row| frame.top + 14.0 + row as f64 * ROW_HEIGHT);
                    let sides = [(at + 6.0, Anchor::Start), (at - 6.0, Anchor::End)];
                    let places = rows.flat_map(|y| sides.map(|(x, anchor)| ((x, y), anchor)));
                    self.labels.place(&shortened(text, LABEL_WIDTH), places);
                }
            }
            Annotation::Horizontal { y, text } if !text.is_empty() => {
                let at = frame.y.px(*y);
                if self.is_inside((frame.left, at)) {
                    let (left, right) = (frame.left + 8.0, frame.right() - 8.0);
                    let columns = [
                        (left, Anchor::Start),
                        (right, Anchor::End),
                        ((left + right) / 2.0, Anchor::Middle),
                    ];
                    let places =
                        [at - 5.0, at + 14.0].map(|y| columns.map(|(x, anchor)| ((x, y), anchor)));
                    self.labels
                        .place(&shortened(text, LABEL_WIDTH), places.into_iter().flatten());
                }
            }
            _ => {}
        }
    }

    /// Writes how many points a logarithmic axis cannot show.
    fn left_out(&mut self) {
        let points = self.plot.series.iter().flat_map(|s| &s.points);
        let points = points.chain(self.plot.marks.iter().flat_map(|m| &m.points));
        let is_off = |(x, y): &&(f64, f64)| {
            x.is_finite()
                && y.is_finite()
                && (self.plot.x.log && *x <= 0.0 || self.plot.y.log && *y <= 0.0)
        };
        let count = points.filter(is_off).count();
        if count > 0 {
            let s = if count == 1 { "" } else { "s" };
            let text = format!("left out: {count} point{s} at or below zero");
            let frame = self.frame;
            let rows = [frame.top + 15.0, frame.bottom() - 8.0];
            self.labels
                .place(&text, rows.map(|y| ((frame.right() - 6.0, y), Anchor::End)));
        }
    }

    fn shows(&self, (x, y): (f64, f64)) -> bool {
        x.is_finite() && y.is_finite() && self.is_inside(self.frame.px((x, y)))
    }

    /// Whether a pixel is inside the frame. Half a pixel is allowed, for the rounding of values at
    /// the end of the range.
    fn is_inside(&self, (x, y): (f64, f64)) -> bool {
        let Frame { left, top, .. } = self.frame;
        (left - 0.5..=self.frame.right() + 0.5).contains(&x)
            && (top - 0.5..=self.frame.bottom() + 0.5).contains(&y)
    }

    fn tooltip(&self, label: &str, (x, y): (f64, f64)) -> String {
        let (x_label, y_label) = (&self.plot.x.label, &self.plot.y.label);
        format!(
            "{label}: {x_label} {}, {y_label} {}",
            significant(x, 4),
            significant(y, 4)
        )
    }

    fn named(&self, text: &str, label: &str, value: f64) -> String {
        let value = significant(value, 4);
        if text.is_empty() {
            format!("{label} {value}")
        } else {
            format!("{text}: {label} {value}")
        }
    }
}
