//! `onramp status`: the registered start-ups, and what uses them.

use super::totals::{self, Counted};
use onramp_cli::failure::DONE;
use onramp_cli::text;
use onramp_cli::text::{out, say};
use onramp_cli::{print_json, Answer};
use onramp_config::units::format_time;
use onramp_core::line_bits_per_s;
use onramp_kernel::{Loaded, Status, Timer};

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
    let heading =
        "NAME, START-UP, AVOIDANCE, INITIAL WINDOW, INITIAL RATE, MEMORY, GOVERNOR, USERS, \
                   CONNECTIONS, OTHERS, DEFAULT, UNTIL";
    text::print_table(heading, all.iter().map(row));
    for counted in &all {
        explain(&counted.status);
    }
    for counted in &all {
        out(format_args!("\n{}", totals::paragraph(counted)));
    }
    Ok(DONE)
}

fn row(counted: &Counted) -> Vec<String> {
    let status = &counted.status;
    let loaded = &status.loaded;
    let memory = match loaded.memory_lifetime_ns() {
        0 => loaded.memory.to_owned(),
        lifetime_ns => format!("{}, {}", loaded.memory, format_time(lifetime_ns)),
    };
    let initial_window = match loaded.paper_initial_window {
        true => "paper",
        false => "host",
    };
    let users = match loaded.restricted {
        true => "restricted",
        false => "all",
    };
    let default = match status.default_in.as_slice() {
        [] => "no".to_owned(),
        [one] if one.is_own => "here".to_owned(),
        several => text::count(several.len(), "namespace"),
    };
    vec![
        loaded.name.clone(),
        loaded.startup.clone(),
        loaded.avoidance.to_owned(),
        initial_window.to_owned(),
        initial_rate(loaded),
        memory,
        totals::governor_cell(counted.governor.as_ref()),
        users.to_owned(),
        loaded.connections.to_string(),
        status.other_references.to_string(),
        default,
        until(status),
    ]
}

/// The initial rate of new connections, in words.
pub fn initial_rate(loaded: &Loaded) -> String {
    let rate = text::rate(line_bits_per_s(loaded.initial_bytes_per_s) / 8);
    match (loaded.initial_bytes_per_s, loaded.initial_rate_is_learned) {
        _ if loaded.other_version => "unknown".to_owned(),
        (0, _) => "off".to_owned(),
        (_, false) => format!("fixed ({rate})"),
        (_, true) => match loaded.initial_rate_prefixes {
            0 => format!("auto (now {rate})"),
            1 => format!("auto (now {rate}; 1 prefix has its own)"),
            prefixes => format!("auto (now {rate}; {prefixes} prefixes have their own)"),
        },
    }
}

fn until(status: &Status) -> String {
    let loaded = &status.loaded;
    let uses_it = match (status.default_in.is_empty(), loaded.connections) {
        (false, _) => "another default is chosen",
        (true, 0) => "its sockets close",
        (true, _) => "its connections end",
    };
    match (loaded.registered, loaded.owner_pid) {
        (false, _) => format!("{uses_it} (no longer registered)"),
        (true, None) if loaded.service => "onramp serve ends".to_owned(),
        (true, None) if loaded.other_version => "onramp off (of another version)".to_owned(),
        (true, None) => "onramp unload".to_owned(),
        (true, Some(pid)) => format!("process {pid} ends"),
    }
}

/// Says where it is the default, which timers it sets, and how a leftover ends.
fn explain(status: &Status) {
    let name = &status.loaded.name;
    for namespace in &status.default_in {
        say!("{name} is the default of {namespace}.");
    }
    let timers = status.loaded.timers;
    let ms = |timer: Timer| format_time(timer.time().as_nanos() as u64);
    if let Some(rto_min) = timers.rto_min {
        say!(
            "{name} times out {} or more after an RTT, instead of 200 ms.",
            ms(rto_min)
        );
    }
    if let Some(delack_max) = timers.delack_max {
        say!("{name} delays ACKs by {} at most.", ms(delack_max));
    }
    if status.loaded.registered {
        return;
    }
    if !status.default_in.is_empty() {
        say!("{name} is no longer registered, and new connections there still use it.");
    }
    say!(
        "{name} is left over until nothing uses it. To move its connections and listening sockets \
         to the default from before, run: onramp unload {name} --live"
    );
    if status.other_references > 0 {
        say!(
            "OTHERS counts sockets that listen or are not connected, and references that the \
             kernel has lost (docs/kernel.md)."
        );
    }
}
