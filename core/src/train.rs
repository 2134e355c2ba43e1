//! The rate of a path from the spacing of a flight's ACKs, `core/measure/ack_train.h`, without an
//! algorithm.

use crate::{bindings, STATE_BYTES};

/// The ACKs of one flight.
#[derive(Clone)]
pub struct AckTrain {
    state: [u64; STATE_BYTES / 8],
}

impl AckTrain {
    /// The first ACK of a flight, with the bytes delivered in total and the bytes of the flight
    /// that are still in flight.
    pub fn begin(now_ns: u64, delivered_bytes: u64, flight_bytes: u64) -> AckTrain {
        let mut train = AckTrain {
            state: [0; STATE_BYTES / 8],
        };
        let state = train.state.as_mut_ptr().cast();
        // SAFETY: native.c asserts that a train fits into the state; its alignment is 8.
        unsafe {
            bindings::onramp_native_train_begin(state, now_ns, delivered_bytes, flight_bytes);
        }
        train
    }

    /// A further ACK of the flight, on a path of this RTT.
    ///
    /// # Panics
    /// If the MSS is 0.
    pub fn add(&mut self, now_ns: u64, delivered_bytes: u64, mss_bytes: u32, rtt_ns: u64) {
        assert!(mss_bytes > 0, "a train is counted in segments");
        let state = self.state.as_mut_ptr().cast();
        // SAFETY: begin() made the state.
        unsafe {
            bindings::onramp_native_train_add(state, now_ns, delivered_bytes, mss_bytes, rtt_ns);
        }
    }

    /// The path's rate, if the train gives one.
    pub fn bytes_per_s(&self, mss_bytes: u32) -> Option<u64> {
        self.bytes_per_s_by(mss_bytes, 0)
    }

    /// The path's rate by the method that `variant` selects: bits of
    /// [`Train`](crate::Train) for `paced`; 0: the slope of the line.
    pub fn bytes_per_s_by(&self, mss_bytes: u32, variant: u64) -> Option<u64> {
        let state = self.state.as_ptr().cast();
        // SAFETY: begin() made the state.
        let rate = unsafe { bindings::onramp_native_train_bytes_per_s(state, mss_bytes, variant) };
        (rate > 0).then_some(rate)
    }

    /// The points form a line: it explains nine tenths of their variance.
    pub fn is_line(&self) -> bool {
        // SAFETY: begin() made the state.
        unsafe { bindings::onramp_native_train_is_line(self.state.as_ptr().cast()) }
    }
}
