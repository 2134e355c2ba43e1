//! Fast retransmit and fast recovery (RFC 5681, section 3.2).
//!
//! The third duplicate ACK retransmits the first segment in flight and halves cwnd. Each further
//! duplicate ACK stands for a segment that has left the network, and inflates cwnd by one segment.
//! The first acknowledgement of new data ends the recovery, whether all losses are repaired or not.
//!
//! After a timeout everything is retransmitted, even data that had arrived. The resulting duplicate
//! ACKs look like losses, and each three of them halve cwnd once more (S. Floyd, "TCP and
//! Successive Fast Retransmits", 1995). The careful variant (RFC 2582, section 5) ignores duplicate
//! ACKs until everything that was sent before the timeout is acknowledged.
//!
//! The simulator ns has the same care after a fast retransmit (`bugFix_`, on by default). A second
//! loss in one window then has to wait for the timer. Its inflation is apart from cwnd (`dupwnd_`),
//! and ignored duplicate ACKs add to it all the same.

use super::{Context, Recovery, Scoreboard, Timeout, DUP_THRESHOLD};
use crate::congestion::LossKind;

/// After which events duplicate ACKs are ignored, until everything that was sent before the event
/// is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// After none (RFC 5681).
    None,
    /// After a timeout (RFC 2582, section 5).
    Timeouts,
    /// After a timeout and after a fast retransmit (ns).
    Reductions,
}

/// State of Reno.
#[derive(Clone, Debug)]
pub struct Reno {
    limited_transmit: bool,
    duplicates: u32,
    is_recovering: bool,
    care: Care,
    /// Duplicate ACKs at or below this offset are ignored; `None` before the first event of `care`.
    recover: Option<u64>,
}

impl Reno {
    /// Reno with or without limited transmit (RFC 3042).
    pub fn new(limited_transmit: bool, care: Care) -> Reno {
        Reno {
            limited_transmit,
            duplicates: 0,
            is_recovering: false,
            care,
            recover: None,
        }
    }

    /// The third duplicate ACK.
    fn enter(&mut self, cx: &mut Context<'_>) {
        self.is_recovering = true;
        enter(cx);
        if self.care == Care::Reductions {
            self.recover = Some(cx.scoreboard.nxt());
            cx.congestion.window.cwnd_bytes = cx.congestion.reduced_bytes();
        }
    }
}

/// RFC 5681, section 3.2, steps 2 and 3: halve cwnd, retransmit the first segment, inflate cwnd by
/// the three segments that have left the network.
pub(super) fn enter(cx: &mut Context<'_>) {
    cx.scoreboard.mark_lost(0);
    cx.reduce(LossKind::Acknowledgements);
    let inflation_bytes = u64::from(DUP_THRESHOLD * cx.congestion.window.mss_bytes);
    cx.congestion.window.cwnd_bytes = cx.congestion.reduced_bytes() + inflation_bytes;
    *cx.force_retransmit = true;
    *cx.restart_timer = true;
}

/// Step 4: inflates cwnd, because each further duplicate ACK is a segment that left the network.
pub(super) fn inflate(cx: &mut Context<'_>) {
    let window = &mut cx.congestion.window;
    window.cwnd_bytes += u64::from(window.mss_bytes);
}

/// Limited transmit (RFC 3042): new data for each of the first two duplicate ACKs, until a recovery
/// begins.
pub(super) fn limited_transmit_bytes(duplicates: u32, is_recovering: bool, mss_bytes: u32) -> u64 {
    match is_recovering {
        true => 0,
        false => u64::from(duplicates.min(2) * mss_bytes),
    }
}

impl Recovery for Reno {
    fn on_ack(&mut self, cx: &mut Context<'_>) {
        if cx.delivery.acked_bytes > 0 {
            self.duplicates = 0;
            if std::mem::take(&mut self.is_recovering) {
                // Step 6: deflate cwnd.
                cx.congestion.window.cwnd_bytes = cx.congestion.reduced_bytes();
            }
        } else if cx.is_duplicate {
            self.duplicates += 1;
            let una = cx.scoreboard.una();
            if self.is_recovering {
                if self.care != Care::Reductions {
                    inflate(cx);
                }
            } else if self.duplicates == DUP_THRESHOLD
                && self.recover.is_none_or(|recover| una > recover)
            {
                self.enter(cx);
            }
        }
    }

    fn on_timeout(&mut self, _timeout: &Timeout, scoreboard: &mut Scoreboard) {
        self.duplicates = 0;
        self.is_recovering = false;
        if self.care != Care::None {
            self.recover = Some(scoreboard.nxt());
        }
        scoreboard.mark_all_lost();
    }

    fn is_recovering(&self) -> bool {
        self.is_recovering
    }

    fn inflation_bytes(&self, mss_bytes: u32) -> u64 {
        match self.care == Care::Reductions && self.duplicates >= DUP_THRESHOLD {
            true => u64::from(self.duplicates * mss_bytes),
            false => 0,
        }
    }

    fn extra_bytes(&self, mss_bytes: u32) -> u64 {
        match self.limited_transmit {
            true => limited_transmit_bytes(self.duplicates, self.is_recovering, mss_bytes),
            false => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::Congestion;
    use crate::recovery::Delivery;
    use crate::{Config, Stack};

    const MSS: u32 = 1000;

    /// Do three duplicate ACKs halve cwnd after a timeout with 20 segments in flight, when
    /// `acknowledged` segments are acknowledged?
    fn halves_after_a_timeout(care: Care, acknowledged: u64) -> bool {
        let config = Config::of(Stack::Lite, 1500);
        let (mut scoreboard, mut congestion) =
            (Scoreboard::default(), Congestion::new(&config, MSS, 40));
        let mut reno = Reno::new(false, care);
        (0..20).for_each(|_| scoreboard.send(0, MSS));
        congestion.window.cwnd_bytes = 20_000;
        reno.on_timeout(&Timeout::default(), &mut scoreboard);
        (0..5).for_each(|_| scoreboard.send(0, MSS));
        scoreboard.acknowledge(acknowledged * u64::from(MSS), &mut Delivery::default());
        for _ in 0..DUP_THRESHOLD {
            reno.on_ack(&mut Context {
                now_ns: 0,
                scoreboard: &mut scoreboard,
                congestion: &mut congestion,
                delivery: &Delivery::default(),
                is_duplicate: true,
                dsack: None,
                prior_una: 0,
                echo_age_ns: None,
                clock: crate::Ticks::FINE.measurement(),
                has_new_data: false,
                srtt_ns: 0,
                force_retransmit: &mut false,
                mark_response: None,
                restart_timer: &mut false,
            });
        }
        congestion.window.ssthresh_bytes == 10_000
    }

    /// RFC 2582, section 5.
    #[test]
    fn after_a_timeout_the_careful_variant_ignores_old_duplicates() {
        for acknowledged in [10, 20, 21] {
            assert!(halves_after_a_timeout(Care::None, acknowledged));
            // The last old duplicates arrive when all earlier data is acknowledged.
            for care in [Care::Timeouts, Care::Reductions] {
                let halves = halves_after_a_timeout(care, acknowledged);
                assert_eq!(halves, acknowledged > 20, "{care:?}");
            }
        }
    }
}
