//! Functions that `lab`, `sim` and others share: reading scenarios, progress, tables, JSON,
//! reports.

use crate::cli::ReportTraces;
use crate::commands::{refused, unwritten};
use indicatif::{ProgressBar, ProgressStyle};
use nix::sys::signal::{sigaction, SaFlags, SigAction, SigHandler, SigSet, Signal};
use onramp_cli::failure::{Failure, BAD_INPUT, INTERRUPTED, MISSED};
use onramp_cli::text;
use onramp_cli::text::{out, say, Look};
use onramp_cli::Answer;
use onramp_report::{Meta, Run, TableOptions};
pub use onramp_results::describe_case as describe;
use onramp_scenario::{Case, Scenario};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

/// Reads all scenario files, before anything runs.
///
/// # Errors
/// A file is wrong, or two scenarios have the same name: their results would be summed up as
/// repeats.
pub fn read(files: &[PathBuf]) -> Result<Vec<Scenario>, Failure> {
    let scenarios: Vec<Scenario> = files
        .iter()
        .map(|file| onramp_scenario::read(file))
        .collect::<Result<_, _>>()
        .map_err(refused)?;
    for (place, scenario) in scenarios.iter().enumerate() {
        if let Some(first) = scenarios[..place]
            .iter()
            .position(|earlier| earlier.name == scenario.name)
        {
            let (one, other, name) = (
                files[first].display(),
                files[place].display(),
                &scenario.name,
            );
            let message = match one.to_string() == other.to_string() {
                true => format!("{one} is given twice: use `repeat` to run a case more than once"),
                false => format!(
                    "{one} and {other} are both the scenario `{name}`: give one of them another \
                     `name`"
                ),
            };
            return Err(Failure::new(BAD_INPUT, message));
        }
    }
    Ok(scenarios)
}

/// Prints the results, and writes the report into `out`. Results are printed even if other runs
/// failed. `ending` is how the runs ended. It is returned unless writing the report fails.
pub fn conclude(
    runs: &[Run],
    ending: Answer,
    out: Option<&Path>,
    json: bool,
    meta: impl FnOnce(&Answer) -> Meta,
) -> Answer {
    let report = out.filter(|_| !runs.is_empty());
    let written = report.map(|out| onramp_report::write(out, &meta(&ending), runs));
    if !runs.is_empty() || ending.is_ok() {
        print_results(runs, json);
    }
    if let (Some(written), false) = (written.transpose().map_err(unwritten)?, json) {
        say!("Report: {}", written.report.display());
    }
    ending
}

fn print_results(runs: &[Run], json: bool) {
    let records: Vec<_> = runs.iter().map(|run| run.record.clone()).collect();
    if json {
        out(format_args!("{}", onramp_report::to_json(&records)));
    } else {
        let Look { width, colour } = Look::of_stdout();
        out(format_args!(
            "{}",
            onramp_report::table(&records, &TableOptions { width, colour })
        ));
    }
}

/// A report of more cases has traces only where the user asks for them: thousands of traces take
/// gigabytes, and nobody reads them all.
const MAX_TRACED_CASES: usize = 50;

/// Whether the cases are traced for the report in `out`. A note says why they are not.
pub fn with_traces(out: Option<&Path>, wanted: ReportTraces, cases: usize) -> bool {
    let is_possible = out.is_some() && !wanted.no_traces;
    if is_possible && !wanted.all_traces && cases > MAX_TRACED_CASES {
        eprintln!(
            "note: the report has no traces and no plots over time, because {cases} cases are more \
             than {MAX_TRACED_CASES}: add --all-traces for them"
        );
        return false;
    }
    is_possible
}

/// Refuses scenarios that the simulator or the lab does not support, before anything runs.
pub fn check<E: Display>(
    files: &[PathBuf],
    scenarios: &[Scenario],
    supports: impl Fn(&Case) -> Result<(), E>,
) -> Result<(), Failure> {
    for (file, scenario) in files.iter().zip(scenarios) {
        for case in &scenario.cases {
            supports(case)
                .map_err(|error| Failure::new(BAD_INPUT, format!("{}: {error}", file.display())))?;
        }
    }
    Ok(())
}

/// Leaves out the cases that the simulator or the lab does not support, with a note.
pub fn supported<E: Display>(
    cases: Vec<&Case>,
    supports: impl Fn(&Case) -> Result<(), E>,
) -> Vec<&Case> {
    leave_out(cases, |case| {
        supports(case).err().map(|reason| reason.to_string())
    })
}

/// Leaves out the cases for which `why_not` returns a reason, and prints the reasons.
pub fn leave_out<'a>(
    cases: Vec<&'a Case>,
    why_not: impl Fn(&'a Case) -> Option<String>,
) -> Vec<&'a Case> {
    let mut kept = Vec::new();
    let mut left_out = BTreeMap::new();
    for case in cases {
        match why_not(case) {
            None => kept.push(case),
            Some(reason) => *left_out.entry(reason).or_insert(0) += 1,
        }
    }
    for (reason, count) in left_out {
        eprintln!(
            "note: {reason}: {} left out",
            text::count(count, "transfer")
        );
    }
    kept
}

/// How many simulations run at a time.
pub fn threads(wanted: Option<NonZeroUsize>) -> usize {
    wanted
        .or_else(|| std::thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get)
}

/// A flag that SIGINT, SIGTERM and SIGHUP set. Runs check it, stop, and clean up.
pub fn stop_flag() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    extern "C" fn stop(_: nix::libc::c_int) {
        if let Some(flag) = FLAG.get() {
            flag.store(true, Ordering::SeqCst);
        }
    }
    let flag = FLAG.get_or_init(Arc::default);
    let action = SigAction::new(
        SigHandler::Handler(stop),
        SaFlags::SA_RESTART,
        SigSet::empty(),
    );
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        // SAFETY: the handler only stores to an atomic that exists before it is installed.
        let _ = unsafe { sigaction(signal, &action) };
    }
    Arc::clone(flag)
}

/// A progress bar on a terminal; nothing in a pipe.
pub fn progress(length: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} {elapsed_precise} {msg}")
        .expect("a valid template");
    let bar = ProgressBar::new(length as u64).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// The date and the time, as `2031-05-04T12:00:00Z`.
pub fn date() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// The metadata of a report. `command` is for example `sim`, `what` a sentence about the runs.
pub fn meta(command: &str, what: &str, scenarios: &[Scenario], ending: &Answer) -> Meta {
    let names: Vec<&str> = scenarios
        .iter()
        .map(|scenario| scenario.name.as_str())
        .collect();
    let warning = match ending {
        Ok(INTERRUPTED) => " The run was interrupted: transfers are missing.",
        Ok(MISSED) => " Some transfers failed: they are missing, or unfinished.",
        Err(_) => " The run could not be completed: transfers are missing.",
        Ok(_) => "",
    };
    let command_line: Vec<String> = std::env::args().collect();
    Meta {
        title: format!("Onramp {command}: {}", names.join(", ")),
        what: format!("{what}{warning}"),
        scenarios: scenarios
            .iter()
            .map(|s| (s.name.clone(), s.description.clone()))
            .collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: command_line.join(" "),
        date: date(),
        ..Meta::default()
    }
}
