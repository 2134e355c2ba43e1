//! `onramp unload`.

use crate::cli::UnloadArguments;
use onramp_cli::failure::{Failure, BAD_INPUT, DONE, HOST_LACKS};
use onramp_cli::text;
use onramp_cli::text::say;
use onramp_cli::{print_json, Answer};
use onramp_kernel::{Connections, Loaded, Unloaded};

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
    } else if unloaded.is_empty() {
        say!("Nothing is loaded.");
    } else {
        unloaded.iter().for_each(explain);
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
    let mut registered = onramp_kernel::loaded()?;
    registered.retain(|loaded| loaded.registered);
    if arguments.all {
        registered.retain(|loaded| loaded.owner_pid.is_none() && !loaded.service);
    } else {
        check_is_clear(&registered)?;
    }
    Ok(registered.into_iter().map(|loaded| loaded.name).collect())
}

/// Without a name there has to be one registration at most, which `load` made.
fn check_is_clear(registered: &[Loaded]) -> Result<(), Failure> {
    if matches!(
        registered,
        [] | [Loaded {
            owner_pid: None,
            service: false,
            ..
        }]
    ) {
        return Ok(());
    }
    let describe = |loaded: &Loaded| match loaded.owner_pid {
        Some(pid) => format!("{} (of process {pid})", loaded.name),
        None if loaded.service => format!("{} (of `onramp serve`)", loaded.name),
        None => loaded.name.clone(),
    };
    let names: Vec<String> = registered.iter().map(describe).collect();
    let message = format!(
        "which start-up? These are registered: {}. Give the name of one that `load` registered, \
         or --all for all of those; those of a process or of `onramp serve` end with it",
        names.join(", ")
    );
    Err(Failure::new(BAD_INPUT, message))
}

fn explain(unloaded: &Unloaded) {
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
