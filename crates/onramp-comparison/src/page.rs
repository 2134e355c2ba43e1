//! The page: tables of all families, cumulative distributions, and the gain by rate and RTT.

use crate::beside::SideBySide;
use crate::cell::CellResult;
use crate::comparison::{Comparison, FamilyResult};
use crate::statistics::{cumulative, geometric_mean};
use crate::tables;
use onramp_plot::heat_map::{draw_heat_map, HeatMap};
use onramp_plot::plot::{draw_plot, Annotation, Axis, Plot, PlotSeries, PlotStyle};
use onramp_report::reproduction::{reproduction_page, PageFigure, ReproductionPage, Section};
use onramp_report::Meta;
use onramp_scenario::units::format_rate;
use std::collections::BTreeSet;

/// So many lines of a figure can be told apart.
const MAX_LINES: usize = 7;
/// The ratios that figures show. Runs beyond them are at the edge.
const SHOWN_RATIOS: (f64, f64) = (0.2, 2.0);

/// What a page shows beside the tables.
#[derive(Clone, Debug, Default)]
pub struct PageOptions {
    /// The start-up of the heat map. Without one it is the first that is not CUBIC.
    pub heat_map: Option<String>,
    /// Simulator and kernel, if both have run.
    pub kernel: Vec<SideBySide>,
    /// What was not run, and why: a sentence each.
    pub left_out: Vec<String>,
    /// Where and how the comparison was made.
    pub meta: Meta,
}

/// The page as self-contained HTML.
pub fn page(comparison: &Comparison, options: &PageOptions) -> String {
    let mut sections = vec![overview(comparison, options)];
    let families = comparison.families.iter();
    sections.extend(
        families
            .filter(|family| !family.rows.is_empty())
            .map(of_family),
    );
    if !options.kernel.is_empty() {
        sections.push(kernel(&options.kernel));
    }
    if !options.left_out.is_empty() {
        sections.push(Section {
            heading: "What was left out".to_owned(),
            paragraphs: options.left_out.clone(),
            ..Section::default()
        });
    }
    reproduction_page(&ReproductionPage {
        title: "Start-ups compared".to_owned(),
        citation: String::new(),
        intro: vec![
            "Each start-up runs over the same paths with the same seeds, and the same congestion \
             avoidance follows it. A time is the time of a start-up divided by that of the host's \
             own CUBIC with the same seed: below 1 is faster."
                .to_owned(),
            "A family's time is the geometric mean over its paths and sizes. The interval covers \
             95 % over seeds (Student's t). Retransmitted segments are those of all runs. A cross \
             marks a time that is more than 3 % above CUBIC's, and more retransmissions than \
             HyStart++'s."
                .to_owned(),
        ],
        sections,
        meta: options.meta.clone(),
    })
}

fn overview(comparison: &Comparison, options: &PageOptions) -> Section {
    let all: Vec<&CellResult> = comparison
        .families
        .iter()
        .flat_map(|family| &family.cells)
        .collect();
    let ranking: Vec<&str> = comparison
        .overall()
        .iter()
        .map(|row| row.startup.as_str())
        .collect();
    let mut figures = distributions("all families", &all, &ranking, comparison);
    let baseline = crate::Startup::baseline();
    let of_map = options.heat_map.clone().or_else(|| {
        let first = ranking.iter().find(|name| **name != baseline.name());
        first.map(|name| (*name).to_owned())
    });
    figures.extend(of_map.and_then(|name| heat_map(&all, &name)));
    Section {
        heading: "All families".to_owned(),
        paragraphs: Vec::new(),
        tables: vec![
            tables::times(comparison).page(),
            tables::retransmissions(comparison).page(),
        ],
        figures,
    }
}

fn of_family(family: &FamilyResult) -> Section {
    let cells: Vec<&CellResult> = family.cells.iter().collect();
    let ranking: Vec<&str> = family.rows.iter().map(|row| row.startup.as_str()).collect();
    let seeds = match family.seeds {
        1 => "one seed".to_owned(),
        seeds => format!("up to {seeds} seeds"),
    };
    let count = match cells.len() {
        1 => "One path and size".to_owned(),
        count => format!("{count} paths and sizes"),
    };
    let first_lines = lines(&cells, &ranking[..ranking.len().min(MAX_LINES)], &ranking);
    let figure = distribution(&format!("{}: the fastest", family.name), first_lines);
    Section {
        heading: family.name.clone(),
        paragraphs: vec![format!("{count}, {seeds} each.")],
        tables: vec![tables::family(family).page()],
        figures: (cells.len() > 2).then_some(figure).into_iter().collect(),
    }
}

fn kernel(rows: &[SideBySide]) -> Section {
    Section {
        heading: "Simulator and kernel".to_owned(),
        paragraphs: vec![
            "The same transfers in the simulator and between real sockets of this kernel, where \
             the lab carries the path. A suspect run is one that the machine disturbed: it does \
             not count where the path has others. A difference above zero: the simulator takes \
             longer."
                .to_owned(),
        ],
        tables: vec![tables::side_by_side(rows).page()],
        figures: Vec::new(),
    }
}

/// Cumulative distributions of all start-ups, as many in a figure as can be told apart.
fn distributions(
    what: &str,
    cells: &[&CellResult],
    ranking: &[&str],
    comparison: &Comparison,
) -> Vec<PageFigure> {
    if cells.len() < 3 {
        return Vec::new();
    }
    let baseline = crate::Startup::baseline();
    let shown: Vec<&str> = ranking
        .iter()
        .copied()
        .filter(|name| *name != baseline.name() && comparison.startups.iter().any(|s| s == name))
        .collect();
    let figure = |(number, names): (usize, &[&str])| {
        let title = match number {
            0 => format!("{what}: the fastest"),
            _ => format!("{what}: the others, {number}"),
        };
        distribution(&title, lines(cells, names, names))
    };
    shown.chunks(MAX_LINES).enumerate().map(figure).collect()
}

/// A line for each of the names: the share of cells whose ratio is at most x.
fn lines(cells: &[&CellResult], names: &[&str], looks: &[&str]) -> Vec<PlotSeries> {
    let line = |name: &&str| {
        let results = cells.iter().flat_map(|cell| &cell.startups);
        let results: Vec<_> = results.filter(|result| result.startup == *name).collect();
        let ratios = results.iter().filter_map(|result| result.time).collect();
        let points = cumulative(ratios, results.len());
        let (from, to) = SHOWN_RATIOS;
        let percent = |count: usize| match count {
            0 => 0.0,
            count => points[count - 1].1,
        };
        let before = percent(points.partition_point(|point| point.0 < from));
        let last = percent(points.partition_point(|point| point.0 <= to));
        let inner = points.iter().copied();
        let points = std::iter::once((from, before))
            .chain(inner.filter(|(ratio, _)| (from..=to).contains(ratio)))
            .chain([(to, last)]);
        let look = looks.iter().position(|other| other == name).unwrap_or(0);
        PlotSeries::new(*name, PlotStyle::Steps, points.collect()).look(look)
    };
    names.iter().map(line).collect()
}

fn distribution(title: &str, series: Vec<PlotSeries>) -> PageFigure {
    let (from, to) = SHOWN_RATIOS;
    PageFigure {
        svg: draw_plot(&Plot {
            title: title.to_owned(),
            x: Axis::new("time / CUBIC's time (logarithmic)")
                .range(from, to)
                .log(),
            y: Axis::new("paths and sizes (%)").range(0.0, 100.0),
            series,
            annotations: vec![Annotation::Vertical {
                x: 1.0,
                text: "CUBIC".to_owned(),
            }],
            ..Plot::default()
        }),
        caption: "Share of paths and sizes on which a start-up takes at most this time. A line \
                  further left is faster; one that rises beyond 1 is slower than CUBIC there."
            .to_owned(),
    }
}

/// The gain of one start-up by rate and RTT, if there are several of both.
fn heat_map(cells: &[&CellResult], startup: &str) -> Option<PageFigure> {
    let time = |cell: &CellResult| {
        let result = cell.startups.iter().find(|one| one.startup == startup);
        result.and_then(|one| one.time)
    };
    // Fractions of a millisecond are of no interest here.
    let rtt_ms = |cell: &CellResult| cell.rtt_ms.round() as u64;
    // Jitter and aggregation would hide what rate and RTT do.
    let is_plain = |cell: &&&CellResult| cell.path.is_empty();
    let plain: Vec<&&CellResult> = cells.iter().filter(is_plain).collect();
    let (plain, where_plain) = match plain.is_empty() {
        true => (cells.iter().collect(), ""),
        false => (plain, ", on paths without jitter, aggregation and the like"),
    };
    let rates: BTreeSet<u64> = plain.iter().map(|cell| cell.rate_bits_per_s).collect();
    let rtts: BTreeSet<u64> = plain.iter().map(|cell| rtt_ms(cell)).collect();
    if rates.len() < 2 || rtts.len() < 2 {
        return None;
    }
    let value = |rate: u64, rtt: u64| {
        let here = plain
            .iter()
            .filter(|cell| cell.rate_bits_per_s == rate && rtt_ms(cell) == rtt);
        geometric_mean(here.filter_map(|cell| time(cell)))
    };
    let values = rtts
        .iter()
        .rev()
        .map(|rtt| rates.iter().map(|rate| value(*rate, *rtt)).collect());
    Some(PageFigure {
        svg: draw_heat_map(&HeatMap {
            title: format!("{startup}: time / CUBIC's time"),
            x_label: "rate".to_owned(),
            y_label: "RTT".to_owned(),
            columns: rates.iter().map(|rate| format_rate(*rate)).collect(),
            rows: rtts.iter().rev().map(|rtt| format!("{rtt} ms")).collect(),
            values: values.collect(),
        }),
        caption: format!(
            "Geometric mean over queues, sizes and receive buffers{where_plain}. Green is faster \
             than CUBIC, orange slower; an empty field has no path."
        ),
    })
}
