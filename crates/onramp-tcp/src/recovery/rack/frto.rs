//! F-RTO: whether a retransmission timeout was spurious (RFC 5682, section 3.1, with SACK, as in
//! Linux).
//!
//! ```text
//!   timeout       the first segment is retransmitted
//!   first ACK that advances SND.UNA, but not to the end of the flight:
//!                 send new data instead of retransmissions                    (step 2.b)
//!   then:         a segment is delivered that was sent once, before the new   -> spurious (3.b)
//!                 something of the new data is delivered, and nothing before  -> genuine  (3.a)
//! ```
//!
//! Timestamps find most spurious timeouts one round trip earlier ([`undo`](super::undo)). F-RTO
//! needs none.

use super::super::Context;

/// State of the algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Frto {
    is_active: bool,
}

/// What F-RTO says about a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The timeout was spurious.
    Spurious,
    /// Send new data and no retransmission, to find out.
    SendNew,
    /// The usual repair goes on.
    Repair,
}

impl Frto {
    /// A timeout. `is_new`: no other repair was in progress. `is_repeated`: the first segment has
    /// timed out before (section 3.2).
    pub fn begin(&mut self, is_new: bool, is_repeated: bool) {
        self.is_active = is_new || is_repeated;
    }

    /// New data could not be sent.
    pub fn end(&mut self) {
        self.is_active = false;
    }

    /// Processes an acknowledgement. `recovery_point`: SND.NXT at the timeout, or when new data was
    /// sent.
    pub fn on_ack(&mut self, cx: &Context<'_>, recovery_point: &mut u64) -> Verdict {
        if !self.is_active {
            return Verdict::Repair;
        }
        let delivery = cx.delivery;
        if delivery
            .first_sent_once_end
            .is_some_and(|end| end <= *recovery_point)
        {
            return Verdict::Spurious;
        }
        let (una, nxt) = (cx.scoreboard.una(), cx.scoreboard.nxt());
        if nxt > *recovery_point {
            if delivery.sacked_bytes > 0 || cx.is_duplicate {
                self.is_active = false;
            }
        } else if delivery.acked_bytes > 0 && una < *recovery_point {
            *recovery_point = nxt;
            if cx.has_new_data {
                return Verdict::SendNew;
            }
            self.is_active = false;
        }
        Verdict::Repair
    }
}
