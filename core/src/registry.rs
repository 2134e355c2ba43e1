//! The registry of algorithms, `core/registry.h`: their names, summaries and capabilities.

use crate::bindings::{self, Algorithm, Capability};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use core::ffi::{c_char, CStr};

/// The algorithm for users who choose none.
pub const DEFAULT_STARTUP: &str = "onramp";

/// The row of an algorithm that is not of `core/registry.h`.
#[cfg(feature = "std")]
static SUPPLIED: std::sync::OnceLock<Algorithm> = std::sync::OnceLock::new();

/// Adds a row behind those of the registry. A process can do so once.
#[cfg(feature = "std")]
pub(crate) fn supply(row: Algorithm) -> Result<(), Algorithm> {
    SUPPLIED.set(row)
}

// SAFETY: the table is constant data: string literals, numbers, and functions without state of
// their own.
unsafe impl Sync for Algorithm {}
// SAFETY: the same.
unsafe impl Send for Algorithm {}

impl Algorithm {
    /// The algorithm with this name.
    pub(crate) fn named(name: &str) -> Option<&'static Algorithm> {
        algorithms().find(|row| row.name() == name)
    }

    /// Its name, as in scenario files.
    pub(crate) fn name(&self) -> &'static str {
        text(self.name)
    }
}

/// The rows of the registry, and the one that was [supplied](supply) since.
pub(crate) fn algorithms() -> impl Iterator<Item = &'static Algorithm> {
    // SAFETY: native.c defines the table and its length together.
    let own: &[Algorithm] = unsafe {
        core::slice::from_raw_parts(
            (&raw const bindings::onramp_algorithms).cast(),
            bindings::onramp_algorithm_count,
        )
    };
    #[cfg(feature = "std")]
    return own.iter().chain(SUPPLIED.get());
    #[cfg(not(feature = "std"))]
    own.iter()
}

pub(crate) fn text(literal: *const c_char) -> &'static str {
    // SAFETY: every string that native.c returns is a literal.
    unsafe { CStr::from_ptr(literal) }
        .to_str()
        .expect("core/ is written in UTF-8")
}

/// The names of all algorithms, in the registry's order.
pub fn names() -> impl Iterator<Item = &'static str> {
    algorithms().map(Algorithm::name)
}

/// The same as a slice.
#[cfg(feature = "std")]
pub fn startup_names() -> &'static [&'static str] {
    /// Without and with a supplied algorithm.
    static NAMES: [std::sync::OnceLock<Vec<&'static str>>; 2] =
        [const { std::sync::OnceLock::new() }; 2];
    NAMES[usize::from(SUPPLIED.get().is_some())].get_or_init(|| names().collect())
}

/// An algorithm's summary, in one line.
pub fn summary(name: &str) -> Option<&'static str> {
    Algorithm::named(name).map(|row| text(row.summary))
}

/// The name of an algorithm's congestion control in the kernel: `onramp_` and the algorithm's name,
/// but just `onramp` for `onramp`.
pub fn congestion_control(name: &str) -> String {
    match name {
        DEFAULT_STARTUP => name.to_owned(),
        _ => format!("onramp_{name}"),
    }
}

/// Whether an algorithm declares this capability. False for an unknown name.
fn declares(name: &str, capability: Capability) -> bool {
    Algorithm::named(name).is_some_and(|row| row.capabilities & capability != 0)
}

/// Whether an algorithm always asks for packet pairs ([`Decision::pair`](crate::Decision::pair))
/// and is of no use without them.
pub fn needs_pairs(name: &str) -> bool {
    declares(name, bindings::NEEDS_PAIRS)
}

/// Whether an algorithm asks for packet pairs where the user chooses them
/// ([`OPTION_PAIRS`](crate::OPTION_PAIRS)).
pub fn sends_pairs(name: &str) -> bool {
    declares(name, bindings::SENDS_PAIRS)
}

/// Whether an algorithm sends at a reserved rate ([`PHASE_RESERVED`](crate::PHASE_RESERVED)).
pub fn reserves(name: &str) -> bool {
    declares(name, bindings::RESERVES)
}

/// Whether an algorithm resumes from the BDP that the host remembers of the path
/// ([`Start::remembered_bytes`](crate::Start::remembered_bytes)).
pub fn resumes(name: &str) -> bool {
    declares(name, bindings::RESUMES)
}

/// Whether an algorithm sends behind the initial window before any acknowledgement
/// ([`Start::initial_bytes_per_s`](crate::Start::initial_bytes_per_s)).
pub fn sends_early(name: &str) -> bool {
    declares(name, bindings::SENDS_EARLY)
}

/// Whether an algorithm takes its share of the path where other connections to the same destination
/// are starting up ([`Ack::siblings`](crate::Ack::siblings)).
pub fn shares(name: &str) -> bool {
    declares(name, bindings::SHARES)
}

/// Whether an algorithm controls cwnd while a loss is repaired
/// ([`PHASE_REPAIR`](crate::PHASE_REPAIR)).
pub fn repairs(name: &str) -> bool {
    declares(name, bindings::REPAIRS)
}

/// The name of a phase, for example `slow-start`; `unknown` for any other number.
pub fn phase_name(phase: u32) -> &'static str {
    // SAFETY: the function takes any number.
    text(unsafe { bindings::onramp_native_phase_name(phase) })
}

/// The name of an exit reason, for example `estimate`; `unknown` for any other number.
pub fn exit_name(exit: u32) -> &'static str {
    // SAFETY: the function takes any number.
    text(unsafe { bindings::onramp_native_exit_name(exit) })
}
