//! `onramp try`: an algorithm of the user's, a C header outside of `core/`, is compiled, simulated
//! beside others, repeated by a checked build, and verified by this machine's kernel.

mod cases;
mod compile;
mod crash;
mod header;
mod verifier;

use super::runs;
use super::sim::{simulate, Simulated};
use crate::cli::TryArguments;
use crate::commands::unwritten;
use cases::is_own;
use compile::{load, Build, Sources};
use header::Header;
use onramp_cli::failure::{Failure, BAD_INPUT, DONE, MISSED};
use onramp_cli::text::{count, say};
use onramp_cli::{print_json, Answer};
use onramp_core::supplied::{recorded, Replayed, MAX_RECORDED_STATE_BYTES};
use onramp_report::Run;
use onramp_results::Record;
use onramp_scenario::{Case, Scenario};
use onramp_sim::supports;
use serde_json::{json, Value};
use verifier::Verdict;

pub fn run(arguments: &TryArguments, json: bool) -> Answer {
    let header = Header::at(&arguments.header)?;
    let sources = Sources::of(&header)?;
    let library = load(&sources.library(Build::Optimised)?)?;
    let checked = load(&sources.library(Build::Checked)?)?;
    library
        .register()
        .expect("Header::at() refuses a name that is taken");
    let parameters = cases::parameters(&header, arguments)?;
    let scenarios = cases::scenarios(arguments)?;
    for note in scenarios.iter().filter_map(Scenario::note) {
        eprintln!("note: {note}");
    }
    let cases = cases::cases(&scenarios, &header.name, parameters, arguments);
    let cases = runs::supported(cases.iter().collect(), supports);
    if !cases.iter().any(|case| is_own(case, &header.name)) {
        let message = "the simulator runs no transfer of the scenarios";
        return Err(Failure::new(BAD_INPUT, message));
    }
    if let Some(out) = &arguments.out {
        onramp_report::prepare(out).map_err(unwritten)?;
    }

    crash::explain();
    let with_traces = runs::with_traces(arguments.out.as_deref(), arguments.traces, cases.len());
    let once = |cases: &[&Case], with_traces| {
        simulate(cases, arguments.threads, with_traces, |_, case, options| {
            Ok((onramp_sim::run(case, options)?, ()))
        })
    };
    let (recording, Simulated { runs, ending, .. }) = recorded(|| once(&cases, with_traces));
    let ending = ending?;
    let is_again = repeats(&cases, &runs, &header.name, |own| once(own, false).runs);
    let replayed = checked.replay(&recording);
    let verdict = match arguments.no_kernel {
        true => Verdict::LeftOut("--no-kernel".to_owned()),
        false => Verdict::of(&sources, &header.name, parameters)?,
    };

    let findings = Findings {
        state_bytes: library.state_bytes(),
        is_again,
        replayed,
        verdict,
    };
    let ending = match ending {
        DONE if !findings.are_good() => MISSED,
        ending => ending,
    };
    let what = "Simulated transfers, with an algorithm that is not of Onramp.";
    let meta = |ending: &Answer| runs::meta("try", what, &scenarios, ending);
    if json {
        if let Some(out) = &arguments.out {
            onramp_report::write(out, &meta(&Ok(ending)), &runs).map_err(unwritten)?;
        }
        print_json(&findings.json(&header, &runs));
        return Ok(ending);
    }
    runs::conclude(&runs, Ok(ending), arguments.out.as_deref(), false, meta)?;
    findings.print(&header.name);
    Ok(ending)
}

/// Runs the cases of the algorithm again. Are the results the same?
fn repeats(
    cases: &[&Case],
    runs: &[Run],
    name: &str,
    again: impl FnOnce(&[&Case]) -> Vec<Run>,
) -> bool {
    let own: Vec<&Case> = cases
        .iter()
        .copied()
        .filter(|case| is_own(case, name))
        .collect();
    // A record names the parameters behind the start-up.
    let of_own = |run: &&Run| run.record.startup.split(' ').next() == Some(name);
    let first: Vec<&Record> = runs.iter().filter(of_own).map(|run| &run.record).collect();
    let second = again(&own);
    let second: Vec<&Record> = second
        .iter()
        .filter(of_own)
        .map(|run| &run.record)
        .collect();
    !first.is_empty() && first == second
}

/// What was found out about the algorithm, beside its results.
struct Findings {
    state_bytes: usize,
    is_again: bool,
    replayed: Replayed,
    verdict: Verdict,
}

impl Findings {
    fn are_good(&self) -> bool {
        self.is_again
            && self.replayed.differences == 0
            && !matches!(self.verdict, Verdict::Refused(_))
    }

    fn print(&self, name: &str) {
        say!(
            "Run twice: {}",
            match self.is_again {
                true => "the results are the same".to_owned(),
                false => format!(
                    "the results differ. {name}.h may keep state outside of struct {name}, or read \
                     a value that it did not set"
                ),
            }
        );
        say!("Replayed: {}", self.replay());
        say!("{}", self.verdict.text());
    }

    fn replay(&self) -> String {
        if self.state_bytes > MAX_RECORDED_STATE_BYTES {
            return format!(
                "left out: the state has {} bytes, and {MAX_RECORDED_STATE_BYTES} is the most that \
                 is recorded",
                self.state_bytes
            );
        }
        let Replayed {
            connections,
            decisions,
            differences,
            first,
        } = self.replayed;
        let all = format!(
            "{}, {}",
            count(connections, "connection"),
            count(decisions, "decision")
        );
        match first {
            None => {
                format!("{all}: the same from a build that traps undefined behaviour")
            }
            Some(first) => format!(
                "{all}: {} from a build that traps undefined behaviour, the first in event {} of \
                 connection {}:\n{}\n{}",
                count(differences, "difference"),
                first.event + 1,
                first.connection + 1,
                json!({ "simulated": first.recorded }),
                json!({ "replayed": first.replayed }),
            ),
        }
    }

    fn json(&self, header: &Header, runs: &[Run]) -> Value {
        let results: Vec<&Record> = runs.iter().map(|run| &run.record).collect();
        json!({
            "algorithm": header.name,
            "header": header.path,
            "state_bytes": self.state_bytes,
            "results": results,
            "deterministic": self.is_again,
            "replay": {
                "connections": self.replayed.connections,
                "decisions": self.replayed.decisions,
                "differences": self.replayed.differences,
            },
            "verifier": self.verdict.json(),
        })
    }
}
