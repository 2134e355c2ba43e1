//! cwnd and ssthresh over time.

use super::timeline::{legend_of, Plan, Timeline};
use super::{seconds, Figure, Series};
use crate::link::Link;
use crate::svg::marks::{self, Key};
use crate::units::{byte_count, prefix, significant};

/// The plot ends at this multiple of BDP + queue. Otherwise a very large window would make all
/// others flat.
const MAX_PIPES: f64 = 4.0;

pub(crate) fn draw(series: &[Series<'_>], link: &Link, end_s: f64) -> Figure {
    let full_bytes = link.queue_bytes.map(|queue| link.bdp_bytes + queue);
    let cwnd_max = series
        .iter()
        .flat_map(|s| cwnd(s))
        .map(|p| p.1)
        .fold(0.0, f64::max);
    // A queue far larger than any window is mentioned but not shown: it would make the windows
    // flat.
    let shown_full = full_bytes.filter(|full| *full <= 2.0 * cwnd_max.max(link.bdp_bytes));
    let wanted = cwnd_max.max(link.bdp_bytes).max(shown_full.unwrap_or(0.0));
    let limit = MAX_PIPES * link.bdp_bytes.max(full_bytes.unwrap_or(0.0));
    let y_max = if limit > 0.0 {
        wanted.min(limit)
    } else {
        wanted
    };
    let (y_unit, unit) = prefix(y_max);
    let mut legend = legend_of(series);
    legend.push((Key::Line("main"), "cwnd".to_owned()));
    let has_ssthresh = series
        .iter()
        .any(|s| s.trace.sender.iter().any(|x| x.ssthresh_bytes.is_some()));
    if has_ssthresh {
        legend.push((Key::Line("dashed"), "ssthresh".to_owned()));
    }
    let mut plot = Timeline::new(Plan {
        name: "Congestion window over time",
        y_label: &format!("window ({unit}B)"),
        y_unit,
        y_max,
        end_s,
        height: 260.0,
        legend,
    });
    let amount = |bytes: f64| format!("{} {unit}B", significant(bytes / y_unit, 3));
    if let Some(full) = shown_full {
        plot.level("level", full, &format!("BDP + queue {}", amount(full)));
    }
    plot.level(
        "level",
        link.bdp_bytes,
        &format!("BDP {}", amount(link.bdp_bytes)),
    );
    if cwnd_max > plot.frame.y.to() {
        plot.cut_off(&format!("cut off: windows reach {}", amount(cwnd_max)));
    } else if let (Some(full), None) = (full_bytes, shown_full) {
        plot.cut_off(&format!("BDP + queue = {}, above this plot", amount(full)));
    }
    plot.exits(series);
    for one in series {
        draw_series(&mut plot, one);
    }
    let caption =
        "Congestion window and, where one is set, slow-start threshold. All in payload: at \
                   the BDP line the window just fills the path, at BDP + queue it fills the queue \
                   too."
            .to_owned();
    Figure {
        svg: plot.finish(),
        caption,
    }
}

fn draw_series(plot: &mut Timeline, one: &Series<'_>) {
    let colour = marks::colour(one.look);
    let ssthresh: Vec<(f64, f64)> = one
        .trace
        .sender
        .iter()
        .filter_map(|s| Some((s.time_s, s.ssthresh_bytes? as f64)))
        .collect();
    plot.steps(
        &format!("dashed {colour}"),
        &ssthresh,
        &format!("{}: ssthresh", one.label),
    );
    let cwnd = cwnd(one);
    plot.steps(
        &format!("main {colour}"),
        &cwnd,
        &format!("{}: cwnd", one.label),
    );
    plot.markers(one, &cwnd, |time, bytes| {
        format!(
            "{}: cwnd {} at {}",
            one.label,
            byte_count(bytes as u64),
            seconds(time)
        )
    });
}

fn cwnd(series: &Series<'_>) -> Vec<(f64, f64)> {
    series
        .trace
        .sender
        .iter()
        .map(|s| (s.time_s, s.cwnd_bytes as f64))
        .collect()
}
