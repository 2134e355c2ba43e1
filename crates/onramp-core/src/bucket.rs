//! The token bucket of `core/token_bucket.h`, by which a reserved rate is kept.

use crate::ffi;

/// A token bucket, full at the start. Its rate and depth are given with each call: they may change meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    full_ns: u64,
}

impl Bucket {
    /// The first moment at which it has so many bytes, no more than its depth; it may have passed. The rate is not 0.
    pub fn has_ns(&self, bytes: u32, bytes_per_s: u64, burst_bytes: u32) -> u64 {
        // SAFETY: the function takes any numbers; the depth is not below what is asked for.
        unsafe {
            ffi::onramp_native_bucket_has_ns(self.full_ns, bytes.into(), bytes_per_s, burst_bytes.max(bytes).into())
        }
    }

    /// So many bytes leave, be there tokens for them or not.
    pub fn take(&mut self, now_ns: u64, bytes: u32, bytes_per_s: u64) {
        // SAFETY: the function takes any numbers.
        self.full_ns = unsafe { ffi::onramp_native_bucket_take(self.full_ns, now_ns, bytes.into(), bytes_per_s) };
    }
}
