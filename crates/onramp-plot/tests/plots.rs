//! Plots and trace graphs: all kinds of marks, and that any data give a figure of bounded size.

use onramp_plot::plot::{draw_plot, Annotation, Axis, Plot, PlotMarks, PlotSeries, PlotStyle};
use onramp_plot::trace_graph::{trace_graph, TraceGraph};
use proptest::prelude::*;
use roxmltree::Document;

const STYLES: [PlotStyle; 4] = [
    PlotStyle::Line,
    PlotStyle::Dashed,
    PlotStyle::Steps,
    PlotStyle::Points,
];

fn parse(svg: &str) -> Document<'_> {
    assert!(
        !svg.contains("NaN") && !svg.contains("inf\"") && !svg.contains("inf "),
        "{svg}"
    );
    Document::parse(svg).unwrap_or_else(|e| panic!("{e}: {svg}"))
}

/// The number of elements of this class.
fn count(svg: &str, class: &str) -> usize {
    let has_class = |n: &roxmltree::Node<'_, '_>| {
        n.attribute("class")
            .is_some_and(|c| c.split(' ').any(|c| c == class))
    };
    parse(svg).descendants().filter(has_class).count()
}

/// The texts of this class.
fn texts(svg: &str, class: &str) -> Vec<String> {
    let document = parse(svg);
    let nodes = document
        .descendants()
        .filter(|n| n.attribute("class") == Some(class));
    nodes.filter_map(|n| n.text().map(str::to_owned)).collect()
}

fn plot(points: Vec<(f64, f64)>, style: PlotStyle) -> Plot {
    Plot {
        title: "A title".into(),
        x: Axis::new("time (s)"),
        y: Axis::new("rate (kB/s)"),
        series: vec![PlotSeries::new("measured", style, points)],
        ..Plot::default()
    }
}

#[test]
fn a_small_plot() {
    let points = vec![(0.0, 1.0), (1.0, 4.0), (2.0, 2.5)];
    insta::assert_snapshot!(draw_plot(&Plot {
        marks: vec![PlotMarks::new("paper", vec![(1.0, 3.5)])
            .look(0)
            .texts(["3.5"])],
        annotations: vec![
            Annotation::Vertical {
                x: 1.5,
                text: "timeout".into()
            },
            Annotation::Horizontal {
                y: 3.0,
                text: "the link".into()
            },
        ],
        ..plot(points, PlotStyle::Line)
    }));
}

#[test]
fn each_style_has_its_marks_and_its_entry_in_the_legend() {
    let points = vec![(0.0, 1.0), (1.0, 4.0), (2.0, 2.5)];
    // Elements of a class: in the plot and in the legend.
    for (style, main, dashed) in [
        (PlotStyle::Line, 2, 0),
        (PlotStyle::Dashed, 0, 2),
        (PlotStyle::Steps, 2, 0),
        (PlotStyle::Points, 0, 0),
    ] {
        let svg = draw_plot(&plot(points.clone(), style));
        assert_eq!(
            (
                count(&svg, "main"),
                count(&svg, "dashed"),
                count(&svg, "marker")
            ),
            (main, dashed, 4),
            "{style:?}"
        );
        assert_eq!(texts(&svg, "legend"), ["measured"]);
    }
}

#[test]
fn eight_series_differ_in_colour_or_marker() {
    let series: Vec<PlotSeries> = (0..8)
        .map(|k| PlotSeries::new(format!("{k}"), PlotStyle::Points, vec![(1.0, f64::from(k))]))
        .collect();
    let svg = draw_plot(&Plot {
        series,
        height: Some(1000.0),
        ..Plot::default()
    });
    let document = parse(&svg);
    let markers = document.descendants().filter(|n| {
        n.attribute("class")
            .is_some_and(|c| c.starts_with("marker "))
    });
    let look = |n: roxmltree::Node<'_, '_>| {
        (
            n.attribute("class").unwrap().to_owned(),
            n.has_tag_name("circle"),
        )
    };
    let looks: std::collections::BTreeSet<_> = markers.map(look).collect();
    assert_eq!(
        looks.len(),
        8,
        "the eighth has the first's colour, but no circle: {looks:?}"
    );
}

#[test]
fn reference_values_are_hollow_diamonds_that_share_an_entry() {
    let svg = draw_plot(&Plot {
        marks: vec![
            PlotMarks::new("paper", vec![(1.0, 2.0), (2.0, 2.0), (f64::NAN, 1.0)]).look(0),
            PlotMarks::new("paper", vec![(1.0, 1.0)]).look(1),
        ],
        ..plot(vec![(0.0, 1.0)], PlotStyle::Points)
    });
    assert_eq!(count(&svg, "paper"), 3 + 1);
    assert_eq!(texts(&svg, "legend"), ["measured", "paper"]);
}

#[test]
fn annotations_do_not_overlap_and_stay_inside() {
    let verticals = (0..4).map(|at| Annotation::Vertical {
        x: 1.9 + f64::from(at) * 0.01,
        text: "close by".into(),
    });
    let outside = Annotation::Vertical {
        x: 99.0,
        text: "outside".into(),
    };
    let svg = draw_plot(&Plot {
        annotations: verticals
            .chain([
                outside,
                Annotation::Horizontal {
                    y: f64::NAN,
                    text: "nowhere".into(),
                },
            ])
            .collect(),
        x: Axis::new("x").range(0.0, 2.0),
        ..plot(vec![(0.0, 1.0), (2.0, 4.0)], PlotStyle::Line)
    });
    assert_eq!(count(&svg, "level"), 4);
    let document = parse(&svg);
    let notes = document
        .descendants()
        .filter(|n| n.attribute("class") == Some("note"));
    let places: std::collections::BTreeSet<_> = notes
        .map(|n| n.attribute("y").unwrap().to_owned())
        .collect();
    assert_eq!(places.len(), 4, "a row each");
}

#[test]
fn points_that_are_not_finite_are_left_out() {
    let points = vec![
        (f64::NAN, 1.0),
        (0.0, f64::INFINITY),
        (1.0, 2.0),
        (2.0, f64::NEG_INFINITY),
        (3.0, 4.0),
    ];
    for style in STYLES {
        let svg = draw_plot(&plot(points.clone(), style));
        assert_eq!(count(&svg, "marker"), 2 + 1, "{style:?}");
    }
}

#[test]
fn no_point_or_one_still_gives_a_plot() {
    for style in STYLES {
        let empty = draw_plot(&plot(Vec::new(), style));
        assert_eq!(
            (count(&empty, "marker"), texts(&empty, "legend").len()),
            (1, 1)
        );
        let one = draw_plot(&plot(vec![(3.0, 7.0)], style));
        assert_eq!(count(&one, "marker"), 2);
    }
    assert!(texts(&draw_plot(&Plot::default()), "tick").len() > 4);
}

#[test]
fn points_without_any_range_are_drawn() {
    for value in [0.0, 5.0, -5.0, 1e300] {
        for style in STYLES {
            let svg = draw_plot(&plot(vec![(value, value); 3], style));
            assert_eq!(
                count(&svg, "marker"),
                1 + 1,
                "{value} {style:?}: they are at one place"
            );
        }
    }
}

#[test]
fn a_logarithmic_axis_counts_the_points_that_it_cannot_show() {
    let points = vec![
        (-1.0, 3.0),
        (0.0, 3.0),
        (1.0, -3.0),
        (2.0, 3.0),
        (200.0, 30.0),
    ];
    let mut plot = plot(points, PlotStyle::Points);
    plot.x = plot.x.log();
    plot.y = plot.y.log();
    let svg = draw_plot(&plot);
    assert_eq!(count(&svg, "marker"), 2 + 1);
    assert_eq!(texts(&svg, "note"), ["left out: 3 points at or below zero"]);
    assert!(texts(&svg, "tick").iter().any(|t| t == "100"));
    plot.series[0].points.truncate(3);
    assert_eq!(count(&draw_plot(&plot), "marker"), 1, "nothing left");
}

#[test]
fn long_series_stay_small_and_keep_their_extremes() {
    let mut points: Vec<(f64, f64)> = (0..100_000)
        .map(|at| (f64::from(at) / 1e3, f64::from(at * 7919 % 1009)))
        .collect();
    points[51_234].1 = 5000.0;
    for style in STYLES {
        let svg = draw_plot(&plot(points.clone(), style));
        assert!(svg.len() < 120_000, "{style:?}: {}", svg.len());
        let ticks = texts(&svg, "tick");
        assert!(ticks.iter().any(|t| t == "5000"), "{ticks:?}");
    }
}

fn small_trace() -> TraceGraph {
    TraceGraph {
        acks_s: vec![0.12, 0.18],
        sends_s: vec![0.06, 0.12, 0.12, 0.9],
        kilobytes: vec![(0.06, 1), (0.12, 4)],
        timer_checks_s: vec![0.3, 0.8],
        timeouts_s: vec![0.8],
        retransmissions_s: vec![0.9],
        ssthresh: vec![(0.0, u64::MAX), (0.8, 2000)],
        send_window: vec![(0.06, 8000)],
        cwnd: vec![(0.06, 1460), (0.12, 2920), (0.8, 1460)],
        unacked: vec![(0.06, 1460), (0.12, 4380)],
    }
}

const LEGEND: [&str; 10] = [
    "ACK received (below)",
    "segment sent (above)",
    "n-th KB sent",
    "timeout check",
    "coarse timeout",
    "retransmitted",
    "ssthresh",
    "send window: sender's buffer or advertised window",
    "congestion window",
    "unacked data",
];

#[test]
fn a_small_trace_graph() {
    insta::assert_snapshot!(trace_graph("A title", &small_trace(), 0.0, 1.0));
}

#[test]
fn a_trace_graph_has_ten_marks_and_a_legend_for_them() {
    let svg = trace_graph("", &small_trace(), 0.0, 1.0);
    assert_eq!(texts(&svg, "legend"), LEGEND);
    // In the legend and in the graph.
    assert_eq!(count(&svg, "hash"), 2 + 2, "ACKs and segments");
    for class in [
        "check",
        "disc",
        "again",
        "ssthresh",
        "send-window",
        "cwnd",
        "unacked",
    ] {
        assert_eq!(count(&svg, class), 1 + 1, "{class}");
    }
    assert!(
        texts(&svg, "tick").iter().any(|t| t == "4"),
        "the fourth kilobyte"
    );
    let titles = [
        "2 ACKs received",
        "4 segments sent",
        "coarse timeout at 0.8 s",
        "segment retransmitted at 0.9 s",
    ];
    for title in titles.into_iter().chain(["2 checks for a coarse timeout"]) {
        assert!(svg.contains(&format!("<title>{title}</title>")), "{title}");
    }
}

#[test]
fn a_trace_graph_without_data_has_its_legend() {
    for (from_s, to_s) in [
        (0.0, 1.0),
        (1.0, 0.0),
        (f64::NAN, 1.0),
        (0.0, f64::INFINITY),
    ] {
        let svg = trace_graph("", &TraceGraph::default(), from_s, to_s);
        assert_eq!(texts(&svg, "legend"), LEGEND);
        assert_eq!(count(&svg, "cwnd"), 1);
    }
}

#[test]
fn an_enlarged_part_shows_the_windows_at_its_edges() {
    let svg = trace_graph("", &small_trace(), 0.2, 0.7);
    assert_eq!(
        (
            count(&svg, "disc"),
            count(&svg, "again"),
            count(&svg, "hash")
        ),
        (1, 1, 2)
    );
    assert!(svg.contains("<title>check for a coarse timeout at 0.3 s</title>"));
    assert_eq!(count(&svg, "cwnd"), 2, "the window from before holds");
}

#[test]
fn thirty_seconds_with_thirty_thousand_acks_stay_below_300_kb() {
    let times: Vec<f64> = (0..30_000).map(|at| f64::from(at) / 1e3).collect();
    let window = |scale: u64| {
        times
            .iter()
            .zip(0..)
            .map(|(&t, at)| (t, at * 7919 % 1009 * scale))
            .collect::<Vec<_>>()
    };
    let graph = TraceGraph {
        acks_s: times.clone(),
        sends_s: times.clone(),
        kilobytes: times.iter().copied().zip(1..).collect(),
        timer_checks_s: times.clone(),
        timeouts_s: times.clone(),
        retransmissions_s: times.clone(),
        ssthresh: window(100),
        send_window: window(500),
        cwnd: window(300),
        unacked: window(200),
    };
    // The worst case of all marks at once; a real transfer has a quarter of it.
    let svg = trace_graph("", &graph, 0.0, 30.0);
    assert!(svg.len() < 300_000, "{}", svg.len());
    parse(&svg);
}

fn float() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..10.0, prop::num::f64::ANY, Just(0.0)]
}

fn points() -> impl Strategy<Value = Vec<(f64, f64)>> {
    prop::collection::vec((float(), float()), 0..12)
}

prop_compose! {
    fn a_series()(
        label: String,
        points in points(),
        style in prop::sample::select(STYLES.to_vec()),
        look: Option<usize>,
    ) -> PlotSeries {
        PlotSeries { label, points, style, look }
    }
}

prop_compose! {
    fn marks()(
        label: String,
        points in points(),
        look: Option<usize>,
        texts in prop::collection::vec(any::<String>(), 0..5),
    ) -> PlotMarks {
        PlotMarks { label, points, look, texts }
    }
}

prop_compose! {
    fn an_annotation()(is_vertical: bool, at in float(), text: String) -> Annotation {
        match is_vertical {
            true => Annotation::Vertical { x: at, text },
            false => Annotation::Horizontal { y: at, text },
        }
    }
}

proptest! {
    #[test]
    fn plots_accept_any_data(
        series in prop::collection::vec(a_series(), 0..5),
        marks in prop::collection::vec(marks(), 0..3),
        annotations in prop::collection::vec(an_annotation(), 0..6),
        ranges in prop::array::uniform2(prop::option::of((float(), float()))),
        texts in prop::array::uniform3(any::<String>()),
        log in prop::array::uniform2(any::<bool>()),
        height in prop::option::of(float()),
    ) {
        let [title, x, y] = texts;
        let svg = draw_plot(&Plot {
            title,
            x: Axis { label: x, range: ranges[0], log: log[0] },
            y: Axis { label: y, range: ranges[1], log: log[1] },
            series,
            marks,
            annotations,
            height,
        });
        prop_assert!(Document::parse(&svg).is_ok(), "{}", svg);
    }

    #[test]
    fn trace_graphs_accept_any_data(
        times in prop::array::uniform5(prop::collection::vec(float(), 0..12)),
        windows in prop::array::uniform5(prop::collection::vec((float(), any::<u64>()), 0..12)),
        title: String,
        range in (float(), float()),
    ) {
        let [acks_s, sends_s, timer_checks_s, timeouts_s, retransmissions_s] = times;
        let [kilobytes, ssthresh, send_window, cwnd, unacked] = windows;
        let graph = TraceGraph {
            acks_s, sends_s, kilobytes, timer_checks_s, timeouts_s, retransmissions_s, ssthresh,
            send_window, cwnd, unacked,
        };
        let svg = trace_graph(&title, &graph, range.0, range.1);
        prop_assert!(Document::parse(&svg).is_ok(), "{}", svg);
    }
}
