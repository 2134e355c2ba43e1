//! The slowdown of flows by their size, where sizes are drawn: completion time over the bound, the
//! least possible time of that size.
//!
//! The bins have equal shares of the flows of all start-ups, so a bin of many equal sizes has more.

use super::Figure;
use crate::statistics::{median, quantile};
use crate::summary::{Group, Row};
use onramp_plot::plot::{draw_plot, Axis, Plot, PlotSeries, PlotStyle};
use onramp_plot::units::byte_count;
use onramp_results::Record;

/// The most bins of a figure.
const BINS: usize = 10;
/// The share of the flows that the upper line has below it.
const TAIL: f64 = 0.99;

/// The columns of `slowdown.csv`.
pub(crate) const COLUMNS: [&str; 7] = [
    "scenario",
    "conditions",
    "startup",
    "upto_bytes",
    "flows",
    "slowdown_median",
    "slowdown_p99",
];

/// The flows of one start-up whose sizes are in one bin.
struct Bin {
    /// The largest size of the bin.
    upto_bytes: u64,
    flows: usize,
    median: f64,
    tail: f64,
}

/// The largest size of each bin; `None` where all flows have one size, or sizes are not drawn.
/// Equal sizes are in one bin.
fn edges(group: &Group<'_>) -> Option<Vec<u64>> {
    if group.first().sizes.is_empty() {
        return None;
    }
    let mut sizes: Vec<u64> = group.records().map(|record| record.size_bytes).collect();
    sizes.sort_unstable();
    let mut edges: Vec<u64> = (1..=BINS)
        .map(|bin| sizes[(sizes.len() * bin).div_ceil(BINS) - 1])
        .collect();
    edges.dedup();
    (edges.len() > 1).then_some(edges)
}

/// A flow that did not finish has no slowdown.
fn slowdown(record: &Record) -> Option<f64> {
    let slowdown = record.completion_s? / record.bound_s;
    slowdown.is_finite().then_some(slowdown)
}

/// The bins in which this start-up has flows.
fn bins(row: &Row<'_>, edges: &[u64]) -> Vec<Bin> {
    let mut over = None;
    let mut bins = Vec::new();
    for &upto_bytes in edges {
        let is_in = |record: &&&Record| {
            over.is_none_or(|over| record.size_bytes > over) && record.size_bytes <= upto_bytes
        };
        let found = row.records.iter().filter(is_in);
        let slowdowns: Vec<f64> = found.filter_map(|record| slowdown(record)).collect();
        over = Some(upto_bytes);
        if !slowdowns.is_empty() {
            bins.push(Bin {
                upto_bytes,
                flows: slowdowns.len(),
                median: median(&slowdowns),
                tail: quantile(slowdowns, TAIL),
            });
        }
    }
    bins
}

/// The figure; `None` where sizes are not drawn, all flows have one size, or none has finished.
pub(crate) fn draw(group: &Group<'_>) -> Option<Figure> {
    let edges = edges(group)?;
    let mut series = Vec::new();
    for row in &group.rows {
        let bins = bins(row, &edges);
        let line = |name: &str, style, value: fn(&Bin) -> f64| {
            let points = bins.iter().map(|bin| (bin.upto_bytes as f64, value(bin)));
            PlotSeries::new(format!("{}, {name}", row.label), style, points.collect())
                .look(row.look)
        };
        if !bins.is_empty() {
            series.push(line("median", PlotStyle::Line, |bin| bin.median));
            series.push(line("99 %", PlotStyle::Dashed, |bin| bin.tail));
        }
    }
    let smallest = group.records().map(|record| record.size_bytes).min()?;
    let caption = format!(
        "Slowdown by size: completion time over the bound, the least possible time of that size. \
         Each mark is at the largest size of its bin. The {} bins have equal shares of the flows, \
         and the first begins at {}.",
        edges.len(),
        byte_count(smallest)
    );
    (!series.is_empty()).then(|| Figure {
        svg: draw_plot(&Plot {
            title: "Slowdown by size".to_owned(),
            x: Axis::new("size (bytes)").log(),
            y: Axis::new("slowdown").log(),
            series,
            ..Plot::default()
        }),
        caption,
    })
}

/// The rows of `slowdown.csv` of a group, in the order of [`COLUMNS`].
pub(crate) fn table(group: &Group<'_>) -> Vec<Vec<String>> {
    let edges = edges(group).unwrap_or_default();
    let of_row = |row: &Row<'_>| -> Vec<Vec<String>> {
        let cells = |bin: Bin| {
            vec![
                group.first().scenario.clone(),
                group.conditions(),
                row.label.clone(),
                bin.upto_bytes.to_string(),
                bin.flows.to_string(),
                bin.median.to_string(),
                bin.tail.to_string(),
            ]
        };
        bins(row, &edges).into_iter().map(cells).collect()
    };
    group.rows.iter().flat_map(of_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::groups;
    use onramp_testing::samples;

    /// Flows of 1 to `flows` kB. A flow of n kB has a slowdown of n, and twice that with `paced`.
    fn records(flows: u64) -> Vec<Record> {
        let record = |startup: &'static str, factor: f64, kilobytes: u64| Record {
            sizes: "web-search".to_owned(),
            size_bytes: kilobytes * 1000,
            bound_s: 0.5,
            completion_s: Some(0.5 * factor * kilobytes as f64),
            ..samples::record("a", startup, "cubic", 1)
        };
        let of = |startup, factor| (1..=flows).map(move |size| record(startup, factor, size));
        of("none", 1.0).chain(of("paced", 2.0)).collect()
    }

    #[test]
    fn each_bin_has_as_many_flows_and_their_median_and_99th_percentile() {
        let records = records(100);
        let rows = table(&groups(&records)[0]);
        assert_eq!(rows.len(), 20);
        let cells = |row: usize| rows[row][3..].join(" ");
        assert_eq!(cells(0), "10000 10 5.5 10");
        assert_eq!(cells(9), "100000 10 95.5 100");
        assert_eq!(cells(10), "10000 10 11 20");
    }

    #[test]
    fn equal_sizes_are_in_one_bin_and_unfinished_flows_in_none() {
        let mut records = records(20);
        records[19].completion_s = None;
        for record in &mut records {
            record.size_bytes = record.size_bytes.min(11_000);
        }
        let rows = table(&groups(&records)[0]);
        let flows: Vec<&str> = rows.iter().map(|row| row[4].as_str()).collect();
        assert_eq!(
            flows,
            ["2", "2", "2", "2", "2", "9", "2", "2", "2", "2", "2", "10"]
        );
    }

    #[test]
    fn the_figure_has_two_lines_for_each_start_up() {
        let records = records(50);
        let figure = draw(&groups(&records)[0]).expect("sizes are drawn");
        roxmltree::Document::parse(&figure.svg).expect("it is XML");
        for line in ["median", "99 %"] {
            assert!(
                figure.svg.matches(&format!(", {line}")).count() >= 2,
                "{line}"
            );
        }
        assert!(figure.caption.contains("10 bins"), "{}", figure.caption);
    }

    #[test]
    fn flows_of_a_size_that_is_set_have_no_figure() {
        let records = [samples::record("a", "none", "cubic", 1)];
        assert!(draw(&groups(&records)[0]).is_none());
        assert!(table(&groups(&records)[0]).is_empty());
    }
}
