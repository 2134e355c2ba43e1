//! The chart of the gain: completion times of plain CUBIC and of one start-up over several paths.
//!
//! The chart is a file of its own, for a README. It contains its style and its background, follows
//! the light or dark scheme of the reader, and is at most 760 pixels wide.

use super::seconds;
use crate::summary::{groups, Group, Row};
use onramp_plot::svg::axes::Scale;
use onramp_plot::svg::{text_width, Anchor, Svg};
use onramp_plot::units::{bit_rate, byte_count, fixed, printable, significant};
use onramp_results::Record;
use onramp_scenario::NO_STARTUP;

const STYLE: &str = include_str!("gain.css");

/// Fewer paths are no comparison, more do not fit beside a text.
const PATHS: std::ops::RangeInclusive<usize> = 3..=12;

const WIDTH: f64 = 760.0;
const MARGIN: f64 = 16.0;
/// Title, conditions and legend.
const HEAD_HEIGHT: f64 = 86.0;
const BAR_HEIGHT: f64 = 15.0;
const BAR_GAP: f64 = 2.0;
/// Two bars and the space below them.
const PATH_HEIGHT: f64 = 44.0;
/// Numbers and name of the time axis.
const FOOT_HEIGHT: f64 = 50.0;
/// Bold text is wider than plain text by this factor.
const BOLD: f64 = 1.1;

/// A path: its group, and the two rows that are compared.
struct Path<'a> {
    group: &'a Group<'a>,
    bound_s: f64,
    cubic_s: f64,
    startup: &'a Row<'a>,
    startup_s: f64,
}

/// The chart as an SVG file, or `None` where the results are no such comparison.
///
/// The results must have 3 to 12 groups, one for each path, all with the same size of transfer.
/// Each group must have exactly two rows from one host: plain CUBIC, and a start-up that is the
/// same in all groups. All transfers must have finished.
pub(crate) fn draw(records: &[Record]) -> Option<String> {
    let groups = groups(records);
    let paths: Vec<Path<'_>> = groups.iter().map(path).collect::<Option<_>>()?;
    let first = paths.first()?;
    let is_comparable = paths.iter().all(|path| {
        path.startup.label == first.startup.label
            && path.group.first().size_bytes == first.group.first().size_bytes
    });
    (PATHS.contains(&paths.len()) && is_comparable).then(|| chart(&paths))
}

fn path<'a>(group: &'a Group<'a>) -> Option<Path<'a>> {
    let [one, other] = group.rows.as_slice() else {
        return None;
    };
    let is_plain = |row: &Row<'_>| row.records[0].startup == NO_STARTUP;
    let (cubic, startup) = match (is_plain(one), is_plain(other)) {
        (true, false) => (one, other),
        (false, true) => (other, one),
        _ => return None,
    };
    let is_sound = cubic.is_baseline
        && cubic.records[0].avoidance == "cubic"
        && !group.has_mixed_hosts
        && cubic.unfinished() + startup.unfinished() == 0;
    let path = Path {
        group,
        bound_s: group.bound_s?,
        cubic_s: cubic.completion?.median,
        startup,
        startup_s: startup.completion?.median,
    };
    (is_sound && path.cubic_s > 0.0).then_some(path)
}

fn chart(paths: &[Path<'_>]) -> String {
    let names = Names::of(paths);
    let bottom = HEAD_HEIGHT + PATH_HEIGHT * paths.len() as f64;
    let height = bottom + FOOT_HEIGHT;
    let widest = |texts: &mut dyn Iterator<Item = String>| {
        texts.map(|text| text_width(&text)).fold(0.0, f64::max)
    };
    let left = MARGIN + widest(&mut names.paths.iter().cloned()) + 12.0;
    let values = widest(&mut paths.iter().map(gain_text)) * BOLD + 8.0;
    let longest_s = paths
        .iter()
        .flat_map(|path| [path.cubic_s, path.startup_s, path.bound_s])
        .fold(0.0, f64::max);
    let time = Scale::new(0.0, longest_s, left, WIDTH - MARGIN - values);
    let mut svg = Svg::new(WIDTH, height, &summary(paths, &names));
    svg.rect("page", (0.0, 0.0), WIDTH, height, "");
    draw_head(&mut svg, paths, &names);
    for (x, label) in time.labelled_ticks(6) {
        svg.line("grid", (x, HEAD_HEIGHT - 6.0), (x, bottom));
        svg.text("faint", (x, bottom + 17.0), Anchor::Middle, &label);
    }
    svg.line("axis", (left, HEAD_HEIGHT - 6.0), (left, bottom));
    let middle = (left + time.px(time.to())) / 2.0;
    let axis = "completion time (s)";
    svg.text("faint", (middle, bottom + 36.0), Anchor::Middle, axis);
    for (at, (path, name)) in paths.iter().zip(&names.paths).enumerate() {
        let top = HEAD_HEIGHT + PATH_HEIGHT * at as f64;
        let y = top + BAR_HEIGHT + BAR_GAP / 2.0 + 4.0;
        svg.text("", (left - 8.0, y), Anchor::End, name);
        draw_path(&mut svg, path, &time, top);
    }
    svg.finish_file(STYLE)
}

/// The title, with the properties that all paths share, and a name for each path.
struct Names {
    title: String,
    paths: Vec<String>,
}

impl Names {
    fn of(paths: &[Path<'_>]) -> Names {
        let parts = |path: &Path<'_>| {
            let first = path.group.first();
            [
                byte_count(first.size_bytes),
                bit_rate(first.rate_bits_per_s as f64),
                format!("{} ms", significant(first.rtt_ms, 4)),
                format!("queue {}", printable(&first.queue)),
            ]
        };
        let all: Vec<[String; 4]> = paths.iter().map(parts).collect();
        let is_common: Vec<bool> = (0..4)
            .map(|part| all.iter().all(|parts| parts[part] == all[0][part]))
            .collect();
        let chosen = |parts: &[String; 4], wanted: bool| {
            let chosen = parts
                .iter()
                .zip(&is_common)
                .filter(|(_, is)| **is == wanted);
            let chosen: Vec<&str> = chosen.map(|(part, _)| part.as_str()).collect();
            chosen.join(", ")
        };
        let is_rtt_only = !is_common[2] && is_common.iter().filter(|is| !**is).count() == 1;
        let prefix = if is_rtt_only { "RTT " } else { "" };
        Names {
            title: match chosen(&all[0], true).as_str() {
                "" => "Time of a download".to_owned(),
                common => format!("Time of a download: {common}"),
            },
            paths: all
                .iter()
                .map(|parts| format!("{prefix}{}", chosen(parts, false)))
                .collect(),
        }
    }
}

/// The name for screen readers, which cannot read the bars.
fn summary(paths: &[Path<'_>], names: &Names) -> String {
    let path = |(path, name): (&Path<'_>, &String)| {
        format!(
            "{name}: cubic {}, {} {}",
            seconds(path.cubic_s),
            path.startup.label,
            seconds(path.startup_s)
        )
    };
    let paths: Vec<String> = paths.iter().zip(&names.paths).map(path).collect();
    format!("{}. {}", names.title, paths.join("; "))
}

fn draw_head(svg: &mut Svg, paths: &[Path<'_>], names: &Names) {
    svg.text("title", (MARGIN, 26.0), Anchor::Start, &names.title);
    let made = match paths[0].group.first().host.as_str() {
        "sim" => "simulated",
        _ => "measured on Linux",
    };
    let made = format!("{made}; percentages: change of the time against cubic");
    svg.text("faint", (MARGIN, 45.0), Anchor::Start, &made);
    let mut x = MARGIN;
    let y = 58.0;
    for (class, label) in [("base", "cubic"), ("gain", &paths[0].startup.label)] {
        svg.rect(class, (x, y), 18.0, 10.0, "");
        svg.text("", (x + 24.0, y + 9.0), Anchor::Start, label);
        x += 24.0 + text_width(label) + 24.0;
    }
    svg.line("bound", (x + 4.0, y - 2.0), (x + 4.0, y + 12.0));
    let bound = "minimum: 2 RTT + serialisation";
    svg.text("", (x + 14.0, y + 9.0), Anchor::Start, bound);
}

fn draw_path(svg: &mut Svg, path: &Path<'_>, time: &Scale, top: f64) {
    let zero = time.px(0.0);
    let second = top + BAR_HEIGHT + BAR_GAP;
    let bars = [
        (
            "base",
            "faint",
            top,
            path.cubic_s,
            seconds_text(path.cubic_s),
        ),
        ("gain", "value", second, path.startup_s, gain_text(path)),
    ];
    for (bar, text, y, time_s, value) in bars {
        let end = time.px(time_s);
        svg.rect(bar, (zero, y), end - zero, BAR_HEIGHT, "");
        svg.text(text, (end + 6.0, y + 12.0), Anchor::Start, &value);
    }
    let bound = time.px(path.bound_s);
    svg.line(
        "bound",
        (bound, top - 2.0),
        (bound, second + BAR_HEIGHT + 2.0),
    );
}

/// `4.82 s`: three significant digits.
fn seconds_text(time_s: f64) -> String {
    format!(
        "{} s",
        fixed(time_s, onramp_plot::units::decimals(time_s, 3))
    )
}

/// `2.01 s (−58 %)`.
fn gain_text(path: &Path<'_>) -> String {
    let percent = (path.startup_s / path.cubic_s - 1.0) * 100.0;
    let change = match fixed(percent.abs(), 0).as_str() {
        "0" => "±0".to_owned(),
        number if percent < 0.0 => format!("−{number}"),
        number => format!("+{number}"),
    };
    format!("{} ({change} %)", seconds_text(path.startup_s))
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_testing::samples::record;
    use roxmltree::Document;

    fn records(rtts_ms: &[f64]) -> Vec<Record> {
        let pair = |rtt_ms: &f64| {
            ["none", "onramp"].map(|startup| Record {
                rtt_ms: *rtt_ms,
                ..record("gain", startup, "cubic", 1)
            })
        };
        rtts_ms.iter().flat_map(pair).collect()
    }

    #[test]
    fn each_path_has_two_bars_and_the_numbers() {
        let svg = draw(&records(&[20.0, 100.0, 600.0])).unwrap();
        let document = Document::parse(&svg).unwrap();
        let count = |class: &str| {
            let nodes = document.descendants();
            nodes
                .filter(|n| n.attribute("class") == Some(class))
                .count()
        };
        // The legend has one of each, too.
        assert_eq!((count("base"), count("gain"), count("bound")), (4, 4, 4));
        assert!(
            svg.contains(">RTT 100 ms<") && svg.contains(">2.01 s (−52 %)<"),
            "{svg}"
        );
        assert!(svg.contains("Time of a download: 1 MB, 50 Mbit/s, queue 0.5 bdp"));
    }

    #[test]
    fn the_file_is_self_contained_and_fits_a_readme() {
        let svg = draw(&records(&[20.0, 100.0, 600.0])).unwrap();
        assert!(svg.contains("prefers-color-scheme: dark"));
        let without_namespace = svg.replace("http://www.w3.org/2000/svg", "");
        assert!(["http", "url(", "@import"]
            .iter()
            .all(|part| !without_namespace.contains(part)));
        let document = Document::parse(&svg).unwrap();
        let width: f64 = document
            .root_element()
            .attribute("width")
            .unwrap()
            .parse()
            .unwrap();
        assert!(width <= 760.0);
    }

    #[test]
    fn results_that_are_no_comparison_have_no_chart() {
        assert!(draw(&[]).is_none());
        assert!(
            draw(&records(&[20.0, 600.0])).is_none(),
            "two paths are too few"
        );
        let mut others = records(&[20.0, 100.0, 600.0]);
        others[5].startup = "paced".to_owned();
        assert!(draw(&others).is_none(), "two start-ups");
        let mut sizes = records(&[20.0, 100.0, 600.0]);
        sizes[4].size_bytes = 5_000_000;
        sizes[5].size_bytes = 5_000_000;
        assert!(draw(&sizes).is_none(), "two sizes");
        let mut unfinished = records(&[20.0, 100.0, 600.0]);
        unfinished[0].finished = false;
        assert!(draw(&unfinished).is_none(), "a transfer did not finish");
        let mut third = records(&[20.0, 100.0, 600.0]);
        third.push(record("gain", "none", "bbr", 1));
        assert!(draw(&third).is_none(), "a third row");
    }
}
