//! Writes the page of a reproduction from made-up numbers, to look at:
//! `cargo run -p onramp-report --example reproduction -- DIR`.

mod synthetic;

use onramp_plot::ladder::draw_ladder;
use onramp_plot::plot::{draw_plot, Annotation, Axis, Plot, PlotMarks, PlotSeries, PlotStyle};
use onramp_plot::trace_graph::trace_graph;
use onramp_report::reproduction::{
    reproduction_page, PageCell, PageFigure, PageTable, PageTone, ReproductionPage, Section,
};
use onramp_report::{prepare_files, write_files, Meta};
use std::path::Path;

const PAGE: &str = "index.html";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "/tmp/onramp-reproduction".to_owned());
    let dir = Path::new(&dir);
    prepare_files(dir, &[PAGE])?;
    let page = ReproductionPage {
        title: "Aron and Druschel 1998, computed again".to_owned(),
        citation: "Mohit Aron and Peter Druschel: TCP: Improving Startup Dynamics by Adaptive \
                   Timers and Congestion Control. Rice University, TR98-318, 1998."
            .to_owned(),
        intro: vec!["Made-up numbers, to look at the page.".to_owned()],
        sections: vec![throughput(), traces(), ladders(), looks()],
        meta: Meta {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: "onramp reproduce aron-druschel --out report".to_owned(),
            date: "2031-05-04 12:00 UTC".to_owned(),
            cpus: 2,
            ..Meta::default()
        },
    };
    let written = write_files(dir, &[(PAGE, reproduction_page(&page))])?;
    println!("{}", written[0].display());
    Ok(())
}

/// The numbers of the paper's Figure 3: time in seconds, effective throughput in percent.
const PAPER: [(f64, f64); 6] = [
    (1.0, 6.76),
    (2.0, 6.62),
    (5.0, 15.35),
    (10.0, 30.52),
    (20.0, 56.36),
    (30.0, 68.65),
];
/// Made-up measurements at the same times.
const MEASURED: [f64; 6] = [6.9, 6.5, 16.1, 31.2, 55.0, 81.3];

fn throughput() -> Section {
    let rows: Vec<Vec<PageCell>> = (0..PAPER.len()).map(throughput_row).collect();
    let head = [
        "id", "what", "paper", "measured", "unit", "rule", "result", "note",
    ];
    Section {
        heading: "Figure 3: time against throughput".to_owned(),
        paragraphs: vec![
            "Eight senders share the bottleneck; the simulation ends before their transfers."
                .to_owned(),
        ],
        tables: vec![PageTable {
            caption: "Effective throughput".to_owned(),
            head: head.map(str::to_owned).to_vec(),
            // Three times, for a table that is long enough to scroll.
            rows: [rows.clone(), rows.clone(), rows].concat(),
        }],
        figures: vec![PageFigure {
            svg: draw_plot(&throughput_plot()),
            caption: "Figure 3 as a plot.".to_owned(),
        }],
    }
}

fn throughput_row(at: usize) -> Vec<PageCell> {
    let ((time_s, expected), measured) = (PAPER[at], MEASURED[at]);
    let is_near = f64::abs(measured - expected) <= expected * 0.1;
    let (result, tone, note) = if is_near {
        ("reproduced", PageTone::Good, "")
    } else {
        (
            "missed",
            PageTone::Bad,
            "The paper's buffers hold less than it says, so that the one loss comes sooner.",
        )
    };
    vec![
        PageCell::from(format!("F3.{}", at + 1)),
        format!("effective throughput after {time_s} s").into(),
        format!("{expected}").into(),
        format!("{measured}").into(),
        "%".into(),
        "10%".into(),
        PageCell::new(result, tone),
        PageCell::new(note, PageTone::Muted),
    ]
}

fn throughput_plot() -> Plot {
    let times = PAPER.iter().map(|point| point.0);
    Plot {
        title: "Effective throughput by simulation time".to_owned(),
        x: Axis::new("simulation time (s)").log(),
        y: Axis::new("effective throughput (%)").range(0.0, 100.0),
        series: vec![
            PlotSeries::new("TCP Lite", PlotStyle::Line, times.zip(MEASURED).collect()),
            PlotSeries::new(
                "limit of a window of 512 KB",
                PlotStyle::Dashed,
                vec![(1.0, 88.0), (30.0, 97.0)],
            )
            .look(1),
        ],
        marks: vec![PlotMarks::new("paper, Figure 3", PAPER.to_vec()).look(0)],
        annotations: vec![
            Annotation::Vertical {
                x: 2.8,
                text: "the first coarse timeout".to_owned(),
            },
            Annotation::Horizontal {
                y: 70.0,
                text: "what the paper calls effective".to_owned(),
            },
        ],
        height: None,
    }
}

fn traces() -> Section {
    let graph = synthetic::tcp_lite();
    let figure = |title: &str, to_s: f64, caption: &str| PageFigure {
        svg: trace_graph(title, &graph, 0.0, to_s),
        caption: caption.to_owned(),
    };
    Section {
        heading: "Figures 4 and 5: the trace of a transfer".to_owned(),
        figures: vec![
            figure("TCP Lite over topology 1", 30.0, "Figure 4: 30 s."),
            figure(
                "Slow start in TCP Lite over topology 1",
                4.0,
                "Figure 5: the first 4 s of it.",
            ),
        ],
        ..Section::default()
    }
}

fn ladders() -> Section {
    let figure = |title: &str, ladder, from_s, to_s, caption: &str| PageFigure {
        svg: draw_ladder(title, &ladder, from_s, to_s),
        caption: caption.to_owned(),
    };
    let pairs = synthetic::packet_pairs;
    Section {
        heading: "Ladders: segments and acknowledgements one by one".to_owned(),
        figures: vec![
            figure(
                "Slow start with packet pairs",
                pairs(),
                0.0,
                1.2,
                "As Nishida's Figure 5.",
            ),
            figure(
                "One packet pair",
                pairs(),
                0.28,
                0.6,
                "A part of it, cut off at its edges.",
            ),
            figure(
                "Ten at once, and losses",
                synthetic::burst(),
                0.0,
                0.1,
                "Labels move apart.",
            ),
        ],
        ..Section::default()
    }
}

/// All looks and styles, side by side.
fn looks() -> Section {
    let figures = [eight_looks(), points()]
        .iter()
        .map(|plot| PageFigure {
            svg: draw_plot(plot),
            caption: "A caption.".to_owned(),
        })
        .collect();
    Section {
        heading: "Looks".to_owned(),
        figures,
        ..Section::default()
    }
}

fn eight_looks() -> Plot {
    let wave = |k: usize, n: usize| {
        let point = move |at: usize| {
            let x = at as f64 / n as f64 * 10.0;
            (x, 20.0 * (k + 1) as f64 + 14.0 * (x * 0.9 + k as f64).sin())
        };
        (0..=n).map(point).collect::<Vec<_>>()
    };
    Plot {
        title: "Eight looks".to_owned(),
        x: Axis::new("x"),
        y: Axis::new("y"),
        series: (0..8)
            .map(|k| PlotSeries::new(format!("series {k}"), PlotStyle::Line, wave(k, 200)))
            .collect(),
        ..Plot::default()
    }
}

/// A cloud of points, a few of them, steps, and lines with texts that are close to each other.
fn points() -> Plot {
    let cloud = (0..30_000).map(|at| {
        let y = 1e6 + f64::from(at * 7919 % 30_011) * 40.0;
        (f64::from(at) / 3e3, y)
    });
    let few = (0..40).map(|at| {
        let y = 1.4e6 + f64::from(at * 7919 % 997) * 900.0;
        (f64::from(at) / 4.0, y)
    });
    let steps = (0..10).map(|x| (f64::from(x), 3e4 * 2f64.powi(x)));
    Plot {
        title: "Points".to_owned(),
        x: Axis::new("time (s)"),
        y: Axis::new("rate (bytes/s)").log(),
        series: vec![
            PlotSeries::new("30,000 points", PlotStyle::Points, cloud.collect()),
            PlotSeries::new("forty", PlotStyle::Points, few.collect()),
            PlotSeries::new("steps", PlotStyle::Steps, steps.collect()),
        ],
        annotations: vec![
            Annotation::Horizontal {
                y: 2.5e6,
                text: "the link".to_owned(),
            },
            Annotation::Vertical {
                x: 9.8,
                text: "the end of the transfer".to_owned(),
            },
            Annotation::Vertical {
                x: 9.9,
                text: "one more, close by".to_owned(),
            },
        ],
        ..Plot::default()
    }
}
