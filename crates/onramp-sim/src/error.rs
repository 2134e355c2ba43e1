//! The errors of a simulation.

use onramp_net::ConfigError;
use onramp_scenario::NotInQuic;
use std::fmt;

/// The reason why a case was not simulated to its end.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The case needs a feature that the simulator does not have.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// No route connects two nodes.
    #[error("no links lead from the node `{from}` to the node `{to}`: add a [[link]]")]
    NoRoute {
        /// Name of the first node.
        from: String,
        /// Name of the second node.
        to: String,
    },
    /// A sender is its own receiver.
    #[error("traffic from the node `{node}` to itself passes no link: give it another `to`")]
    SameNode {
        /// Name of the node.
        node: String,
    },
    /// The configuration of a link is invalid.
    #[error("link {link}, {direction}: {source}")]
    Link {
        /// Number of the link in the scenario, from 1.
        link: usize,
        /// Direction of the link: `forward` or `reverse`.
        direction: &'static str,
        /// The invalid value.
        source: ConfigError,
    },
    /// [`Options::stop`](crate::Options::stop) was set.
    #[error("the run was stopped")]
    Stopped,
}

/// A case needs a feature that the simulator does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` asks for `{asked}`{reason}")]
pub struct Unsupported {
    /// The key of the scenario file.
    pub key: String,
    /// The value of the key.
    pub asked: String,
    /// What is there instead, as the end of a sentence.
    reason: Reason,
}

/// Why a value is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    NotInSimulator,
    NotInQuic { supported: &'static str },
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NotInSimulator => f.write_str(
                ", which the simulator does not have: choose another, or run it with `onramp lab`",
            ),
            Reason::NotInQuic { supported } => {
                write!(f, ": a transfer over QUIC supports {supported}")
            }
        }
    }
}

impl From<NotInQuic> for Unsupported {
    fn from(refusal: NotInQuic) -> Unsupported {
        let supported = refusal.supported;
        Unsupported {
            key: refusal.key.to_owned(),
            asked: refusal.asked,
            reason: Reason::NotInQuic { supported },
        }
    }
}

pub(crate) fn refuse<T>(key: String, asked: &str) -> Result<T, Unsupported> {
    Err(Unsupported {
        key,
        asked: asked.to_owned(),
        reason: Reason::NotInSimulator,
    })
}
