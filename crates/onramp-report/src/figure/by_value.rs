//! Ratios by the values of one condition: a mark for each start-up, with its interval.

use onramp_plot::svg::axes::Scale;
use onramp_plot::svg::marks::{self, Key};
use onramp_plot::svg::{shortened, text_width, Anchor, Svg, LEFT, PLOT_WIDTH as WIDTH, RIGHT};

/// Height of the line of one start-up.
const MARK_HEIGHT: f64 = 15.0;
/// Space between two values.
const VALUE_GAP: f64 = 12.0;
const LABEL_WIDTH: f64 = 200.0;
/// Space for the axis below the marks.
const FOOT_HEIGHT: f64 = 44.0;
/// Space beyond the outermost mark, as a factor.
const HEADROOM: f64 = 1.06;
/// Half of the height of the end of an interval.
const END_PX: f64 = 3.5;

/// One value of the condition.
pub(crate) struct Value {
    pub(crate) name: String,
    pub(crate) marks: Vec<Mark>,
}

/// The mean ratio of one start-up.
pub(crate) struct Mark {
    /// Colour and marker.
    pub(crate) look: usize,
    pub(crate) ratio: f64,
    pub(crate) interval: Option<[f64; 2]>,
    pub(crate) tooltip: String,
}

/// The figure; `name` is its title, and its name for screen readers. The legend has the look and
/// the label of each start-up.
pub(crate) fn draw(
    name: &str,
    x_label: &str,
    values: &[Value],
    legend: &[(usize, String)],
) -> String {
    let widest = values
        .iter()
        .map(|value| text_width(&shortened(&value.name, LABEL_WIDTH)))
        .fold(0.0, f64::max);
    let left = (widest + 14.0).max(LEFT);
    let keys: Vec<(Key, String)> = legend
        .iter()
        .map(|(look, label)| (Key::Marker(*look), shortened(label, 400.0)))
        .collect();
    let (places, legend_height) = marks::legend_places(&keys, WIDTH - left - RIGHT);
    let top = 24.0 + legend_height + 6.0;
    let height_of = |value: &Value| value.marks.len() as f64 * MARK_HEIGHT + VALUE_GAP;
    let bottom = top + values.iter().map(height_of).sum::<f64>();
    let x = scale(values, left);
    let mut svg = Svg::new(WIDTH, bottom + FOOT_HEIGHT, name);
    svg.text("lane", (left, 15.0), Anchor::Start, name);
    marks::legend(&mut svg, (left, 24.0), &keys, &places);
    for (at, label) in x.labelled_ticks(10) {
        svg.line("grid", (at, top), (at, bottom));
        svg.text("tick", (at, bottom + 16.0), Anchor::Middle, &label);
    }
    let even = x.px(1.0);
    svg.polyline(
        "level",
        &[(even, top), (even, bottom)],
        "as fast as the baseline",
    );
    svg.line("axis", (left, bottom), (WIDTH - RIGHT, bottom));
    let middle = (left + WIDTH - RIGHT) / 2.0;
    svg.text("label", (middle, bottom + 34.0), Anchor::Middle, x_label);
    let mut y = top;
    for value in values {
        let height = height_of(value);
        let label = shortened(&value.name, LABEL_WIDTH);
        svg.text(
            "tick",
            (left - 8.0, y + height / 2.0 + 4.0),
            Anchor::End,
            &label,
        );
        for (at, mark) in value.marks.iter().enumerate() {
            let middle = y + VALUE_GAP / 2.0 + MARK_HEIGHT * (at as f64 + 0.5);
            draw_mark(&mut svg, mark, &x, middle);
        }
        y += height;
        svg.line("grid", (left, y), (WIDTH - RIGHT, y));
    }
    svg.finish()
}

/// The logarithmic scale of all marks and their intervals, with 1.
fn scale(values: &[Value], left: f64) -> Scale {
    let marks = || values.iter().flat_map(|value| &value.marks);
    let all = || {
        let ends = marks().filter_map(|mark| mark.interval).flatten();
        marks()
            .map(|mark| mark.ratio)
            .chain(ends)
            .filter(|ratio| *ratio > 0.0)
    };
    let (low, high) = (all().fold(1.0, f64::min), all().fold(1.0, f64::max));
    Scale::log(low / HEADROOM, high * HEADROOM, left, WIDTH - RIGHT)
}

fn draw_mark(svg: &mut Svg, mark: &Mark, x: &Scale, y: f64) {
    let class = format!("range {}", marks::colour(mark.look));
    if let Some([low, high]) = mark.interval.map(|ends| ends.map(|end| x.px(end))) {
        svg.line(&class, (low, y), (high, y));
        for end in [low, high] {
            svg.line(&class, (end, y - END_PX), (end, y + END_PX));
        }
    }
    marks::marker(svg, mark.look, (x.px(mark.ratio), y), &mark.tooltip);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_has_a_mark_and_its_interval() {
        let mark = |ratio, interval| Mark {
            look: 1,
            ratio,
            interval,
            tooltip: format!("{ratio}"),
        };
        let values = [
            Value {
                name: "<20 ms>".to_owned(),
                marks: vec![mark(0.5, Some([0.4, 0.7])), mark(1.2, None)],
            },
            Value {
                name: "600 ms".to_owned(),
                marks: Vec::new(),
            },
        ];
        let svg = draw("by RTT", "ratio", &values, &[(1, "onramp".to_owned())]);
        roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
        assert_eq!(
            svg.matches("class=\"range s1\"").count(),
            3,
            "a line and its two ends"
        );
        assert!(svg.contains("&lt;20 ms&gt;") && svg.contains("<title>0.5</title>"));
    }

    #[test]
    fn a_figure_without_values_is_still_an_image() {
        assert!(draw("", "", &[], &[]).starts_with("<svg"));
    }
}
