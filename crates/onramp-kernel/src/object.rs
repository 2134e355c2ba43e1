//! Loading BPF objects, and reading their maps.

use crate::records::Plain;
use crate::{Error, Result};
use libbpf_rs::{Iter, Link, MapCore, MapFlags, MapHandle, Object, PrintLevel};
use onramp_core::fnv1a;
use std::ffi::OsStr;
use std::io::Read;
use std::sync::{Mutex, MutexGuard};

/// The number of last lines of libbpf's log that an error shows. The verifier's verdict is at the
/// end.
const LOG_LINES: usize = 12;

/// An error of libbpf, and the end of its log, which says why the verifier refused a program.
pub(crate) struct Logged {
    pub error: libbpf_rs::Error,
    pub log: String,
}

impl Logged {
    /// The error of an operation that the kernel refused.
    pub fn refused(self, what: impl Into<String>) -> Error {
        Error::Refused {
            what: what.into(),
            cause: self.error.to_string(),
            log: self.log,
        }
    }
}

/// Runs `work`, and collects libbpf's warnings for its error.
pub(crate) fn with_log<T>(work: impl FnOnce() -> libbpf_rs::Result<T>) -> Result<T, Logged> {
    static MESSAGES: Mutex<String> = Mutex::new(String::new());
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    fn collect(_: PrintLevel, message: String) {
        lock(&MESSAGES).push_str(&message);
    }

    let _guard = lock(&ONE_AT_A_TIME);
    lock(&MESSAGES).clear();
    let before = libbpf_rs::set_print(Some((PrintLevel::Warn, collect)));
    let result = work();
    libbpf_rs::set_print(before);
    let messages = std::mem::take(&mut *lock(&MESSAGES));
    result.map_err(|error| {
        let lines: Vec<&str> = messages.lines().collect();
        let log = lines[lines.len().saturating_sub(LOG_LINES)..].join("\n");
        Logged { error, log }
    })
}

/// A hash of an object's bytes: objects of other builds have others.
pub(crate) fn hash(object: &[u8]) -> u64 {
    fnv1a(object.iter().copied())
}

/// Locks a mutex whose data no panic can leave half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// What an attached iterator writes.
pub(crate) fn read_iterator(link: &Link) -> libbpf_rs::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Iter::new(link)?
        .read_to_end(&mut bytes)
        .map_err(libbpf_rs::Error::from)?;
    Ok(bytes)
}

/// The element of a map with this key.
pub(crate) fn value<T: Plain>(map: &impl MapCore, key: &[u8]) -> libbpf_rs::Result<Option<T>> {
    let bytes = map.lookup(key, MapFlags::ANY)?;
    Ok(bytes.and_then(|bytes| T::from_bytes(&bytes)))
}

/// The element of a map that has one element.
pub(crate) fn only_value<T: Plain>(map: &impl MapCore) -> Option<T> {
    T::from_bytes(&only_bytes(map)?)
}

/// The bytes of the element of a map that has one element.
pub(crate) fn only_bytes(map: &impl MapCore) -> Option<Vec<u8>> {
    map.lookup(&0u32.to_ne_bytes(), MapFlags::ANY).ok()?
}

/// A handle of an object's map with this name. `of` names the object in an error.
pub(crate) fn map_named(object: &Object, name: &str, of: &str) -> Result<Option<MapHandle>> {
    let map = object.maps().find(|map| map.name() == name);
    let handle = map.map(|map| MapHandle::try_from(&map)).transpose();
    handle.map_err(|error| Error::unreadable(name, of, &error))
}

/// The counters of a program, which are its global variables.
pub(crate) fn counters<T: Plain>(object: &Object) -> Option<T> {
    let is_of_variables = |name: &OsStr| name.to_string_lossy().ends_with(".bss");
    only_value(&object.maps().find(|map| is_of_variables(map.name()))?)
}

/// The counters `adopted` and `refused` of a program that puts connections on a congestion control
/// (`bpf/adopt.bpf.c`, `bpf/qos.bpf.c`).
pub(crate) fn adopted_and_refused(object: &Object) -> (u64, u64) {
    let [adopted, refused] = counters(object).unwrap_or_default();
    (adopted, refused)
}
