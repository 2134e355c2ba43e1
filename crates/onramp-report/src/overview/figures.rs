//! The figures of the overview.

use super::{Axis, Contestant, Estimate, Overview};
use crate::condition::Condition;
use crate::figure::by_value::{self, Mark, Value};
use crate::figure::Figure;
use crate::statistics::cumulative;
use crate::summary::Row;
use onramp_plot::heat_map::{draw_heat_map, HeatMap};
use onramp_plot::plot::{draw_plot, Annotation, Axis as PlotAxis, Plot, PlotSeries, PlotStyle};
use onramp_plot::svg::text_width;

/// A distribution of fewer transfers is better read in the table.
const MIN_DISTRIBUTION: usize = 8;

/// Longer names, in pixels, do not fit below the columns of a heat map.
const MAX_COLUMN_NAME: f64 = 80.0;

/// The two axes of a heat map: rate and RTT where both vary, else the first two of these that do.
const HEAT_MAP_AXES: [Condition; 10] = [
    Condition::Rate,
    Condition::Rtt,
    Condition::Size,
    Condition::Queue,
    Condition::Loss,
    Condition::ReceiverBuffer,
    Condition::Path,
    Condition::Scenario,
    Condition::SenderBuffer,
    Condition::Application,
];

/// The axes of the heat maps: columns, then rows. `None` where fewer than two conditions vary. Rows
/// have more room for long names.
fn heat_map_axes<'o>(overview: &'o Overview<'_>) -> Option<[&'o Axis; 2]> {
    let mut axes = HEAT_MAP_AXES.iter().filter_map(|one| overview.axis(*one));
    let (first, second) = (axes.next()?, axes.next()?);
    let widest = |axis: &Axis| {
        axis.names
            .iter()
            .map(|name| text_width(name))
            .fold(0.0, f64::max)
    };
    match widest(first) > MAX_COLUMN_NAME && widest(second) < widest(first) {
        true => Some([second, first]),
        false => Some([first, second]),
    }
}

/// The ratio of each start-up over two conditions, the fastest start-up first.
pub(super) fn heat_maps(overview: &Overview<'_>) -> Vec<HeatMap> {
    let Some([x, y]) = heat_map_axes(overview) else {
        return Vec::new();
    };
    let baseline = overview.baseline();
    let of = |one: &Contestant| HeatMap {
        title: format!("{}: time / {baseline}'s time", one.label),
        x_label: x.name.clone(),
        y_label: y.name.clone(),
        columns: x.names.clone(),
        // The y axis grows upwards.
        rows: y.names.iter().rev().cloned().collect(),
        values: (0..y.names.len())
            .rev()
            .map(|row| fields(one, x, (y, row)))
            .collect(),
    };
    overview.shown().into_iter().map(of).collect()
}

/// A row of a heat map.
fn fields(contestant: &Contestant, x: &Axis, (y, row): (&Axis, usize)) -> Vec<Option<f64>> {
    let field =
        |column| contestant.mean(|group| x.of_group[group] == column && y.of_group[group] == row);
    (0..x.names.len()).map(field).collect()
}

/// A heat map with its caption.
pub(super) fn heat_map_figure(map: &HeatMap, baseline: &str) -> Figure {
    let (x, y) = (&map.x_label, &map.y_label);
    Figure {
        svg: draw_heat_map(map),
        caption: format!(
            "The ratio by {x} and {y}: the geometric mean over everything else. Below 1 (green) \
             is faster than {baseline}, above 1 (orange) slower. An empty field has no result."
        ),
    }
}

/// The distributions of ratios and of completion times.
pub(super) fn distributions(overview: &Overview<'_>) -> Vec<Figure> {
    let counts = overview.contestants.iter().map(|one| one.ratios.len());
    if counts.max().unwrap_or(0) < MIN_DISTRIBUTION {
        return Vec::new();
    }
    vec![ratios(overview), times(overview)]
}

fn ratios(overview: &Overview<'_>) -> Figure {
    let baseline = overview.baseline();
    let line = |one: &Contestant| {
        let values: Vec<f64> = one.ratios.iter().map(|ratio| ratio.value).collect();
        let all = values.len() + one.unfinished;
        PlotSeries::new(&one.label, PlotStyle::Steps, cumulative(values, all)).look(one.look)
    };
    let svg = draw_plot(&Plot {
        title: format!("Time / {baseline}'s time"),
        x: PlotAxis::new("ratio (logarithmic)").log(),
        y: PlotAxis::new("paths and sizes (%)").range(0.0, 100.0),
        series: overview.shown().into_iter().map(line).collect(),
        annotations: vec![Annotation::Vertical {
            x: 1.0,
            text: baseline.to_owned(),
        }],
        ..Plot::default()
    });
    Figure {
        svg,
        caption: format!(
            "Share of paths and sizes whose ratio is at most x. A line further left is faster. \
             What lies right of 1 is slower than {baseline}."
        ),
    }
}

/// The completion times of every run, of baselines too.
fn times(overview: &Overview<'_>) -> Figure {
    let rows = || overview.groups.iter().flat_map(|group| &group.rows);
    let labels = overview.baselines.iter().cloned();
    let labels = labels.chain(overview.shown().into_iter().map(|one| one.label.clone()));
    let line = |label: String| {
        let own = rows().filter(|row| row.label == label);
        let own: Vec<&Row<'_>> = own.collect();
        let records = || own.iter().flat_map(|row| &row.records);
        let times: Vec<f64> = records().filter_map(|record| record.completion_s).collect();
        let points = cumulative(times, records().count());
        let look = own.first().map_or(0, |row| row.look);
        PlotSeries::new(label, PlotStyle::Steps, points).look(look)
    };
    Figure {
        svg: draw_plot(&Plot {
            title: "Completion time".to_owned(),
            x: PlotAxis::new("completion (s, logarithmic)").log(),
            y: PlotAxis::new("transfers (%)").range(0.0, 100.0),
            series: labels.map(line).collect(),
            ..Plot::default()
        }),
        caption: "Share of all transfers that took at most this time, over all paths and sizes. A \
                  line that ends below 100 % has transfers that did not finish."
            .to_owned(),
    }
}

/// The mean ratio of each start-up at one value of an axis.
pub(super) struct AxisValue<'o> {
    pub(super) name: &'o str,
    pub(super) estimates: Vec<(&'o Contestant, Estimate)>,
}

/// The values of an axis.
pub(super) fn by_value<'o>(overview: &'o Overview<'_>, axis: &'o Axis) -> Vec<AxisValue<'o>> {
    let of_value = |(at, name): (usize, &'o String)| {
        let estimate =
            |one: &'o Contestant| Some((one, one.estimate(|group| axis.of_group[group] == at)?));
        AxisValue {
            name,
            estimates: overview.contestants.iter().filter_map(estimate).collect(),
        }
    };
    let all = axis.names.iter().enumerate().map(of_value);
    all.filter(|value| !value.estimates.is_empty()).collect()
}

/// The figure of an axis.
pub(super) fn axis_figure(
    overview: &Overview<'_>,
    axis: &Axis,
    values: &[AxisValue<'_>],
) -> Figure {
    let shown = overview.shown();
    let mark = |(one, estimate): &(&Contestant, Estimate)| Mark {
        look: one.look,
        ratio: estimate.mean,
        interval: estimate.interval,
        tooltip: format!(
            "{}: {}, {} ratios",
            one.label,
            estimate.text(),
            estimate.count
        ),
    };
    let of = |value: &AxisValue<'_>, one: &Contestant| {
        let estimates = value.estimates.iter();
        let mut own = estimates.filter(|(other, _)| other.label == one.label);
        own.next().map(mark)
    };
    let values: Vec<Value> = values
        .iter()
        .map(|value| Value {
            name: value.name.to_owned(),
            marks: shown.iter().filter_map(|one| of(value, one)).collect(),
        })
        .collect();
    let legend = shown.iter().map(|one| (one.look, one.label.clone()));
    let legend: Vec<(usize, String)> = legend.collect();
    let name = format!("Ratio by {}", axis.name);
    let x_label = format!("time / {}'s time (logarithmic)", overview.baseline());
    Figure {
        svg: by_value::draw(&name, &x_label, &values, &legend),
        caption: format!(
            "The geometric mean over all else at each {}.{}",
            axis.name,
            match values
                .iter()
                .flat_map(|value| &value.marks)
                .any(|m| m.interval.is_some())
            {
                true => " A line is the interval of 95 % over seeds (bootstrap).",
                false => "",
            }
        ),
    }
}
