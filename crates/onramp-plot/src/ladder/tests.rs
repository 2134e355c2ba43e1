//! Tests of the drawing, which parse the SVG.

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
            ..Ladder::default()
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

/// The lines of the rungs, each with x and y of both ends.
fn lines(document: &Document<'_>) -> Vec<Vec<f64>> {
    let paths = with_class(document, "rung")
        .into_iter()
        .filter_map(|n| n.attribute("d"));
    paths.map(numbers).collect()
}

/// The x of both lifelines, and a function from times to pixels.
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

/// The rectangles of all times and texts: left, top, right, bottom.
fn areas(document: &Document<'_>) -> Vec<[f64; 4]> {
    let texts = document
        .descendants()
        .filter(|n| matches!(n.attribute("class"), Some("tick" | "label" | "lane")));
    let area = |n: Node<'_, '_>| {
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
    texts.map(area).collect()
}

fn assert_apart(svg: &str) {
    let document = Document::parse(svg).unwrap();
    let (areas, height) = (areas(&document), height(svg));
    for (at, a) in areas.iter().enumerate() {
        assert!(
            a[0] >= 0.0 && a[2] <= PLOT_WIDTH && a[1] >= 0.0 && a[3] <= height,
            "{a:?}"
        );
        for b in &areas[at + 1..] {
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
fn lines_of_lost_packets_end_in_a_cross() {
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
    assert!(is_near(number(circles[0], "cx"), left) && is_near(number(circles[0], "cy"), px(0.1)));
    let middle = number(squares[0], "y") + number(squares[0], "height") / 2.0;
    assert!(is_near(middle, px(0.2)), "{middle}");
}

const NS: &str = "http://www.w3.org/2000/svg";

#[test]
fn times_that_read_the_same_share_a_label() {
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
fn the_height_depends_on_the_number_of_times() {
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
fn times_that_are_not_finite_are_left_out_and_counted() {
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
fn the_name_for_screen_readers_describes_the_diagram() {
    let rungs = vec![
        data(0.0, Some(0.1)),
        data(0.0, None),
        rung(false, 0.1, Some(0.2), RungKind::Ack),
    ];
    let ladder = Ladder {
        left: "a".into(),
        right: "<b>".into(),
        rungs,
        ..Ladder::default()
    };
    let svg = draw_ladder("Slow start", &ladder, 0.0, 1.0);
    let name = "Slow start: ladder diagram of a and <b>, 0.000 to 1.000 s, 2 segments and 1 ACK, \
                1 of them lost";
    assert_eq!(
        Document::parse(&svg)
            .unwrap()
            .root_element()
            .attribute("aria-label"),
        Some(name)
    );
}

#[test]
fn reference_times_are_hollow_diamonds_on_their_lifelines() {
    let mut ladder = Ladder {
        left: "a".into(),
        right: "b".into(),
        rungs: vec![data(0.0, Some(0.1)), data(0.9, Some(1.0))],
        marks: LadderMarks {
            label: "paper".into(),
            left_s: vec![0.5, f64::NAN],
            right_s: vec![0.25, 7.0],
        },
    };
    let svg = draw_ladder("", &ladder, 0.0, 1.0);
    let document = Document::parse(&svg).unwrap();
    let drawn = with_class(&document, "paper");
    // One is the symbol of the legend.
    assert_eq!(drawn.len(), 3, "{svg}");
    let tooltips: Vec<&str> = drawn
        .iter()
        .filter_map(|mark| mark.first_element_child()?.text())
        .collect();
    assert_eq!(tooltips, ["paper: 0.500 s", "paper: 0.250 s"]);
    ladder.marks = LadderMarks::default();
    assert!(!draw_ladder("", &ladder, 0.0, 1.0).contains("paper"));
}
