//! `onramp compare`: the same cases in the simulator and on this machine's kernel, side by side.

use super::lab::{self, NoResult};
use super::runs::{self, describe};
use super::{print_json, Answer};
use crate::cli::CompareArguments;
use crate::failure::{Failure, BAD_INPUT, DONE, INTERRUPTED, MISSED};
use crate::startups::KernelStartups;
use crate::text::say;
use onramp_report::Run;
use onramp_results::Record;
use onramp_scenario::{Case, Channel, Discipline};
use serde::Serialize;

/// One case on both hosts.
#[derive(Serialize)]
struct Pair {
    sim: Record,
    kernel: Record,
    /// By how much the simulator's completion time exceeds the kernel's, in percent.
    difference_percent: f64,
    /// Nothing on the path is random and no traffic competes: the times are to agree.
    clean: bool,
    /// They agree as closely as was asked.
    within: bool,
}

pub fn run(arguments: &CompareArguments, json: bool) -> Answer {
    let scenarios = runs::read(&arguments.files)?;
    let cases: Vec<&Case> = scenarios
        .iter()
        .flat_map(|scenario| &scenario.cases)
        .collect();
    let cases = runs::leave_out(cases, |case| {
        onramp_sim::supports(case)
            .err()
            .map(|reason| reason.to_string())
    });
    let cases = lab::without_unsupported(cases);
    if cases.is_empty() {
        return Err(Failure::new(
            BAD_INPUT,
            "none of these transfers runs in the simulator and in the lab".to_owned(),
        ));
    }
    if let Some(out) = &arguments.out {
        onramp_report::prepare(out)?;
    }
    onramp_lab::preflight().map_err(lab::failure)?;
    let cases = lab::without_missing(cases)?;

    let traced = arguments.out.is_some();
    let in_sim = onramp_sim::Options {
        trace: traced,
        stop: runs::stop_flag(),
    };
    let in_lab = onramp_lab::RunOptions {
        trace: traced,
        stop: runs::stop_flag(),
        ..Default::default()
    };
    let mut startups = KernelStartups::new(false);
    let progress = runs::progress(cases.len());
    let (mut pairs, mut all) = (Vec::new(), Vec::new());
    let mut ending = Ok(DONE);
    for case in cases {
        progress.set_message(describe(case));
        match both(case, &in_sim, &in_lab, &mut startups, arguments.within) {
            Ok((pair, both)) => {
                if !pair.sim.finished {
                    progress.suspend(|| {
                        eprintln!("failed: {}: the simulated sender gave up", describe(case))
                    });
                    ending = Ok(MISSED);
                }
                if pair.clean && !pair.within {
                    ending = Ok(MISSED);
                }
                pairs.push(pair);
                all.extend(both);
            }
            Err(NoResult::Stopped) => {
                ending = Ok(INTERRUPTED);
                break;
            }
            Err(NoResult::Ends(failure)) => {
                ending = Err(failure);
                break;
            }
            Err(NoResult::Failed(error)) => {
                progress.suspend(|| eprintln!("failed: {}: {error}", describe(case)));
                ending = Ok(MISSED);
            }
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    drop(startups);
    if let Some(out) = arguments.out.as_deref().filter(|_| !all.is_empty()) {
        let what = "The same transfers in the simulator and between real sockets of this kernel.";
        let written =
            onramp_report::write(out, &lab::meta("compare", what, &scenarios, &ending), &all)?;
        if !json {
            say!("Report: {}", written.report.display());
        }
    }
    match json {
        true => print_json(&pairs),
        false => print_table(&pairs, arguments.within),
    }
    ending
}

fn both(
    case: &Case,
    in_sim: &onramp_sim::Options,
    in_lab: &onramp_lab::RunOptions,
    startups: &mut KernelStartups,
    within_percent: f64,
) -> Result<(Pair, Vec<Run>), NoResult> {
    let [sim, kernel] = on_both(case, in_sim, in_lab, startups)?;
    // Which of several copies gets ahead is chance on either host: their medians are compared.
    let (sim_record, kernel_record) = (median(&sim), median(&kernel));
    let difference_percent = match (sim_record.completion_s, kernel_record.completion_s) {
        (Some(sim), Some(kernel)) => (sim / kernel - 1.0) * 100.0,
        _ => f64::INFINITY,
    };
    let within = difference_percent.abs() <= within_percent;
    let clean = is_clean(case) && case.transfer.count == 1;
    let pair = Pair {
        sim: sim_record,
        kernel: kernel_record,
        difference_percent,
        clean,
        within,
    };
    Ok((pair, sim.into_iter().chain(kernel).collect()))
}

/// The transfer's copies in the simulator, and in the lab.
pub fn on_both(
    case: &Case,
    in_sim: &onramp_sim::Options,
    in_lab: &onramp_lab::RunOptions,
    startups: &mut KernelStartups,
) -> Result<[Vec<Run>; 2], NoResult> {
    let simulated = onramp_sim::run(case, in_sim).map_err(|error| match error {
        onramp_sim::Error::Stopped => NoResult::Stopped,
        error => NoResult::Ends(Failure::new(BAD_INPUT, error.to_string())),
    })?;
    let real = onramp_lab::run(case, startups, in_lab).map_err(lab::no_result)?;
    let mut sim_traces = simulated.traces.into_iter();
    let sim = simulated.records.into_iter().map(|record| Run {
        record,
        trace: sim_traces.next(),
    });
    let kernel = real.into_copies().map(|(record, trace)| Run {
        record,
        trace: in_lab.trace.then_some(trace),
    });
    Ok([
        sim.take(case.transfer.count as usize).collect(),
        kernel.collect(),
    ])
}

/// The record of the copy in the middle by its completion, the earlier of two; what is unfinished
/// comes last.
fn median(copies: &[Run]) -> Record {
    let mut records: Vec<&Record> = copies.iter().map(|run| &run.record).collect();
    let completion_s = |record: &Record| record.completion_s.unwrap_or(f64::INFINITY);
    records.sort_by(|a, b| completion_s(a).total_cmp(&completion_s(b)));
    records[(records.len() - 1) / 2].clone()
}

/// Whether both hosts meet the same: nothing random, and nobody else.
fn is_clean(case: &Case) -> bool {
    let is_clean = |channel: &Channel| {
        let losses = channel
            .changes
            .iter()
            .filter_map(|change| change.loss_ppm)
            .chain([channel.loss_ppm]);
        // All or nothing is no chance.
        let mut is_certain = losses.map(|ppm| ppm == 0 || ppm == 1_000_000);
        let is_lossless =
            is_certain.all(|it_is| it_is) && channel.bursts.is_none() && channel.duplicate_ppm == 0;
        // RED draws which packets it drops.
        is_lossless && channel.jitter.is_none() && !matches!(channel.discipline, Discipline::Red(_))
    };
    case.traffic.is_empty() && is_clean(&case.path.forward) && is_clean(&case.path.reverse)
}

const HEADINGS: [&str; 8] = [
    "path",
    "size",
    "start-up",
    "sim s",
    "kernel s",
    "difference",
    "resent",
    "",
];

fn print_table(pairs: &[Pair], within_percent: f64) {
    let mut rows = vec![HEADINGS.map(str::to_owned)];
    rows.extend(pairs.iter().map(cells));
    let widths: Vec<usize> = (0..HEADINGS.len())
        .map(|column| {
            rows.iter()
                .map(|row| row[column].chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    for row in &rows {
        // Words to the left, numbers to the right.
        let cells: Vec<_> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, &width))| match column {
                0..=2 | 7 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            })
            .collect();
        say!("{}", cells.join("  ").trim_end());
    }
    let judged = pairs.iter().filter(|pair| pair.clean).count();
    let within = pairs
        .iter()
        .filter(|pair| pair.clean && pair.within)
        .count();
    say!("\n{within} of {judged} clean cases within {within_percent} %. resent: segments, simulator / kernel.");
    if pairs.iter().any(|pair| !pair.clean) {
        say!("not judged: random losses, jitter or other traffic make each run its own; compare medians.");
    }
    if pairs.iter().any(|pair| pair.kernel.suspect) {
        say!("†: this machine was busy, and the kernel's time may be off.");
    }
}

fn cells(pair: &Pair) -> [String; 8] {
    let (sim, kernel) = (&pair.sim, &pair.kernel);
    let seconds = |completion: Option<f64>| {
        completion.map_or("–".to_owned(), |seconds| format!("{seconds:.3}"))
    };
    let verdict = match (pair.clean, pair.within) {
        (false, _) => "not judged",
        (true, true) => "",
        (true, false) => "MISSED",
    };
    [
        format!(
            "{}: {}, {} ms, queue {}, receiver {}",
            sim.scenario,
            onramp_scenario::units::format_rate(sim.rate_bits_per_s),
            sim.rtt_ms,
            sim.queue,
            sim.receiver_buffer
        ),
        onramp_scenario::units::format_size(sim.size_bytes),
        format!(
            "{}{}",
            sim.algorithms(),
            if kernel.suspect { " †" } else { "" }
        ),
        seconds(sim.completion_s),
        seconds(kernel.completion_s),
        format!("{:+.1} %", pair.difference_percent),
        format!(
            "{} / {}",
            sim.retransmitted_segments, kernel.retransmitted_segments
        ),
        verdict.to_owned(),
    ]
}
