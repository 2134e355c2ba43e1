//! Loading BPF objects, and reading their maps.

use crate::{Error, Result};
use libbpf_rs::{MapCore, MapFlags, MapHandle, Object, PrintLevel};
use onramp_core::fnv1a;
use std::sync::{Mutex, MutexGuard};

/// The number of last lines of libbpf's log that an error shows. The verifier's verdict is at the
/// end.
const LOG_LINES: usize = 12;

/// Runs `work` and collects libbpf's warnings, which say why the verifier refused a program.
pub(crate) fn with_log<T>(
    work: impl FnOnce() -> libbpf_rs::Result<T>,
) -> (libbpf_rs::Result<T>, String) {
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
    let lines: Vec<&str> = messages.lines().collect();
    (
        result,
        lines[lines.len().saturating_sub(LOG_LINES)..].join("\n"),
    )
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

/// The element of a map that has one element.
pub(crate) fn only_value(map: &impl MapCore) -> Option<Vec<u8>> {
    map.lookup(&0u32.to_ne_bytes(), MapFlags::ANY)
        .ok()
        .flatten()
}

/// A handle of an object's map with this name. `of` names the object in an error.
pub(crate) fn map_named(object: &Object, name: &str, of: &str) -> Result<Option<MapHandle>> {
    let map = object.maps().find(|map| map.name() == name);
    let handle = map.map(|map| MapHandle::try_from(&map)).transpose();
    handle.map_err(|error| Error::unreadable(name, of, &error))
}

/// The counters `adopted` and `refused` of a program that puts connections on a congestion control
/// (`bpf/adopt.bpf.c`, `bpf/qos.bpf.c`).
pub(crate) fn adopted_and_refused(object: &Object) -> (u64, u64) {
    let counters = object
        .maps()
        .find(|map| map.name().to_string_lossy().ends_with(".bss"));
    let value = counters.and_then(|map| only_value(&map));
    let number = |at: usize| {
        let bytes = value.as_ref().and_then(|value| value.get(at..at + 8));
        bytes.map_or(0, |bytes| {
            u64::from_ne_bytes(bytes.try_into().expect("8 bytes"))
        })
    };
    (number(0), number(8))
}
