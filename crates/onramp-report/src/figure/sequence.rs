//! Sequence numbers over time: what entered the bottleneck, what was acknowledged, what was lost.

use super::timeline::{legend_of, Plan, Timeline, SINCE_CONNECT};
use super::{seconds, Figure, Series};
use crate::link::Link;
use crate::summary::Group;
use onramp_plot::svg::marks::{self, Key};
use onramp_plot::units::{byte_count, prefix};
use onramp_results::SegmentSample;
use std::collections::HashSet;

/// Size of a cell in pixels. A cell shows at most one ring and one cross of a start-up.
const CELL_PX: f64 = 3.0;

pub(crate) fn draw(group: &Group<'_>, series: &[Series<'_>], link: &Link, end_s: f64) -> Figure {
    let size_bytes = group.first().size_bytes as f64;
    let y_max = series
        .iter()
        .flat_map(|s| sent(s))
        .map(|p| p.1)
        .fold(size_bytes, f64::max);
    let (y_unit, unit) = prefix(y_max);
    let any =
        |test: fn(&SegmentSample) -> bool| series.iter().any(|s| s.trace.segments.iter().any(test));
    let mut legend = legend_of(series);
    legend.push((Key::Line("main"), "enters the bottleneck".to_owned()));
    legend.push((Key::Line("thin"), "acknowledged".to_owned()));
    if any(|s| s.retransmission) {
        legend.push((Key::Ring, "retransmission".to_owned()));
    }
    if any(|s| s.dropped) {
        legend.push((Key::Cross, "dropped or lost".to_owned()));
    }
    legend.push((
        Key::Line("ideal"),
        "ideal: the link busy from 1.5 RTT on".to_owned(),
    ));
    let mut plot = Timeline::new(Plan {
        name: "Sequence over time",
        x_label: SINCE_CONNECT,
        y_label: &format!("payload ({unit}B)"),
        y_unit,
        y_max,
        end_s,
        height: 340.0,
        legend,
    });
    ideal(&mut plot, link, size_bytes);
    plot.exits(series);
    for one in series {
        draw_series(&mut plot, one);
    }
    let caption =
        "Sequence: payload as it enters the bottleneck (thick) and as the sender sees it \
                   acknowledged (thin). Between the two is the data in flight. What lies below the \
                   ideal line the link could have carried by then; where a line climbs more \
                   steeply than the ideal one, a queue builds."
            .to_owned();
    Figure {
        svg: plot.finish(),
        caption,
    }
}

/// Draws the ideal line. The request reaches the sender 1.5 RTT after the connect, because SYN,
/// SYN-ACK and request each cross the path once. From then on the link carries payload without a
/// pause.
fn ideal(plot: &mut Timeline, link: &Link, size_bytes: f64) {
    let start_s = 1.5 * link.rtt_s;
    let end_s = start_s + size_bytes / link.payload_bytes_per_s;
    if end_s.is_finite() {
        let line = [
            plot.frame.px((start_s, 0.0)),
            plot.frame.px((end_s, size_bytes)),
        ];
        let tooltip = format!("ideal: from {} to {}", seconds(start_s), seconds(end_s));
        plot.svg.polyline("ideal ink", &line, &tooltip);
    }
}

fn draw_series(plot: &mut Timeline, one: &Series<'_>) {
    let colour = marks::colour(one.look);
    let sent = sent(one);
    let mut acked: Vec<(f64, f64)> = one
        .trace
        .sender
        .iter()
        .map(|s| (s.time_s, s.acked_bytes as f64))
        .collect();
    // Equal values are one step, which begins at the time of the first of them.
    acked.dedup_by_key(|p| p.1.to_bits());
    let tooltip = format!("{}: acknowledged", one.label);
    plot.steps(&format!("thin {colour}"), &acked, &tooltip);
    let tooltip = format!("{}: enters the bottleneck", one.label);
    plot.steps(&format!("main {colour}"), &sent, &tooltip);
    plot.markers(one, &sent, |time, bytes| {
        let (bytes, time) = (byte_count(bytes as u64), seconds(time));
        format!("{}: {bytes} sent at {time}", one.label)
    });
    let mut seen = HashSet::new();
    for segment in &one.trace.segments {
        let at = plot.frame.px((segment.time_s, end_of(segment)));
        let cell = |kind: u8| (kind, (at.0 / CELL_PX) as i64, (at.1 / CELL_PX) as i64);
        let (byte, time) = (segment.start_byte, seconds(segment.time_s));
        let tooltip = |what: &str| format!("{}: byte {byte} {what} at {time}", one.label);
        if segment.retransmission && seen.insert(cell(0)) {
            marks::ring(&mut plot.svg, one.look, at, &tooltip("retransmitted"));
        }
        if segment.dropped && seen.insert(cell(1)) {
            marks::cross(&mut plot.svg, one.look, at, &tooltip("dropped"));
        }
    }
}

/// The highest sequence number that reached the bottleneck so far. Retransmissions do not lower it.
fn sent(series: &Series<'_>) -> Vec<(f64, f64)> {
    let mut max: f64 = 0.0;
    let mut points = Vec::with_capacity(series.trace.segments.len() + 1);
    points.extend(series.trace.segments.first().map(|s| (s.time_s, 0.0)));
    for segment in &series.trace.segments {
        max = max.max(end_of(segment));
        points.push((segment.time_s, max));
    }
    points
}

fn end_of(segment: &SegmentSample) -> f64 {
    segment.start_byte as f64 + f64::from(segment.length_bytes)
}
