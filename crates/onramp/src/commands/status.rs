//! `onramp status`: the registered start-ups.

use super::{print_json, Answer};
use crate::failure::DONE;
use crate::text;
use crate::text::{out, say};
use onramp_scenario::units::format_time;

pub fn run(json: bool) -> Answer {
    let all = onramp_kernel::loaded()?;
    if json {
        print_json(&all);
        return Ok(DONE);
    }
    if all.is_empty() {
        say!("Nothing is loaded.");
        return Ok(DONE);
    }
    let heading = [
        "NAME",
        "START-UP",
        "AVOIDANCE",
        "INITIAL WINDOW",
        "MEMORY",
        "CONNECTIONS",
        "UNTIL",
    ];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(all.into_iter().map(|loaded| {
        let until = match (loaded.registered, loaded.owner_pid) {
            (false, _) => "its connections end (no longer registered)".to_owned(),
            (true, None) => "onramp unload".to_owned(),
            (true, Some(pid)) => format!("process {pid} ends"),
        };
        let memory = match loaded.memory_lifetime_ns() {
            0 => loaded.memory.to_owned(),
            lifetime_ns => format!("{}, {}", loaded.memory, format_time(lifetime_ns)),
        };
        let initial_window = if loaded.paper_initial_window {
            "paper"
        } else {
            "host"
        };
        vec![
            loaded.name,
            loaded.startup,
            loaded.avoidance.to_owned(),
            initial_window.to_owned(),
            memory,
            loaded.connections.to_string(),
            until,
        ]
    }));
    out(format_args!("{}", text::columns(&rows)));
    Ok(DONE)
}
