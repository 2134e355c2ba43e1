//! `onramp load` and `onramp unload`.

use super::{print_json, qos, Answer};
use crate::cli::{FirstWindow, LoadArguments, StartupArguments, UnloadArguments};
use crate::failure::{Failure, BAD_INPUT, DONE};
use crate::text;
use crate::text::say;
use onramp_core::memory::LIFETIME_NS;
use onramp_kernel::{Lifetime, Loaded, Options, Registration};
use onramp_scenario::units::format_time;
use onramp_scenario::Memory;

pub fn options(startup: &str, arguments: &StartupArguments, lifetime: Lifetime) -> Options {
    Options {
        avoidance: arguments.avoidance.into(),
        paper_initial_window: arguments.initial_window == FirstWindow::Paper,
        packet_pairs: arguments.packet_pairs,
        memory: arguments.memory.map_or(Memory::Off, Memory::from),
        memory_lifetime_ns: arguments.memory_lifetime.unwrap_or(LIFETIME_NS),
        governor_bound_ppm: arguments.governor,
        memory_jump_bytes: arguments.memory_jump.unwrap_or(0),
        lifetime,
        ..Options::new(startup)
    }
}

pub fn load(arguments: &LoadArguments, json: bool) -> Answer {
    let options = options(
        &arguments.startup,
        &arguments.options,
        Lifetime::UntilUnloaded,
    );
    if !arguments.limits.is_empty() && !onramp_core::reserves(&arguments.startup) {
        let sentence = format!(
            "--total, --per-user and --limit are options of start-up qos; {} reserves nothing",
            arguments.startup
        );
        return Err(Failure::new(BAD_INPUT, sentence));
    }
    let registration = Registration::new(&options)?;
    let name = registration.name();
    let reservations = registration.reservations()?;
    if let Some(reservations) = &reservations {
        // Without its socket option, or with only some of its limits, the start-up would be
        // useless.
        qos::offer(reservations, &arguments.limits)
            .inspect_err(|_| drop(onramp_kernel::unload(name)))?;
    }
    if json {
        let loaded = onramp_kernel::loaded()?
            .into_iter()
            .find(|loaded| loaded.name == name && loaded.registered);
        print_json(&loaded);
        return Ok(DONE);
    }
    say!(
        "{name} is registered: {}, then {}.",
        arguments.startup,
        options.avoidance.name()
    );
    if let Some(reservations) = &reservations {
        say!(
            "A program reserves a rate with setsockopt(TCP_QOS): bpf/include/onramp/tcp_qos.h, \
             docs/algorithms/qos.md"
        );
        say!("For programs that do not, use: onramp exec --qos-rate RATE -- CMD");
        return qos::show(reservations);
    }
    if let Some(lifetime) = registration
        .memory()?
        .map(|_| format_time(options.memory_lifetime_ns))
    {
        say!(
            "The BDP and the RTT of each path are remembered for {lifetime}; `onramp memory` shows \
             them."
        );
    }
    say!(
        "A program chooses it with setsockopt(TCP_CONGESTION). Or start a program with: onramp \
         exec -- CMD"
    );
    say!(
        "For all new connections of this network namespace, run: \
         sysctl -w net.ipv4.tcp_congestion_control={name}"
    );
    Ok(DONE)
}

pub fn unload(arguments: &UnloadArguments, json: bool) -> Answer {
    let unloaded: Vec<Loaded> = match &arguments.startup {
        Some(name) => vec![onramp_kernel::unload(name)?],
        None => {
            let is_of_load = |loaded: &Loaded| loaded.registered && loaded.owner_pid.is_none();
            let names = onramp_kernel::loaded()?
                .into_iter()
                .filter(is_of_load)
                .map(|loaded| loaded.name);
            names
                .map(|name| onramp_kernel::unload(&name))
                .collect::<Result<_, _>>()?
        }
    };
    if json {
        print_json(&unloaded);
        return Ok(DONE);
    }
    if unloaded.is_empty() {
        say!("Nothing is loaded.");
    }
    let default = onramp_kernel::default_in_this_namespace();
    for Loaded {
        name, connections, ..
    } in unloaded
    {
        match connections {
            0 => say!("{name} is no longer registered."),
            n => say!(
                "{name} is no longer registered; {} that use it continue.",
                text::count(n, "connection")
            ),
        }
        if default.as_ref() == Some(&name) {
            say!(
                "New connections of this network namespace still use it. To change this, run: \
                 sysctl -w net.ipv4.tcp_congestion_control=cubic"
            );
        }
    }
    Ok(DONE)
}
