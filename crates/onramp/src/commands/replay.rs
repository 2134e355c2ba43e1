//! `onramp replay`: compares the decisions of the native build of core/ with the recorded decisions
//! of the kernel's build.

use super::{print_json, Answer};
use crate::cli::ReplayArguments;
use crate::failure::{Failure, BAD_INPUT, DONE, MISSED};
use crate::recording::{self, Line};
use crate::text;
use crate::text::say;
use onramp_core::Startup;
use onramp_kernel::Input;
use serde_json::json;
use std::collections::HashMap;

/// Maximum number of differences that are printed as text.
const MAX_SHOWN: usize = 10;

pub fn run(arguments: &ReplayArguments, as_json: bool) -> Answer {
    let mut replay = Replay::default();
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
#[derive(Default)]
struct Replay {
    /// By transfer, algorithm and connection.
    startups: HashMap<(usize, String, u64), Startup>,
    decisions: usize,
    differences: Vec<serde_json::Value>,
}

impl Replay {
    /// Gives the input of a line to its start-up, and compares the decisions. An error is the
    /// reason why the line cannot be replayed.
    fn line(&mut self, number: usize, line: Line) -> Result<(), String> {
        let Line {
            transfer,
            startup,
            event,
            ..
        } = line;
        let key = (transfer, startup, event.connection);
        if let Input::Start(_) = event.input {
            let fresh =
                Startup::new(&key.1).ok_or_else(|| format!("there is no start-up `{}`", key.1))?;
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
        };
        self.decisions += 1;
        if decision != event.decision {
            self.differences
                .push(json!({ "line": number, "kernel": event.decision, "native": decision }));
        }
        Ok(())
    }
}

fn print(replay: &Replay, as_json: bool) {
    let Replay {
        startups,
        decisions,
        differences,
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
