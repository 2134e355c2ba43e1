//! `onramp memory`: the paths that start-ups remember.

use crate::cli::MemoryArguments;
use onramp_cli::failure::{Failure, BAD_INPUT, DONE};
use onramp_cli::text;
use onramp_cli::text::say;
use onramp_cli::{print_json, Answer};
use onramp_kernel::{Loaded, PathsMap, RememberedPath};

pub fn run(arguments: &MemoryArguments, json: bool) -> Answer {
    let all = onramp_kernel::loaded()?;
    let memories = all
        .iter()
        .map(Loaded::memory)
        .collect::<Result<Vec<_>, _>>()?;
    let memories: Vec<PathsMap> = memories.into_iter().flatten().collect();
    if memories.is_empty() {
        let message =
            "no registered start-up remembers paths; register one with: onramp load --memory \
             careful";
        return Err(Failure::new(BAD_INPUT, message.to_owned()));
    }
    match &arguments.forget {
        Some(destination) => forget(&memories, destination.0, json),
        None => show(&memories, json),
    }
}

fn forget(memories: &[PathsMap], destination: Option<std::net::IpAddr>, json: bool) -> Answer {
    let counts = memories
        .iter()
        .map(|memory| memory.forget(destination))
        .collect::<Result<Vec<_>, _>>()?;
    let forgotten: usize = counts.into_iter().sum();
    match json {
        true => print_json(&serde_json::json!({ "forgotten": forgotten })),
        false => say!("{} forgotten.", text::count(forgotten, "path")),
    }
    Ok(DONE)
}

fn show(memories: &[PathsMap], json: bool) -> Answer {
    let paths = memories
        .iter()
        .map(PathsMap::paths)
        .collect::<Result<Vec<_>, _>>()?;
    let paths: Vec<RememberedPath> = paths.into_iter().flatten().collect();
    if json {
        print_json(&paths);
        return Ok(DONE);
    }
    if paths.is_empty() {
        say!("Nothing is remembered.");
        return Ok(DONE);
    }
    let heading =
        "DESTINATION, FROM, NETNS, CONTROL, CARRIED, CONFIRMED, RTT, RATE, AGE, LEFT, IN USE";
    let rows = paths.into_iter().map(|path| {
        vec![
            path.remote.to_string(),
            path.local.to_string(),
            path.network_namespace.to_string(),
            path.congestion_control,
            text::bytes(path.carried_bytes),
            text::bytes(path.confirmed_bytes),
            format!("{:.1} ms", path.rtt_s * 1e3),
            text::rate((path.carried_bytes as f64 / path.rtt_s) as u64),
            format!("{:.0} s", path.age_s),
            format!("{:.0} s", path.left_s),
            if path.in_use { "yes" } else { "no" }.to_owned(),
        ]
    });
    text::print_table(heading, rows);
    Ok(DONE)
}
