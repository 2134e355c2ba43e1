//! Delivery and pacing rates over time.

use super::timeline::{legend_of, Plan, Timeline};
use super::{seconds, Figure, Series};
use crate::link::Link;
use crate::svg::marks::{self, Key};
use crate::units::{bit_rate, prefix};
use onramp_results::SenderSample;

/// Pacing above this many times what the link carries is cut off: it may be set to anything.
const MAX_PACED: f64 = 3.0;
/// So is delivery above this: it exceeds 1 only where one acknowledgement covers a whole recovery.
const MAX_DELIVERED: f64 = 1.5;
/// Windows per round trip.
const WINDOWS_PER_RTT: f64 = 4.0;
/// Most windows in a plot, however long the transfer.
const MAX_WINDOWS: f64 = 20_000.0;

pub(crate) fn draw(series: &[Series<'_>], link: &Link, end_s: f64) -> Figure {
    let window_s = window_s(link.rtt_s, end_s);
    let capacity = link.payload_bytes_per_s * 8.0;
    let delivered: Vec<Vec<(f64, f64)>> = series
        .iter()
        .map(|s| delivery(&s.trace.sender, window_s, end_s))
        .collect();
    let paced: Vec<Vec<(f64, f64)>> = series.iter().map(pacing).collect();
    let highest_of =
        |lines: &[Vec<(f64, f64)>]| lines.iter().flatten().map(|p| p.1).fold(0.0, f64::max);
    let (delivered_max, paced_max) = (highest_of(&delivered), highest_of(&paced));
    let highest = f64::max(delivered_max, paced_max);
    let y_max = if capacity > 0.0 {
        let wanted = delivered_max
            .min(capacity * MAX_DELIVERED)
            .max(paced_max.min(capacity * MAX_PACED));
        wanted.max(capacity * 1.15)
    } else {
        highest
    };
    let (y_unit, unit) = prefix(y_max);
    let mut legend = legend_of(series);
    legend.push((Key::Line("main"), "delivered".to_owned()));
    if paced.iter().any(|p| !p.is_empty()) {
        legend.push((Key::Line("dashed"), "pacing rate".to_owned()));
    }
    let mut plot = Timeline::new(Plan {
        name: "Rates over time",
        y_label: &format!("rate ({unit}bit/s)"),
        y_unit,
        y_max,
        end_s,
        height: 260.0,
        legend,
    });
    let wire = bit_rate(link.payload_bytes_per_s * 8.0 / link.payload_share);
    plot.level(
        "level",
        capacity,
        &format!(
            "link: {} of payload ({wire} of packets)",
            bit_rate(capacity)
        ),
    );
    if highest > plot.frame.y.to() {
        plot.cut_off(&format!("cut off: rates reach {}", bit_rate(highest)));
    }
    plot.exits(series);
    for ((one, delivered), paced) in series.iter().zip(&delivered).zip(&paced) {
        let colour = marks::colour(one.look);
        plot.steps(
            &format!("dashed {colour}"),
            paced,
            &format!("{}: pacing rate", one.label),
        );
        plot.steps(
            &format!("main {colour}"),
            delivered,
            &format!("{}: delivered", one.label),
        );
        plot.markers(one, delivered, |time, rate| {
            format!(
                "{}: {} delivered around {}",
                one.label,
                bit_rate(rate),
                seconds(time)
            )
        });
    }
    let caption = format!(
        "Delivery: payload cumulatively acknowledged in each window of {} ms (RTT / 4); it pauses while a lost segment \
         is missing and jumps when it arrives. Pacing: as the sender sets it.",
        crate::units::significant(window_s * 1e3, 3)
    );
    Figure {
        svg: plot.finish(),
        caption,
    }
}

/// A quarter of a round trip, or longer where that would make too many windows or there is no round
/// trip.
fn window_s(rtt_s: f64, end_s: f64) -> f64 {
    let wanted = if rtt_s > 0.0 {
        rtt_s / WINDOWS_PER_RTT
    } else {
        end_s / 200.0
    };
    wanted.max(end_s / MAX_WINDOWS)
}

/// Payload acknowledged per window, in bit/s, at each window's start, from the first sample on;
/// zero after the last.
fn delivery(samples: &[SenderSample], window_s: f64, end_s: f64) -> Vec<(f64, f64)> {
    let (Some(last), true) = (
        samples
            .iter()
            .map(|s| s.time_s)
            .filter(|t| t.is_finite())
            .reduce(f64::max),
        window_s > 0.0,
    ) else {
        return Vec::new();
    };
    let first = samples
        .iter()
        .map(|s| s.time_s)
        .filter(|t| t.is_finite())
        .fold(last, f64::min);
    let first = (first / window_s) as usize;
    let windows = (last.clamp(0.0, end_s) / window_s) as usize + 1;
    let mut acked = vec![0_u64; windows];
    for sample in samples {
        // A time that is no number falls into the first window.
        let at = ((sample.time_s / window_s) as usize).min(windows - 1);
        acked[at] = acked[at].max(sample.acked_bytes);
    }
    let mut before = 0;
    let mut points = Vec::with_capacity(windows + 1);
    for (at, &acked) in acked.iter().enumerate() {
        let new = acked.saturating_sub(before);
        before = before.max(acked);
        if at < first {
            continue;
        }
        points.push((at as f64 * window_s, new as f64 * 8.0 / window_s));
    }
    points.push((windows as f64 * window_s, 0.0));
    points
}

/// Pacing in bit/s, while there is any; the kernel's "no limit" is not a rate.
fn pacing(series: &Series<'_>) -> Vec<(f64, f64)> {
    let rates = series
        .trace
        .sender
        .iter()
        .filter_map(|s| Some((s.time_s, s.pacing_bytes_per_s?)));
    rates
        .filter(|(_, rate)| !matches!(*rate, u64::MAX | 0xffff_ffff))
        .map(|(t, rate)| (t, rate as f64 * 8.0))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(time_s: f64, acked_bytes: u64) -> SenderSample {
        SenderSample {
            time_s,
            acked_bytes,
            cwnd_bytes: 0,
            ssthresh_bytes: None,
            inflight_bytes: 0,
            pacing_bytes_per_s: None,
            delivery_bytes_per_s: 0,
            srtt_s: 0.0,
        }
    }

    #[test]
    fn delivery_counts_what_each_window_acknowledged() {
        let samples = [sample(0.1, 0), sample(0.6, 1000), sample(1.4, 3000)];
        let points = delivery(&samples, 0.5, 10.0);
        assert_eq!(
            points,
            [(0.0, 0.0), (0.5, 16_000.0), (1.0, 32_000.0), (1.5, 0.0)]
        );
    }

    #[test]
    fn windows_stay_few_without_a_round_trip() {
        assert_eq!(window_s(0.0, 10.0), 0.05);
        assert_eq!(window_s(0.1, 10.0), 0.025);
        assert!(window_s(1e-9, 1e9) >= 1e9 / MAX_WINDOWS);
    }
}
