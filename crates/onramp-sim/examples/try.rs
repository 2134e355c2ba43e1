//! A variant of an algorithm beside the shipped one and CUBIC, over two sets of families:
//! `make try`, which runs this program with one library of `core/`, then with the other.
//!
//! ```text
//! try run FILE STARTUP...             runs these start-ups, and writes their results
//! try learned FILE STARTUP...         the same, on hosts that have learned the initial rate of
//!                                     each path from eight connections over it
//! try table SHIPPED VARIANT STARTUP   compares the results of two files
//! try cells SHIPPED VARIANT STARTUP FAMILY   the same, cell by cell, for one family
//! try sim SCENARIO...                 runs scenario files, for what the library does meanwhile
//! ```

use onramp_comparison::{
    tried_families, CellResult, Comparison, FamilyResult, Plan, Run, UnknownStartup, SECOND,
};
use onramp_report::aligned_columns;
use onramp_report::statistics::geometric_mean;
use onramp_results::Record;
use onramp_scenario::Case;
use onramp_sim::{run_all, run_all_with, supports, Options};
use onramp_tcp::Ensembles;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

/// Repeats of paths with randomness: more take longer, and change means by less than 0.005.
const REPEATS: u32 = 3;

/// Connections over a path from which the host learns its initial rate. Three find the maximum.
const LEARNED_FROM: u64 = 8;

/// Their size. A run ends when the receiver has everything, so the last ACKs of a small transfer
/// would tell nothing.
const LEARNED_FROM_BYTES: u64 = 1_000_000;

/// CUBIC alone.
const CUBIC: &str = "none";

/// The records of runs, by the number of their case.
type Results = BTreeMap<usize, Vec<Record>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [mode @ ("run" | "learned"), file, startups @ ..] => {
            let plan = match plan(startups) {
                Ok(plan) => plan,
                Err(unknown) => {
                    eprintln!("try: {unknown}");
                    return ExitCode::from(2);
                }
            };
            let connections_before = if *mode == "learned" { LEARNED_FROM } else { 0 };
            let results = run(&plan, startups, connections_before);
            let text = serde_json::to_string(&results).expect("records have string keys");
            std::fs::write(file, text).unwrap_or_else(|error| panic!("{file}: {error}"));
        }
        ["table", shipped, variant, startup] => {
            let (shipped, variant) = compare(startup, shipped, variant);
            print(startup, &shipped, &variant);
        }
        ["cells", shipped, variant, startup, family] => {
            let (shipped, variant) = compare(startup, shipped, variant);
            print_cells(startup, family, &shipped, &variant);
        }
        ["sim", files @ ..] => {
            for file in files {
                let read = onramp_scenario::read(Path::new(file));
                simulate(&read.unwrap_or_else(|error| panic!("{error}")).cases);
            }
        }
        _ => panic!("expected: run FILE STARTUP..., or table|cells SHIPPED VARIANT STARTUP"),
    }
    ExitCode::SUCCESS
}

/// All runs of CUBIC and of one further start-up.
fn plan(startups: &[&str]) -> Result<Plan, UnknownStartup> {
    let startup = startups.iter().filter(|name| **name != CUBIC);
    let startup = startup.map(|name| name.parse()).collect::<Result<_, _>>()?;
    Ok(Plan::new(tried_families(), startup, Some(REPEATS)))
}

/// The results of these start-ups alone. Each host has had so many connections over the same path
/// before, with other random numbers.
fn run(plan: &Plan, startups: &[&str], connections_before: u64) -> Results {
    let is_run = |name: &str| startups.contains(&name);
    let all = plan.cases().iter().enumerate();
    let chosen: Vec<_> = all
        .filter(|(_, case)| is_run(&case.transfer.startup) && supports(case).is_ok())
        .collect();
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    let mut results = Results::new();
    let run = |index: usize| {
        let case = chosen[index].1;
        let options = Options {
            known_rates: Some(Ensembles::default()),
            ..Options::default()
        };
        for connection in 1..=connections_before {
            let mut before = case.clone();
            before.seed = case.seed.wrapping_add(connection << 32);
            before.transfer.size_bytes = LEARNED_FROM_BYTES;
            onramp_sim::run(&before, &options)?;
        }
        onramp_sim::run(case, &options)
    };
    run_all_with(chosen.len(), threads, run, |index, outcome| {
        let (number, case) = chosen[index];
        let outcome = outcome.unwrap_or_else(|error| panic!("{}: {error}", case.scenario));
        results.insert(number, outcome.records);
        ControlFlow::Continue(())
    });
    results
}

/// Runs cases one after the other, so that recordings have the same order each time.
fn simulate(cases: &[Case]) {
    let cases: Vec<_> = cases.iter().filter(|case| supports(case).is_ok()).collect();
    run_all(&cases, &Options::default(), 1, |index, outcome| {
        outcome.unwrap_or_else(|error| panic!("{}: {error}", cases[index].scenario));
        ControlFlow::Continue(())
    });
}

fn read(file: &Path) -> Results {
    let text = std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The comparison of the shipped C with CUBIC, and that of the variant.
fn compare(startup: &str, shipped: &str, variant: &str) -> (Comparison, Comparison) {
    let (shipped, variant) = (read(Path::new(shipped)), read(Path::new(variant)));
    let plan = plan(&[startup]).expect("it ran");
    let both: Results = shipped.clone().into_iter().chain(variant).collect();
    let compare = |mut results: Results| {
        let numbers = 0..plan.cases().len();
        let runs: Vec<_> = numbers
            .map(|number| Run::of(results.remove(&number)?))
            .collect();
        Comparison::new(&plan, &runs)
    };
    (compare(shipped), compare(both))
}

/// Prints a row for each cell of a family.
fn print_cells(startup: &str, family: &str, shipped: &Comparison, variant: &Comparison) {
    let cells = |comparison: &Comparison| -> Vec<CellResult> {
        let families = comparison.families.iter();
        let family = families.filter(|row| row.name == family);
        family.flat_map(|family| family.cells.clone()).collect()
    };
    let of = |cell: &CellResult, name: &str| {
        let row = cell.startups.iter().find(|row| row.startup == name);
        row.and_then(|row| Some((row.time?, row.resent_segments?)))
            .map_or([String::new(), String::new()], |(time, resent)| {
                [format!("{time:.3}"), format!("{resent:.0}")]
            })
    };
    let head = "path|size|time|resent|time was|resent was|CUBIC";
    let mut rows = vec![head.split('|').map(str::to_owned).collect()];
    for (shipped, variant) in cells(shipped).iter().zip(&cells(variant)) {
        let path = [
            &variant.scenario,
            &format!("{} Mbit/s", variant.rate_bits_per_s as f64 / 1e6),
            &format!("{} ms", variant.rtt_ms),
            &variant.queue,
            &variant.path,
        ];
        let mut cells = vec![path.map(String::as_str).join(", ")];
        cells.push(variant.size_bytes.to_string());
        cells.extend(of(variant, startup));
        cells.extend(of(shipped, startup));
        cells.extend(of(variant, CUBIC).into_iter().skip(1));
        rows.push(cells);
    }
    let is_right: Vec<bool> = (0..rows[0].len()).map(|column| column > 0).collect();
    println!("{}", aligned_columns(&rows, &is_right));
}

/// Prints a row for each family, and one for each set.
fn print(startup: &str, shipped: &Comparison, variant: &Comparison) {
    let mut rows = vec![HEAD.map(str::to_owned).to_vec()];
    for is_second in [false, true] {
        let of_set = |comparison: &Comparison| -> Vec<Line> {
            let families = comparison.families.iter();
            let families = families.filter(|family| family.name.ends_with(SECOND) == is_second);
            families.map(|family| Line::of(family, startup)).collect()
        };
        let (shipped, variant) = (of_set(shipped), of_set(variant));
        let lines = shipped.iter().zip(&variant);
        rows.extend(lines.map(|(shipped, variant)| row(shipped, variant)));
        let name = if is_second { "SECOND SET" } else { "FIRST SET" };
        rows.push(row(
            &Line::together(name, &shipped),
            &Line::together(name, &variant),
        ));
    }
    let is_right: Vec<bool> = (0..HEAD.len()).map(|column| column > 0).collect();
    println!("{}", aligned_columns(&rows, &is_right));
}

const HEAD: [&str; 12] = [
    "family",
    "time",
    "(was)",
    "worst 5 %",
    "(was)",
    "slower",
    "(was)",
    "resent",
    "(was)",
    "(CUBIC)",
    "left %",
    "(was)",
];

/// A start-up over one family, or over a set.
struct Line {
    name: String,
    time: f64,
    worst: f64,
    slower: u64,
    resent: u64,
    resent_of_cubic: u64,
    /// What long flows keep in 20 round trips.
    left_percent: Option<f64>,
}

impl Line {
    fn of(family: &FamilyResult, startup: &str) -> Line {
        let row = |name: &str| family.rows.iter().find(|row| row.startup == name);
        let (row, cubic) = (row(startup).unwrap(), row(CUBIC).unwrap());
        Line {
            name: family.name.clone(),
            time: row.time.unwrap_or(f64::INFINITY),
            worst: row.quantiles.map_or(f64::INFINITY, |[.., worst]| worst),
            slower: row.slower_runs,
            resent: row.resent_segments,
            resent_of_cubic: cubic.resent_segments,
            left_percent: row.left_percent,
        }
    }

    /// All families, each with the same weight; `worst` is that of the worst family.
    fn together(name: &str, lines: &[Line]) -> Line {
        let sum = |of: fn(&Line) -> u64| lines.iter().map(of).sum();
        let time = geometric_mean(lines.iter().map(|line| line.time));
        Line {
            name: name.to_owned(),
            time: time.unwrap_or(f64::INFINITY),
            worst: lines.iter().map(|line| line.worst).fold(0.0, f64::max),
            slower: sum(|line| line.slower),
            resent: sum(|line| line.resent),
            resent_of_cubic: sum(|line| line.resent_of_cubic),
            left_percent: None,
        }
    }
}

fn row(shipped: &Line, variant: &Line) -> Vec<String> {
    let ratio = |value: f64| format!("{value:.3}");
    let share = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.1}"));
    vec![
        variant.name.clone(),
        ratio(variant.time),
        ratio(shipped.time),
        ratio(variant.worst),
        ratio(shipped.worst),
        variant.slower.to_string(),
        shipped.slower.to_string(),
        variant.resent.to_string(),
        shipped.resent.to_string(),
        variant.resent_of_cubic.to_string(),
        share(variant.left_percent),
        share(shipped.left_percent),
    ]
}
