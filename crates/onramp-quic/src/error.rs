//! Why a start-up cannot run over QUIC.

use alloc::string::String;
use alloc::vec::Vec;

/// This start-up cannot run over QUIC.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnsupportedStartup {
    /// No algorithm has this name.
    #[error("no start-up is named `{name}`: choose one of {}", known.join(", "))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The names of the start-ups that run over QUIC.
        known: Vec<&'static str>,
    },
    /// The algorithm needs an option in the header of TCP.
    #[error(
        "the start-up `{name}` needs packet pairs, which the receiver reports in a TCP option: \
         QUIC has no such option"
    )]
    NeedsTcpOption {
        /// The algorithm.
        name: &'static str,
    },
    /// The algorithm sends at a rate that the user reserves.
    #[error("the start-up `{name}` sends at a reserved rate: give it with `pace_bytes_per_s`")]
    NeedsRate {
        /// The algorithm.
        name: &'static str,
    },
}
