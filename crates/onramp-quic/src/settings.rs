//! The choices of the user for one connection.

use crate::error::UnsupportedStartup;
#[cfg(feature = "std")]
use crate::paths::Path;
use crate::startup::Startup;
use alloc::borrow::ToOwned;
use onramp_core::ensemble::Ensembles;
use onramp_core::memory::PathMemory;
use onramp_core::{needs_pairs, reserves, InitialRate, Parameters, OPTION_DELAYED_ACKS};

/// The choices of the user: which start-up, and how it starts.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    pub(crate) startup: &'static str,
    /// The variant of the start-up, for studies: `onramp_core::Start::variant`.
    #[doc(hidden)]
    pub variant: u64,
    /// Parameters of the start-up.
    pub parameters: Parameters,
    /// The initial window; `None`: that of RFC 9002 ([`initial_window_bytes`]).
    pub initial_window_bytes: Option<u64>,
    /// A rate from the user, for start-ups that send at a given rate (`qos`, `spaced`).
    pub pace_bytes_per_s: Option<u64>,
    /// What leaves behind the initial window in the first round trip.
    pub initial_rate: InitialRate,
    /// The path of the connection, whose BDP is remembered and whose connections count each other.
    #[cfg(feature = "std")]
    pub path: Option<Path>,
}

impl Settings {
    /// The defaults of a start-up.
    pub fn new(startup: Startup) -> Settings {
        Settings::of(startup.name())
    }

    /// The defaults of the start-up with this name in the registry, for configuration files.
    ///
    /// # Errors
    /// No start-up has this name, or it needs an option of TCP's header.
    pub fn named(startup: &str) -> Result<Settings, UnsupportedStartup> {
        let mut names = onramp_core::names();
        let Some(name) = names.find(|name| *name == startup) else {
            return Err(UnsupportedStartup::Unknown {
                name: startup.to_owned(),
                known: startup_names().collect(),
            });
        };
        if needs_pairs(name) {
            return Err(UnsupportedStartup::NeedsTcpOption { name });
        }
        Ok(Settings::of(name))
    }

    fn of(startup: &'static str) -> Settings {
        Settings {
            startup,
            variant: 0,
            parameters: Parameters::default(),
            initial_window_bytes: None,
            pace_bytes_per_s: None,
            initial_rate: InitialRate::Auto,
            #[cfg(feature = "std")]
            path: None,
        }
    }

    /// The name of the start-up.
    pub fn startup(&self) -> &'static str {
        self.startup
    }

    /// Checks the settings together.
    ///
    /// # Errors
    /// The start-up needs a rate that is not given.
    pub fn check(&self) -> Result<(), UnsupportedStartup> {
        match reserves(self.startup) && self.pace_bytes_per_s.is_none_or(|rate| rate == 0) {
            true => Err(UnsupportedStartup::NeedsRate { name: self.startup }),
            false => Ok(()),
        }
    }

    /// The options that QUIC's records can carry.
    pub(crate) fn quic_options(&self) -> u32 {
        #[cfg(feature = "std")]
        let memory = self.path.as_ref().map_or(0, |path| path.memory().options());
        #[cfg(not(feature = "std"))]
        let memory = 0;
        memory | OPTION_DELAYED_ACKS
    }

    /// What is known of the path: its entry in the memory, and the connections that start up.
    pub(crate) fn known(&self) -> (Option<&PathMemory>, Option<&Ensembles>) {
        #[cfg(feature = "std")]
        if let Some(path) = &self.path {
            return (path.entry(), Some(path.ensemble()));
        }
        (None, None)
    }
}

/// The names of the start-ups that run over QUIC, in the registry's order.
pub fn startup_names() -> impl Iterator<Item = &'static str> {
    let names = onramp_core::names();
    names.filter(|name| !needs_pairs(name))
}

/// The initial window of RFC 9002, section 7.2, for datagrams of this size.
pub fn initial_window_bytes(mtu_bytes: u64) -> u64 {
    const SEGMENTS: u64 = 10;
    const LARGE_BYTES: u64 = 14_720;
    (SEGMENTS * mtu_bytes).min(LARGE_BYTES.max(2 * mtu_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_up_that_cannot_run_is_refused_with_the_reason() {
        let refused = |startup: &str| Settings::named(startup).unwrap_err().to_string();
        assert!(
            refused("pair").contains("packet pairs"),
            "{}",
            refused("pair")
        );
        let unknown = refused("onrmap");
        assert!(
            unknown.contains("`onrmap`") && unknown.contains("onramp"),
            "{unknown}"
        );
        assert!(!unknown.contains("pair,"), "{unknown}");
        let reserved = Settings::named("qos").unwrap();
        let error = reserved.check().unwrap_err().to_string();
        assert!(error.contains("pace_bytes_per_s"), "{error}");
    }

    #[test]
    fn all_start_ups_but_those_of_a_tcp_option_run_over_quic() {
        let missing: Vec<_> = onramp_core::startup_names()
            .iter()
            .filter(|name| !startup_names().any(|other| other == **name))
            .collect();
        assert_eq!(missing, [&"pair"]);
    }

    #[test]
    fn the_initial_window_is_that_of_rfc_9002() {
        let windows = [1_200, 1_472, 8_000].map(initial_window_bytes);
        assert_eq!(windows, [12_000, 14_720, 16_000]);
    }
}
