//! What the connections of each policy did: the values that the kernel counts, as the service, its
//! metrics and its displays share them.
//!
//! Counts never fall while the kernel's maps live, except [`GroupCounts::live`]. So the difference
//! of two [`Counts`] is what happened between them.

mod comparison;
mod exits;
mod group;
mod histogram;
mod registration;

pub use comparison::{Comparison, Interval};
pub use exits::exit_in_words;
pub use group::{GroupCounts, Segments};
pub use histogram::{Bucket, Histogram, Scale};
pub use registration::RegistrationCounts;

use serde::{Deserialize, Serialize};

/// Everything that was counted, at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// When it was read, in seconds since 1970.
    pub time_s: f64,
    /// The policies in the order of the configuration.
    pub policies: Vec<PolicyCounts>,
    /// The registered start-ups, also those that `onramp load` and `onramp exec` registered.
    #[serde(default)]
    pub registrations: Vec<RegistrationCounts>,
    /// What the service itself did.
    pub service: ServiceCounts,
}

/// A policy: its state, and what its two groups did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyCounts {
    /// The name from the configuration. It identifies the policy, also when a reload moves it.
    pub name: String,
    /// The start-up of the first group; `None`: the policy leaves connections as they are.
    pub startup: Option<String>,
    /// The congestion avoidance that follows the start-up, and that the control group uses.
    pub avoidance: String,
    /// The name of the start-up as a congestion control.
    #[serde(default)]
    pub congestion_control: Option<String>,
    /// Which new connections get the start-up.
    pub state: State,
    /// Connections with the start-up.
    pub with_startup: GroupCounts,
    /// The control group: connections that the policy chose and left as they are.
    pub control: GroupCounts,
    /// What the canary's test shows at present; `None`: there are no two groups to compare.
    #[serde(default)]
    pub comparison: Option<Comparison>,
}

/// Which new connections of a policy get its start-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "state")]
pub enum State {
    /// All of them.
    On,
    /// A part of them, chosen at random for each connection.
    Canary {
        /// Share of the connections, 0 to 100.
        percent: f64,
    },
    /// None, by the configuration.
    Off,
    /// None, because the service switched the start-up off.
    SwitchedOff {
        /// Why: a sentence with the measured values.
        reason: String,
        /// When, in seconds since 1970.
        time_s: f64,
    },
}

impl State {
    /// The state's name, as metrics and texts show it.
    pub fn name(&self) -> &'static str {
        match self {
            State::On => "on",
            State::Canary { .. } => "canary",
            State::Off => "off",
            State::SwitchedOff { .. } => "switched-off",
        }
    }

    /// The names of all states.
    pub const NAMES: [&'static str; 4] = ["on", "canary", "off", "switched-off"];

    /// Share of the new connections that get the start-up, 0 to 1.
    pub fn share(&self) -> f64 {
        match self {
            State::On => 1.0,
            State::Canary { percent } => percent / 100.0,
            State::Off | State::SwitchedOff { .. } => 0.0,
        }
    }
}

/// What the service itself did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServiceCounts {
    /// When the service started, in seconds since 1970; 0: it does not run.
    pub started_s: f64,
    /// The version of Onramp.
    pub version: String,
    /// Configurations that were read again and put into force.
    pub reloads: u64,
    /// Configurations that were read again and refused.
    pub reloads_refused: u64,
    /// Changes of the host's default congestion control while the service ran.
    #[serde(default)]
    pub default_changes: u64,
    /// Policies that were switched off by the canary's test or by the retransmission budget.
    pub switched_off: u64,
    /// New connections that no policy chose.
    pub connections_without_policy: u64,
    /// Connections that a policy matches, and whose program or route has chosen the congestion
    /// control. They count in no group.
    #[serde(default)]
    pub connections_chosen_by_program: u64,
    /// Connections for which the kernel refused the start-up. They keep the host's congestion
    /// control, and count in no group.
    pub connections_refused: u64,
    /// Connections of prefixes that have their share of the counts already. The policies treat them
    /// as any, and they count in no group.
    #[serde(default)]
    pub connections_not_counted: u64,
    /// Connections whose receive buffers were raised.
    #[serde(default)]
    pub connections_lifted: u64,
    /// Those that would have been, had `receive_limit` been larger.
    #[serde(default)]
    pub connections_not_lifted: u64,
    /// What the live ones of the former have gained.
    #[serde(default)]
    pub lifted_bytes: u64,
    /// New cgroups that a policy names and that the kernel could not note. The policy does not
    /// match their connections.
    #[serde(default)]
    pub cgroups_lost: u64,
    /// CPU time of the service, in seconds.
    pub cpu_s: f64,
}

/// A share in percent: 7 for 0.07, where the product is 7.000000000000001.
pub fn percent(share: f64) -> f64 {
    let percent = share * 100.0;
    format!("{percent:.12e}").parse().unwrap_or(percent)
}

impl Counts {
    /// The policy of this name.
    pub fn policy(&self, name: &str) -> Option<&PolicyCounts> {
        self.policies.iter().find(|policy| policy.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentage_is_shown_as_it_was_written() {
        for hundredths in 1..10_000 {
            let written = f64::from(hundredths) / 100.0;
            assert_eq!(percent(written / 100.0), written);
        }
        assert_eq!([0.07, 0.29, 1e-9].map(percent), [7.0, 29.0, 1e-7]);
    }
}
