//! The memory of paths: `core/parts/path_memory.h` with a safe face.
//!
//! A host keeps an [`Entry`] for each path, and asks here what may be done with it. Times are the
//! host's, of a clock that goes on while it sleeps.

use crate::{ffi, Decision, Start, OPTION_RESUME_AT_ONCE};

/// The Lifetime for those who choose none: ten minutes.
pub const LIFETIME_NS: u64 = 600_000_000_000;

/// A connection says so often that it still has its entry ([`Entry::keep`]), as long as it hears
/// from its peer.
pub const KEEP_NS: u64 = 125_000_000;

/// What is remembered of a path.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// What it carried in a round trip; 0: nothing is remembered.
    pub bytes: u64,
    /// The least round trip at that time.
    pub rtt_ns: u64,
    /// When that was saved.
    pub saved_ns: u64,
    /// The connection that has it, by its own number; 0: none.
    pub user: u64,
    /// When that last said so.
    pub used_ns: u64,
}

/// What a decision means for what is remembered of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// Nothing.
    None,
    /// What it says is to be remembered: [`Entry::save`].
    Save,
    /// What is remembered is wrong, or not worth it any more.
    Forget,
}

impl Entry {
    #[cfg(test)]
    pub(crate) const LAST_OFFSET: usize = std::mem::offset_of!(Entry, used_ns);

    /// Is its Lifetime over, so that it is to be deleted?
    pub fn is_over(&self, now_ns: u64, lifetime_ns: u64) -> bool {
        // SAFETY: the function takes any numbers.
        unsafe { ffi::onramp_native_memory_is_over(self, now_ns, lifetime_ns) }
    }

    /// Has a connection other than this one got it? With 0, any.
    pub fn is_in_use(&self, user: u64, now_ns: u64) -> bool {
        // SAFETY: the function takes any numbers.
        unsafe { ffi::onramp_native_memory_is_in_use(self, user, now_ns) }
    }

    /// A connection begins, with a number that is its own and not 0. True if it has the entry now:
    /// then `start` says what is remembered.
    pub fn take(&mut self, user: u64, now_ns: u64, start: &mut Start) -> bool {
        // SAFETY: the function takes any numbers.
        unsafe { ffi::onramp_native_memory_take(self, user, now_ns, start) }
    }

    /// It has heard from its peer. False: it does not have the entry any more, if it had.
    pub fn keep(&mut self, user: u64, now_ns: u64) -> bool {
        // SAFETY: the function takes any numbers.
        unsafe { ffi::onramp_native_memory_keep(self, user, now_ns) }
    }

    /// It ends. Nothing changes if it does not have the entry.
    pub fn give_back(&mut self, user: u64) {
        // SAFETY: the function takes any numbers.
        unsafe { ffi::onramp_native_memory_give_back(self, user) }
    }

    /// Remember what a decision says that means [`News::Save`]. True: the connection has the entry,
    /// which nobody else had.
    pub fn save(&mut self, user: u64, decision: &Decision, now_ns: u64) -> bool {
        // SAFETY: the function takes any numbers.
        unsafe { ffi::onramp_native_memory_save(self, user, decision, now_ns) }
    }
}

/// The initial window by which is judged what a connection finds, one that begins now or one that
/// goes on.
pub fn window(start: &Start, is_new: bool) -> u64 {
    // SAFETY: the function takes any numbers.
    unsafe { ffi::onramp_native_memory_window(start, is_new) }
}

/// What a decision of a connection with this [`window`] means.
pub fn news(decision: &Decision, initial_bytes: u64) -> News {
    // SAFETY: the function takes any numbers.
    match unsafe { ffi::onramp_native_memory_news(decision, initial_bytes) } {
        0 => News::None,
        1 => News::Save,
        _ => News::Forget,
    }
}

/// Is a round trip of this length that of the path that is remembered? 0 is not known, and is not.
pub fn fits(remembered_rtt_ns: u64, rtt_ns: u64) -> bool {
    // SAFETY: the function takes any numbers.
    unsafe { ffi::onramp_native_memory_fits(remembered_rtt_ns, rtt_ns) }
}

/// When a connection uses the BDP that an earlier connection measured on the same path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Memory {
    /// Never: nothing is remembered.
    #[default]
    Off,
    /// When its initial window has been acknowledged, as Careful Resume (RFC 9959) does.
    Careful,
    /// From its first segment on.
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
