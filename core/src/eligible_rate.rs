//! TCP Westwood's eligible rate estimate: `core/measure/eligible_rate.h` for itself.

use crate::{bindings, Ack, STATE_BYTES};

/// What a connection may send, by its acknowledgements.
#[derive(Clone)]
pub struct EligibleRate {
    state: [u64; STATE_BYTES / 8],
    options: u32,
}

impl EligibleRate {
    /// Of a connection of which nothing was acknowledged, with
    /// [`OPTION_ERE_LATEST`](crate::OPTION_ERE_LATEST) and
    /// [`OPTION_ERE_CALM`](crate::OPTION_ERE_CALM) among the options or not.
    pub fn new(options: u32) -> EligibleRate {
        EligibleRate {
            state: [0; STATE_BYTES / 8],
            options,
        }
    }

    /// An acknowledgement arrived.
    pub fn ack(&mut self, ack: &Ack) {
        // SAFETY: native.c asserts that an estimate has room here; 8 is its alignment, zero its
        // beginning.
        unsafe {
            bindings::onramp_native_ere_ack(self.state.as_mut_ptr().cast(), ack, self.options)
        };
    }

    /// The estimate; 0 before the first.
    pub fn bytes_per_s(&self) -> u64 {
        // SAFETY: as in ack().
        unsafe { bindings::onramp_native_ere_bytes_per_s(self.state.as_ptr().cast()) }
    }

    /// The latest sample, s_k.
    pub fn sample_bytes_per_s(&self) -> u64 {
        // SAFETY: as in ack().
        unsafe { bindings::onramp_native_ere_sample_bytes_per_s(self.state.as_ptr().cast()) }
    }

    /// The filtered throughput of the last round trip, Th.
    pub fn through_bytes_per_s(&self) -> u64 {
        // SAFETY: as in ack().
        unsafe { bindings::onramp_native_ere_through_bytes_per_s(self.state.as_ptr().cast()) }
    }
}
