//! The ladder diagram: what two ends send each other, time going downwards.
//!
//! The lines slant from when and where something left to when and where it arrived. The marks are
//! those of Nishida, Nakamura and Murai, "New Congestion Control mechanism for TCP with Packet Pair
//! scheme", Figure 5: a circle around the sendings of a packet pair, a square around those of the
//! leaky bucket.

mod draw;
mod flight;
mod labels;

use crate::figure::{LEFT, RIGHT, WIDTH};
use crate::svg::axes::Scale;
use crate::svg::marks::{self, Key};
use crate::svg::{shortened, Anchor, Svg};
use draw::Canvas;
use flight::{extent_s, flights, Flight, Range};
use labels::{clock, Column, Label};
use std::collections::BTreeSet;

const TITLE_HEIGHT: f64 = 22.0;
/// The names of the ends and of the times.
const HEADS: f64 = 56.0;
const FOOT: f64 = 30.0;
/// What a line of text gets of the height, where it gets what it wants.
const LINE_SHARE: f64 = 48.0;
/// Least and most height of all.
const HEIGHT: (f64, f64) = (400.0, 1600.0);

/// Two ends and what they sent each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ladder {
    /// Name of the end on the left, such as `sender`.
    pub left: String,
    /// Name of the end on the right, such as `receiver`.
    pub right: String,
    /// What was sent, in any order. Of what was sent at one moment the first comes first.
    pub rungs: Vec<Rung>,
}

/// One segment or acknowledgement. One whose times are no finite numbers is left out; the diagram
/// says how many are.
#[derive(Clone, Debug, PartialEq)]
pub struct Rung {
    /// Whether the left end sent it to the right one, rather than the other way round.
    pub from_left: bool,
    /// When it was sent, in seconds.
    pub sent_s: f64,
    /// When it arrived, in seconds; nothing if it was lost. The lost go half of the way, somewhat
    /// slower than the one before them: neither where nor when they were lost is known.
    pub arrived_s: Option<f64>,
    /// What it is, such as `segment 4, pair 1`: beside its sending and in its tooltip. May be
    /// empty.
    pub text: String,
    /// How its line looks and what is around its sending.
    pub kind: RungKind,
}

/// What is told apart by lines and marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum RungKind {
    /// A segment: a solid line.
    #[default]
    Data,
    /// A segment of a packet pair: a solid line, its sending in a circle.
    Pair,
    /// A segment that was sent at the pace of a timer: a solid line, its sending in a square.
    Paced,
    /// An acknowledgement: a dashed line.
    Ack,
    /// An acknowledgement that waited for another segment: a dotted line.
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

/// The diagram from `from_s` to `to_s`, in seconds, as an SVG element. Where these are no range it
/// shows everything.
///
/// It is 1000 pixels wide and, as it has few or many moments to label, 400 to 1600 high. What was
/// sent before the range or arrives after it is cut off at its edge. Beside each lifeline stand the
/// moments of its sendings and arrivals, in seconds with three digits, and the texts of the
/// sendings: moments that read the same share a label, labels that would overlap move apart, and
/// where there is no room for all of them neighbours merge to ranges.
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

    let legend = legend(&shown);
    let (places, legend_height) = marks::legend_places(&legend, WIDTH - LEFT - RIGHT);
    let title_height = if title.is_empty() { 0.0 } else { TITLE_HEIGHT };
    let top = title_height + legend_height + HEADS;
    let sides = [true, false].map(|is_left| moments(&shown, is_left, &range));
    let lines = sides
        .iter()
        .map(|labels| labels::lines(labels))
        .max()
        .unwrap_or(0);
    let bottom = (top + lines as f64 * LINE_SHARE).clamp(HEIGHT.0 - FOOT, HEIGHT.1 - FOOT);
    let time = Scale::new(range.from_s, range.to_s, top, bottom);
    let [left, right] = sides.map(|labels| Column::new(labels, &time, top, bottom));

    let mut svg = Svg::new(WIDTH, bottom + FOOT, &name(title, ladder, &shown, &range));
    if !title.is_empty() {
        svg.text(
            "lane",
            (LEFT, 15.0),
            Anchor::Start,
            &shortened(title, WIDTH - LEFT - RIGHT),
        );
    }
    marks::legend(&mut svg, (LEFT, title_height + 2.0), &legend, &places);
    let mut canvas = Canvas::new(svg, range, time, &left, &right);
    canvas.ends(ladder);
    canvas.column(&left, true);
    canvas.column(&right, false);
    canvas.rungs(&shown);
    canvas.notes(shown.is_empty(), left_out);
    canvas.finish()
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

/// The name for a screen reader, which sees none of the lines.
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

/// The moments of one end, in order.
fn moments<'a>(shown: &[Flight<'a>], is_left: bool, range: &Range) -> Vec<Label<'a>> {
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
    labels::moments(
        events
            .map(|(time_s, text)| (range.cut(time_s), text))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::text_width;
    use labels::LINE;
    use roxmltree::{Document, Node};

    fn rung(from_left: bool, sent_s: f64, arrived_s: Option<f64>, kind: RungKind) -> Rung {
        let text = format!("sent at {sent_s}");
        Rung {
            from_left,
            sent_s,
            arrived_s,
            text,
            kind,
        }
    }

    fn data(sent_s: f64, arrived_s: Option<f64>) -> Rung {
        rung(true, sent_s, arrived_s, RungKind::Data)
    }

    fn draw(rungs: Vec<Rung>, from_s: f64, to_s: f64) -> String {
        let svg = draw_ladder(
            "",
            &Ladder {
                left: "sender".into(),
                right: "receiver".into(),
                rungs,
            },
            from_s,
            to_s,
        );
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        svg
    }

    fn with_class<'a>(document: &'a Document<'_>, class: &str) -> Vec<Node<'a, 'a>> {
        let has = |n: &Node<'_, '_>| {
            n.attribute("class")
                .is_some_and(|c| c.split(' ').any(|c| c == class))
        };
        document.descendants().filter(has).collect()
    }

    fn number(node: Node<'_, '_>, name: &str) -> f64 {
        node.attribute(name).unwrap().parse().unwrap()
    }

    fn numbers(path: &str) -> Vec<f64> {
        path.split(['M', 'L', ' '])
            .filter(|n| !n.is_empty())
            .map(|n| n.parse().unwrap())
            .collect()
    }

    /// The lines of the rungs: x and y of both ends.
    fn lines(document: &Document<'_>) -> Vec<Vec<f64>> {
        let paths = with_class(document, "rung")
            .into_iter()
            .filter_map(|n| n.attribute("d"));
        paths.map(numbers).collect()
    }

    /// The lifelines' x, and pixels of a moment from where they begin and end.
    fn axes(document: &Document<'_>, from_s: f64, to_s: f64) -> (f64, f64, impl Fn(f64) -> f64) {
        let axes = with_class(document, "axis");
        let (top, bottom) = (
            number(axes[0], "y1") + draw::OVER,
            number(axes[0], "y2") - draw::OVER,
        );
        let px = move |time_s: f64| top + (time_s - from_s) / (to_s - from_s) * (bottom - top);
        (number(axes[0], "x1"), number(axes[1], "x1"), px)
    }

    fn height(svg: &str) -> f64 {
        let document = Document::parse(svg).unwrap();
        document
            .root_element()
            .attribute("viewBox")
            .unwrap()
            .split(' ')
            .nth(3)
            .unwrap()
            .parse()
            .unwrap()
    }

    fn is_near(a: f64, b: f64) -> bool {
        (a - b).abs() < 0.2
    }

    /// The rooms of all times and texts: left, top, right, bottom.
    fn rooms(document: &Document<'_>) -> Vec<[f64; 4]> {
        let texts = document
            .descendants()
            .filter(|n| matches!(n.attribute("class"), Some("tick" | "label" | "lane")));
        let room = |n: Node<'_, '_>| {
            let (x, y, width) = (
                number(n, "x"),
                number(n, "y"),
                text_width(n.text().unwrap_or_default()),
            );
            let left = match n.attribute("text-anchor") {
                Some("end") => x - width,
                Some("middle") => x - width / 2.0,
                _ => x,
            };
            [left, y - LINE + 4.0, left + width, y + 4.0]
        };
        texts.map(room).collect()
    }

    fn assert_apart(svg: &str) {
        let document = Document::parse(svg).unwrap();
        let (rooms, height) = (rooms(&document), height(svg));
        for (at, a) in rooms.iter().enumerate() {
            assert!(
                a[0] >= 0.0 && a[2] <= WIDTH && a[1] >= 0.0 && a[3] <= height,
                "{a:?}"
            );
            for b in &rooms[at + 1..] {
                let gap = 0.2;
                let is_beside = a[2] <= b[0] + gap
                    || b[2] <= a[0] + gap
                    || a[3] <= b[1] + gap
                    || b[3] <= a[1] + gap;
                assert!(is_beside, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn lines_go_from_sending_to_arrival() {
        let svg = draw(
            vec![
                data(0.0, Some(0.14)),
                rung(false, 0.2, Some(0.3), RungKind::DelayedAck),
            ],
            0.0,
            0.5,
        );
        let document = Document::parse(&svg).unwrap();
        let (left, right, px) = axes(&document, 0.0, 0.5);
        let expected = [
            [left, px(0.0), right, px(0.14)],
            [right, px(0.2), left, px(0.3)],
        ];
        for (line, expected) in lines(&document).iter().zip(expected) {
            assert!(
                line.iter().zip(expected).all(|(a, b)| is_near(*a, b)),
                "{line:?} {expected:?}"
            );
        }
    }

    #[test]
    fn lines_are_cut_off_at_the_edges_of_the_range() {
        let svg = draw(
            vec![
                data(0.0, Some(0.4)),
                data(0.2, Some(0.4)),
                data(0.5, Some(0.6)),
            ],
            0.1,
            0.3,
        );
        let document = Document::parse(&svg).unwrap();
        let (left, right, px) = axes(&document, 0.1, 0.3);
        let way = |share: f64| left + (right - left) * share;
        let expected = [
            [way(0.25), px(0.1), way(0.75), px(0.3)],
            [left, px(0.2), way(0.5), px(0.3)],
        ];
        let lines = lines(&document);
        assert_eq!(lines.len(), 2, "the third is not in the range");
        for (line, expected) in lines.iter().zip(expected) {
            assert!(
                line.iter().zip(expected).all(|(a, b)| is_near(*a, b)),
                "{line:?} {expected:?}"
            );
        }
        assert!(with_class(&document, "tip").is_empty(), "none arrives");
        let times: Vec<_> = with_class(&document, "tick")
            .into_iter()
            .filter_map(|n| n.text())
            .collect();
        assert_eq!(times, ["0.200"]);
    }

    #[test]
    fn lost_ones_end_in_a_cross_on_the_way() {
        let svg = draw(
            vec![
                data(0.0, Some(0.1)),
                data(0.0, None),
                data(0.2, None),
                data(0.2, None),
            ],
            0.0,
            0.5,
        );
        let document = Document::parse(&svg).unwrap();
        let (left, right, px) = axes(&document, 0.0, 0.5);
        let lines = lines(&document);
        assert_eq!(lines.len(), 3, "two at one place are one");
        let middle = (left + right) / 2.0;
        for (line, end_s) in lines[1..].iter().zip([0.06, 0.26]) {
            assert!(
                is_near(line[2], middle) && is_near(line[3], px(end_s)),
                "{line:?}"
            );
        }
        let crosses = with_class(&document, "mark")
            .into_iter()
            .filter(|n| n.has_children());
        let at: Vec<f64> = crosses
            .map(|n| numbers(n.attribute("d").unwrap())[1] + 3.5)
            .collect();
        assert!(
            at.len() == 2 && is_near(at[0], px(0.06)) && is_near(at[1], px(0.26)),
            "{at:?}"
        );
        let counted: Vec<_> = with_class(&document, "note")
            .into_iter()
            .filter_map(|n| n.text())
            .collect();
        assert_eq!(counted, ["2 lost"]);
        assert_eq!(with_class(&document, "tip").len(), 1);
        assert!(svg.contains("<title>sent at 0: segment, sent 0.000 s, lost on the way</title>"));
    }

    #[test]
    fn a_circle_is_around_a_pair_and_a_square_around_the_paced() {
        let pair = |sent_s, arrived_s| rung(true, sent_s, Some(arrived_s), RungKind::Pair);
        let paced = rung(true, 0.2, Some(0.3), RungKind::Paced);
        let svg = draw(vec![pair(0.1, 0.2), pair(0.1, 0.24), paced], 0.0, 0.5);
        let document = Document::parse(&svg).unwrap();
        let (left, _, px) = axes(&document, 0.0, 0.5);
        let drawn = |tag| {
            document
                .descendants()
                .filter(|n| n.has_tag_name(tag) && n.has_children())
                .collect::<Vec<_>>()
        };
        let (circles, squares) = (drawn((NS, "circle")), drawn((NS, "rect")));
        assert_eq!(
            (circles.len(), squares.len()),
            (1, 1),
            "the pair shares one"
        );
        assert!(
            is_near(number(circles[0], "cx"), left) && is_near(number(circles[0], "cy"), px(0.1))
        );
        let middle = number(squares[0], "y") + number(squares[0], "height") / 2.0;
        assert!(is_near(middle, px(0.2)), "{middle}");
    }

    const NS: &str = "http://www.w3.org/2000/svg";

    #[test]
    fn moments_that_read_the_same_share_a_label() {
        let svg = draw(
            vec![
                data(0.3, Some(0.44)),
                data(0.3, Some(0.48)),
                data(0.300_01, Some(0.5)),
            ],
            0.0,
            1.0,
        );
        let document = Document::parse(&svg).unwrap();
        let times: Vec<_> = with_class(&document, "tick")
            .into_iter()
            .filter_map(|n| n.text())
            .collect();
        assert_eq!(times, ["0.300", "0.440", "0.480", "0.500"]);
        assert_eq!(with_class(&document, "leader").len(), 4);
    }

    #[test]
    fn labels_do_not_overlap() {
        let burst = |n: u32| {
            let sent_s = f64::from(n) * 0.0011;
            [
                data(sent_s, Some(0.1 + sent_s)),
                rung(false, 0.1 + sent_s, Some(0.2 + sent_s * 0.9), RungKind::Ack),
            ]
        };
        for n in [0, 1, 2, 10, 40, 80, 150, 1000] {
            let rungs: Vec<Rung> = (0..n)
                .flat_map(burst)
                .chain((0..5).map(|_| data(0.05, None)))
                .collect();
            for (from_s, to_s) in [(0.0, 0.3), (0.0, 30.0), (-5.0, 0.25)] {
                let svg = draw(rungs.clone(), from_s, to_s);
                assert_apart(&svg);
            }
        }
    }

    #[test]
    fn the_height_follows_the_number_of_moments() {
        let of = |n: u32| {
            height(&draw(
                (0..n)
                    .map(|at| data(f64::from(at), Some(f64::from(at) + 0.5)))
                    .collect(),
                0.0,
                99.0,
            ))
        };
        assert_eq!((of(0), of(1)), (400.0, 400.0));
        assert!(
            of(10) > 450.0 && of(20) > of(10) + 200.0,
            "{} {}",
            of(10),
            of(20)
        );
        assert_eq!(of(99), 1600.0);
    }

    #[test]
    fn odd_times_are_left_out_and_said_to_be() {
        let odd = vec![
            data(f64::NAN, Some(0.1)),
            data(0.1, Some(f64::INFINITY)),
            data(f64::NEG_INFINITY, None),
            data(f64::MAX, Some(f64::MIN)),
            data(0.3, Some(0.3)),
            data(0.5, Some(0.2)),
        ];
        for (from_s, to_s) in [
            (0.0, 1.0),
            (1.0, 0.0),
            (f64::NAN, 1.0),
            (2.0, 2.0),
            (f64::MIN, f64::MAX),
        ] {
            assert!(draw(odd.clone(), from_s, to_s).contains("left out: 3 without a time"));
            assert!(draw(Vec::new(), from_s, to_s).contains("nothing was sent or arrived"));
        }
        let svg = draw(odd, 0.0, 1.0);
        let document = Document::parse(&svg).unwrap();
        let (left, right, px) = axes(&document, 0.0, 1.0);
        let lines = lines(&document);
        assert!(
            lines
                .iter()
                .any(|l| is_near(l[0], left) && is_near(l[2], right) && is_near(l[1], l[3])),
            "at once"
        );
        assert!(
            lines
                .iter()
                .any(|l| is_near(l[1], px(0.5)) && is_near(l[3], px(0.2))),
            "back in time"
        );
    }

    #[test]
    fn where_there_is_no_range_everything_is_shown() {
        let svg = draw(vec![data(3.0, Some(3.2)), data(4.0, None)], 1.0, 0.0);
        let document = Document::parse(&svg).unwrap();
        let (_, _, px) = axes(&document, 3.0, 4.12);
        let lines = lines(&document);
        assert!(
            is_near(lines[0][1], px(3.0)) && is_near(lines[1][3], px(4.12)),
            "{lines:?}"
        );
        assert!(
            draw(vec![data(7.0, Some(7.0))], f64::NAN, 0.0).contains(">7.000<"),
            "one moment"
        );
    }

    #[test]
    fn a_screen_reader_hears_what_is_shown() {
        let rungs = vec![
            data(0.0, Some(0.1)),
            data(0.0, None),
            rung(false, 0.1, Some(0.2), RungKind::Ack),
        ];
        let ladder = Ladder {
            left: "a".into(),
            right: "<b>".into(),
            rungs,
        };
        let svg = draw_ladder("Slow start", &ladder, 0.0, 1.0);
        let name = "Slow start: ladder diagram of a and <b>, 0.000 to 1.000 s, 2 segments and 1 ACK, 1 of them lost";
        assert_eq!(
            Document::parse(&svg)
                .unwrap()
                .root_element()
                .attribute("aria-label"),
            Some(name)
        );
    }
}
