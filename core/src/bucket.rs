//! The token bucket of `core/parts/token_bucket.h`, by which a reserved rate is kept.
//!
//! Whoever asks it before each segment, and takes what leaves, never sends more than rate * t +
//! depth in any time t.

use crate::ffi;

/// A token bucket, full at the start. Its rate and depth are given with each call: they may change
/// meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    full_ns: u64,
}

impl Bucket {
    /// The first moment at which it has so many bytes; it may have passed. Of more than its depth,
    /// the moment at which it is full of so many. A rate of 0 counts as 1.
    pub fn has_ns(&self, bytes: u32, bytes_per_s: u64, burst_bytes: u32) -> u64 {
        // SAFETY: the function takes any numbers but a rate of 0.
        unsafe {
            let burst_bytes = burst_bytes.max(bytes).into();
            ffi::onramp_native_bucket_has_ns(
                self.full_ns,
                bytes.into(),
                bytes_per_s.max(1),
                burst_bytes,
            )
        }
    }

    /// So many bytes leave, be there tokens for them or not.
    pub fn take(&mut self, now_ns: u64, bytes: u32, bytes_per_s: u64) {
        // SAFETY: the function takes any numbers but a rate of 0.
        self.full_ns = unsafe {
            ffi::onramp_native_bucket_take(self.full_ns, now_ns, bytes.into(), bytes_per_s.max(1))
        };
    }
}
