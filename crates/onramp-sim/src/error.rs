//! Why a case cannot be simulated.

use onramp_net::ConfigError;

/// Why a case cannot be simulated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// It asks for what the simulator does not have.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// Packets cannot get there.
    #[error("no links lead from the node `{from}` to the node `{to}`: add a [[link]]")]
    NoRoute {
        /// Name of a node.
        from: String,
        /// Name of another.
        to: String,
    },
    /// A sender that is its own receiver.
    #[error("traffic from the node `{node}` to itself passes no link: give it another `to`")]
    SameNode {
        /// Name of the node.
        node: String,
    },
    /// A link that cannot be.
    #[error("link {link}, {direction}: {source}")]
    Link {
        /// Its place in the scenario, from 1.
        link: usize,
        /// `forward` or `reverse`.
        direction: &'static str,
        /// What is wrong with it.
        source: ConfigError,
    },
    /// [`Options::stop`](crate::Options::stop) was set.
    #[error("the run was stopped")]
    Stopped,
}

/// A case asks for what the simulator does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` asks for `{asked}`, which the simulator does not have: choose another, or run it with `onramp lab`")]
pub struct Unsupported {
    /// The key of the scenario file.
    pub key: String,
    /// What it asks for.
    pub asked: String,
}

pub(crate) fn refuse<T>(key: String, asked: &str) -> Result<T, Unsupported> {
    Err(Unsupported {
        key,
        asked: asked.to_owned(),
    })
}
