//! Proportional Rate Reduction (RFC 6937): how much to send while cwnd shrinks to ssthresh.
//!
//! ```text
//!   pipe > ssthresh:  sndcnt = ceil(prr_delivered * ssthresh / RecoverFS) - prr_out
//!   otherwise:        sndcnt = min(ssthresh - pipe,
//!                                  max(prr_delivered - prr_out, DeliveredData) + MSS)
//!   cwnd = pipe + sndcnt
//! ```
//!
//! The second case is the slow-start reduction bound. Its extra segment is sent only for an
//! acknowledgement that advances SND.UNA and shows no further loss. Linux does this, and the RFC's
//! successor requires it. Otherwise the bound is the conservative one.

use super::Scoreboard;
use crate::congestion::Congestion;

/// State of one reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reduction {
    /// RecoverFS: the flight size when the reduction began.
    recover_flight_bytes: u64,
    delivered_bytes: u64,
    out_bytes: u64,
}

impl Reduction {
    /// Starts a reduction. The caller has set ssthresh.
    pub fn begin(flight_bytes: u64) -> Reduction {
        Reduction {
            recover_flight_bytes: flight_bytes.max(1),
            delivered_bytes: 0,
            out_bytes: 0,
        }
    }

    /// Reports bytes that were sent.
    pub fn sent(&mut self, bytes: u32) {
        self.out_bytes += u64::from(bytes);
    }

    /// Sets cwnd after an acknowledgement. Losses are already marked. `shows_no_loss`: the
    /// acknowledgement advanced SND.UNA and showed no further loss.
    pub fn on_ack(
        &mut self,
        congestion: &mut Congestion,
        scoreboard: &Scoreboard,
        delivered_bytes: u64,
        shows_no_loss: bool,
    ) {
        let mss = u64::from(congestion.window.mss_bytes);
        let target = congestion.reduced_bytes();
        let pipe = scoreboard.pipe_bytes();
        self.delivered_bytes += delivered_bytes;
        let mut send = if pipe > target {
            let share = u128::from(self.delivered_bytes) * u128::from(target);
            let share = share.div_ceil(u128::from(self.recover_flight_bytes)) as u64;
            share.saturating_sub(self.out_bytes)
        } else {
            let mut limit = self
                .delivered_bytes
                .saturating_sub(self.out_bytes)
                .max(delivered_bytes);
            if shows_no_loss {
                limit += mss;
            }
            limit.min(target - pipe)
        };
        if self.out_bytes == 0 {
            // The first retransmission is sent in any case.
            send = send.max(mss);
        }
        congestion.window.cwnd_bytes = (pipe + send).max(mss);
    }
}
