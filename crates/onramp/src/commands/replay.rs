//! `onramp replay`: the native build of core/ against what the kernel's build decided.

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

pub fn run(arguments: &ReplayArguments, as_json: bool) -> Answer {
    let mut startups: HashMap<(usize, String, u64), Startup> = HashMap::new();
    let mut compared = 0;
    let mut differences = Vec::new();
    for entry in recording::read(&arguments.file)? {
        let (
            number,
            Line {
                transfer,
                startup,
                event,
                ..
            },
        ) = entry?;
        let place = || format!("{}:{number}", arguments.file.display());
        let key = (transfer, startup, event.connection);
        if let Input::Start(_) = event.input {
            let fresh = Startup::new(&key.1).ok_or_else(|| {
                Failure::new(
                    BAD_INPUT,
                    format!("{}: there is no start-up `{}`", place(), key.1),
                )
            })?;
            startups.insert(key.clone(), fresh);
        }
        let native = startups.get_mut(&key).ok_or_else(|| {
            Failure::new(
                BAD_INPUT,
                format!("{}: expected the connection's start first", place()),
            )
        })?;
        let decision = match &event.input {
            Input::Start(start) => native.start(start),
            Input::Ack(ack) if ack.mss_bytes > 0 => native.ack(ack),
            Input::Ack(_) => {
                return Err(Failure::new(
                    BAD_INPUT,
                    format!("{}: mss_bytes is 0", place()),
                ))
            }
            Input::Loss(loss) => native.loss(loss),
        };
        compared += 1;
        if decision != event.decision {
            differences
                .push(json!({ "line": number, "kernel": event.decision, "native": decision }));
        }
    }
    if startups.is_empty() {
        let file = arguments.file.display();
        return Err(Failure::new(
            BAD_INPUT,
            format!(
                "{file} holds no decision: expected what `onramp lab --record` wrote of start-ups other than `none`"
            ),
        ));
    }
    if as_json {
        print_json(
            &json!({ "connections": startups.len(), "decisions": compared, "differences": differences }),
        );
    } else {
        for difference in differences.iter().take(10) {
            say!("{difference}");
        }
        say!(
            "{}, {}: {}",
            text::count(startups.len(), "connection"),
            text::count(compared, "decision"),
            if differences.is_empty() {
                "all the same".to_owned()
            } else {
                text::count(differences.len(), "difference")
            }
        );
    }
    Ok(if differences.is_empty() { DONE } else { MISSED })
}
