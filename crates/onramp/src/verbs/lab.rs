//! `onramp lab`.

use super::Answer;
use crate::cli::LabArguments;
use crate::failure::{Failure, BAD_INPUT, DONE, HOST_LACKS, INTERRUPTED, MISSED};
use crate::recording::{Line, Writer};
use crate::startups::KernelStartups;
use crate::text;
use crate::text::{out, say};
use indicatif::{ProgressBar, ProgressStyle};
use nix::sys::signal::{sigaction, SaFlags, SigAction, SigHandler, SigSet, Signal};
use onramp_kernel::probe;
use onramp_lab::RunOptions;
use onramp_report::{Meta, Run, TableOptions};
use onramp_scenario::{units, Case, InitialWindow, Scenario, NO_STARTUP};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

pub fn run(arguments: &LabArguments, json: bool) -> Answer {
    let scenarios: Vec<Scenario> =
        arguments.files.iter().map(|file| onramp_scenario::read(file)).collect::<Result<_, _>>()?;
    for (file, scenario) in arguments.files.iter().zip(&scenarios) {
        check(file, scenario)?;
    }
    if let Some(out) = &arguments.out {
        onramp_report::prepare(out)?;
    }
    onramp_lab::preflight().map_err(lab_failure)?;
    let cases: Vec<&Case> = scenarios.iter().flat_map(|scenario| &scenario.cases).collect();
    let cases = if arguments.skip_missing { without_missing(cases)? } else { cases };

    let options = RunOptions { trace: arguments.out.is_some(), stop: stop_flag(), ..RunOptions::default() };
    let mut recording = arguments.record.as_deref().map(Writer::create).transpose()?;
    let mut startups = KernelStartups::new(recording.is_some());
    let progress = progress(cases.len());
    let mut runs = Vec::new();
    let mut ending = Ok(DONE);
    for (transfer, case) in cases.into_iter().enumerate() {
        progress.set_message(describe(case));
        let result = onramp_lab::run(case, &mut startups, &options);
        let recorded = recording.as_mut().map_or(Ok(()), |recording| {
            let line = |(startup, event)| Line { scenario: case.scenario.clone(), transfer, startup, event };
            startups.take_recorded().into_iter().map(line).try_for_each(|line| recording.write(&line))
        });
        match result {
            Ok(outcome) => {
                for note in outcome.notes {
                    progress.suspend(|| eprintln!("note: {}: {note}", describe(case)));
                }
                runs.push(Run { record: outcome.record, trace: options.trace.then_some(outcome.trace) });
            }
            Err(onramp_lab::Error::Stopped) => {
                ending = Ok(INTERRUPTED);
                break;
            }
            Err(error) if error.is_of_host() || matches!(error, onramp_lab::Error::Startup { .. }) => {
                ending = Err(lab_failure(error));
                break;
            }
            Err(error) => {
                progress.suspend(|| eprintln!("failed: {}: {error}", describe(case)));
                ending = Ok(MISSED);
            }
        }
        if let Err(failure) = recorded {
            (ending, recording) = (Err(failure), None);
            break;
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    drop(startups);
    if let Some(Err(failure)) = recording.map(Writer::finish) {
        ending = Err(failure);
    }

    // What was measured is kept and shown, also where the rest could not be.
    let report = arguments.out.as_ref().filter(|_| !runs.is_empty());
    let written = report.map(|out| onramp_report::write(out, &meta(&scenarios, &ending), &runs));
    if !runs.is_empty() || ending.is_ok() {
        print_results(&runs, json);
    }
    if let (Some(written), false) = (written.transpose()?, json) {
        say!("Report: {}", written.report.display());
    }
    ending
}

/// What only the lab cannot run, before anything runs.
fn check(file: &Path, scenario: &Scenario) -> Result<(), Failure> {
    let transfers = || scenario.cases.iter().map(|case| &case.transfer);
    if transfers().any(|transfer| transfer.startup == NO_STARTUP && transfer.initial_window == InitialWindow::Paper) {
        let message = format!(
            "{}: a transfer has startup `{NO_STARTUP}` and initial_window `paper`: the kernel's own congestion controls \
             know only `host` and a number of segments",
            file.display()
        );
        return Err(Failure::new(BAD_INPUT, message));
    }
    Ok(())
}

fn print_results(runs: &[Run], json: bool) {
    let records: Vec<_> = runs.iter().map(|run| run.record.clone()).collect();
    if json {
        say!("{}", onramp_report::to_json(&records));
    } else {
        let stdout = std::io::stdout();
        let width = terminal_size::terminal_size_of(&stdout).map_or(100, |(width, _)| usize::from(width.0));
        let colour = stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none();
        out(format_args!("{}", onramp_report::table(&records, &TableOptions { width, colour })));
    }
}

fn describe(case: &Case) -> String {
    let transfer = &case.transfer;
    let size = units::format_size(transfer.size_bytes);
    format!("{}: {size}, {} + {}, run {}", case.scenario, transfer.startup, transfer.avoidance.name(), case.run)
}

fn lab_failure(error: onramp_lab::Error) -> Failure {
    use onramp_lab::Error::Startup;
    match error {
        Startup { ref source, .. }
            if source.downcast_ref::<onramp_kernel::Error>().is_some_and(|e| e.is_bad_request()) =>
        {
            Failure::new(BAD_INPUT, error.to_string())
        }
        Startup { ref source, .. } if source.downcast_ref::<onramp_kernel::Error>().is_none() => {
            Failure::new(BAD_INPUT, error.to_string())
        }
        error => Failure::new(HOST_LACKS, error.to_string()),
    }
}

/// Leave out what this kernel cannot run, and say so.
fn without_missing(cases: Vec<&Case>) -> Result<Vec<&Case>, Failure> {
    let registered = onramp_kernel::registered_names()?;
    let missing = |case: &Case| !registered.iter().any(|name| name == case.transfer.avoidance.name());
    let (left_out, kept): (Vec<_>, Vec<_>) = cases.into_iter().partition(|case| missing(case));
    let mut names: Vec<&str> = left_out.iter().map(|case| case.transfer.avoidance.name()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let count = left_out.iter().filter(|case| case.transfer.avoidance.name() == name).count();
        eprintln!("note: this kernel has no {name}: {} left out", text::count(count, "transfer"));
    }
    Ok(kept)
}

/// Set by Ctrl-C and SIGTERM: the lab ends the run and leaves nothing behind.
fn stop_flag() -> Arc<AtomicBool> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    extern "C" fn stop(_: nix::libc::c_int) {
        if let Some(flag) = FLAG.get() {
            flag.store(true, Ordering::SeqCst);
        }
    }
    let flag = FLAG.get_or_init(Arc::default);
    let action = SigAction::new(SigHandler::Handler(stop), SaFlags::SA_RESTART, SigSet::empty());
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        // SAFETY: the handler only stores to an atomic that exists before it is installed.
        let _ = unsafe { sigaction(signal, &action) };
    }
    Arc::clone(flag)
}

fn progress(length: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} {elapsed_precise} {msg}").expect("a valid template");
    let bar = ProgressBar::new(length as u64).with_style(style);
    bar.enable_steady_tick(std::time::Duration::from_millis(200));
    bar
}

fn meta(scenarios: &[Scenario], ending: &Answer) -> Meta {
    let names: Vec<&str> = scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    let part = match ending {
        Ok(INTERRUPTED) => " The run was interrupted: transfers are missing.",
        Ok(MISSED) => " Some transfers failed and are missing.",
        Err(_) => " The run could not be completed: transfers are missing.",
        Ok(_) => "",
    };
    let command: Vec<String> = std::env::args().collect();
    Meta {
        title: format!("Onramp lab: {}", names.join(", ")),
        what: format!("Transfers between real sockets of this kernel, over an emulated path.{part}"),
        scenarios: scenarios.iter().map(|s| (s.name.clone(), s.description.clone())).collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: command.join(" "),
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        kernel_release: probe::kernel_release(),
        cpus: std::thread::available_parallelism().map_or(1, |count| count.get()),
    }
}
