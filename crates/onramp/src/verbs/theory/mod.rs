//! `onramp theory`: the simulator beside formulas of the literature.

mod answer;
mod comparison;
mod meter;
mod periodic;
mod random;
mod sawtooth;
mod sharing;
mod text;

use super::runs;
use super::{print_json, Answer};
use crate::cli::TheoryArguments;
use crate::failure::{Failure, BAD_INPUT, DONE, INTERRUPTED, MISSED};
use crate::text::{out, say};
use answer::Row;
use comparison::{Comparison, Measured};
use onramp_sim::{Error, Options};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::{fs, thread};

pub fn run(arguments: &TheoryArguments, json: bool) -> Answer {
    let comparisons: Vec<Comparison> = all()
        .into_iter()
        .filter(|comparison| comparison.quick || !arguments.quick)
        .collect();
    if let Some(folder) = &arguments.scenarios {
        return write_scenarios(folder, &comparisons);
    }
    let threads = arguments
        .threads
        .or_else(|| thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get);
    let options = Options {
        stop: runs::stop_flag(),
        ..Options::default()
    };
    let measured = match measure(&comparisons, &options, threads) {
        Ok(measured) => measured,
        Err(Error::Stopped) => return Ok(INTERRUPTED),
        Err(error) => return Err(Failure::new(MISSED, error.to_string())),
    };
    let rows: Vec<Row> = comparisons
        .iter()
        .zip(measured)
        .map(|(comparison, of)| Row::new(comparison, of))
        .collect();
    if json {
        print_json(&rows);
    } else {
        out(format_args!("{}", answer::table(&rows)));
    }
    Ok(if rows.iter().any(Row::misses) {
        MISSED
    } else {
        DONE
    })
}

/// In the order of `docs/theory.md`.
fn all() -> Vec<Comparison> {
    let sections = [
        periodic::square_root_law(),
        random::square_root_law(),
        random::padhye(),
        sharing::rtt_bias(),
        periodic::cubic_response(),
        sawtooth::sawtooth(),
    ];
    sections.into_iter().flatten().collect()
}

/// On so many threads, in the order of the comparisons.
fn measure(
    comparisons: &[Comparison],
    options: &Options,
    threads: usize,
) -> Result<Vec<Measured>, Error> {
    let progress = runs::progress(comparisons.len());
    let next = AtomicUsize::new(0);
    let done = Mutex::new(vec![None; comparisons.len()]);
    thread::scope(|scope| {
        for _ in 0..threads.min(comparisons.len()) {
            scope.spawn(|| loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(comparison) = comparisons.get(place) else {
                    return;
                };
                let measured = comparison.measure(options);
                done.lock().expect("no thread panics with it")[place] = Some(measured);
                progress.inc(1);
            });
        }
    });
    progress.finish_and_clear();
    let done = done.into_inner().expect("no thread panics with it");
    done.into_iter()
        .map(|measured| measured.expect("each place was taken"))
        .collect()
}

/// One file a row, under names of row and scenario.
fn write_scenarios(folder: &Path, comparisons: &[Comparison]) -> Answer {
    let cannot = |error: std::io::Error| {
        Failure::new(
            BAD_INPUT,
            format!("cannot write into {}: {error}", folder.display()),
        )
    };
    fs::create_dir_all(folder).map_err(cannot)?;
    for (number, comparison) in comparisons.iter().enumerate() {
        let Comparison {
            section,
            what,
            scenario,
            ..
        } = comparison;
        let file = folder.join(format!("theory-{:02}.toml", number + 1));
        fs::write(file, format!("# {}\n# {what}\n\n{scenario}", section.title)).map_err(cannot)?;
    }
    say!("{} scenarios in {}", comparisons.len(), folder.display());
    Ok(DONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_is_one_that_the_simulator_runs() {
        for comparison in all() {
            let scenario = onramp_scenario::parse("theory.toml", &comparison.scenario);
            let scenario =
                scenario.unwrap_or_else(|error| panic!("{error}\n{}", comparison.scenario));
            assert!(scenario
                .cases
                .iter()
                .all(|case| case.duration_ns.is_some() && onramp_sim::supports(case).is_ok()));
        }
    }

    #[test]
    fn the_quick_rows_are_of_every_part_that_one_flow_shows() {
        let titles: Vec<_> = all()
            .into_iter()
            .filter(|row| row.quick)
            .map(|row| row.section.title)
            .collect();
        for part in ["1.", "2b.", "4.", "5a.", "5b."] {
            assert!(titles.iter().any(|title| title.starts_with(part)), "{part}");
        }
    }

    #[test]
    fn no_two_rows_have_one_name() {
        let mut names: Vec<_> = all()
            .into_iter()
            .map(|row| (row.section.title, row.what))
            .collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
