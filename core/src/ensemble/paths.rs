//! What the connections of hosts know of each other: those to one destination count each other
//! while they are starting up, and all learn the rate of the first round. The counts and the rates
//! live as long as any handle to them.

use super::{Ensemble, Member};
use crate::FirstRound;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// Prefixes whose rate is known at most. Beyond it, the half that told nothing for the longest time
/// is forgotten.
const MAX_PREFIXES: usize = 4096;

/// Handle to the count of one path's connections, and to the rates of a host.
#[derive(Clone, Debug, Default)]
pub struct Ensembles {
    paths: Arc<Mutex<HashMap<u64, Ensemble>>>,
    path: u64,
    rates: Arc<Mutex<Rates>>,
    host: u64,
    prefix: u64,
}

/// What hosts have learned of the first round: of all their connections, and of each prefix.
#[derive(Debug, Default)]
struct Rates {
    hosts: HashMap<u64, FirstRound>,
    prefixes: HashMap<(u64, u64), FirstRound>,
}

/// Equal handles refer to the same counts and the same path.
impl PartialEq for Ensembles {
    fn eq(&self, other: &Ensembles) -> bool {
        Arc::ptr_eq(&self.paths, &other.paths) && self.path == other.path
    }
}

impl Ensembles {
    /// The count of another path, beside the same other counts. The path leads from the same host
    /// to a destination of `prefix`. Both are numbers of the caller's choice:
    /// [`prefix_of`](crate::prefix_of) has one for the prefix of an address.
    pub fn of_path(&self, path: u64, prefix: u64) -> Ensembles {
        Ensembles {
            path,
            prefix,
            ..self.clone()
        }
    }

    /// The same counts for another host, which learns its rates by itself.
    pub fn of_host(&self, host: u64) -> Ensembles {
        Ensembles {
            host,
            ..self.clone()
        }
    }

    /// The same rates, and no connections.
    pub fn with_no_connections(&self) -> Ensembles {
        Ensembles {
            paths: Arc::default(),
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

    /// The rate behind the initial window of a connection that starts now, as payload.
    pub(crate) fn initial_rate(&self, now_ns: u64) -> u64 {
        let rates = self.rates();
        let known = |learned: Option<&FirstRound>| learned.copied().unwrap_or_default();
        let prefix = known(rates.prefixes.get(&(self.host, self.prefix)));
        known(rates.hosts.get(&self.host)).rate_of(&prefix, now_ns)
    }

    /// A connection knows what became of its early segments: `outcome` is `FIRST_ROUND_*`.
    pub(crate) fn learn_first_round(&self, outcome: u8, now_ns: u64) {
        let rates = &mut *self.rates();
        if rates.prefixes.len() >= MAX_PREFIXES {
            rates.forget_half();
        }
        let host = rates.hosts.entry(self.host).or_default();
        let prefix = rates.prefixes.entry((self.host, self.prefix)).or_default();
        host.learn_from(prefix, outcome, now_ns);
    }

    fn rates(&self) -> MutexGuard<'_, Rates> {
        self.rates
            .lock()
            .expect("no thread panics while it holds the lock")
    }

    fn paths(&self) -> MutexGuard<'_, HashMap<u64, Ensemble>> {
        self.paths
            .lock()
            .expect("no thread panics while it holds the lock")
    }
}

impl Rates {
    fn forget_half(&mut self) {
        let mut times: Vec<u64> = self.prefixes.values().map(|rate| rate.learned_ns).collect();
        times.sort_unstable();
        let middle_ns = times[times.len() / 2];
        self.prefixes.retain(|_, rate| rate.learned_ns > middle_ns);
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
