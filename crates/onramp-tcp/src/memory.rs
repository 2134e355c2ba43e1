//! What hosts remember of paths (`core/parts/path_memory.h`): kept for as long as somebody has a handle of it.

use onramp_core::memory::{news, window, Entry, News, KEEP_NS};
use onramp_core::{Decision, Start};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// One path's place in a memory of paths.
#[derive(Clone, Debug)]
pub struct PathMemory {
    paths: Arc<Mutex<Paths>>,
    lifetime_ns: u64,
    path: u64,
}

#[derive(Debug, Default)]
struct Paths {
    entries: HashMap<u64, Entry>,
    /// Connections are numbered as they begin.
    users: u64,
}

/// The same memory, and the same path.
impl PartialEq for PathMemory {
    fn eq(&self, other: &PathMemory) -> bool {
        Arc::ptr_eq(&self.paths, &other.paths)
            && (self.lifetime_ns, self.path) == (other.lifetime_ns, other.path)
    }
}

impl PathMemory {
    /// A new memory, which keeps what it is told for so long, and any path's place in it.
    pub fn new(lifetime_ns: u64) -> PathMemory {
        PathMemory {
            paths: Arc::default(),
            lifetime_ns,
            path: 0,
        }
    }

    /// The place of another path in it, by a number that is the path's own.
    pub fn of_path(&self, path: u64) -> PathMemory {
        PathMemory {
            path,
            ..self.clone()
        }
    }

    /// What is remembered of the path, and not yet over.
    pub fn entry(&self, now_ns: u64) -> Option<Entry> {
        let entry = self.paths().entries.get(&self.path).copied();
        entry.filter(|entry| !entry.is_over(now_ns, self.lifetime_ns))
    }

    /// A connection begins: `start` tells it what it may use.
    pub(crate) fn begin(&self, now_ns: u64, start: &mut Start) -> Remembering {
        let mut paths = self.paths();
        paths.users += 1;
        let user = paths.users;
        let mut has_entry = false;
        if let Some(entry) = paths.entries.get_mut(&self.path) {
            match entry.is_over(now_ns, self.lifetime_ns) {
                true => drop(paths.entries.remove(&self.path)),
                false => has_entry = entry.take(user, now_ns, start),
            }
        }
        let (memory, window_bytes) = (self.clone(), window(start, true));
        Remembering {
            memory,
            user,
            window_bytes,
            kept_ns: has_entry.then_some(now_ns),
        }
    }

    fn paths(&self) -> MutexGuard<'_, Paths> {
        self.paths.lock().expect("nobody panics with the lock")
    }
}

/// A connection that uses a memory, until it is dropped.
#[derive(Debug)]
pub(crate) struct Remembering {
    memory: PathMemory,
    user: u64,
    /// By which is judged what it finds.
    window_bytes: u64,
    /// When it last said that it has the path's entry; `None`: it has it not.
    kept_ns: Option<u64>,
}

impl Remembering {
    /// It has heard from its peer.
    pub fn keep(&mut self, now_ns: u64) {
        if self
            .kept_ns
            .is_none_or(|kept_ns| now_ns - kept_ns < KEEP_NS)
        {
            return;
        }
        let mut paths = self.memory.paths();
        let entry = paths.entries.get_mut(&self.memory.path);
        self.kept_ns = entry
            .is_some_and(|entry| entry.keep(self.user, now_ns))
            .then_some(now_ns);
    }

    /// Its start-up has decided.
    pub fn learn(&mut self, decision: &Decision, now_ns: u64) {
        let news = news(decision, self.window_bytes);
        if news == News::None {
            return;
        }
        let mut paths = self.memory.paths();
        let has_entry = match news {
            News::Save => paths
                .entries
                .entry(self.memory.path)
                .or_default()
                .save(self.user, decision, now_ns),
            News::Forget | News::None => {
                paths.entries.remove(&self.memory.path);
                false
            }
        };
        self.kept_ns = has_entry.then_some(now_ns);
    }
}

impl Drop for Remembering {
    fn drop(&mut self) {
        // A run that has panicked needs no memory any more.
        if let (Some(_), Ok(mut paths)) = (self.kept_ns, self.memory.paths.lock()) {
            if let Some(entry) = paths.entries.get_mut(&self.memory.path) {
                entry.give_back(self.user);
            }
        }
    }
}
