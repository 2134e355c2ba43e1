//! Arrival and pacing rates over time.

use super::timeline::{legend_of, Plan, Timeline, SINCE_CONNECT};
use super::{seconds, Figure, Series};
use crate::link::Link;
use onramp_plot::svg::marks::{self, Key};
use onramp_plot::units::{bit_rate, prefix};
use onramp_results::Trace;

/// The plot ends at this multiple of the capacity, because a pacing rate can have any value.
const MAX_PACED: f64 = 3.0;
/// The same for arrivals. They exceed the capacity only where a retransmission fills a gap: all
/// that waited behind it is then read at once.
const MAX_ARRIVED: f64 = 1.5;
/// Number of windows in a round trip.
const WINDOWS_PER_RTT: f64 = 4.0;
/// Maximum number of windows in a plot.
const MAX_WINDOWS: f64 = 20_000.0;

pub(crate) fn draw(series: &[Series<'_>], link: &Link, end_s: f64) -> Figure {
    let window_s = window_s(link.rtt_s, end_s);
    let rates: Vec<Rates> = series
        .iter()
        .map(|one| Rates {
            arrived: arrivals(&totals(one.trace), window_s, end_s),
            paced: pacing(one),
        })
        .collect();
    let capacity = link.payload_bytes_per_s * 8.0;
    let (y_max, highest) = y_range(&rates, capacity);
    let (y_unit, unit) = prefix(y_max);
    let mut legend = legend_of(series);
    legend.push((Key::Line("main"), "arrived".to_owned()));
    if rates.iter().any(|rates| !rates.paced.is_empty()) {
        legend.push((Key::Line("dashed"), "pacing rate".to_owned()));
    }
    let mut plot = Timeline::new(Plan {
        name: "Rates over time",
        x_label: SINCE_CONNECT,
        y_label: &format!("rate ({unit}bit/s)"),
        y_unit,
        y_max,
        end_s,
        height: 260.0,
        legend,
    });
    let wire = bit_rate(link.payload_bytes_per_s * 8.0 / link.payload_share);
    let name = format!(
        "link: {} of payload ({wire} of packets)",
        bit_rate(capacity)
    );
    plot.level("level", capacity, &name);
    if highest > plot.frame.y.to() {
        plot.cut_off(&format!("cut off: rates reach {}", bit_rate(highest)));
    }
    plot.exits(series);
    for (one, rates) in series.iter().zip(&rates) {
        draw_series(&mut plot, one, rates);
    }
    let caption = format!(
        "Arrived: payload that the receiver could read in each window of {} ms (RTT / 4), until \
         the last byte; it pauses while a lost segment is missing and jumps when it arrives. \
         Pacing: as the sender sets it.",
        onramp_plot::units::significant(window_s * 1e3, 3)
    );
    Figure {
        svg: plot.finish(),
        caption,
    }
}

/// The two rates of a series: times in seconds, rates in bit/s.
struct Rates {
    arrived: Vec<(f64, f64)>,
    paced: Vec<(f64, f64)>,
}

/// The upper end of the plot, and the highest rate, which may lie above it. Both are in bit/s.
fn y_range(rates: &[Rates], capacity: f64) -> (f64, f64) {
    let highest = |line: fn(&Rates) -> &[(f64, f64)]| {
        rates
            .iter()
            .flat_map(line)
            .map(|point| point.1)
            .fold(0.0, f64::max)
    };
    let arrived = highest(|rates| &rates.arrived);
    let paced = highest(|rates| &rates.paced);
    let highest = f64::max(arrived, paced);
    if capacity > 0.0 {
        let wanted = arrived
            .min(capacity * MAX_ARRIVED)
            .max(paced.min(capacity * MAX_PACED));
        (wanted.max(capacity * 1.15), highest)
    } else {
        (highest, highest)
    }
}

fn draw_series(plot: &mut Timeline, one: &Series<'_>, rates: &Rates) {
    let colour = marks::colour(one.look);
    let tooltip = format!("{}: pacing rate", one.label);
    plot.steps(&format!("dashed {colour}"), &rates.paced, &tooltip);
    let tooltip = format!("{}: arrived", one.label);
    plot.steps(&format!("main {colour}"), &rates.arrived, &tooltip);
    plot.markers(one, &rates.arrived, |time, rate| {
        let (rate, time) = (bit_rate(rate), seconds(time));
        format!("{}: {rate} arrived around {time}", one.label)
    });
}

/// The length of a window: a quarter of a round trip. It is longer where there would be too many
/// windows, and 1/200 of the transfer where the RTT is unknown.
fn window_s(rtt_s: f64, end_s: f64) -> f64 {
    let wanted = if rtt_s > 0.0 {
        rtt_s / WINDOWS_PER_RTT
    } else {
        end_s / 200.0
    };
    wanted.max(end_s / MAX_WINDOWS)
}

/// Times, and the payload that had arrived by then: what the receiver has read. Where that was not
/// recorded, it is what the sender knows, half a round trip later.
pub(super) fn totals(trace: &Trace) -> Vec<(f64, u64)> {
    let receiver = trace.receiver.iter();
    let sender = trace.sender.iter();
    let totals: Vec<(f64, u64)> = match trace.receiver.is_empty() {
        false => receiver.map(|s| (s.time_s, s.received_bytes)).collect(),
        true => sender.map(|s| (s.time_s, s.acked_bytes)).collect(),
    };
    totals
        .into_iter()
        .filter(|(time_s, _)| time_s.is_finite())
        .collect()
}

/// The rate in each window, in bit/s, with the start of the window: from the window of the first
/// total to that of the last one. A zero follows.
pub(super) fn arrivals(totals: &[(f64, u64)], window_s: f64, end_s: f64) -> Vec<(f64, f64)> {
    let times = || totals.iter().map(|total| total.0);
    let (Some(last), true) = (times().reduce(f64::max), window_s > 0.0) else {
        return Vec::new();
    };
    let first = (times().fold(last, f64::min) / window_s) as usize;
    let windows = (last.clamp(0.0, end_s) / window_s) as usize + 1;
    let mut by_window = vec![0_u64; windows];
    for (time_s, bytes) in totals {
        let at = ((time_s / window_s) as usize).min(windows - 1);
        by_window[at] = by_window[at].max(*bytes);
    }
    let mut before = 0;
    let mut points = Vec::with_capacity(windows + 1);
    for (at, &bytes) in by_window.iter().enumerate() {
        let new = bytes.saturating_sub(before);
        before = before.max(bytes);
        if at >= first {
            points.push((at as f64 * window_s, new as f64 * 8.0 / window_s));
        }
    }
    points.push((windows as f64 * window_s, 0.0));
    points
}

/// Pacing rates in bit/s. Samples without pacing, and those with the kernel's value for "no limit",
/// are left out.
fn pacing(series: &Series<'_>) -> Vec<(f64, f64)> {
    let rates = series
        .trace
        .sender
        .iter()
        .filter_map(|s| Some((s.time_s, s.pacing_bytes_per_s?)));
    let limited = rates.filter(|(_, rate)| !matches!(*rate, u64::MAX | 0xffff_ffff));
    series.until_the_end(limited.map(|(t, rate)| (t, rate as f64 * 8.0)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_window_counts_what_arrived_in_it() {
        let points = arrivals(&[(0.1, 0), (0.6, 1000), (1.4, 3000)], 0.5, 10.0);
        assert_eq!(
            points,
            [(0.0, 0.0), (0.5, 16_000.0), (1.0, 32_000.0), (1.5, 0.0)]
        );
    }

    #[test]
    fn what_arrives_after_the_last_ack_is_shown() {
        let setup = onramp_testing::samples::SHALLOW;
        let (record, trace) = onramp_testing::samples::run(&setup, "paced", "cubic", 1);
        let last = |totals: &[(f64, u64)]| totals[totals.len() - 1];
        let (time_s, bytes) = last(&totals(&trace));
        assert_eq!(bytes, record.size_bytes);
        assert!((time_s - record.completion_s.unwrap()).abs() < 1e-9);
        let unrecorded = Trace {
            receiver: Vec::new(),
            ..trace
        };
        assert!(last(&totals(&unrecorded)).0 > time_s);
    }

    #[test]
    fn windows_stay_few_without_a_round_trip() {
        assert_eq!(window_s(0.0, 10.0), 0.05);
        assert_eq!(window_s(0.1, 10.0), 0.025);
        assert!(window_s(1e-9, 1e9) >= 1e9 / MAX_WINDOWS);
    }
}
