//! The receiver's clock, `core/measure/receiver_clock.h`, without an algorithm.

use crate::{bindings, Ack, Start, STATE_BYTES};

/// What the timestamps of one connection's ACKs show of the receiver's clock.
#[derive(Clone)]
pub struct ReceiverClock {
    state: [u64; STATE_BYTES / 8],
}

impl ReceiverClock {
    /// The clock at the handshake. Without [`OPTION_TIMESTAMPS`](crate::OPTION_TIMESTAMPS) it is
    /// never known.
    pub fn begin(start: &Start) -> ReceiverClock {
        let mut clock = ReceiverClock {
            state: [0; STATE_BYTES / 8],
        };
        // SAFETY: native.c asserts that a clock fits into the state; its alignment is 8.
        unsafe {
            bindings::onramp_native_receiver_clock_begin(clock.state.as_mut_ptr().cast(), start);
        }
        clock
    }

    /// The receiver's time of this ACK since the handshake, in nanoseconds, if it is known.
    pub fn time_ns(&mut self, ack: &Ack) -> Option<u64> {
        let state = self.state.as_mut_ptr().cast();
        // SAFETY: begin() made the state.
        let time_ns = unsafe { bindings::onramp_native_receiver_clock_ns(state, ack) };
        (time_ns > 0).then_some(time_ns)
    }

    /// The length of a tick in nanoseconds, if it has been recognised.
    pub fn tick_ns(&self) -> Option<u64> {
        let state = self.state.as_ptr().cast();
        // SAFETY: begin() made the state.
        let tick_ns = unsafe { bindings::onramp_native_receiver_clock_tick_ns(state) };
        (tick_ns > 0).then_some(tick_ns)
    }
}
