//! Completion times of a group, one row for each start-up, beside the minimum possible time.

use super::{seconds, Figure};
use crate::summary::{Group, Row};
use onramp_plot::svg::axes::Scale;
use onramp_plot::svg::{marks, shortened, text_width, Anchor, Svg, RIGHT, WIDTH};
use onramp_plot::units::fixed;
use onramp_results::Record;

const ROW_HEIGHT: f64 = 30.0;
const BAR_HEIGHT: f64 = 14.0;
const LABEL_WIDTH: f64 = 260.0;

/// The positions of the rows and the scale of their bars, in pixels.
struct Layout {
    x: Scale,
    left: f64,
    top: f64,
    bottom: f64,
}

pub(crate) fn draw(group: &Group<'_>) -> Figure {
    let labels: Vec<String> = group
        .rows
        .iter()
        .map(|row| shortened(&row.label, LABEL_WIDTH))
        .collect();
    let values: Vec<String> = group.rows.iter().map(value).collect();
    let widest = |texts: &[String]| {
        texts
            .iter()
            .map(|text| text_width(text))
            .fold(50.0, f64::max)
    };
    // Labels are bold, which makes them wider.
    let left = widest(&labels) * 1.15 + 18.0;
    let right = WIDTH - RIGHT - widest(&values) - 14.0;
    let slowest = group
        .rows
        .iter()
        .filter_map(|row| Some(row.completion?.max));
    let end_s = slowest.fold(group.bound_s.unwrap_or(0.0), f64::max);
    let has_wasted = group.bound_s.is_some() && group.link().rtt_s > 0.0;
    let top = if has_wasted { 44.0 } else { 24.0 };
    let bottom = top + ROW_HEIGHT * group.rows.len() as f64;
    let layout = Layout {
        x: Scale::new(0.0, end_s * 1.01, left, right),
        left,
        top,
        bottom,
    };
    let mut svg = Svg::new(WIDTH, bottom + 40.0, "Completion times");
    draw_axes(&mut svg, group, &layout);
    for (at, row) in group.rows.iter().enumerate() {
        let y = top + ROW_HEIGHT * (at as f64 + 0.5);
        svg.text("lane", (left - 10.0, y + 4.0), Anchor::End, &labels[at]);
        draw_row(&mut svg, row, y, &layout);
        let end = row.completion.map_or(left, |c| layout.x.px(c.max));
        svg.text("tick", (end + 9.0, y + 4.0), Anchor::Start, &values[at]);
    }
    let caption =
        "Completion time: bars are medians, dots single runs (hollow: suspect), the dotted \
                   line is the bound, the least possible; the upper scale counts the round trips \
                   wasted beyond it."
            .to_owned();
    Figure {
        svg: svg.finish(),
        caption,
    }
}

fn draw_axes(svg: &mut Svg, group: &Group<'_>, layout: &Layout) {
    let Layout {
        x,
        left,
        top,
        bottom,
    } = *layout;
    for (at, label) in x.labelled_ticks(10) {
        svg.line("grid", (at, top), (at, bottom));
        svg.text("tick", (at, bottom + 16.0), Anchor::Middle, &label);
    }
    svg.line("axis", (left, bottom), (x.px(x.to()), bottom));
    svg.line("axis", (left, top), (left, bottom));
    let middle = (left + x.px(x.to())) / 2.0;
    svg.text(
        "label",
        (middle, bottom + 34.0),
        Anchor::Middle,
        "completion (s)",
    );
    let rtt_s = group.link().rtt_s;
    if let Some(bound_s) = group.bound_s {
        let bound_px = x.px(bound_s);
        if rtt_s > 0.0 {
            draw_wasted(svg, bound_s, rtt_s, layout);
        }
        let tooltip = format!("bound: {}", seconds(bound_s));
        svg.polyline(
            "ideal ink",
            &[(bound_px, top - 4.0), (bound_px, bottom)],
            &tooltip,
        );
    }
}

/// Draws the upper scale, which counts round trips beyond the bound.
fn draw_wasted(svg: &mut Svg, bound_s: f64, rtt_s: f64, layout: &Layout) {
    let Layout { x, left, top, .. } = *layout;
    let wasted = Scale::new(0.0, (x.to() - bound_s) / rtt_s, x.px(bound_s), x.px(x.to()));
    svg.line("axis", (x.px(bound_s), top), (x.px(x.to()), top));
    // The label of a tick needs about 45 pixels.
    let count = ((x.px(x.to()) - x.px(bound_s)) / 45.0).clamp(1.0, 10.0) as usize;
    let is_readable = (x.to() - bound_s) / rtt_s > 0.05;
    let ticks = wasted.labelled_ticks(count).into_iter();
    for (at, label) in ticks.filter(|(at, _)| is_readable || *at == wasted.px(0.0)) {
        svg.line("axis", (at, top - 4.0), (at, top));
        svg.text("tick", (at, top - 8.0), Anchor::Middle, &label);
    }
    let name = "round trips wasted beyond the bound";
    let middle = (x.px(bound_s) + x.px(x.to())) / 2.0;
    let half = text_width(name) / 2.0;
    svg.text(
        "label",
        (middle.clamp(left + half, WIDTH - half), 14.0),
        Anchor::Middle,
        name,
    );
}

fn draw_row(svg: &mut Svg, row: &Row<'_>, y: f64, layout: &Layout) {
    let colour = marks::colour(row.look);
    let x = &layout.x;
    if let Some(completion) = row.completion {
        let tooltip = format!("{}: {}", row.label, value(row));
        let width = x.px(completion.median) - layout.left;
        svg.rect(
            &format!("bar {colour}"),
            (layout.left, y - BAR_HEIGHT / 2.0),
            width,
            BAR_HEIGHT,
            &tooltip,
        );
        if completion.n > 1 {
            svg.line(
                &format!("range {colour}"),
                (x.px(completion.min), y),
                (x.px(completion.max), y),
            );
        }
    }
    // Suspect runs are drawn last, on top.
    let finite = |record: &'_ Record| record.completion_s.filter(|s| s.is_finite());
    let mut records: Vec<_> = row
        .records
        .iter()
        .filter_map(|r| Some((*r, finite(r)?)))
        .collect();
    records.sort_by_key(|(r, _)| r.suspect);
    for (record, completion_s) in records {
        let class = if record.suspect {
            format!("mark {colour}")
        } else {
            format!("dot {colour}")
        };
        let suspect = if record.suspect { ", suspect" } else { "" };
        let tooltip = format!(
            "{}, run {}: {}{suspect}",
            row.label,
            record.run,
            seconds(completion_s)
        );
        svg.circle(&class, (x.px(completion_s), y), 3.6, &tooltip);
    }
}

/// `2.01 s (bound + 1.1 RTT)`.
fn value(row: &Row<'_>) -> String {
    let Some(completion) = row.completion else {
        return if row.unfinished() > 0 {
            "unfinished"
        } else {
            "no result"
        }
        .to_owned();
    };
    match row.spread_of_some(|r| r.excess_rtts) {
        Some(wasted) => format!(
            "{} s (bound + {} RTT)",
            completion.median_text(),
            fixed(wasted.median, 1)
        ),
        None => format!("{} s", completion.median_text()),
    }
}
