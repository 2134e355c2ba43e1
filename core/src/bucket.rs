//! The token bucket of `core/parts/token_bucket.h`, which keeps a reserved rate.
//!
//! A sender that asks the bucket before each segment, and takes what leaves, sends at most
//! rate * t + depth in any time t.

use crate::bindings;

/// A token bucket, full at the start. Its rate and depth are given with each call, because they may
/// change meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    full_ns: u64,
}

impl Bucket {
    /// The first time at which the bucket has tokens for these bytes; it may have passed. For
    /// bytes beyond the depth it is the time at which the bucket is full. A rate of 0 counts as 1.
    pub fn ready_ns(&self, bytes: u32, bytes_per_s: u64, burst_bytes: u32) -> u64 {
        let burst_bytes = burst_bytes.max(bytes).into();
        // SAFETY: the function takes any numbers but a rate of 0.
        unsafe {
            bindings::bucket_ready_ns(self.full_ns, bytes.into(), bytes_per_s.max(1), burst_bytes)
        }
    }

    /// These bytes leave, whether the bucket has tokens for them or not.
    pub fn take(&mut self, now_ns: u64, bytes: u32, bytes_per_s: u64) {
        let rate = bytes_per_s.max(1);
        // SAFETY: the function takes any numbers but a rate of 0.
        self.full_ns = unsafe { bindings::bucket_take(self.full_ns, now_ns, bytes.into(), rate) };
    }
}
