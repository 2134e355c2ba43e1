//! `onramp unload`.

use crate::cli::UnloadArguments;
use onramp_cli::failure::{Failure, BAD_INPUT, DONE, HOST_LACKS, MISSED};
use onramp_cli::text;
use onramp_cli::text::say;
use onramp_cli::{print_json, Answer};
use onramp_kernel::{Connections, Loaded, Unloaded};
use std::collections::BTreeSet;

pub fn run(arguments: &UnloadArguments, json: bool) -> Answer {
    let connections = match (&arguments.to, arguments.live) {
        (Some(name), _) => Connections::To(name.clone()),
        (None, true) => Connections::ToPreviousDefault,
        (None, false) => Connections::Keep,
    };
    let unloaded: Vec<Unloaded> = names(arguments)?
        .iter()
        .map(|name| onramp_kernel::unload(name, &connections))
        .collect::<Result<_, _>>()?;
    if json {
        print_json(&unloaded);
    } else {
        unloaded.iter().for_each(explain);
    }
    if unloaded.is_empty() {
        return explain_others(arguments, json);
    }
    let is_default_somewhere = |unloaded: &Unloaded| {
        let mut defaults = unloaded.restored_defaults.iter();
        defaults.any(|restored| restored.error.is_some())
    };
    Ok(match unloaded.iter().any(is_default_somewhere) {
        true => HOST_LACKS,
        false => DONE,
    })
}

/// What to unload.
fn names(arguments: &UnloadArguments) -> Result<Vec<String>, Failure> {
    if let Some(name) = &arguments.startup {
        return Ok(vec![name.clone()]);
    }
    let mut loaded = onramp_kernel::loaded()?;
    if arguments.all {
        // What has ended keeps its connections, until --live moves them.
        loaded.retain(|loaded| match loaded.registered {
            true => is_of_load(loaded),
            false => arguments.live,
        });
    } else {
        loaded.retain(|loaded| loaded.registered);
        check_is_clear(&loaded)?;
    }
    let names: BTreeSet<String> = loaded.into_iter().map(|loaded| loaded.name).collect();
    Ok(names.into_iter().collect())
}

/// Did `load` of this version register it?
fn is_of_load(loaded: &Loaded) -> bool {
    loaded.owner_pid.is_none() && !loaded.service && !loaded.other_version
}

/// Without a name there has to be one registration at most, which `load` made.
fn check_is_clear(registered: &[Loaded]) -> Result<(), Failure> {
    if registered.len() < 2 && registered.iter().all(is_of_load) {
        return Ok(());
    }
    let names: Vec<String> = registered.iter().map(describe).collect();
    let message = format!(
        "which start-up? These are registered: {}. Give the name of one that `load` registered, \
         or --all for all of those; those of a process or of `onramp serve` end with it",
        names.join(", ")
    );
    Err(Failure::new(BAD_INPUT, message))
}

/// Whose a registration is.
fn describe(loaded: &Loaded) -> String {
    let name = &loaded.name;
    match loaded.owner_pid {
        Some(pid) => format!("{name} (of process {pid})"),
        None if loaded.service => format!("{name} (of `onramp serve`)"),
        None if loaded.other_version => format!("{name} (of another version of Onramp)"),
        None => name.clone(),
    }
}

/// There was nothing to unload: says what others have registered. A user who wants live connections
/// to move, where others' go on, did not get that.
fn explain_others(arguments: &UnloadArguments, json: bool) -> Answer {
    let others = onramp_kernel::loaded()?;
    let connections: usize = others.iter().map(|loaded| loaded.connections).sum();
    if !json && others.is_empty() {
        say!("Nothing is loaded.");
    } else if !json {
        let names: Vec<String> = others.iter().map(describe).collect();
        say!(
            "`load` has registered nothing. In the kernel: {}, with {}. To end everything of \
             Onramp on this host, run: onramp off",
            names.join(", "),
            text::count(connections, "connection")
        );
    }
    Ok(match arguments.live && connections > 0 {
        true => MISSED,
        false => DONE,
    })
}

/// Says what was done to end a registration.
pub fn explain(unloaded: &Unloaded) {
    let name = &unloaded.loaded.name;
    match (&unloaded.moved, unloaded.loaded.connections) {
        (None, 1..) => say!(
            "{name} is no longer registered; {} that use it continue.",
            text::count(unloaded.loaded.connections, "connection")
        ),
        _ => say!("{name} is no longer registered."),
    }
    for restored in &unloaded.restored_defaults {
        let namespace = &restored.network_namespace;
        match (&restored.default, &restored.error) {
            (Some(default), _) => say!("The default of {namespace} is {default} again."),
            (None, Some(error)) => say!(
                "The default of {namespace} still is {name}, so new connections there use it: \
                 {error}"
            ),
            (None, None) => {}
        }
    }
    if let Some(moved) = unloaded.moved.as_ref().filter(|moved| moved.sockets > 0) {
        let names: Vec<&str> = moved.to.iter().map(String::as_str).collect();
        let sockets = text::count(moved.sockets as usize, "socket");
        say!("Moved {sockets} to {}.", names.join(", "));
    }
    let left = text::count(unloaded.references_left as usize, "socket");
    match (&unloaded.moved, unloaded.references_left) {
        (_, 0) => {}
        (None, _) => say!(
            "{name} stays with {left} until they close. To move live connections now, run: onramp \
             unload {name} --live"
        ),
        (Some(_), _) => say!(
            "{name} stays with {left} until they close, because only sockets that are connected \
             or listen can be moved. `onramp status` shows what is left."
        ),
    }
}
