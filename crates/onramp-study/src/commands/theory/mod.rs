//! `onramp theory`: compare the simulator with formulas of the literature.

mod table;

use super::runs;
use crate::cli::TheoryArguments;
use onramp_cli::failure::{Failure, DONE, INTERRUPTED, MISSED};
use onramp_cli::text::{out, say};
use onramp_cli::{print_json, Answer};
use onramp_sim::{Error, Options};
use onramp_theory::{Comparison, Row};
use std::fs;
use std::path::Path;

pub fn run(arguments: &TheoryArguments, json: bool) -> Answer {
    let comparisons: Vec<Comparison> = onramp_theory::comparisons()
        .into_iter()
        .filter(|comparison| comparison.is_quick || !arguments.quick)
        .collect();
    if let Some(folder) = &arguments.scenarios {
        return write_scenarios(folder, &comparisons);
    }
    let threads = runs::threads(arguments.threads);
    let options = Options {
        stop: runs::stop_flag(),
        ..Options::default()
    };
    let progress = runs::progress(comparisons.len());
    let measured = onramp_theory::measure(&comparisons, &options, threads, || progress.inc(1));
    progress.finish_and_clear();
    let measured = match measured {
        Ok(measured) => measured,
        Err(Error::Stopped) => return Ok(INTERRUPTED),
        Err(error) => return Err(Failure::new(MISSED, error.to_string())),
    };
    let rows: Vec<Row> = comparisons
        .iter()
        .zip(measured)
        .map(|(comparison, measured)| Row::new(comparison, measured))
        .collect();
    if json {
        print_json(&rows);
    } else {
        out(format_args!("{}", table::table(&rows)));
    }
    Ok(if rows.iter().any(Row::misses) {
        MISSED
    } else {
        DONE
    })
}

/// Writes the scenario of each row into a file of its own. The file begins with the section and the
/// name of the row.
fn write_scenarios(folder: &Path, comparisons: &[Comparison]) -> Answer {
    let cannot = |error: std::io::Error| Failure::at("write into", folder, error);
    fs::create_dir_all(folder).map_err(cannot)?;
    for (index, comparison) in comparisons.iter().enumerate() {
        let Comparison {
            section,
            what,
            scenario,
            ..
        } = comparison;
        let file = folder.join(format!("theory-{:02}.toml", index + 1));
        fs::write(file, format!("# {}\n# {what}\n\n{scenario}", section.title)).map_err(cannot)?;
    }
    say!("{} scenarios in {}", comparisons.len(), folder.display());
    Ok(DONE)
}
