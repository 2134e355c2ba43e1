//! `onramp load`.

use super::qos;
use crate::cli::{FirstWindow, LoadArguments, StartupArguments};
use onramp_cli::failure::{Failure, BAD_INPUT, DONE};
use onramp_cli::text::say;
use onramp_cli::{print_json, Answer};
use onramp_config::units::format_time;
use onramp_core::memory::{Memory, LIFETIME_NS};
use onramp_kernel::{
    default_in_this_namespace, Avoidance, Connections, Error, Lifetime, Loaded, Options,
    Registration, Status,
};

pub fn options(
    startup: &str,
    arguments: &StartupArguments,
    avoidance: Avoidance,
    lifetime: Lifetime,
) -> Options {
    Options {
        avoidance,
        paper_initial_window: arguments.initial_window == FirstWindow::Paper,
        packet_pairs: arguments.packet_pairs,
        memory: arguments.memory.unwrap_or(Memory::Off),
        memory_lifetime_ns: arguments.memory_lifetime.unwrap_or(LIFETIME_NS),
        governor_bound_ppm: arguments.governor,
        memory_jump_bytes: arguments.memory_jump.unwrap_or(0),
        initial_rate: arguments.initial_rate,
        timers: arguments.timers.timers(),
        lifetime,
        ..Options::new(startup)
    }
}

pub fn run(arguments: &LoadArguments, json: bool) -> Answer {
    if !arguments.limits.is_empty() && !onramp_core::reserves(&arguments.startup) {
        let sentence = format!(
            "--total, --per-user and --limit are options of start-up qos; {} reserves nothing",
            arguments.startup
        );
        return Err(Failure::new(BAD_INPUT, sentence));
    }
    let registered = Loaded::of_startup(&arguments.startup)?;
    let followed = Followed::choose(&arguments.options, registered.as_ref())?;
    let options = Options {
        restricted: arguments.restricted,
        ..options(
            &arguments.startup,
            &arguments.options,
            followed.avoidance,
            Lifetime::UntilUnloaded,
        )
    };
    let is_new = registered.is_none() && register(&options, arguments)?;
    let Some(loaded) = Loaded::of_startup(&arguments.startup)? else {
        // Another process has unloaded it in the meantime.
        let name = onramp_core::congestion_control(&arguments.startup);
        let loaded = Vec::new();
        return Err(Error::NotLoaded { name, loaded }.into());
    };
    loaded.check_options(&options)?;
    if !is_new && !arguments.limits.is_empty() {
        qos::change(&loaded, &arguments.limits)?;
    }
    let before = default_in_this_namespace().filter(|default| *default != loaded.name);
    if arguments.default {
        loaded.make_default()?;
    }
    if json {
        print_json(&Status::of(loaded)?);
        return Ok(DONE);
    }
    let name = &loaded.name;
    let (startup, avoidance) = (&arguments.startup, options.avoidance.name());
    if is_new {
        say!("{name} is registered: {startup}, then {avoidance}.");
    } else {
        say!("{name} is registered already, with these options: {startup}, then {avoidance}.");
    }
    followed.explain();
    if arguments.default {
        match before {
            Some(before) => say!(
                "It is the default of this network namespace now, in the place of {before}. \
                 `onramp unload {startup}` puts {before} back."
            ),
            None => say!("It is the default of this network namespace."),
        }
    }
    explain_use(&loaded, &options, arguments)
}

/// Registers the start-up, with everything that belongs to it. Returns whether this process did:
/// another process may have registered it in the meantime.
fn register(options: &Options, arguments: &LoadArguments) -> Result<bool, Failure> {
    let registration = match Registration::new(options) {
        Err(Error::NameTaken { .. }) if Loaded::of_startup(&options.startup)?.is_some() => {
            return Ok(false);
        }
        registration => registration?,
    };
    if let Some(reservations) = registration.reservations()? {
        // Without its socket option, or with only some of its limits, the start-up would be
        // useless.
        qos::offer(&reservations, &arguments.limits).inspect_err(|_| {
            drop(onramp_kernel::unload(
                registration.name(),
                &Connections::Keep,
            ));
        })?;
    }
    Ok(true)
}

/// Says how programs come to use it.
fn explain_use(loaded: &Loaded, options: &Options, arguments: &LoadArguments) -> Answer {
    if let Some(reservations) = loaded.reservations()? {
        say!(
            "A program reserves a rate with setsockopt(TCP_QOS): bpf/include/onramp/tcp_qos.h, \
             docs/algorithms/qos.md"
        );
        say!("For programs that do not, use: onramp exec --qos-rate RATE -- CMD");
        return qos::show(&reservations);
    }
    if options.memory != Memory::Off {
        say!(
            "The BDP and the RTT of each path are remembered for {}; `onramp memory` shows them.",
            format_time(options.memory_lifetime_ns)
        );
    }
    let who = match loaded.restricted {
        true => "A program with CAP_NET_ADMIN",
        false => "A program of any user",
    };
    say!(
        "{who} chooses it with setsockopt(TCP_CONGESTION). Or start a program with: onramp exec \
         -- CMD"
    );
    if !arguments.default && !loaded.restricted {
        say!(
            "For all new connections of this network namespace, run: onramp load {} --default",
            loaded.startup
        );
    }
    Ok(DONE)
}

/// The congestion avoidance that follows, and why.
struct Followed {
    avoidance: Avoidance,
    why: Why,
}

enum Why {
    /// The user wants it, or it is the one that is registered.
    Given,
    /// It is the default of this host, or what follows the default of this host.
    DefaultOfHost,
    /// The default of this host is one that no start-up can hand over to.
    NotTheDefault(String),
}

impl Followed {
    fn choose(
        arguments: &StartupArguments,
        registered: Option<&Loaded>,
    ) -> Result<Followed, Failure> {
        let registered = registered.and_then(|loaded| Avoidance::named(loaded.avoidance));
        if let Some(avoidance) = arguments.avoidance.or(registered) {
            let why = Why::Given;
            return Ok(Followed { avoidance, why });
        }
        let default = default_in_this_namespace().unwrap_or_default();
        // Where another start-up is the default, its avoidance is the host's.
        let ours = onramp_kernel::loaded()?
            .into_iter()
            .find(|loaded| loaded.registered && loaded.name == default);
        let name = ours.map_or(default, |loaded| loaded.avoidance.to_owned());
        Ok(Followed::of_default(name))
    }

    /// What follows on a host with this default.
    fn of_default(default: String) -> Followed {
        match Avoidance::named(&default) {
            Some(avoidance) => Followed {
                avoidance,
                why: Why::DefaultOfHost,
            },
            None => Followed {
                avoidance: Avoidance::Cubic,
                why: Why::NotTheDefault(default),
            },
        }
    }

    /// Says what the user may not expect.
    fn explain(&self) {
        match &self.why {
            Why::DefaultOfHost if self.avoidance != Avoidance::Cubic => say!(
                "This host's default is {0}, so {0} follows. To have another, use --avoidance.",
                self.avoidance.name()
            ),
            Why::NotTheDefault(default) if !default.is_empty() => say!(
                "This host's default is {default}, which no start-up can hand over to: cubic \
                 follows instead."
            ),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_of_the_host_follows_if_a_start_up_can_hand_over_to_it() {
        for (default, follows) in [
            ("cubic", Avoidance::Cubic),
            ("bbr", Avoidance::Bbr),
            ("reno", Avoidance::Reno),
        ] {
            let followed = Followed::of_default(default.to_owned());
            assert_eq!(followed.avoidance, follows);
            assert!(matches!(followed.why, Why::DefaultOfHost));
        }
        let followed = Followed::of_default("dctcp".to_owned());
        assert_eq!(followed.avoidance, Avoidance::Cubic);
        assert!(matches!(followed.why, Why::NotTheDefault(name) if name == "dctcp"));
    }
}
