//! `onramp status`: the registered start-ups.

use super::{print_json, totals, Answer};
use crate::failure::DONE;
use crate::text;
use crate::text::{out, say};
use onramp_scenario::units::format_time;

pub fn run(json: bool) -> Answer {
    let all = totals::all()?;
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
        "GOVERNOR",
        "CONNECTIONS",
        "UNTIL",
    ];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(all.iter().map(|counted| {
        let loaded = &counted.loaded;
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
            loaded.name.clone(),
            loaded.startup.clone(),
            loaded.avoidance.to_owned(),
            initial_window.to_owned(),
            memory,
            totals::governor_cell(counted.governor.as_ref()),
            loaded.connections.to_string(),
            until,
        ]
    }));
    out(format_args!("{}", text::columns(&rows)));
    for counted in &all {
        out(format_args!("\n{}", totals::paragraph(counted)));
    }
    Ok(DONE)
}
