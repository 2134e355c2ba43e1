//! The governor: `core/parts/governor.h` with a safe face.
//!
//! A host keeps one [`Average`] for all of its connections and one for each destination, and asks
//! here whether new connections may use their start-up. Times are of the host's clock.

use crate::bindings;

pub use crate::bindings::Average;

/// The default bound of the share of segments that start-ups retransmit: 25 %, in parts per
/// million.
pub const BOUND_PPM: u32 = bindings::GOVERNOR_BOUND_PPM;

/// A share of 100 %.
pub const PPM: u32 = bindings::GOVERNOR_PPM;

/// The number of start-ups in the average of a host.
pub const HOST_STARTUPS: u32 = bindings::GOVERNOR_HOST_STARTUPS;

/// The number of start-ups in the average of a destination.
pub const DESTINATION_STARTUPS: u32 = bindings::GOVERNOR_DESTINATION_STARTUPS;

/// While the bound is exceeded, one connection of this number uses its start-up.
pub const TRY_INTERVAL: u32 = bindings::GOVERNOR_TRY_INTERVAL;

/// An average into which no start-up has gone for this time is forgotten.
pub const LIFETIME_NS: u64 = bindings::GOVERNOR_LIFETIME_NS;

/// The share, in parts per million, of the `sent` segments that are retransmissions.
pub fn share_ppm(sent: u64, retransmitted: u64) -> u32 {
    // SAFETY: the function takes any numbers.
    unsafe { bindings::governor_share_ppm(sent, retransmitted) }
}

/// A start-up that sent so many segments counts: it sent more than an initial window.
pub fn counts(sent: u64) -> bool {
    // SAFETY: the function takes any numbers.
    unsafe { bindings::governor_counts(sent) }
}

impl Average {
    /// A start-up with this share has ended. `n` is the maximum number of start-ups in the average,
    /// more than 0.
    pub fn add(&mut self, share_ppm: u32, n: u32, now_ns: u64) {
        // SAFETY: the function takes any numbers but an `n` of 0.
        unsafe { bindings::governor_add(self, share_ppm, n.max(1), now_ns) }
    }

    /// A start-up that is in the average has retransmitted more: its share has grown by this much.
    pub fn add_late(&mut self, share_ppm: u32, now_ns: u64) {
        // SAFETY: the function takes any numbers.
        unsafe { bindings::governor_add_late(self, share_ppm, now_ns) }
    }

    /// New connections are to begin with slow start. `n` is that of [`Average::add`].
    pub fn exceeds(&self, bound_ppm: u32, n: u32, now_ns: u64) -> bool {
        // SAFETY: the function takes any numbers.
        unsafe { bindings::governor_exceeds(self, bound_ppm, n, now_ns) }
    }

    /// A connection begins while the bound is exceeded. True: it uses its start-up nevertheless.
    pub fn starts_nevertheless(&mut self) -> bool {
        let asked_before = self.held;
        self.held += 1;
        // SAFETY: the function takes any number.
        unsafe { bindings::governor_starts(asked_before) }
    }
}
