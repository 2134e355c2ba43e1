//! The figures over time of some runs, as one file.

use crate::figure::{over_time, series};
use crate::run::Run;
use crate::summary::groups;
use onramp_plot::{figure_file, size};
use onramp_results::Record;
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
