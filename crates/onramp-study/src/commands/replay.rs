//! `onramp replay`: compares the decisions of the native build of core/ with the recorded decisions
//! of the kernel's build.

use crate::cli::ReplayArguments;
use crate::recording::{self, Line};
use onramp_cli::failure::{Failure, BAD_INPUT, DONE, MISSED};
use onramp_cli::text;
use onramp_cli::text::say;
use onramp_cli::{print_json, Answer};
use onramp_core::{Parameters, Startup};
use onramp_kernel::Input;
use serde_json::json;
use std::collections::{BTreeMap, HashMap};

/// Maximum number of differences that are printed as text.
const MAX_SHOWN: usize = 10;
/// Bounds of a recording, so that an endless one ends with an error.
const BOUNDS: Bounds = Bounds {
    lines: 100_000_000,
    connections: 100_000,
    differences: 10_000,
};

/// The largest recording that is replayed.
#[derive(Clone, Copy)]
struct Bounds {
    lines: usize,
    /// Each connection keeps the state of its start-up.
    connections: usize,
    /// Each difference keeps both decisions.
    differences: usize,
}

pub fn run(arguments: &ReplayArguments, as_json: bool) -> Answer {
    let mut replay = Replay::new(BOUNDS);
    for entry in recording::read(&arguments.file)? {
        let (number, line) = entry?;
        let bad_line = |reason| {
            let place = format!("{}:{number}", arguments.file.display());
            Failure::new(BAD_INPUT, format!("{place}: {reason}"))
        };
        replay.line(number, line).map_err(bad_line)?;
    }
    if replay.startups.is_empty() {
        let file = arguments.file.display();
        return Err(Failure::new(
            BAD_INPUT,
            format!(
                "{file} holds no decision: expected a recording of `onramp lab --record` with \
                 start-ups other than `none`"
            ),
        ));
    }
    print(&replay, as_json);
    Ok(if replay.differences.is_empty() {
        DONE
    } else {
        MISSED
    })
}

/// The start-ups of the recorded connections, and the comparison so far.
struct Replay {
    bounds: Bounds,
    /// By transfer, algorithm and connection.
    startups: HashMap<(usize, String, u64), Startup>,
    decisions: usize,
    differences: Vec<serde_json::Value>,
}

impl Replay {
    fn new(bounds: Bounds) -> Replay {
        Replay {
            bounds,
            startups: HashMap::new(),
            decisions: 0,
            differences: Vec::new(),
        }
    }

    /// Refuses a recording that exceeds the bounds.
    fn check_bounds(&self) -> Result<(), String> {
        let counted = [
            (self.decisions, self.bounds.lines, "lines"),
            (self.startups.len(), self.bounds.connections, "connections"),
            (
                self.differences.len(),
                self.bounds.differences,
                "differences",
            ),
        ];
        match counted.iter().find(|(count, max, _)| count > max) {
            None => Ok(()),
            Some((_, max, what)) => Err(format!(
                "this recording has more than {max} {what}; replay a part of it"
            )),
        }
    }

    /// Gives the input of a line to its start-up, and compares the decisions. An error is the
    /// reason why the line cannot be replayed.
    fn line(&mut self, number: usize, line: Line) -> Result<(), String> {
        let Line {
            transfer,
            startup,
            parameters,
            event,
            ..
        } = line;
        let key = (transfer, startup, event.connection);
        if let Input::Start(_) = event.input {
            let fresh = fresh(&key.1, &parameters)?;
            self.startups.insert(key.clone(), fresh);
        }
        let native = self
            .startups
            .get_mut(&key)
            .ok_or("expected the connection's start first")?;
        let decision = match &event.input {
            Input::Start(start) => native.start(start),
            Input::Ack(ack) if ack.mss_bytes > 0 => native.ack(ack),
            Input::Ack(_) => return Err("mss_bytes is 0".to_owned()),
            Input::Loss(loss) => native.loss(loss),
            // The host has decided this, not the algorithm.
            Input::End(_) => return Ok(()),
        };
        self.decisions += 1;
        if decision != event.decision {
            self.differences
                .push(json!({ "line": number, "kernel": event.decision, "native": decision }));
        }
        self.check_bounds()
    }
}

/// A start-up with these parameters, by their names in C.
fn fresh(startup: &str, given: &BTreeMap<String, u64>) -> Result<Startup, String> {
    let mut parameters = Parameters::default();
    let mut given = given.iter();
    if let Some((name, value)) = given.find(|(name, value)| !parameters.set(startup, name, **value))
    {
        return Err(format!(
            "`{startup}` has no parameter `{name}` with a range that contains {value}"
        ));
    }
    Startup::with(startup, parameters).ok_or_else(|| format!("there is no start-up `{startup}`"))
}

fn print(replay: &Replay, as_json: bool) {
    let Replay {
        startups,
        decisions,
        differences,
        ..
    } = replay;
    if as_json {
        print_json(&json!({
            "connections": startups.len(),
            "decisions": decisions,
            "differences": differences,
        }));
        return;
    }
    for difference in differences.iter().take(MAX_SHOWN) {
        say!("{difference}");
    }
    let verdict = match differences.len() {
        0 => "all the same".to_owned(),
        number => text::count(number, "difference"),
    };
    say!(
        "{}, {}: {verdict}",
        text::count(startups.len(), "connection"),
        text::count(*decisions, "decision"),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_core::{Decision, Start};
    use onramp_kernel::Event;

    /// The start of a connection, with a decision that is not the native build's.
    fn start(connection: u64) -> Line {
        let nowhere = "192.0.2.1:1".parse().unwrap();
        Line {
            scenario: "x".to_owned(),
            transfer: 0,
            startup: "standard".to_owned(),
            parameters: BTreeMap::new(),
            event: Event {
                connection,
                local: nowhere,
                remote: nowhere,
                input: Input::Start(Start {
                    mss_bytes: 1448,
                    ..Start::default()
                }),
                decision: Decision::default(),
            },
        }
    }

    #[test]
    fn an_endless_recording_ends_with_an_error() {
        let many = Bounds {
            lines: 1000,
            connections: 1000,
            differences: 1000,
        };
        let cases = [
            (Bounds { lines: 5, ..many }, "5 lines"),
            (
                Bounds {
                    connections: 5,
                    ..many
                },
                "5 connections",
            ),
            (
                Bounds {
                    differences: 5,
                    ..many
                },
                "5 differences",
            ),
        ];
        for (bounds, reason) in cases {
            let mut replay = Replay::new(bounds);
            let (number, refused) = (1..)
                .find_map(|number| {
                    let result = replay.line(number, start(number as u64));
                    result.err().map(|reason| (number, reason))
                })
                .unwrap();
            assert_eq!(number, 6, "{refused}");
            assert!(refused.contains(reason), "{refused}");
        }
    }
}
