//! `onramp compare-startups`: run start-ups over the same paths, and say which is the fastest
//! where, and at whose cost.

mod hosts;
mod output;

use super::lab;
use super::runs;
use crate::cli::CompareStartupsArguments;
use crate::commands::{refused, unwritten};
use onramp_cli::failure::{Failure, BAD_INPUT, DONE};
use onramp_cli::Answer;
use onramp_comparison::{
    families, kernel_family, recorded_families, Comparison, Family, Plan, SideBySide,
};
use onramp_scenario::Scenario;
use output::Output;
use std::path::Path;

/// The name of the family of recordings.
const RECORDED: &str = "cellular";

pub fn run(arguments: &CompareStartupsArguments, json: bool) -> Answer {
    if let Some(out) = &arguments.out {
        onramp_report::prepare_files(out, &output::FILES).map_err(unwritten)?;
    }
    if arguments.lab {
        onramp_lab::preflight().map_err(lab::failure)?;
    }
    let mut left_out = Vec::new();
    let families = chosen_families(arguments, &mut left_out)?;
    let repeats = arguments.repeat.map(|repeats| repeats.get());
    let on_kernel = match (arguments.lab, arguments.files.is_empty()) {
        (false, _) => None,
        (true, true) => Some(vec![kernel_family()]),
        (true, false) => Some(families.clone()),
    };
    let plan = Plan::new(families, arguments.startups.clone(), repeats);
    let mut ending = Ok(DONE);
    let results = hosts::simulate(&plan, arguments.threads, &mut left_out, &mut ending);
    let mut output = Output {
        comparison: Comparison::new(&plan, &results),
        kernel: Vec::new(),
        left_out: Vec::new(),
    };
    if let Some(families) = on_kernel.filter(|_| matches!(ending, Ok(DONE))) {
        let plan = Plan::new(families, arguments.startups.clone(), repeats);
        output.kernel = kernel(&plan, arguments, &mut left_out, &mut ending)?;
    }
    for reason in &left_out {
        eprintln!("note: {reason}");
    }
    output.left_out = left_out;
    output.conclude(arguments, ending, json)
}

/// The same runs in the simulator and on the kernel.
fn kernel(
    plan: &Plan,
    arguments: &CompareStartupsArguments,
    left_out: &mut Vec<String>,
    ending: &mut Answer,
) -> Result<Vec<SideBySide>, Failure> {
    let simulated = hosts::simulate(plan, arguments.threads, &mut Vec::new(), ending);
    let on_kernel = hosts::run_on_kernel(plan, left_out, ending)?;
    Ok(onramp_comparison::side_by_side(
        plan, &simulated, &on_kernel,
    ))
}

/// The families that the user wants. What is missing is added to `left_out`.
fn chosen_families(
    arguments: &CompareStartupsArguments,
    left_out: &mut Vec<String>,
) -> Result<Vec<Family>, Failure> {
    if !arguments.files.is_empty() {
        let of_file = |scenario: Scenario| Family {
            name: scenario.name.clone(),
            what: scenario.description.clone(),
            scenarios: vec![scenario],
        };
        let scenarios = runs::read(&arguments.files)?;
        return Ok(scenarios.into_iter().map(of_file).collect());
    }
    let mut all = families();
    let recorded = recordings(arguments.traces.as_deref(), left_out)?;
    // The recordings follow the synthetic radio.
    let place = all.iter().position(|family| family.name == "fading");
    if let Some(recorded) = recorded {
        all.insert(place.map_or(all.len(), |place| place + 1), recorded);
    }
    let wanted = &arguments.families;
    let is_known = |name: &&String| all.iter().all(|family| family.name != **name);
    if let Some(unknown) = wanted.iter().find(is_known) {
        let names: Vec<&str> = all.iter().map(|family| family.name.as_str()).collect();
        let names = names.join(", ");
        let message = match unknown.as_str() {
            RECORDED => "the family `cellular` needs recordings: give their folder with --traces \
                         DIR (docs/comparison.md says where they come from)"
                .to_owned(),
            unknown => format!("there is no family `{unknown}`; expected one of {names}"),
        };
        return Err(Failure::new(BAD_INPUT, message));
    }
    all.retain(|family| wanted.is_empty() || wanted.contains(&family.name));
    if !all.iter().any(|family| family.name == RECORDED) {
        left_out.retain(|reason| wanted.is_empty() || !reason.contains(RECORDED));
    }
    Ok(all)
}

/// The family of recordings, if the user has a folder with some.
fn recordings(
    folder: Option<&Path>,
    left_out: &mut Vec<String>,
) -> Result<Option<Family>, Failure> {
    let Some(folder) = folder else {
        left_out.push(format!(
            "the family `{RECORDED}` needs recordings (--traces DIR, docs/comparison.md)"
        ));
        return Ok(None);
    };
    let (family, missing) = recorded_families(folder).map_err(refused)?;
    if family.is_none() {
        let message = format!(
            "{} has no recording, for example {}: docs/comparison.md says where they come from",
            folder.display(),
            missing[0].display()
        );
        return Err(Failure::new(BAD_INPUT, message));
    }
    left_out.extend(missing.iter().map(|file| {
        format!(
            "a recording of the family `{RECORDED}` is missing: {}",
            file.display()
        )
    }));
    Ok(family)
}
