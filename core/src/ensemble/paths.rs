//! The ensembles of a host: connections to one destination count each other while they are starting
//! up, and all connections learn the rate of the first round. The counts live as long as any handle
//! to them.

use super::{Ensemble, Member};
use crate::FirstRound;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// Handle to the count of one path's connections.
#[derive(Clone, Debug, Default)]
pub struct Ensembles {
    paths: Arc<Mutex<HashMap<u64, Ensemble>>>,
    path: u64,
    first_round: Arc<Mutex<FirstRound>>,
}

/// Equal handles refer to the same counts and the same path.
impl PartialEq for Ensembles {
    fn eq(&self, other: &Ensembles) -> bool {
        Arc::ptr_eq(&self.paths, &other.paths) && self.path == other.path
    }
}

impl Ensembles {
    /// The count of another path, beside the same other counts. `path` is a number of the caller's
    /// choice.
    pub fn of_path(&self, path: u64) -> Ensembles {
        Ensembles {
            path,
            ..self.clone()
        }
    }

    /// The number of connections of this path that are starting up.
    pub fn members(&self, now_ns: u64) -> u64 {
        self.paths()
            .get(&self.path)
            .map_or(0, |ensemble| ensemble.siblings(&Member::default(), now_ns))
    }

    /// Forgets the count of this path. Connections that are starting up are counted again at their
    /// next acknowledgement.
    pub fn forget(&self) {
        self.paths().remove(&self.path);
    }

    /// Counts a connection that starts.
    pub(crate) fn join(&self, now_ns: u64) -> EnsembleMember {
        let mut member = EnsembleMember {
            ensembles: self.clone(),
            member: Member::default(),
            is_starting: true,
        };
        member.siblings(now_ns);
        member
    }

    /// What the host has learned of the first round, of all paths.
    pub(crate) fn first_round(&self) -> MutexGuard<'_, FirstRound> {
        self.first_round
            .lock()
            .expect("no thread panics while it holds the lock")
    }

    fn paths(&self) -> MutexGuard<'_, HashMap<u64, Ensemble>> {
        self.paths
            .lock()
            .expect("no thread panics while it holds the lock")
    }
}

/// A connection's membership, until its start-up ends or it is dropped.
#[derive(Debug)]
pub(crate) struct EnsembleMember {
    ensembles: Ensembles,
    member: Member,
    /// The start-up has not ended yet, so the connection is counted.
    is_starting: bool,
}

impl EnsembleMember {
    /// An acknowledgement has arrived. Returns the number of other connections that are starting
    /// up.
    pub fn siblings(&mut self, now_ns: u64) -> u64 {
        let mut paths = self.ensembles.paths();
        let ensemble = paths.entry(self.ensembles.path).or_default();
        if self.is_starting {
            ensemble.renew(&mut self.member, now_ns);
        }
        ensemble.siblings(&self.member, now_ns)
    }

    /// The start-up has ended, for the first time or again.
    pub fn leave(&mut self) {
        if !self.is_starting {
            return;
        }
        self.is_starting = false;
        // After a panic the lock is poisoned, and the count is no longer needed.
        if let Ok(mut paths) = self.ensembles.paths.lock() {
            if let Some(ensemble) = paths.get_mut(&self.ensembles.path) {
                ensemble.leave(&mut self.member);
            }
        }
    }
}

/// A copy is not counted.
impl Clone for EnsembleMember {
    fn clone(&self) -> EnsembleMember {
        EnsembleMember {
            ensembles: self.ensembles.clone(),
            member: Member::default(),
            is_starting: false,
        }
    }
}

impl Drop for EnsembleMember {
    fn drop(&mut self) {
        self.leave();
    }
}
