//! The rate of a path from the spacing of a flight's acknowledgements: `core/measure/ack_train.h` for
//! itself.

use crate::{bindings, STATE_BYTES};

/// The acknowledgements of one flight.
#[derive(Clone)]
pub struct AckTrain {
    state: [u64; STATE_BYTES / 8],
}

impl AckTrain {
    /// The first acknowledgement of a flight, with the bytes delivered in total and
    /// those of the flight that are still outstanding.
    pub fn begin(now_ns: u64, delivered_bytes: u64, flight_bytes: u64) -> AckTrain {
        let mut train = AckTrain {
            state: [0; STATE_BYTES / 8],
        };
        // SAFETY: native.c asserts that a train has room here; 8 is its alignment.
        unsafe {
            bindings::onramp_native_train_begin(
                train.state.as_mut_ptr().cast(),
                now_ns,
                delivered_bytes,
                flight_bytes,
            );
        }
        train
    }

    /// A further one, on a path of this round-trip time.
    ///
    /// # Panics
    /// If the MSS is 0.
    pub fn add(&mut self, now_ns: u64, delivered_bytes: u64, mss_bytes: u32, rtt_ns: u64) {
        assert!(mss_bytes > 0, "a train is counted in segments");
        // SAFETY: begin() made the state.
        unsafe {
            bindings::onramp_native_train_add(
                self.state.as_mut_ptr().cast(),
                now_ns,
                delivered_bytes,
                mss_bytes,
                rtt_ns,
            );
        }
    }

    /// The path's rate, if the train says anything about it.
    pub fn bytes_per_s(&self, mss_bytes: u32) -> Option<u64> {
        self.bytes_per_s_by(mss_bytes, 0)
    }

    /// The same in the reading that options name: [`OPTION_TRAIN_ENDS`](crate::OPTION_TRAIN_ENDS)
    /// or [`OPTION_TRAIN_CLOSEST`](crate::OPTION_TRAIN_CLOSEST); the line without either.
    pub fn bytes_per_s_by(&self, mss_bytes: u32, options: u32) -> Option<u64> {
        // SAFETY: begin() made the state.
        let rate = unsafe {
            bindings::onramp_native_train_bytes_per_s(
                self.state.as_ptr().cast(),
                mss_bytes,
                options,
            )
        };
        (rate > 0).then_some(rate)
    }

    /// Do its points lie on a line, which explains nine tenths of how they differ?
    pub fn is_line(&self) -> bool {
        // SAFETY: begin() made the state.
        unsafe { bindings::onramp_native_train_is_line(self.state.as_ptr().cast()) }
    }
}
