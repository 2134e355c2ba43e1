//! The ladder diagram: the packets between two ends, with time running downwards.
//!
//! A line runs from place and time of a sending to place and time of the arrival. The marks are
//! those of Nishida, Nakamura and Murai, "New Congestion Control mechanism for TCP with Packet Pair
//! scheme", Figure 5: a circle around the sendings of a packet pair, a square around those of the
//! leaky bucket.

mod draw;
mod flight;
mod labels;

use crate::svg::axes::Scale;
use crate::svg::marks::{self, Key};
use crate::svg::{shortened, Anchor, Svg};
use crate::svg::{LEFT, PLOT_WIDTH, RIGHT};
use draw::Canvas;
use flight::{extent_s, flights, Flight, Range};
use labels::{clock, Column, Label};
use std::collections::BTreeSet;

const TITLE_HEIGHT: f64 = 22.0;
/// Height of the names of the ends and of the times.
const HEADS: f64 = 56.0;
const FOOT: f64 = 30.0;
/// Height of the diagram for each line of text, between the bounds of [`HEIGHT`].
const LINE_SHARE: f64 = 48.0;
/// Minimum and maximum height of the whole diagram.
const HEIGHT: (f64, f64) = (400.0, 1600.0);

/// Two ends and the packets between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ladder {
    /// Name of the end on the left, such as `sender`.
    pub left: String,
    /// Name of the end on the right, such as `receiver`.
    pub right: String,
    /// The packets in any order. Those sent at the same time keep their order.
    pub rungs: Vec<Rung>,
    /// Reference times, such as those of a paper.
    pub marks: LadderMarks,
}

/// Reference times on the lifelines: hollow diamonds. A time outside of the diagram is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LadderMarks {
    /// Their name in the legend and in tooltips, such as `paper`.
    pub label: String,
    /// Times of the left end, in seconds.
    pub left_s: Vec<f64>,
    /// Times of the right end, in seconds.
    pub right_s: Vec<f64>,
}

/// A segment or ACK. A rung with a time that is not finite is left out; a note has the number of
/// them.
#[derive(Clone, Debug, PartialEq)]
pub struct Rung {
    /// Whether the left end sent it. Otherwise the right end did.
    pub from_left: bool,
    /// When it was sent, in seconds.
    pub sent_s: f64,
    /// When it arrived, in seconds; `None` if it was lost. The line of a lost packet ends halfway,
    /// a little later than that of the packet before it would, because place and time of the loss
    /// are unknown.
    pub arrived_s: Option<f64>,
    /// A description such as `segment 4, pair 1`, for the label and the tooltip. May be empty.
    pub text: String,
    /// Selects the look of the line and the mark around its beginning.
    pub kind: RungKind,
}

/// The kinds of packets, which have different lines and marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum RungKind {
    /// A segment: a solid line.
    #[default]
    Data,
    /// A segment of a packet pair: a solid line that begins in a circle.
    Pair,
    /// A segment that a timer paced: a solid line that begins in a square.
    Paced,
    /// An ACK: a dashed line.
    Ack,
    /// A delayed ACK, which waited for another segment: a dotted line.
    DelayedAck,
}

impl RungKind {
    fn class(self) -> &'static str {
        match self {
            RungKind::Data => "rung segment",
            RungKind::Pair => "rung pair",
            RungKind::Paced => "rung paced",
            RungKind::Ack => "rung ack",
            RungKind::DelayedAck => "rung delayed-ack",
        }
    }

    fn name(self) -> &'static str {
        match self {
            RungKind::Data => "segment",
            RungKind::Pair => "segment of a packet pair",
            RungKind::Paced => "paced segment",
            RungKind::Ack => "ACK",
            RungKind::DelayedAck => "delayed ACK",
        }
    }

    fn key(self) -> Key {
        match self {
            RungKind::Pair => Key::Circled(self.class()),
            RungKind::Paced => Key::Squared(self.class()),
            _ => Key::Line(self.class()),
        }
    }

    fn is_ack(self) -> bool {
        matches!(self, RungKind::Ack | RungKind::DelayedAck)
    }
}

/// The diagram from `from_s` to `to_s`, in seconds, as an SVG element. If `from_s` is not below
/// `to_s`, the diagram shows everything.
///
/// The diagram is 800 pixels wide and 400 to 1600 pixels high, depending on the number of labels.
/// Lines are cut off at the edges of the range. Beside each lifeline are the times of its sendings
/// and arrivals, in seconds with three decimals, and the texts of the sendings. Times that read the
/// same share a label, and labels that would overlap move apart. Where there is no room for all of
/// them, neighbours merge into ranges.
pub fn draw_ladder(title: &str, ladder: &Ladder, from_s: f64, to_s: f64) -> String {
    let given_s =
        (from_s.is_finite() && to_s.is_finite() && from_s < to_s).then_some((from_s, to_s));
    let flights = flights(ladder, given_s);
    let range = Range::new(given_s.unwrap_or_else(|| extent_s(&flights)));
    let left_out = ladder.rungs.len() - flights.len();
    let shown: Vec<Flight<'_>> = flights
        .into_iter()
        .filter(|flight| range.shows(flight))
        .collect();

    let marks = ladder.marks.shown(&range);
    let mut legend = legend(&shown);
    if !marks.is_empty() {
        legend.push((Key::Reference(None), ladder.marks.label.clone()));
    }
    let (places, legend_height) = marks::legend_places(&legend, PLOT_WIDTH - LEFT - RIGHT);
    let title_height = if title.is_empty() { 0.0 } else { TITLE_HEIGHT };
    let top = title_height + legend_height + HEADS;
    let sides = [true, false].map(|is_left| time_labels(&shown, is_left, &range));
    let lines = sides
        .iter()
        .map(|labels| labels::lines(labels))
        .max()
        .unwrap_or(0);
    let bottom = (top + lines as f64 * LINE_SHARE).clamp(HEIGHT.0 - FOOT, HEIGHT.1 - FOOT);
    let time = Scale::new(range.from_s, range.to_s, top, bottom);
    let [left, right] = sides.map(|labels| Column::new(labels, &time, top, bottom));

    let mut svg = Svg::new(
        PLOT_WIDTH,
        bottom + FOOT,
        &name(title, ladder, &shown, &range),
    );
    if !title.is_empty() {
        svg.text(
            "lane",
            (LEFT, 15.0),
            Anchor::Start,
            &shortened(title, PLOT_WIDTH - LEFT - RIGHT),
        );
    }
    marks::legend(&mut svg, (LEFT, title_height + 2.0), &legend, &places);
    let mut canvas = Canvas::new(svg, range, time, &left, &right);
    canvas.ends(ladder);
    canvas.column(&left, true);
    canvas.column(&right, false);
    canvas.rungs(&shown);
    canvas.references(&ladder.marks.label, &marks);
    canvas.notes(shown.is_empty(), left_out);
    canvas.finish()
}

impl LadderMarks {
    /// Those in the range: whether they are of the left end, and the time.
    fn shown(&self, range: &Range) -> Vec<(bool, f64)> {
        let left = self.left_s.iter().map(|at_s| (true, *at_s));
        let right = self.right_s.iter().map(|at_s| (false, *at_s));
        let all = left.chain(right);
        all.filter(|(_, at_s)| at_s.is_finite() && range.holds(*at_s))
            .collect()
    }
}

fn legend(shown: &[Flight<'_>]) -> Vec<(Key, String)> {
    let kinds: BTreeSet<RungKind> = shown.iter().map(|flight| flight.rung.kind).collect();
    let mut legend: Vec<(Key, String)> = kinds
        .into_iter()
        .map(|kind| (kind.key(), kind.name().to_owned()))
        .collect();
    if shown.iter().any(Flight::is_lost) {
        legend.push((Key::Cross, "lost on the way".to_owned()));
    }
    legend
}

/// The name for screen readers, which cannot read the lines.
fn name(title: &str, ladder: &Ladder, shown: &[Flight<'_>], range: &Range) -> String {
    let acks = shown
        .iter()
        .filter(|flight| flight.rung.kind.is_ack())
        .count();
    let lost = shown.iter().filter(|flight| flight.is_lost()).count();
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let lost = if lost > 0 {
        format!(", {lost} of them lost")
    } else {
        String::new()
    };
    let colon = if title.is_empty() { "" } else { ": " };
    format!(
        "{title}{colon}ladder diagram of {} and {}, {} to {} s, {} and {}{lost}",
        ladder.left,
        ladder.right,
        clock(range.from_s),
        clock(range.to_s),
        count(shown.len() - acks, "segment"),
        count(acks, "ACK"),
    )
}

/// The labels of one end, in order of time.
fn time_labels<'a>(shown: &[Flight<'a>], is_left: bool, range: &Range) -> Vec<Label<'a>> {
    let event = |flight: &Flight<'a>| {
        let rung = flight.rung;
        match rung.arrived_s {
            _ if rung.from_left == is_left => Some((rung.sent_s, Some(rung.text.as_str()))),
            Some(arrived_s) => Some((arrived_s, None)),
            None => None,
        }
    };
    let events = shown
        .iter()
        .filter_map(event)
        .filter(|event| range.holds(event.0));
    labels::time_labels(
        events
            .map(|(time_s, text)| (range.cut(time_s), text))
            .collect(),
    )
}

#[cfg(test)]
mod tests;
