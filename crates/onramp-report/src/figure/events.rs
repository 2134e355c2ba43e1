//! The events of the start-ups: one lane for each start-up, with a tick and a label for each event.

use super::{seconds, Figure, Series};
use onramp_plot::svg::axes::Scale;
use onramp_plot::svg::{marks, shortened, text_width, Anchor, Svg, LEFT, RIGHT, WIDTH};
use onramp_plot::units::{bit_rate, byte_count, printable};
use onramp_results::StartupEvent;

/// Maximum number of rows of labels above a lane. An event without room for a label keeps its tick
/// and tooltip.
const MAX_ROWS: usize = 4;
const ROW_HEIGHT: f64 = 15.0;
const NAME_HEIGHT: f64 = 19.0;
const LANE_GAP: f64 = 10.0;
/// Distance of a lane from its lowest label, for ticks without a label.
const LABEL_GAP: f64 = 4.0;
const LABEL_WIDTH: f64 = 220.0;
/// An estimate has a label if it differs by more than this share from the last labelled one.
const NEW_ESTIMATE: f64 = 0.05;

/// A label with a place.
struct Label {
    x: f64,
    row: usize,
    anchor: Anchor,
    text: String,
    is_exit: bool,
}

/// The events of one start-up.
struct Lane<'a> {
    series: &'a Series<'a>,
    /// Ticks with their x: at most one for each pixel and kind of event.
    ticks: Vec<(f64, &'a StartupEvent)>,
    labels: Vec<Label>,
    rows: usize,
}

/// The plot; `None` where no start-up reported an event.
pub(crate) fn draw(series: &[Series<'_>], end_s: f64) -> Option<Figure> {
    let x = Scale::new(0.0, end_s * 1.01, LEFT, WIDTH - RIGHT);
    let lanes: Vec<Lane<'_>> = series.iter().filter_map(|one| lane(one, &x)).collect();
    if lanes.is_empty() {
        return None;
    }
    let height_of =
        |lane: &Lane<'_>| NAME_HEIGHT + LABEL_GAP + lane.rows as f64 * ROW_HEIGHT + LANE_GAP;
    let height: f64 = lanes.iter().map(height_of).sum();
    let mut svg = Svg::new(WIDTH, height + 42.0, "Start-up events");
    for (at, label) in x.labelled_ticks(10) {
        svg.line("grid", (at, 0.0), (at, height));
        svg.text("tick", (at, height + 16.0), Anchor::Middle, &label);
    }
    let middle = (LEFT + WIDTH - RIGHT) / 2.0;
    svg.text(
        "label",
        (middle, height + 34.0),
        Anchor::Middle,
        "time since the receiver's connect (s)",
    );
    let mut top = 0.0;
    for lane in &lanes {
        draw_lane(&mut svg, lane, top);
        top += height_of(lane);
    }
    let caption = "What the start-ups reported, on the time axis of the plots below: phases, \
                   bandwidth estimates (payload), and the end with its reason, which the plots \
                   below repeat as a dash-dotted line."
        .to_owned();
    Some(Figure {
        svg: svg.finish(),
        caption,
    })
}

fn lane<'a>(series: &'a Series<'a>, x: &Scale) -> Option<Lane<'a>> {
    let mut events: Vec<&StartupEvent> = series
        .trace
        .events
        .iter()
        .filter(|e| e.time_s.is_finite())
        .collect();
    events.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
    let mut ticks: Vec<(f64, &StartupEvent)> = Vec::new();
    for event in &events {
        let at = x.px(event.time_s);
        let is_there = ticks
            .iter()
            .rev()
            .take(3)
            .any(|(px, e)| (px - at).abs() < 1.0 && e.kind == event.kind);
        // An exit always has a tick.
        if !is_there || event.kind == "exit" {
            ticks.push((at, event));
        }
    }
    let texts = labelled(&events, x);
    let (rows, labels) = place_best(&texts)?;
    (!ticks.is_empty()).then_some(Lane {
        series,
        ticks,
        labels,
        rows,
    })
}

/// A text for a label that has no place yet.
#[derive(Clone)]
struct Wanted {
    x: f64,
    text: String,
    is_estimate: bool,
    is_exit: bool,
}

/// The number of rows, and the labels: as many labels as possible in as few rows as possible. The
/// exit always has a label, even if estimates lose theirs.
fn place_best(texts: &[Wanted]) -> Option<(usize, Vec<Label>)> {
    let without_estimates: Vec<Wanted> = texts.iter().filter(|t| !t.is_estimate).cloned().collect();
    let last_estimate = texts.iter().rposition(|t| t.is_estimate);
    let kept = |at: usize, text: &Wanted| !text.is_estimate || Some(at) == last_estimate;
    let with_last: Vec<Wanted> = texts
        .iter()
        .enumerate()
        .filter(|(at, text)| kept(*at, text))
        .map(|(_, text)| text.clone())
        .collect();
    let only_exit: Vec<Wanted> = texts.iter().filter(|t| t.is_exit).cloned().collect();
    let choices = [texts.to_vec(), with_last, without_estimates, only_exit];
    let attempts = choices
        .iter()
        .flat_map(|texts| (1..=MAX_ROWS).map(move |rows| (rows, place(texts, rows))));
    let exits = |labels: &[Label]| labels.iter().filter(|l| l.is_exit).count();
    attempts.max_by_key(|(rows, labels)| (exits(labels), labels.len(), MAX_ROWS - rows))
}

/// The texts that need a label, in order of time.
fn labelled(events: &[&StartupEvent], x: &Scale) -> Vec<Wanted> {
    let mut texts = Vec::new();
    let mut shown_estimate = 0.0;
    for event in events {
        let text = match event.kind.as_str() {
            "phase" => printable(&event.what),
            "estimate" => {
                let estimate = event.estimate_bytes_per_s as f64;
                if (estimate - shown_estimate).abs() <= shown_estimate * NEW_ESTIMATE {
                    continue;
                }
                shown_estimate = estimate;
                bit_rate(estimate * 8.0)
            }
            kind => printable(&format!("{kind}: {}", event.what)),
        };
        texts.push(Wanted {
            x: x.px(event.time_s),
            text: shortened(&text, LABEL_WIDTH),
            is_estimate: event.kind == "estimate",
            is_exit: event.kind == "exit",
        });
    }
    texts
}

/// Places labels so that no tick crosses a label: each in the highest row that is free at its tick,
/// if all rows below are free there too. Row 0 is the lowest.
fn place(texts: &[Wanted], rows: usize) -> Vec<Label> {
    let mut ends = vec![f64::MIN; rows];
    let mut labels = Vec::new();
    for Wanted {
        x, text, is_exit, ..
    } in texts
    {
        let width = text_width(text) + 4.0;
        let fits_right = x + 3.0 + width <= WIDTH;
        let (anchor, start, end) = if fits_right {
            (Anchor::Start, x - 1.0, x + 3.0 + width)
        } else {
            (Anchor::End, x - 3.0 - width, x + 2.0)
        };
        let free_below = ends.iter().take_while(|end| **end < x - 1.0).count();
        let row = (0..free_below).rev().find(|&row| ends[row] < start);
        if let Some(row) = row {
            ends[row] = end;
            let offset = if fits_right { 4.0 } else { -4.0 };
            labels.push(Label {
                x: x + offset,
                row,
                anchor,
                text: text.clone(),
                is_exit: *is_exit,
            });
        }
    }
    labels
}

fn draw_lane(svg: &mut Svg, lane: &Lane<'_>, top: f64) {
    let series = lane.series;
    let base = top + NAME_HEIGHT + LABEL_GAP + lane.rows as f64 * ROW_HEIGHT;
    let row_y = |row: usize| base - row as f64 * ROW_HEIGHT - 8.0;
    marks::marker(svg, series.look, (LEFT + 5.0, top + 10.0), "");
    svg.text(
        "lane",
        (LEFT + 16.0, top + 14.0),
        Anchor::Start,
        &shortened(&series.label, 600.0),
    );
    svg.line("axis", (LEFT, base), (WIDTH - RIGHT, base));
    for (x, event) in &lane.ticks {
        let text_x = |label: &Label| {
            if label.anchor == Anchor::Start {
                label.x - 4.0
            } else {
                label.x + 4.0
            }
        };
        let row = lane
            .labels
            .iter()
            .filter(|l| (text_x(l) - x).abs() < 0.01)
            .map(|l| l.row)
            .max();
        let up_to = row.map_or(base - 5.0, |row| row_y(row) - 9.0);
        let class = format!("event {}", marks::colour(series.look));
        svg.polyline(
            &class,
            &[(*x, base + 3.0), (*x, up_to)],
            &tooltip(series, event),
        );
    }
    for label in &lane.labels {
        svg.text(
            "tick",
            (label.x, row_y(label.row)),
            label.anchor,
            &label.text,
        );
    }
}

/// All values of the event.
fn tooltip(series: &Series<'_>, event: &StartupEvent) -> String {
    let mut text = format!(
        "{} at {}: {} {}",
        series.label,
        seconds(event.time_s),
        event.kind,
        event.what
    );
    if event.estimate_bytes_per_s > 0 {
        text += &format!(
            ", estimate {}",
            bit_rate(event.estimate_bytes_per_s as f64 * 8.0)
        );
    }
    if event.remembered_bytes > 0 {
        text += &format!(", remembered {}", byte_count(event.remembered_bytes));
    }
    text += &format!(", cwnd {}", byte_count(event.cwnd_bytes));
    if event.ssthresh_bytes > 0 {
        text += &format!(", ssthresh {}", byte_count(event.ssthresh_bytes));
    }
    if event.pacing_bytes_per_s > 0 {
        text += &format!(
            ", pacing {}",
            bit_rate(event.pacing_bytes_per_s as f64 * 8.0)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(x: f64, text: &str) -> Wanted {
        Wanted {
            x,
            text: text.to_owned(),
            is_estimate: text == "estimate",
            is_exit: text == "exit",
        }
    }

    #[test]
    fn labels_of_one_time_are_in_different_rows() {
        let texts = [100.0, 101.0, 102.0, 600.0, 990.0].map(|x| wanted(x, "phase"));
        let labels = place(&texts, 3);
        let rows: Vec<usize> = labels.iter().map(|l| l.row).collect();
        assert_eq!(rows, [2, 1, 0, 2, 2]);
        assert_eq!(labels[4].anchor, Anchor::End);
        assert_eq!(place(&texts, 1).len(), 3);
    }

    #[test]
    fn the_exit_has_a_label_after_any_number_of_estimates() {
        let mut texts: Vec<Wanted> = (0..40)
            .map(|at| wanted(100.0 + f64::from(at), "estimate"))
            .collect();
        texts.push(wanted(140.0, "exit"));
        let (_, labels) = place_best(&texts).unwrap();
        assert!(labels.iter().any(|label| label.is_exit));
    }
}
