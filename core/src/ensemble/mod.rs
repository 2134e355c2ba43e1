//! Ensembles: `core/parts/ensemble.h` with a safe face.
//!
//! A host keeps one [`Ensemble`] for each path, which counts the connections that are starting up.
//! Times are the host's.

#[cfg(not(feature = "std"))]
#[path = "none.rs"]
mod paths;
#[cfg(feature = "std")]
mod paths;

use crate::bindings;

pub use crate::bindings::Ensemble;
pub(crate) use paths::EnsembleMember;
pub use paths::Ensembles;

/// A connection without an acknowledgement is counted for this time at least, and for twice this
/// time at most.
pub const PERIOD_NS: u64 = bindings::ENSEMBLE_PERIOD_NS;

/// The most connections that an [`Ensemble`] counts in a period.
pub const MAX_MEMBERS: u64 = bindings::ENSEMBLE_MAX_MEMBERS as u64;

/// A connection's own part of the count: the period in which it is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Member(u32);

impl Ensemble {
    /// The connection starts, or an acknowledgement has arrived for it: counts it from now on.
    pub fn renew(&mut self, member: &mut Member, now_ns: u64) {
        // SAFETY: the function takes any numbers.
        unsafe { bindings::ensemble_renew(self, &mut member.0, now_ns) }
    }

    /// The connection's start-up has ended, or the connection itself. Nothing changes if it is not
    /// counted.
    pub fn leave(&mut self, member: &mut Member) {
        // SAFETY: the function takes any numbers.
        unsafe { bindings::ensemble_leave(self, &mut member.0) }
    }

    /// The number of other connections that are starting up.
    pub fn siblings(&self, member: &Member, now_ns: u64) -> u64 {
        // SAFETY: the function takes any numbers.
        unsafe { bindings::ensemble_siblings(self, member.0, now_ns) }
    }
}
