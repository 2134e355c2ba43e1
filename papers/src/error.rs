//! Errors of a reproduction.

/// Why a paper could not be reproduced.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The simulator did not run a scenario.
    #[error("{scenario}: {error}")]
    Simulator {
        /// Its name.
        scenario: String,
        /// Why.
        error: onramp_sim::Error,
    },
}
