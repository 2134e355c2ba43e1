//! What is compared: the start-ups, and CUBIC with other initial windows.

use onramp_scenario::{Case, InitialWindow, NO_STARTUP};
use std::str::FromStr;

/// The start-ups that are compared where nobody asks for others. Those that need a peer which
/// answers (`pair`), a reservation (`qos`) or a second slow start (`gamma`) are not among them.
pub const DEFAULT_STARTUPS: [&str; 17] = [
    "none", "hystart", "search", "suss", "jump", "halfback", "bbrstart", "rapid", "lift",
    "standard", "paced", "spaced", "hoe", "astart", "onramp", "iw32", "iw100",
];

/// A name `iwN` is the host's own slow start with an initial window of N segments.
const WINDOW_PREFIX: &str = "iw";

/// A start-up, or no start-up with another initial window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Startup {
    name: String,
    algorithm: String,
    window: Option<InitialWindow>,
}

/// No start-up has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no start-up `{name}`; there are: {}; `none` is the host's own, and `iw32` is the \
     host's own with an initial window of 32 segments",
    onramp_core::startup_names().join(", ")
)]
pub struct UnknownStartup {
    name: String,
}

impl FromStr for Startup {
    type Err = UnknownStartup;

    fn from_str(name: &str) -> Result<Startup, UnknownStartup> {
        let of = |algorithm: &str, window| Startup {
            name: name.to_owned(),
            algorithm: algorithm.to_owned(),
            window,
        };
        if name == NO_STARTUP || onramp_core::startup_names().contains(&name) {
            return Ok(of(name, None));
        }
        let segments = name
            .strip_prefix(WINDOW_PREFIX)
            .and_then(|number| number.parse().ok());
        match segments {
            Some(segments @ 1..=10_000) => {
                Ok(of(NO_STARTUP, Some(InitialWindow::Segments(segments))))
            }
            _ => Err(UnknownStartup {
                name: name.to_owned(),
            }),
        }
    }
}

impl Startup {
    /// The host's own slow start, with which all others are compared.
    pub fn baseline() -> Startup {
        Startup {
            name: NO_STARTUP.to_owned(),
            algorithm: NO_STARTUP.to_owned(),
            window: None,
        }
    }

    /// The name in tables.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same run with this start-up: path, seed, avoidance and size stay.
    pub fn applied_to(&self, case: &Case) -> Case {
        let mut case = case.with_startup(&self.algorithm);
        if let Some(window) = self.window {
            case.transfer.initial_window = window;
        }
        case
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_default_startups_exist() {
        for name in DEFAULT_STARTUPS {
            assert_eq!(name.parse::<Startup>().unwrap().name(), name);
        }
    }

    #[test]
    fn an_initial_window_is_a_choice_of_its_own() {
        let wide: Startup = "iw32".parse().unwrap();
        assert_eq!(wide.algorithm, NO_STARTUP);
        assert_eq!(wide.window, Some(InitialWindow::Segments(32)));
    }

    #[test]
    fn unknown_names_are_refused() {
        for name in ["", "iw", "iw0", "iw99999", "iwx", "onramp2"] {
            let refused = name.parse::<Startup>().unwrap_err().to_string();
            let known = onramp_core::startup_names().join(", ");
            assert!(refused.contains(&known), "{refused}");
        }
    }
}
