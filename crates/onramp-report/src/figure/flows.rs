//! The rate of each flow over time, where a run has several flows.

use super::rate::{arrivals, totals};
use super::timeline::{legend_of, Plan, Timeline};
use super::{Figure, Series};
use crate::run::Run;
use crate::summary::{Group, Row};
use onramp_plot::svg::marks;
use onramp_plot::units::{bit_rate, prefix, significant};

/// More flows than this cannot be told apart.
const MAX_FLOWS: usize = 8;
/// More start-ups than this have no figure.
const MAX_FIGURES: usize = 6;
/// Number of windows in the plot, unless a window is shorter than a round trip then.
const WINDOWS: f64 = 100.0;

/// A figure for each start-up, of the run that the other plots show.
pub(crate) fn draw(group: &Group<'_>, shown: &[Series<'_>], runs: &[Run]) -> Vec<Figure> {
    let rows = shown.iter().filter_map(|one| {
        let row = group.rows.iter().find(|row| row.look == one.look)?;
        let flows = flows_of(row, one.record.run, runs);
        (flows.len() > 1).then(|| of_row(group, one, &flows))
    });
    rows.take(MAX_FIGURES).collect()
}

/// The flows of a row's run.
fn flows_of<'a>(row: &Row<'_>, run: u32, runs: &'a [Run]) -> Vec<Series<'a>> {
    let flows = row.indices.iter().map(|&at| &runs[at]);
    let traced = flows
        .filter(|one| one.record.run == run)
        .filter_map(|one| Some((&one.record, one.trace.as_ref()?)));
    let series = |(look, (record, trace))| Series {
        look,
        label: format!("flow {}", look + 1),
        record,
        trace,
    };
    traced.enumerate().map(series).collect()
}

fn of_row(group: &Group<'_>, row: &Series<'_>, flows: &[Series<'_>]) -> Figure {
    let first_s = flows
        .iter()
        .map(|flow| flow.record.start_s)
        .fold(f64::INFINITY, f64::min);
    let lines: Vec<Vec<(f64, u64)>> = flows
        .iter()
        .map(|flow| since(flow.record.start_s - first_s, &totals(flow.trace)))
        .collect();
    let times = lines.iter().flatten().map(|total| total.0);
    let end_s = times.fold(0.0, f64::max);
    let link = group.link();
    let window_s = link.rtt_s.max(end_s / WINDOWS);
    let rates: Vec<_> = lines
        .iter()
        .map(|totals| arrivals(totals, window_s, end_s))
        .collect();
    let capacity = link.payload_bytes_per_s * 8.0;
    let highest = rates.iter().flatten().map(|point| point.1);
    let y_max = highest.fold(capacity, f64::max);
    let (y_unit, unit) = prefix(y_max);
    let drawn = &flows[..flows.len().min(MAX_FLOWS)];
    let mut plot = Timeline::new(Plan {
        name: "Rate of each flow over time",
        x_label: "time since the first connect (s)",
        y_label: &format!("rate ({unit}bit/s)"),
        y_unit,
        y_max,
        end_s,
        height: 220.0,
        legend: legend_of(drawn),
    });
    plot.level(
        "level",
        capacity,
        &format!("link: {} of payload", bit_rate(capacity)),
    );
    for (flow, rates) in drawn.iter().zip(&rates) {
        let class = format!("main {}", marks::colour(flow.look));
        plot.steps(&class, rates, &flow.label);
    }
    let left_out = match flows.len() - drawn.len() {
        0 => String::new(),
        more => format!(" {more} more flows are not drawn."),
    };
    let caption = format!(
        "{}: payload that each flow's receiver could read in each window of {} s.{left_out}",
        row.label,
        significant(window_s, 3)
    );
    Figure {
        svg: plot.finish(),
        caption,
    }
}

/// The totals of a flow that connects this much later than the first one.
fn since(later_s: f64, totals: &[(f64, u64)]) -> Vec<(f64, u64)> {
    let shifted = |&(time_s, bytes): &(f64, u64)| (time_s + later_s, bytes);
    totals.iter().map(shifted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::series;
    use onramp_results::{ReceiverSample, Record, Trace};
    use onramp_testing::samples;

    /// Flows of 1 MB/s, each of which starts a second after the one before.
    fn runs(flows: u32) -> Vec<Run> {
        let sample = |time_s: f64| ReceiverSample {
            time_s,
            received_bytes: (time_s * 1e6) as u64,
        };
        let trace = Trace {
            receiver: (0..=50)
                .map(|tenth| sample(f64::from(tenth) / 10.0))
                .collect(),
            ..Trace::default()
        };
        let run = |flow: u32| Run {
            record: Record {
                flow,
                start_s: f64::from(flow),
                ..samples::record("a", "none", "cubic", 1)
            },
            trace: Some(trace.clone()),
        };
        (1..=flows).map(run).collect()
    }

    fn drawn(runs: &[Run]) -> Vec<Figure> {
        let records: Vec<Record> = runs.iter().map(|run| run.record.clone()).collect();
        let groups = crate::summary::groups(&records);
        draw(&groups[0], &series(&groups[0], runs), runs)
    }

    #[test]
    fn runs_with_several_flows_have_a_figure_with_a_line_for_each() {
        assert!(drawn(&runs(1)).is_empty());
        let figures = drawn(&runs(3));
        assert_eq!(figures.len(), 1);
        for flow in ["flow 1", "flow 2", "flow 3"] {
            assert!(figures[0].svg.contains(flow), "{flow}");
        }
        assert!(
            !figures[0].caption.contains("not drawn"),
            "{}",
            figures[0].caption
        );
        let caption = &drawn(&runs(10))[0].caption;
        assert!(
            caption.ends_with("2 more flows are not drawn."),
            "{caption}"
        );
    }

    #[test]
    fn a_flow_is_drawn_from_its_own_start_on() {
        let totals = since(2.0, &[(0.0, 0), (1.0, 5)]);
        assert_eq!(totals, [(2.0, 0), (3.0, 5)]);
    }
}
