//! The queues of the links over time, as the data packets of each start-up met them.

use super::timeline::{legend_of, Plan, Timeline, SINCE_CONNECT};
use super::{seconds, Figure, Series};
use onramp_plot::svg::{lines, marks};
use onramp_plot::units::significant;
use onramp_results::QueueSample;

/// More links than this have no figure: those in which packets waited longest are shown.
const MAX_LINKS: usize = 3;
const MS_PER_S: f64 = 1e3;

/// A figure for each link, in the order of the scenario.
pub(super) fn draw(series: &[Series<'_>], end_s: f64) -> Vec<Figure> {
    let mut links: Vec<(&str, f64)> = Vec::new();
    for queue in series.iter().flat_map(|one| &one.trace.queues) {
        let longest = queue.samples.iter().map(|sample| sample.wait_s);
        let longest = longest.filter(|s| s.is_finite()).fold(0.0, f64::max);
        match links.iter_mut().find(|(name, _)| *name == queue.link) {
            Some((_, wait_s)) => *wait_s = wait_s.max(longest),
            None => links.push((&queue.link, longest)),
        }
    }
    let mut waits: Vec<f64> = links.iter().map(|link| link.1).collect();
    waits.sort_by(|a, b| b.total_cmp(a));
    let least = waits.get(MAX_LINKS - 1).copied().unwrap_or(0.0);
    let shown = links.iter().filter(|(_, wait_s)| *wait_s >= least);
    let shown = shown.take(MAX_LINKS);
    shown
        .map(|(link, wait_s)| of_link(series, link, *wait_s, end_s))
        .collect()
}

fn of_link(series: &[Series<'_>], link: &str, wait_s: f64, end_s: f64) -> Figure {
    let mut plot = Timeline::new(Plan {
        name: &format!("Queue of the link {link} over time"),
        x_label: SINCE_CONNECT,
        y_label: "queueing delay (ms)",
        y_unit: 1.0,
        y_max: wait_s * MS_PER_S,
        end_s,
        height: 180.0,
        legend: legend_of(series),
    });
    plot.exits(series);
    for one in series {
        let mut queues = one.trace.queues.iter();
        let samples = queues.find(|queue| queue.link == link);
        let points = samples.map_or(Vec::new(), |queue| points(&queue.samples));
        let class = format!("main {}", marks::colour(one.look));
        let pixels: Vec<(f64, f64)> = points.iter().map(|&at| plot.frame.px(at)).collect();
        let tooltip = format!("{}: queueing delay", one.label);
        lines::straight(&mut plot.svg, &plot.frame, &class, &pixels, &tooltip);
        for (time_s, wait_ms) in lines::along_straight(&points, one.look) {
            let (wait, time) = (significant(wait_ms, 3), seconds(time_s));
            let tooltip = format!("{}: {wait} ms at {time}", one.label);
            let at = plot.frame.px((time_s, wait_ms));
            marks::marker(&mut plot.svg, one.look, at, &tooltip);
        }
    }
    Figure {
        svg: plot.finish(),
        caption: format!(
            "How long a data packet waited in the queue of the link {link}, by the time at which \
             it entered. Packets of others are in the queue too."
        ),
    }
}

/// The queueing delay over time. Behind the last packet of a flight the queue drains, by a second
/// in each second, until the next packet enters.
fn points(samples: &[QueueSample]) -> Vec<(f64, f64)> {
    let is_finite = |s: &&QueueSample| s.time_s.is_finite() && s.wait_s.is_finite();
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut empty_s = f64::INFINITY;
    for sample in samples.iter().filter(is_finite) {
        if sample.time_s > empty_s {
            points.extend([(empty_s, 0.0), (sample.time_s, 0.0)]);
        }
        points.push((sample.time_s, sample.wait_s * MS_PER_S));
        empty_s = sample.time_s + sample.wait_s;
    }
    points.extend(empty_s.is_finite().then_some((empty_s, 0.0)));
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_drains_between_flights() {
        let sample = |time_s, wait_s| QueueSample { time_s, wait_s };
        let samples = [sample(1.0, 0.0), sample(1.0, 0.5), sample(4.0, 0.25)];
        assert_eq!(
            points(&samples),
            [
                (1.0, 0.0),
                (1.0, 500.0),
                (1.5, 0.0),
                (4.0, 0.0),
                (4.0, 250.0),
                (4.25, 0.0)
            ]
        );
        assert_eq!(points(&[]), []);
    }
}
