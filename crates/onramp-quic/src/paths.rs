//! What an application knows of its paths: the remembered BDP of each (RFC 9959), and the number of
//! its connections that start up at the moment.

use onramp_core::ensemble::Ensembles;
use onramp_core::memory::{Entry, Memory, PathMemory, LIFETIME_NS};
use onramp_core::prefix_of;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The number of paths that are remembered at most. Beyond it, the oldest quarter is forgotten.
const MAX_PATHS: usize = 10_000;

/// The name of a path: a client knows the server by its name and address, a server the client by
/// its address.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PathKey {
    /// The name of the server, where this end is the client.
    pub server_name: Option<String>,
    /// The address of the peer.
    pub address: IpAddr,
}

/// What is remembered of a path, to be saved by the application.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Remembered {
    /// The path.
    pub path: PathKey,
    /// The BDP.
    pub bdp_bytes: u64,
    /// The minimum RTT when the BDP was measured.
    pub rtt_ns: u64,
    /// When the BDP was saved, in ns since 1970.
    pub saved_unix_ns: u64,
    /// The BDP that at least two connections have measured; 0: none.
    pub confirmed_bdp_bytes: u64,
    /// When a connection last confirmed it, in ns since 1970.
    pub confirmed_unix_ns: u64,
}

/// The paths of an application. Clones share them.
#[derive(Clone, Debug)]
pub struct Paths {
    memory: PathMemory,
    ensembles: Ensembles,
    numbers: Arc<Mutex<Numbers>>,
    clock: Clock,
}

/// The numbers of the paths, as the path memory wants them.
#[derive(Debug, Default)]
struct Numbers {
    by_key: HashMap<PathKey, u64>,
    last: u64,
}

/// One path of an application, and how its memory is used.
#[derive(Clone, Debug)]
pub struct Path {
    entry: PathMemory,
    ensemble: Ensembles,
    use_of_memory: Memory,
    clock: Clock,
}

/// Converts the instants of a QUIC library to one count of nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    origin: Instant,
    origin_ns: u64,
}

impl Clock {
    /// A clock that shows `origin_ns` at `origin`.
    pub fn new(origin: Instant, origin_ns: u64) -> Clock {
        Clock { origin, origin_ns }
    }

    /// The time at an instant, which may be before the origin.
    pub fn ns(&self, instant: Instant) -> u64 {
        match instant.checked_duration_since(self.origin) {
            Some(since) => self.origin_ns.saturating_add(since.as_nanos() as u64),
            None => {
                let before = self.origin.duration_since(instant);
                self.origin_ns.saturating_sub(before.as_nanos() as u64)
            }
        }
    }
}

impl Default for Paths {
    fn default() -> Paths {
        Paths::new()
    }
}

impl Paths {
    /// Remembers nothing yet, with the Lifetime of RFC 9959 that `onramp-core` has as default.
    pub fn new() -> Paths {
        Paths::with_clock(Instant::now(), SystemTime::now())
    }

    /// The same, for a clock of the caller that shows `now` at `instant`.
    pub fn with_clock(instant: Instant, now: SystemTime) -> Paths {
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        Paths {
            memory: PathMemory::new(LIFETIME_NS),
            ensembles: Ensembles::default(),
            numbers: Arc::default(),
            clock: Clock::new(instant, since.as_nanos() as u64),
        }
    }

    /// Adds what was saved earlier. Entries whose Lifetime is over are left out.
    pub fn restore(&self, saved: impl IntoIterator<Item = Remembered>) {
        let now_ns = self.clock.ns(Instant::now());
        for one in saved {
            let entry = Entry {
                bytes: one.bdp_bytes,
                rtt_ns: one.rtt_ns,
                saved_ns: one.saved_unix_ns,
                confirmed_bytes: one.confirmed_bdp_bytes,
                confirmed_ns: one.confirmed_unix_ns,
                ..Entry::default()
            };
            if !entry.is_over(now_ns, LIFETIME_NS) {
                self.memory.of_path(self.number(one.path)).put(entry);
            }
        }
    }

    /// All that is remembered, in the order of the paths' names.
    pub fn remembered(&self) -> Vec<Remembered> {
        let now_ns = self.clock.ns(Instant::now());
        let numbers = self.numbers();
        let entry = |(path, number): (&PathKey, &u64)| {
            let entry = self.memory.of_path(*number).entry(now_ns)?;
            Some(Remembered {
                path: path.clone(),
                bdp_bytes: entry.bytes,
                rtt_ns: entry.rtt_ns,
                saved_unix_ns: entry.saved_ns,
                confirmed_bdp_bytes: entry.confirmed_bytes,
                confirmed_unix_ns: entry.confirmed_ns,
            })
        };
        let mut all: Vec<_> = numbers.by_key.iter().filter_map(entry).collect();
        all.sort_by(|a, b| a.path.cmp(&b.path));
        all
    }

    /// The path to a peer. Its connections count each other while they start up, and use what is
    /// remembered as `use_of_memory` says. A client names the server.
    pub fn path(&self, server_name: Option<&str>, address: IpAddr, use_of_memory: Memory) -> Path {
        let number = self.number(PathKey {
            server_name: server_name.map(str::to_owned),
            address,
        });
        Path {
            entry: self.memory.of_path(number),
            ensemble: self.ensembles.of_path(number, prefix_of(address)),
            use_of_memory,
            clock: self.clock,
        }
    }

    fn number(&self, key: PathKey) -> u64 {
        let mut numbers = self.numbers();
        if let Some(number) = numbers.by_key.get(&key) {
            return *number;
        }
        if numbers.by_key.len() >= MAX_PATHS {
            self.forget_oldest(&mut numbers);
        }
        numbers.last += 1;
        let number = numbers.last;
        numbers.by_key.insert(key, number);
        number
    }

    /// Forgets the quarter of the paths that were named first.
    fn forget_oldest(&self, numbers: &mut Numbers) {
        let mut all: Vec<u64> = numbers.by_key.values().copied().collect();
        all.sort_unstable();
        let first_kept = all[all.len() / 4];
        numbers.by_key.retain(|_, number| *number >= first_kept);
        for number in all.into_iter().take_while(|number| *number < first_kept) {
            self.memory.of_path(number).forget();
            self.ensembles.of_path(number, 0).forget();
        }
    }

    fn numbers(&self) -> MutexGuard<'_, Numbers> {
        self.numbers
            .lock()
            .expect("no thread panics while it holds the lock")
    }
}

impl Path {
    /// The path's entry in the memory; `None` if nothing is remembered.
    pub(crate) fn entry(&self) -> Option<&PathMemory> {
        (self.use_of_memory != Memory::Off).then_some(&self.entry)
    }

    pub(crate) fn ensemble(&self) -> &Ensembles {
        &self.ensemble
    }

    pub(crate) fn memory(&self) -> Memory {
        self.use_of_memory
    }

    /// A host in C has a clock of its own.
    #[cfg_attr(not(any(feature = "noq", feature = "quinn")), allow(dead_code))]
    pub(crate) fn clock(&self) -> Clock {
        self.clock
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn remembered(last_byte: u8, saved_unix_ns: u64) -> Remembered {
        Remembered {
            path: PathKey {
                server_name: Some("example.org".to_owned()),
                address: IpAddr::from([192, 0, 2, last_byte]),
            },
            bdp_bytes: 1_000_000,
            rtt_ns: 100_000_000,
            saved_unix_ns,
            confirmed_bdp_bytes: 900_000,
            confirmed_unix_ns: saved_unix_ns,
        }
    }

    #[test]
    fn what_was_saved_is_restored_until_its_lifetime_is_over() {
        let now = UNIX_EPOCH + Duration::from_secs(2_000_000_000);
        let paths = Paths::with_clock(Instant::now(), now);
        let now_ns = 2_000_000_000_000_000_000;
        let fresh = remembered(1, now_ns - 1_000_000_000);
        let old = remembered(2, now_ns - LIFETIME_NS - 1_000_000_000);
        paths.restore([old, fresh.clone()]);
        assert_eq!(paths.remembered(), [fresh]);
    }

    #[test]
    fn a_path_has_a_name_and_an_address() {
        let paths = Paths::new();
        let address = IpAddr::from([192, 0, 2, 1]);
        let key = |server_name: Option<&str>| PathKey {
            server_name: server_name.map(str::to_owned),
            address,
        };
        let numbers = [Some("a"), Some("b"), None, Some("a")].map(|name| paths.number(key(name)));
        assert_eq!(numbers, [1, 2, 3, 1]);
    }

    #[test]
    fn the_number_of_paths_is_bounded_and_the_oldest_go_first() {
        let paths = Paths::new();
        let key = |number: u32| PathKey {
            server_name: None,
            address: IpAddr::from(number.to_be_bytes()),
        };
        for number in 0..=MAX_PATHS as u32 {
            paths.number(key(number));
        }
        let numbers = paths.numbers();
        assert_eq!(numbers.by_key.len(), MAX_PATHS - MAX_PATHS / 4 + 1);
        assert!(!numbers.by_key.contains_key(&key(0)));
        assert!(numbers.by_key.contains_key(&key(MAX_PATHS as u32)));
    }

    #[test]
    fn a_clock_shows_times_before_its_origin_too() {
        let origin = Instant::now() + Duration::from_secs(10);
        let clock = Clock::new(origin, 5_000_000_000);
        assert_eq!(clock.ns(origin - Duration::from_secs(2)), 3_000_000_000);
        assert_eq!(clock.ns(origin + Duration::from_secs(2)), 7_000_000_000);
        assert_eq!(clock.ns(origin - Duration::from_secs(9)), 0);
    }
}
