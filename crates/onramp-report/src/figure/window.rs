//! cwnd and ssthresh over time.

use super::timeline::{legend_of, Plan, Timeline, SINCE_CONNECT};
use super::{seconds, Figure, Series};
use crate::link::Link;
use onramp_plot::svg::marks::{self, Key};
use onramp_plot::units::{byte_count, prefix, significant};

/// The plot ends at this multiple of BDP + queue. Otherwise a very large window would make all
/// others flat.
const MAX_PIPES: f64 = 4.0;
/// The plot ends at this multiple of the transfer: a larger window is never used.
const MAX_TRANSFERS: f64 = 1.2;
/// But no earlier than at this multiple of the initial window.
const MIN_INITIAL_WINDOWS: f64 = 1.5;

pub(crate) fn draw(series: &[Series<'_>], link: &Link, end_s: f64) -> Figure {
    let full_bytes = link.queue_bytes.map(|queue| link.bdp_bytes + queue);
    let cwnd_max = series
        .iter()
        .flat_map(|s| cwnd(s))
        .map(|p| p.1)
        .fold(0.0, f64::max);
    let y_max = y_max(series, link, full_bytes, cwnd_max);
    let (y_unit, unit) = prefix(y_max);
    let mut plot = Timeline::new(Plan {
        name: "Congestion window over time",
        x_label: SINCE_CONNECT,
        y_label: &format!("window ({unit}B)"),
        y_unit,
        y_max,
        end_s,
        height: 260.0,
        legend: legend(series),
    });
    let amount = |bytes: f64| format!("{} {unit}B", significant(bytes / y_unit, 3));
    let mut above = Vec::new();
    let levels = [("BDP + queue", full_bytes), ("BDP", Some(link.bdp_bytes))];
    for (name, bytes) in levels {
        let Some(bytes) = bytes.filter(|bytes| bytes.is_finite()) else {
            continue;
        };
        let text = format!("{name} {}", amount(bytes));
        match bytes <= plot.frame.y.to() {
            true => plot.level("level", bytes, &text),
            false => above.push(text),
        }
    }
    if cwnd_max > plot.frame.y.to() {
        above.push(format!("windows up to {}", amount(cwnd_max)));
    }
    if !above.is_empty() {
        plot.cut_off(&format!("above this plot: {}", above.join(", ")));
    }
    plot.exits(series);
    for one in series {
        draw_series(&mut plot, one);
    }
    let caption =
        "Congestion window and, where one is set, slow-start threshold, until the last byte \
                   arrived. All in payload: at the BDP line the window just fills the path, at \
                   BDP + queue it fills the queue too. No window larger than the transfer is ever \
                   used."
            .to_owned();
    Figure {
        svg: plot.finish(),
        caption,
    }
}

fn legend(series: &[Series<'_>]) -> Vec<(Key, String)> {
    let mut legend = legend_of(series);
    legend.push((Key::Line("main"), "cwnd".to_owned()));
    let has_ssthresh = series
        .iter()
        .any(|s| s.trace.sender.iter().any(|x| x.ssthresh_bytes.is_some()));
    if has_ssthresh {
        legend.push((Key::Line("dashed"), "ssthresh".to_owned()));
    }
    legend
}

/// The upper end of the plot, in bytes. A queue far larger than any window, and a BDP far larger
/// than the transfer, would make the windows flat.
fn y_max(series: &[Series<'_>], link: &Link, full_bytes: Option<f64>, cwnd_max: f64) -> f64 {
    let full_bytes = full_bytes.unwrap_or(0.0);
    let shown_full = match full_bytes <= 2.0 * cwnd_max.max(link.bdp_bytes) {
        true => full_bytes,
        false => 0.0,
    };
    let wanted = cwnd_max.max(link.bdp_bytes).max(shown_full);
    let initial = series.iter().filter_map(|one| one.trace.sender.first());
    let initial_bytes = initial.map(|s| s.cwnd_bytes as f64).fold(0.0, f64::max);
    let sizes = series.iter().map(|one| one.record.size_bytes as f64);
    let size_bytes = sizes.fold(0.0, f64::max);
    let limits = [
        MAX_PIPES * link.bdp_bytes.max(full_bytes),
        match size_bytes > 0.0 {
            true => (MAX_TRANSFERS * size_bytes).max(MIN_INITIAL_WINDOWS * initial_bytes),
            false => 0.0,
        },
    ];
    let limits = limits.into_iter().filter(|limit| *limit > 0.0);
    limits.fold(wanted, f64::min)
}

fn draw_series(plot: &mut Timeline, one: &Series<'_>) {
    let colour = marks::colour(one.look);
    let ssthresh = one.trace.sender.iter();
    let ssthresh = ssthresh.filter_map(|s| Some((s.time_s, s.ssthresh_bytes? as f64)));
    let ssthresh = one.until_the_end(ssthresh.collect());
    let tooltip = format!("{}: ssthresh", one.label);
    plot.steps(&format!("dashed {colour}"), &ssthresh, &tooltip);
    let cwnd = cwnd(one);
    let tooltip = format!("{}: cwnd", one.label);
    plot.steps(&format!("main {colour}"), &cwnd, &tooltip);
    plot.markers(one, &cwnd, |time, bytes| {
        let (cwnd, time) = (byte_count(bytes as u64), seconds(time));
        format!("{}: cwnd {cwnd} at {time}", one.label)
    });
}

fn cwnd(series: &Series<'_>) -> Vec<(f64, f64)> {
    let samples = series.trace.sender.iter();
    let cwnd = samples.map(|s| (s.time_s, s.cwnd_bytes as f64));
    series.until_the_end(cwnd.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_results::{Record, Trace};
    use onramp_testing::samples::{record, run, SATELLITE, SHALLOW};

    fn drawn(record: &Record, trace: &Trace) -> String {
        let series = [Series {
            look: 0,
            label: "one".to_owned(),
            record,
            trace,
        }];
        draw(&series, &Link::of(record), 10.0).svg
    }

    #[test]
    fn a_short_transfer_fills_the_plot_and_the_bdp_is_above_it() {
        let setup = onramp_testing::samples::Setup {
            size_bytes: 100_000,
            ..SATELLITE
        };
        let (record, trace) = run(&setup, "none", "cubic", 1);
        let svg = drawn(&record, &trace);
        assert!(svg.contains("window (kB)"), "{svg}");
        assert!(
            svg.contains("above this plot: BDP + queue") && svg.contains(", BDP "),
            "{svg}"
        );
        let (record, trace) = run(&SHALLOW, "none", "cubic", 1);
        assert!(!drawn(&record, &trace).contains("above this plot: BDP"));
    }

    #[test]
    fn a_window_holds_until_the_last_byte() {
        let finished = Record {
            completion_s: Some(9.0),
            ..record("a", "none", "cubic", 1)
        };
        let (_, trace) = run(&SHALLOW, "none", "cubic", 1);
        let series = Series {
            look: 0,
            label: String::new(),
            record: &finished,
            trace: &trace,
        };
        let cwnd = cwnd(&series);
        let [.., before, last] = cwnd.as_slice() else {
            panic!("no window");
        };
        assert_eq!((last.0, last.1), (9.0, before.1));
    }
}
