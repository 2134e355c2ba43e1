//! The memory of paths: `core/parts/path_memory.h` with a safe face.
//!
//! A host keeps one [`Entry`] for each path and asks here what it may do with the entry. Times are
//! the host's, of a clock that goes on while the host sleeps.

#[cfg(not(feature = "std"))]
#[path = "none.rs"]
mod paths;
#[cfg(feature = "std")]
mod paths;

use crate::{bindings, Decision, Start, OPTION_RESUME_AT_ONCE};

pub use crate::bindings::Entry;
pub(crate) use paths::MemoryUser;
pub use paths::PathMemory;

/// The default Lifetime of an entry: ten minutes.
pub const LIFETIME_NS: u64 = bindings::PATH_MEMORY_LIFETIME_NS;

/// A jump at once is halved after each such time since it was confirmed.
pub const HALVING_NS: u64 = bindings::PATH_MEMORY_HALVING_NS;

/// The default cap of a jump at once, in full segments.
pub const JUMP_SEGMENTS: u32 = bindings::PATH_MEMORY_JUMP_SEGMENTS;

/// While it receives from its peer, a connection renews its use of the entry at this interval
/// ([`Entry::keep`]).
pub const KEEP_NS: u64 = bindings::PATH_MEMORY_KEEP_NS;

/// The effect of a decision on the path's entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// Nothing.
    None,
    /// The learned BDP is to be remembered: [`Entry::save`].
    Save,
    /// The remembered BDP is wrong, or no longer worth remembering: delete the entry.
    Forget,
}

impl Entry {
    /// The entry's Lifetime is over: delete it.
    pub fn is_over(&self, now_ns: u64, lifetime_ns: u64) -> bool {
        // SAFETY: the function takes any numbers.
        unsafe { bindings::path_memory_is_over(self, now_ns, lifetime_ns) }
    }

    /// A connection other than `user` uses the entry; any connection where `user` is 0.
    pub fn is_in_use(&self, user: u64, now_ns: u64) -> bool {
        // SAFETY: the function takes any numbers.
        unsafe { bindings::path_memory_is_in_use(self, user, now_ns) }
    }

    /// A connection begins. `user` is its own number, and not 0. True: the connection uses the
    /// entry from now on, and `start` has the remembered BDP and how it is used. `max_jump_bytes`
    /// is the user's cap of a jump at once ([`Start::jump_bytes`]); 0: the default.
    pub fn take(&mut self, user: u64, now_ns: u64, max_jump_bytes: u64, start: &mut Start) -> bool {
        // SAFETY: the function takes any numbers.
        unsafe { bindings::path_memory_take(self, user, now_ns, max_jump_bytes, start) }
    }

    /// The connection has received from its peer. False: it does not use the entry (any more).
    pub fn keep(&mut self, user: u64, now_ns: u64) -> bool {
        // SAFETY: the function takes any numbers.
        unsafe { bindings::path_memory_keep(self, user, now_ns) }
    }

    /// The connection ends. Nothing changes if it does not use the entry.
    pub fn give_back(&mut self, user: u64) {
        // SAFETY: the function takes any numbers.
        unsafe { bindings::path_memory_give_back(self, user) }
    }

    /// Remembers the learned BDP of a decision that means [`News::Save`]. True: the connection uses
    /// the entry from now on, which no other connection used.
    pub fn save(&mut self, user: u64, decision: &Decision, now_ns: u64) -> bool {
        // SAFETY: the function takes any numbers.
        unsafe { bindings::path_memory_save(self, user, decision, now_ns) }
    }
}

/// The initial window with which a learned BDP is compared, of a connection that is new or goes on.
pub fn window(start: &Start, is_new: bool) -> u64 {
    // SAFETY: the function takes any numbers.
    unsafe { bindings::path_memory_window(start, is_new) }
}

/// The effect of a decision of a connection whose [`window`] is `initial_bytes`.
pub fn news(decision: &Decision, initial_bytes: u64) -> News {
    // SAFETY: the function takes any numbers.
    match unsafe { bindings::path_memory_news(decision, initial_bytes) } {
        bindings::PATH_MEMORY_SAVE => News::Save,
        bindings::PATH_MEMORY_FORGET => News::Forget,
        _ => News::None,
    }
}

/// An RTT of this length fits the remembered path. An RTT of 0 is unknown and does not fit.
pub fn fits(remembered_rtt_ns: u64, rtt_ns: u64) -> bool {
    // SAFETY: the function takes any numbers.
    unsafe { bindings::path_memory_fits(remembered_rtt_ns, rtt_ns) }
}

/// When a connection uses the BDP that an earlier connection measured on the same path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Memory {
    /// Never: nothing is remembered.
    #[default]
    Off,
    /// When its initial window has been acknowledged, as Careful Resume (RFC 9959) does.
    Careful,
    /// From its first segment on, within bounds.
    AtOnce,
}

impl Memory {
    /// All of them, in the order in which help texts list them.
    pub const ALL: [Memory; 3] = [Memory::Off, Memory::Careful, Memory::AtOnce];

    /// The name in scenario files, on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Memory::Off => "off",
            Memory::Careful => "careful",
            Memory::AtOnce => "at-once",
        }
    }

    /// The bit of [`Start::options`] that a start-up needs for it; 0: none.
    pub fn options(self) -> u32 {
        match self {
            Memory::Off | Memory::Careful => 0,
            Memory::AtOnce => OPTION_RESUME_AT_ONCE,
        }
    }
}
