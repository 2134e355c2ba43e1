//! The distribution of the delay of data packets.

use super::{Figure, Series};
use onramp_plot::svg::axes::Frame;
use onramp_plot::svg::marks::{self, Key};
use onramp_plot::svg::{lines, shortened, Svg, LEFT, RIGHT, WIDTH};
use onramp_plot::units::significant;

const HEIGHT: f64 = 200.0;
const MS_PER_S: f64 = 1e3;

/// The plot; `None` where no packet's delay is known.
pub(super) fn draw(series: &[Series<'_>]) -> Option<Figure> {
    let delays: Vec<Vec<f64>> = series.iter().map(delays_ms).collect();
    let ends = |pick: fn(&[f64]) -> Option<&f64>| delays.iter().filter_map(move |one| pick(one));
    let least = ends(<[f64]>::first).copied().reduce(f64::min)?;
    let largest = ends(<[f64]>::last).copied().reduce(f64::max)?;
    // All packets of a path without a queue have one delay.
    let room = (largest - least).max(largest * 0.01).max(0.001) * 0.03;
    let legend: Vec<(Key, String)> = series
        .iter()
        .zip(&delays)
        .filter(|(_, delays)| !delays.is_empty())
        .map(|(one, _)| (Key::Series(one.look), shortened(&one.label, 400.0)))
        .collect();
    let width = WIDTH - LEFT - RIGHT;
    let (places, legend_height) = marks::legend_places(&legend, width);
    let top = legend_height + 12.0;
    let mut svg = Svg::new(WIDTH, top + HEIGHT + 42.0, "Delay of packets");
    marks::legend(&mut svg, (LEFT, 2.0), &legend, &places);
    let x = ((least - room).max(0.0), largest + room);
    let frame = Frame::new((LEFT, top), width, HEIGHT, x, (0.0, 103.0));
    let y_label = "share of packets (%)";
    frame.draw(&mut svg, "delay from sender to receiver (ms)", y_label, 1.0);
    svg.begin_clip((LEFT - 1.0, top - 1.0), width + 2.0, HEIGHT + 2.0);
    for (one, delays) in series.iter().zip(&delays) {
        let points = distribution(delays);
        let pixels: Vec<(f64, f64)> = points.iter().map(|&point| frame.px(point)).collect();
        let class = format!("main {}", marks::colour(one.look));
        lines::steps(&mut svg, &frame, &class, &pixels, &one.label);
        for (delay_ms, percent) in lines::along_steps(&points, one.look) {
            let (delay, share) = (significant(delay_ms, 3), significant(percent, 3));
            let tooltip = format!("{}: {share} % within {delay} ms", one.label);
            marks::marker(&mut svg, one.look, frame.px((delay_ms, percent)), &tooltip);
        }
    }
    svg.end_clip();
    Some(Figure {
        svg: svg.finish(),
        caption: "Share of the data packets that arrived within a delay. The least delay is that \
                  of the empty path; the rest is queueing, jitter and aggregation. Dropped packets \
                  are left out."
            .to_owned(),
    })
}

/// The delays of a start-up's packets, in ascending order.
fn delays_ms(series: &Series<'_>) -> Vec<f64> {
    let delays = series
        .trace
        .packets
        .iter()
        .map(|one| one.delay_s * MS_PER_S);
    let mut delays: Vec<f64> = delays.filter(|ms| ms.is_finite()).collect();
    delays.sort_by(f64::total_cmp);
    delays
}

/// The share of packets, in percent, within each delay. Equal delays are one step.
fn distribution(sorted: &[f64]) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (at, &delay) in sorted.iter().enumerate() {
        let percent = (at + 1) as f64 * 100.0 / sorted.len() as f64;
        match points.last_mut() {
            Some(last) if last.0 == delay => last.1 = percent,
            None => points.extend([(delay, 0.0), (delay, percent)]),
            _ => points.push((delay, percent)),
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_delays_are_one_step() {
        assert_eq!(
            distribution(&[1.0, 1.0, 3.0, 4.0]),
            [(1.0, 0.0), (1.0, 50.0), (3.0, 75.0), (4.0, 100.0)]
        );
        assert_eq!(distribution(&[]), []);
    }
}
