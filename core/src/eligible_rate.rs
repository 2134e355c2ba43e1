//! TCP Westwood's eligible rate estimate, `core/measure/eligible_rate.h`, without an algorithm.

use crate::{bindings, Ack, STATE_BYTES};

/// The rate at which a connection may send, from its ACKs.
#[derive(Clone)]
pub struct EligibleRate {
    state: [u64; STATE_BYTES / 8],
    variant: u64,
}

impl EligibleRate {
    /// The estimate of a connection before its first ACK. `variant`: bits of
    /// [`Train`](crate::Train) for `astart`.
    pub fn new(variant: u64) -> EligibleRate {
        EligibleRate {
            state: [0; STATE_BYTES / 8],
            variant,
        }
    }

    /// An ACK arrived.
    pub fn ack(&mut self, ack: &Ack) {
        let state = self.state.as_mut_ptr().cast();
        // SAFETY: native.c asserts that an estimate fits into the state. Its alignment is 8, and it
        // begins with zeros.
        unsafe { bindings::onramp_native_ere_ack(state, ack, self.variant) };
    }

    /// The estimate; 0 before the first sample.
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
    pub fn throughput_bytes_per_s(&self) -> u64 {
        // SAFETY: as in ack().
        unsafe { bindings::onramp_native_ere_throughput_bytes_per_s(self.state.as_ptr().cast()) }
    }
}
