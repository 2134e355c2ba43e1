//! The path memory of a host: the entries of all paths. A memory lives as long as any handle to it.

use super::{news, window, Entry, News, KEEP_NS};
use crate::{Decision, Start};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// Handle to one path's entry in a path memory.
#[derive(Clone, Debug)]
pub struct PathMemory {
    paths: Arc<Mutex<Paths>>,
    lifetime_ns: u64,
    /// The cap of a jump at once; 0: the default.
    max_jump_bytes: u64,
    path: u64,
}

#[derive(Debug, Default)]
struct Paths {
    entries: HashMap<u64, Entry>,
    /// Number of connections so far; each connection gets a number as its user id.
    users: u64,
}

/// Equal handles refer to the same memory and the same path.
impl PartialEq for PathMemory {
    fn eq(&self, other: &PathMemory) -> bool {
        Arc::ptr_eq(&self.paths, &other.paths)
            && (self.lifetime_ns, self.path) == (other.lifetime_ns, other.path)
    }
}

impl PathMemory {
    /// A new memory whose entries expire after `lifetime_ns`, and the entry of path 0 in it.
    pub fn new(lifetime_ns: u64) -> PathMemory {
        PathMemory {
            paths: Arc::default(),
            lifetime_ns,
            max_jump_bytes: 0,
            path: 0,
        }
    }

    /// The same memory, with a cap of what a connection sends at once behind its initial window,
    /// in bytes; 0: the default.
    pub fn with_max_jump(self, max_jump_bytes: u64) -> PathMemory {
        PathMemory {
            max_jump_bytes,
            ..self
        }
    }

    /// The entry of another path in the same memory. `path` is a number of the caller's choice.
    pub fn of_path(&self, path: u64) -> PathMemory {
        PathMemory {
            path,
            ..self.clone()
        }
    }

    /// What is remembered of the path, unless it has expired.
    pub fn entry(&self, now_ns: u64) -> Option<Entry> {
        let entry = self.paths().entries.get(&self.path).copied();
        entry.filter(|entry| !entry.is_over(now_ns, self.lifetime_ns))
    }

    /// Remembers an entry that was kept elsewhere, for example in a file. An entry that the memory
    /// has already is replaced.
    pub fn put(&self, entry: Entry) {
        self.paths().entries.insert(self.path, entry);
    }

    /// Forgets what is remembered of the path.
    pub fn forget(&self) {
        self.paths().entries.remove(&self.path);
    }

    /// Starts a connection's use of the memory. Writes what the start-up may use into `start`.
    pub(crate) fn begin(&self, now_ns: u64, start: &mut Start) -> MemoryUser {
        let mut paths = self.paths();
        paths.users += 1;
        let user = paths.users;
        let mut has_entry = false;
        if let Some(entry) = paths.entries.get_mut(&self.path) {
            match entry.is_over(now_ns, self.lifetime_ns) {
                true => drop(paths.entries.remove(&self.path)),
                false => has_entry = entry.take(user, now_ns, self.max_jump_bytes, start),
            }
        }
        let (memory, window_bytes) = (self.clone(), window(start, true));
        MemoryUser {
            memory,
            user,
            window_bytes,
            kept_ns: has_entry.then_some(now_ns),
        }
    }

    fn paths(&self) -> MutexGuard<'_, Paths> {
        self.paths
            .lock()
            .expect("no thread panics while it holds the lock")
    }
}

/// A connection's use of a path memory, until it is dropped.
#[derive(Debug)]
pub(crate) struct MemoryUser {
    memory: PathMemory,
    user: u64,
    /// Window against which the start-up's result is judged.
    window_bytes: u64,
    /// When the connection last confirmed that it owns the path's entry; `None` if it does not own
    /// it.
    kept_ns: Option<u64>,
}

impl MemoryUser {
    /// Keeps the entry, because the peer has answered.
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

    /// Stores what the start-up has just decided.
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

/// A copy does not own the path's entry.
impl Clone for MemoryUser {
    fn clone(&self) -> MemoryUser {
        MemoryUser {
            memory: self.memory.clone(),
            kept_ns: None,
            user: self.user,
            window_bytes: self.window_bytes,
        }
    }
}

impl Drop for MemoryUser {
    fn drop(&mut self) {
        // After a panic the lock is poisoned, and the memory is no longer needed.
        if let (Some(_), Ok(mut paths)) = (self.kept_ns, self.memory.paths.lock()) {
            if let Some(entry) = paths.entries.get_mut(&self.memory.path) {
                entry.give_back(self.user);
            }
        }
    }
}
