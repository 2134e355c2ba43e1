//! The errors of a simulation.

use onramp_net::ConfigError;

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
#[error(
    "`{key}` asks for `{asked}`, which the simulator does not have: choose another, or run it \
    with `onramp lab`"
)]
pub struct Unsupported {
    /// The key of the scenario file.
    pub key: String,
    /// The value of the key.
    pub asked: String,
}

pub(crate) fn refuse<T>(key: String, asked: &str) -> Result<T, Unsupported> {
    Err(Unsupported {
        key,
        asked: asked.to_owned(),
    })
}
