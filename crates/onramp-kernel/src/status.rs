//! What is registered, who has it as the default, and what still uses it.

use crate::defaults::{make_default, namespaces_with, PreviousDefaults};
use crate::inspect::{loaded, Loaded};
use crate::namespaces::{NetworkNamespace, Search};
use crate::{Error, Options, Result, Timer};
use onramp_core::InitialRate;
use serde::Serialize;

/// A congestion control of Onramp, and what uses it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// The congestion control.
    #[serde(flatten)]
    pub loaded: Loaded,
    /// The network namespaces whose default it is, as far as a process or a mount shows them.
    pub default_in: Vec<NetworkNamespace>,
    /// What else uses it: sockets that listen or are not connected yet, network namespaces that
    /// nothing shows, and references that the kernel has lost.
    pub other_references: u64,
}

/// Every congestion control of Onramp in this kernel, and what uses it.
///
/// # Errors
/// [`Error::NotPermitted`], or the kernel's refusal.
pub fn status() -> Result<Vec<Status>> {
    loaded()?.into_iter().map(Status::of).collect()
}

impl Status {
    /// What uses a congestion control now.
    ///
    /// # Errors
    /// /proc cannot be read.
    pub fn of(loaded: Loaded) -> Result<Status> {
        let beside_connections = loaded.references.saturating_sub(loaded.connections as u64);
        // A namespace holds a reference to its default, so without one there is nothing to find.
        let default_in = match beside_connections {
            0 => Vec::new(),
            _ => namespaces_with(&loaded.name, Search::Quick)?,
        };
        Ok(Status {
            other_references: beside_connections.saturating_sub(default_in.len() as u64),
            loaded,
            default_in,
        })
    }
}

impl Loaded {
    /// Makes it the default of this network namespace. [`crate::unload`] puts back what was the
    /// default before.
    ///
    /// # Errors
    /// [`Error::MayNotBeDefault`], or the sysctl cannot be written.
    pub fn make_default(&self) -> Result<()> {
        make_default(&self.name, PreviousDefaults::before(self)?.as_ref())
    }

    /// The registration that [`crate::unload`] would end and that has the name of this start-up.
    ///
    /// # Errors
    /// [`Error::NotPermitted`], or the kernel's refusal.
    pub fn of_startup(startup: &str) -> Result<Option<Loaded>> {
        let name = onramp_core::congestion_control(startup);
        let all = loaded()?.into_iter();
        Ok(all
            .filter(|loaded| loaded.registered && loaded.owner_pid.is_none() && !loaded.service)
            .find(|loaded| loaded.name == name))
    }

    /// Checks that it does what these options ask for.
    ///
    /// # Errors
    /// [`Error::OtherOptions`] with each difference.
    pub fn check_options(&self, options: &Options) -> Result<()> {
        let differences = self.differences(options);
        if differences.is_empty() {
            return Ok(());
        }
        Err(Error::OtherOptions {
            name: self.name.clone(),
            startup: self.startup.clone(),
            differences,
        })
    }

    /// Each option in which it differs: its name, what is registered, and what is asked for.
    fn differences(&self, options: &Options) -> Vec<String> {
        let on_or_off = |is_on: bool| if is_on { "on" } else { "off" }.to_owned();
        let window = |paper: bool| if paper { "paper" } else { "host" }.to_owned();
        let pairs = [
            ("start-up", self.startup.clone(), options.startup.clone()),
            (
                "avoidance",
                self.avoidance.to_owned(),
                options.avoidance.name().to_owned(),
            ),
            (
                "initial window",
                window(self.paper_initial_window),
                window(options.paper_initial_window),
            ),
            (
                "packet pairs",
                on_or_off(self.packet_pairs),
                on_or_off(options.sends_pairs()),
            ),
            (
                "memory",
                self.memory.to_owned(),
                options.memory.name().to_owned(),
            ),
            (
                "lifetime of the memory",
                lifetime(self.memory_lifetime_ns()),
                lifetime(options.path_lifetime_ns()),
            ),
            (
                "cap of a jump",
                format!("{} B", self.memory_jump_bytes()),
                format!("{} B", options.memory_jump_bytes),
            ),
            (
                "bound of the governor",
                format!("{} ppm", self.governor_bound_ppm()),
                format!("{} ppm", options.governor_in_force_ppm()),
            ),
            (
                "initial rate",
                initial_rate(self.configured_initial_bytes_per_s),
                initial_rate(options.initial_in_force().bytes_per_s()),
            ),
            (
                "minimum of the RTO",
                timer(self.timers.rto_min),
                timer(options.timers.rto_min),
            ),
            (
                "maximum of the ACK delay",
                timer(self.timers.delack_max),
                timer(options.timers.delack_max),
            ),
            (
                "restricted",
                on_or_off(self.restricted),
                on_or_off(options.restricted),
            ),
        ];
        pairs
            .into_iter()
            .filter(|(_, is, wanted)| is != wanted)
            .map(|(option, is, wanted)| format!("{option} is {is}, not {wanted}"))
            .collect()
    }
}

fn lifetime(ns: u64) -> String {
    format!("{} s", ns as f64 / 1e9)
}

fn timer(timer: Option<Timer>) -> String {
    match timer {
        None => "the kernel's".to_owned(),
        Some(timer) => format!("{} ms", timer.time().as_secs_f64() * 1e3),
    }
}

fn initial_rate(bytes_per_s: u64) -> String {
    match bytes_per_s == InitialRate::Auto.bytes_per_s() {
        true => "auto".to_owned(),
        false => format!("{bytes_per_s} B/s"),
    }
}
