//! The figures of some runs, as one file or as a file each.

use crate::figure::{completion, gain, over_time, series, slowdown};
use crate::run::Run;
use crate::summary::groups;
use onramp_plot::{figure_file, size};
use onramp_results::Record;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Space between two figures, in pixels.
const GAP: f64 = 24.0;

/// Events, sequence, windows and rates of runs with traces, below each other in one SVG file. Runs
/// of the same path and size share a figure. `None` without a trace.
pub fn figures_file(runs: &[Run]) -> Option<String> {
    let records: Vec<Record> = runs.iter().map(|run| run.record.clone()).collect();
    let mut body = String::new();
    let (mut width, mut height) = (0.0, 0.0);
    for group in groups(&records) {
        for figure in over_time(&group, &series(&group, runs), runs) {
            let (open, inner) = figure.svg.split_once(">\n")?;
            let (own_width, own_height) = size(open)?;
            let inner = inner.trim_end().strip_suffix("</svg>")?;
            let _ = writeln!(body, "<g transform=\"translate(0 {height})\">\n{inner}</g>");
            width = f64::max(width, own_width.parse().ok()?);
            height += own_height.parse::<f64>().ok()? + GAP;
        }
    }
    let height = height - GAP;
    (height > 0.0).then(|| {
        let open = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             role=\"img\">\n"
        );
        figure_file(&format!("{open}{body}</svg>\n"))
    })
}

/// Each figure of the runs as an SVG file, with its name: `1-rates-over-time.svg` is of the first
/// path and size in the order of the report. Runs without a trace have no figures over time.
pub fn figure_files(runs: &[Run]) -> Vec<(String, String)> {
    let records: Vec<Record> = runs.iter().map(|run| run.record.clone()).collect();
    let mut files = Vec::new();
    for (number, group) in (1..).zip(groups(&records)) {
        let mut used = BTreeMap::new();
        let over_time = over_time(&group, &series(&group, runs), runs);
        let completion = [completion::draw(&group)].into_iter();
        for figure in completion.chain(slowdown::draw(&group)).chain(over_time) {
            let name = slug(name(&figure.svg));
            let times = used.entry(name.clone()).or_insert(0);
            *times += 1;
            let name = match *times {
                1 => format!("{number}-{name}.svg"),
                times => format!("{number}-{name}-{times}.svg"),
            };
            files.push((name, figure_file(&figure.svg)));
        }
    }
    files.extend(gain::draw(&records).map(|chart| ("gain.svg".to_owned(), chart)));
    files
}

/// The name of a figure for screen readers.
fn name(svg: &str) -> &str {
    let (_, name) = svg.split_once("aria-label=\"").unwrap_or_default();
    name.split('"').next().unwrap_or_default()
}

/// The letters and digits of a text in lower case, with a hyphen between words.
fn slug(text: &str) -> String {
    let words = text.split(|char: char| !char.is_ascii_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_testing::samples as sample;

    #[test]
    fn each_figure_of_each_path_is_a_file() {
        let runs: Vec<Run> = ["a", "b"]
            .into_iter()
            .flat_map(|scenario| ["none", "paced"].map(|startup| (scenario, startup)))
            .map(|(scenario, startup)| Run {
                record: sample::record(scenario, startup, "cubic", 1),
                trace: None,
            })
            .collect();
        let files = figure_files(&runs);
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["1-completion-times.svg", "2-completion-times.svg"]);
        for (name, text) in &files {
            let document = roxmltree::Document::parse(text);
            document.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}
