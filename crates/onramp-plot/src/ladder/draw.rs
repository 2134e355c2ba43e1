//! The drawing of a ladder.

use super::flight::{Flight, Range};
use super::labels::{clock, Column, LINE};
use super::{Ladder, Rung, RungKind, FOOT};
use crate::svg::axes::Scale;
use crate::svg::{marks, shortened, Anchor, Svg};
use crate::svg::{PLOT_WIDTH, RIGHT};
use std::collections::{BTreeMap, BTreeSet};

/// Length of the lifelines before the first time and after the last one.
pub(super) const OVER: f64 = 10.0;
/// Distance of a lifeline from its times.
const LEADER: f64 = 34.0;
/// Distance of the times from the texts.
const GAP: f64 = 10.0;
/// Minimum and maximum width beside a lifeline.
const BESIDE: (f64, f64) = (150.0, 320.0);
/// Maximum number of lines. If there are more, neighbouring ones merge.
const MAX_LINES: usize = 1000;

/// A diagram that is being drawn.
pub(super) struct Canvas {
    svg: Svg,
    range: Range,
    time: Scale,
    /// The x of the left lifeline and of the right one.
    lifelines: (f64, f64),
    top: f64,
    bottom: f64,
}

/// A line in pixels.
struct Drawn<'a> {
    flight: &'a Flight<'a>,
    from: (f64, f64),
    to: (f64, f64),
    tooltip: String,
    /// Number of further lines at the same place.
    others: usize,
}

/// The width of a column of labels beside its lifeline.
fn beside(column: &Column) -> f64 {
    let texts = column.text_width();
    let gap = if texts > 0.0 { GAP } else { 0.0 };
    (LEADER + column.time_width() + gap + texts + RIGHT).clamp(BESIDE.0, BESIDE.1)
}

impl Canvas {
    /// The lifelines are as far apart as the labels of both sides allow.
    pub(super) fn new(
        svg: Svg,
        range: Range,
        time: Scale,
        left: &Column,
        right: &Column,
    ) -> Canvas {
        let lifelines = (beside(left), PLOT_WIDTH - beside(right));
        Canvas {
            svg,
            range,
            time,
            lifelines,
            top: time.px(range.from_s),
            bottom: time.px(range.to_s),
        }
    }

    pub(super) fn finish(self) -> String {
        self.svg.finish()
    }

    fn lifeline(&self, is_left: bool) -> f64 {
        if is_left {
            self.lifelines.0
        } else {
            self.lifelines.1
        }
    }

    /// Draws the lifelines and the names above them.
    pub(super) fn ends(&mut self, ladder: &Ladder) {
        let half = BESIDE.0.min((self.lifelines.1 - self.lifelines.0) / 2.0) - 8.0;
        for (is_left, name) in [(true, &ladder.left), (false, &ladder.right)] {
            let x = self.lifeline(is_left);
            self.svg
                .line("axis", (x, self.top - OVER), (x, self.bottom + OVER));
            self.svg.text(
                "lane",
                (x, self.top - 36.0),
                Anchor::Middle,
                &shortened(name, half * 2.0),
            );
            let (x, anchor) = self.beside(is_left, LEADER);
            self.svg
                .text("label", (x, self.top - 18.0), anchor, "time (s) ↓");
        }
    }

    /// The x at this distance outside of a lifeline, and the anchor of text there.
    fn beside(&self, is_left: bool, distance: f64) -> (f64, Anchor) {
        if is_left {
            (self.lifelines.0 - distance, Anchor::End)
        } else {
            (self.lifelines.1 + distance, Anchor::Start)
        }
    }

    /// Draws labels beside their lifeline, each with a leader from its time, or from the first and
    /// the last time of its range.
    pub(super) fn column(&mut self, column: &Column, is_left: bool) {
        let (times_x, anchor) = self.beside(is_left, LEADER);
        let text_at = LEADER + column.time_width() + GAP;
        let room = BESIDE.1 - RIGHT - text_at;
        let leader = [0.0, 10.0, 27.0, 31.0].map(|distance| self.beside(is_left, distance).0);
        for label in &column.labels {
            let y = label.top + LINE / 2.0;
            let (first, last) = (self.time.px(label.from_s), self.time.px(label.to_s));
            let both = if last - first < 1.0 {
                vec![first]
            } else {
                vec![first, last]
            };
            for at in both {
                self.svg.polyline(
                    "leader",
                    &[
                        (leader[0], at),
                        (leader[1], at),
                        (leader[2], y),
                        (leader[3], y),
                    ],
                    "",
                );
            }
            self.svg
                .text("tick", (times_x, y + 4.0), anchor, &label.time);
            let (x, _) = self.beside(is_left, text_at);
            for (line, text) in label.lines.iter().enumerate() {
                self.svg.text(
                    "label",
                    (x, y + 4.0 + line as f64 * LINE),
                    anchor,
                    &shortened(text, room),
                );
            }
        }
    }

    /// Draws the lines, then the marks, so that no line covers a mark.
    pub(super) fn rungs(&mut self, shown: &[Flight<'_>]) {
        let drawn = self.apart(shown);
        for Drawn {
            flight,
            from,
            to,
            tooltip,
            ..
        } in &drawn
        {
            self.svg
                .polyline(flight.rung.kind.class(), &[*from, *to], tooltip);
        }
        self.sending_marks(&drawn);
        self.arrival_marks(drawn);
    }

    /// Marks the sendings of pairs and of paced segments.
    fn sending_marks(&mut self, drawn: &[Drawn<'_>]) {
        let mut around = BTreeSet::new();
        for Drawn {
            flight,
            from,
            tooltip,
            ..
        } in drawn
        {
            let Rung {
                kind,
                from_left,
                sent_s,
                ..
            } = *flight.rung;
            // Sendings at one time share a mark.
            if self.range.holds(sent_s) && around.insert((kind, from_left, from.1.round() as i64)) {
                match kind {
                    RungKind::Pair => marks::circled(&mut self.svg, kind.class(), *from, tooltip),
                    RungKind::Paced => marks::squared(&mut self.svg, kind.class(), *from, tooltip),
                    _ => {}
                }
            }
        }
    }

    /// Marks the arrivals, and the losses with their number.
    fn arrival_marks(&mut self, drawn: Vec<Drawn<'_>>) {
        let mut counted: Vec<f64> = Vec::new();
        for Drawn {
            flight,
            from,
            to,
            tooltip,
            others,
        } in drawn
        {
            match flight.rung.arrived_s {
                _ if !self.range.holds(flight.end_s) => {}
                Some(_) => {
                    let class = flight.rung.kind.class().replacen("rung", "tip", 1);
                    self.svg.path(&class, &marks::arrowhead(from, to), &tooltip);
                }
                None => {
                    self.svg.path("mark ink", &marks::cross_path(to), &tooltip);
                    // Only where it does not overlap another count.
                    if others > 0 && counted.iter().all(|y| (to.1 - y).abs() >= LINE) {
                        let (x, anchor) = if from.0 < to.0 {
                            (9.0, Anchor::Start)
                        } else {
                            (-9.0, Anchor::End)
                        };
                        self.svg.text(
                            "note",
                            (to.0 + x, to.1 + 4.0),
                            anchor,
                            &format!("{} lost", others + 1),
                        );
                        counted.push(to.1);
                    }
                }
            }
        }
    }

    /// The ends of a line in pixels.
    fn line(&self, flight: &Flight<'_>) -> [(f64, f64); 2] {
        let (from, to) = (
            self.lifeline(flight.rung.from_left),
            self.lifeline(!flight.rung.from_left),
        );
        flight
            .within(&self.range)
            .map(|(share, time_s)| (from + (to - from) * share, self.time.px(time_s)))
    }

    /// The lines, with one for all at the same place. Places grow until there are few enough lines.
    fn apart<'a>(&self, shown: &'a [Flight<'a>]) -> Vec<Drawn<'a>> {
        let mut cell = 1.0;
        loop {
            let mut seen = BTreeMap::new();
            let mut drawn: Vec<Drawn<'_>> = Vec::new();
            for flight in shown {
                let [from, to] = self.line(flight);
                let place = [from.0, from.1, to.0, to.1].map(|px| (px / cell).round() as i64);
                let at = *seen
                    .entry((flight.rung.kind, flight.is_lost(), place))
                    .or_insert(drawn.len());
                match drawn.get_mut(at) {
                    Some(first) => first.others += 1,
                    None => drawn.push(Drawn {
                        flight,
                        from,
                        to,
                        tooltip: String::new(),
                        others: 0,
                    }),
                }
            }
            if drawn.len() <= MAX_LINES || cell > PLOT_WIDTH {
                for one in &mut drawn {
                    let more = if one.others > 0 {
                        format!(", and {} more here", one.others)
                    } else {
                        String::new()
                    };
                    one.tooltip = format!("{}{more}", one.flight.tooltip());
                }
                break drawn;
            }
            cell *= 1.4;
        }
    }

    /// Draws reference times: whether each is of the left end, and the time.
    pub(super) fn references(&mut self, label: &str, times: &[(bool, f64)]) {
        for &(is_left, at_s) in times {
            let at = (self.lifeline(is_left), self.time.px(at_s));
            let tooltip = format!("{label}: {} s", clock(at_s));
            marks::reference(&mut self.svg, None, at, &tooltip);
        }
    }

    /// Writes notes on what the diagram does not show.
    pub(super) fn notes(&mut self, is_empty: bool, left_out: usize) {
        let middle = (self.lifelines.0 + self.lifelines.1) / 2.0;
        if is_empty {
            let text = "nothing was sent or arrived";
            self.svg.text(
                "note",
                (middle, (self.top + self.bottom) / 2.0),
                Anchor::Middle,
                text,
            );
        }
        if left_out > 0 {
            let text = format!("left out: {left_out} without a time");
            self.svg.text(
                "note",
                (middle, self.bottom + FOOT - 8.0),
                Anchor::Middle,
                &text,
            );
        }
    }
}
