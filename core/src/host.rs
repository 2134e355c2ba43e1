//! The contract between a start-up and its host, `core/host.h`: who owns cwnd, ssthresh and pacing
//! after a decision, and which events the host reports next.
//!
//! `core/host.h` has the whole contract as a table. Every host calls these functions and makes no
//! such decision by itself.

use crate::{bindings, Decision};

impl Decision {
    /// The start-up is over, for good or until the next slow start.
    pub fn is_over(&self) -> bool {
        // SAFETY: the function takes any number.
        unsafe { bindings::onramp_native_phase_is_over(self.phase) }
    }

    /// The start-up is over for good: the host may free it, and never calls it again.
    pub fn is_done(&self) -> bool {
        // SAFETY: the function takes any number.
        unsafe { bindings::onramp_native_host_is_done(self.phase) }
    }

    /// A rate is reserved: no loss, retransmission timeout or idle time changes cwnd.
    pub fn is_reserved(&self) -> bool {
        // SAFETY: the function takes any number.
        unsafe { bindings::onramp_native_host_is_reserved(self.phase) }
    }

    /// A loss is being repaired, and the start-up may still change ssthresh.
    pub fn is_retreating(&self) -> bool {
        // SAFETY: the function takes any number.
        unsafe { bindings::onramp_native_host_is_retreating(self.phase) }
    }

    /// Congestion avoidance owns cwnd, and the start-up paces what cwnd permits.
    pub fn is_paced_by_algorithm(&self) -> bool {
        // SAFETY: the function takes any number.
        unsafe { bindings::onramp_native_host_is_paced_by_algorithm(self.phase) }
    }

    /// The host's congestion avoidance raises cwnd, outside of recovery. Otherwise the start-up
    /// does. `cwnd` and `ssthresh` may be in any unit, but must be in the same one.
    pub fn host_owns_cwnd(&self, cwnd: u64, ssthresh: u64) -> bool {
        // SAFETY: the function takes any numbers.
        unsafe { bindings::onramp_native_host_owns_cwnd(self.phase, cwnd, ssthresh) }
    }

    /// The host reports acknowledgements to the start-up while it repairs losses.
    pub fn host_reports_recovery(&self) -> bool {
        // SAFETY: the function takes any number.
        unsafe { bindings::onramp_native_host_reports_recovery(self.phase) }
    }

    /// The host reports this acknowledgement, which delivers new data, to the start-up. `cwnd` and
    /// `ssthresh` may be in any unit, but must be in the same one.
    pub fn host_reports_ack(&self, cwnd: u64, ssthresh: u64, is_recovering: bool) -> bool {
        // SAFETY: the function takes any numbers.
        unsafe {
            bindings::onramp_native_host_reports_ack(self.phase, cwnd, ssthresh, is_recovering)
        }
    }

    /// The host reports losses to the start-up, which answers with the new ssthresh.
    pub fn host_reports_loss(&self) -> bool {
        // SAFETY: the function takes any number.
        unsafe { bindings::onramp_native_host_reports_loss(self.phase) }
    }

    /// The host paces at the decided rate. Otherwise it paces as it would without a start-up.
    pub fn host_paces(&self) -> bool {
        // SAFETY: the function takes any number.
        unsafe { bindings::onramp_native_host_paces(self.pacing_bytes_per_s) }
    }
}
