//! The contract between a start-up and its host, `core/host.h`: who owns cwnd, ssthresh and pacing
//! after a decision, and which events the host reports next.
//!
//! `core/host.h` has the whole contract as a table. Every host calls these functions and makes no
//! such decision by itself.
//!
//! A simulated host asks several times for each ACK, and a call of C cannot be inlined. The answers
//! depend on the phase and on whether cwnd is below ssthresh, so C is asked once for each of these
//! cases, and its answers are kept in a table.

use crate::bindings::{self, PHASE_AVOIDANCE, PHASE_COUNT};
use crate::{Ack, Decision, Limited, UNLIMITED};
use core::sync::atomic::{AtomicU16, Ordering};

/// C's answers for a phase, as bits.
type Answers = u16;

const IS_OVER: Answers = 1;
const IS_DONE: Answers = 1 << 1;
const IS_RESERVED: Answers = 1 << 2;
const IS_RETREATING: Answers = 1 << 3;
const IS_PACED_BY_ALGORITHM: Answers = 1 << 4;
const REPORTS_RECOVERY: Answers = 1 << 5;
const REPORTS_LOSS: Answers = 1 << 6;
/// Shifted to the left by one where cwnd is below ssthresh.
const OWNS_CWND: Answers = 1 << 7;
/// Likewise, and by two during recovery.
const REPORTS_ACK: Answers = 1 << 9;
const IS_REPAIRING: Answers = 1 << 13;

/// C has been asked.
const IS_KNOWN: Answers = 1 << 14;

/// By phase, from the first question on. Threads that ask at the same time get the same answers.
static ANSWERS: [AtomicU16; PHASE_COUNT as usize] =
    [const { AtomicU16::new(0) }; PHASE_COUNT as usize];

/// Asks C about a phase.
fn ask(phase: u32) -> Answers {
    // SAFETY: the functions take any number.
    let mut all = unsafe {
        alloc::vec![
            (IS_OVER, bindings::startup_phase_is_over(phase)),
            (IS_DONE, bindings::host_is_done(phase)),
            (IS_RESERVED, bindings::host_is_reserved(phase)),
            (IS_RETREATING, bindings::host_is_retreating(phase),),
            (IS_REPAIRING, bindings::host_is_repairing(phase),),
            (
                IS_PACED_BY_ALGORITHM,
                bindings::host_is_paced_by_algorithm(phase),
            ),
            (REPORTS_RECOVERY, bindings::host_reports_recovery(phase),),
            (REPORTS_LOSS, bindings::host_reports_loss(phase),),
        ]
    };
    for (below, cwnd, ssthresh) in [(0, 1, 1), (1, 0, 1)] {
        // SAFETY: the functions take any numbers.
        unsafe {
            let owns = bindings::host_owns_cwnd(phase, cwnd, ssthresh);
            all.push((OWNS_CWND << below, owns));
            for (recovering, is_recovering) in [(0, false), (2, true)] {
                let reports = bindings::host_reports_ack(phase, cwnd, ssthresh, is_recovering);
                all.push((REPORTS_ACK << (below + recovering), reports));
            }
        }
    }
    let yes = all.into_iter().filter(|(_, answer)| *answer);
    yes.fold(IS_KNOWN, |answers, (bit, _)| answers | bit)
}

impl Decision {
    #[inline]
    fn answers(&self) -> Answers {
        let kept = ANSWERS.get(self.phase as usize);
        let known = kept.map_or(0, |kept| kept.load(Ordering::Relaxed));
        if known != 0 {
            return known;
        }
        let answers = ask(self.phase);
        if let Some(kept) = kept {
            kept.store(answers, Ordering::Relaxed);
        }
        answers
    }

    /// The start-up is over, for good or until the next slow start.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.answers() & IS_OVER != 0
    }

    /// The start-up is over for good: the host may free it, and never calls it again.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.answers() & IS_DONE != 0
    }

    /// A rate is reserved: no loss, retransmission timeout or idle time changes cwnd.
    #[inline]
    pub fn is_reserved(&self) -> bool {
        self.answers() & IS_RESERVED != 0
    }

    /// A loss is being repaired, and the start-up may still change ssthresh.
    #[inline]
    pub fn is_retreating(&self) -> bool {
        self.answers() & IS_RETREATING != 0
    }

    /// A loss is being repaired, and the start-up controls cwnd meanwhile.
    #[inline]
    pub fn is_repairing(&self) -> bool {
        self.answers() & IS_REPAIRING != 0
    }

    /// Congestion avoidance owns cwnd, and the start-up paces what cwnd permits.
    #[inline]
    pub fn is_paced_by_algorithm(&self) -> bool {
        self.answers() & IS_PACED_BY_ALGORITHM != 0
    }

    /// The host's congestion avoidance raises cwnd, outside of recovery. Otherwise the start-up
    /// does. `cwnd` and `ssthresh` may be in any unit, but must be in the same one.
    #[inline]
    pub fn host_owns_cwnd(&self, cwnd: u64, ssthresh: u64) -> bool {
        self.answers() & OWNS_CWND << u32::from(cwnd < ssthresh) != 0
    }

    /// The host reports acknowledgements to the start-up while it repairs losses.
    #[inline]
    pub fn host_reports_recovery(&self) -> bool {
        self.answers() & REPORTS_RECOVERY != 0
    }

    /// The host reports this acknowledgement, which delivers new data, to the start-up. `cwnd` and
    /// `ssthresh` may be in any unit, but must be in the same one.
    #[inline]
    pub fn host_reports_ack(&self, cwnd: u64, ssthresh: u64, is_recovering: bool) -> bool {
        let case = u32::from(cwnd < ssthresh) + 2 * u32::from(is_recovering);
        self.answers() & REPORTS_ACK << case != 0
    }

    /// The host does not report this quiet acknowledgement ([`Ack::is_quiet`]). It is the last of
    /// `quiet_acks` successive ones.
    pub fn host_skips_quiet_ack(&self, quiet_acks: u32) -> bool {
        // SAFETY: the function takes any numbers.
        unsafe { bindings::host_skips_quiet_ack(self.phase, self.pacing_bytes_per_s, quiet_acks) }
    }

    /// The host ends the start-up after `quiet_acks` successive quiet acknowledgements that it
    /// skipped: the connection is one for small messages.
    pub fn end_quiet_connection(&mut self, quiet_acks: u32) -> bool {
        // SAFETY: the function takes any number.
        let ends = unsafe { bindings::host_ends_quiet_connection(quiet_acks) };
        if ends {
            self.phase = bindings::PHASE_DONE;
            self.exit = bindings::EXIT_APPLICATION;
        }
        ends
    }

    /// The host has reported this acknowledgement, and this is the decision about it. If cwnd has
    /// not limited the connection for many round trips, the host ends the start-up: true.
    pub fn end_limited_connection(&mut self, limited: &mut Limited, ack: &Ack) -> bool {
        // SAFETY: the records are valid, and C changes only `limited`.
        unsafe {
            let ends = bindings::host_ends_limited_connection(limited, ack, self);
            if ends {
                self.phase = bindings::PHASE_DONE;
                self.exit = bindings::host_limited_exit(ack.flags);
            }
            ends
        }
    }

    /// The host reports losses to the start-up, which answers with the new ssthresh.
    #[inline]
    pub fn host_reports_loss(&self) -> bool {
        self.answers() & REPORTS_LOSS != 0
    }

    /// What an idle time of this length leaves of cwnd at least, until the start-up is over for
    /// good. `unreported_bytes` are delivered since the latest acknowledgement that the start-up
    /// has got.
    pub fn host_restart_bytes(&self, idle_ns: u64, unreported_bytes: u64) -> u64 {
        let restart_bytes = self.restart_bytes;
        // SAFETY: the function takes any numbers.
        unsafe { bindings::host_restart_bytes(restart_bytes, idle_ns, unreported_bytes) }
    }

    /// Ends the start-up of a bulk transfer for good, for the reason that it has. True: it is over
    /// now.
    #[inline]
    pub fn end_busy_connection(&mut self, unreported_bytes: u64) -> bool {
        // SAFETY: the function takes any numbers.
        let ends = self.restart_bytes > 0
            && unsafe { bindings::host_ends_busy_connection(self, unreported_bytes) };
        if ends {
            self.phase = bindings::PHASE_DONE;
            self.pacing_bytes_per_s = UNLIMITED;
        }
        ends
    }

    /// The host paces at the decided rate. Otherwise it paces as it would without a start-up.
    /// `resumed` is delivered since the latest segment that left while nothing was in flight.
    /// `cwnd`, `ssthresh` and `resumed` may be in any unit, but must be in the same one.
    #[inline]
    pub fn host_paces(&self, cwnd: u64, ssthresh: u64, resumed: u64) -> bool {
        self.pacing_bytes_per_s != UNLIMITED
            && (self.phase != PHASE_AVOIDANCE || cwnd < ssthresh || resumed < cwnd)
    }
}

impl Ack {
    /// It leaves nothing in flight, while the application and not cwnd limits the sender.
    pub fn is_quiet(&self) -> bool {
        // SAFETY: the function takes any numbers.
        unsafe { bindings::host_ack_is_quiet(self.flags, self.inflight_bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows on both sides of each other, and at the ends of their range.
    const WINDOWS: [u64; 6] = [0, 1, 14_480, 14_481, u64::MAX - 1, UNLIMITED];

    fn decisions() -> impl Iterator<Item = Decision> {
        let phases = (0..PHASE_COUNT).chain([PHASE_COUNT, 16, 17, u32::MAX]);
        phases.map(|phase| Decision {
            phase,
            ..Decision::default()
        })
    }

    #[test]
    fn the_answers_about_a_phase_are_those_of_host_h() {
        for decision in decisions() {
            let phase = decision.phase;
            // SAFETY: the functions take any number.
            let expected = unsafe {
                [
                    bindings::startup_phase_is_over(phase),
                    bindings::host_is_done(phase),
                    bindings::host_is_reserved(phase),
                    bindings::host_is_retreating(phase),
                    bindings::host_is_repairing(phase),
                    bindings::host_is_paced_by_algorithm(phase),
                    bindings::host_reports_recovery(phase),
                    bindings::host_reports_loss(phase),
                ]
            };
            let found = [
                decision.is_over(),
                decision.is_done(),
                decision.is_reserved(),
                decision.is_retreating(),
                decision.is_repairing(),
                decision.is_paced_by_algorithm(),
                decision.host_reports_recovery(),
                decision.host_reports_loss(),
            ];
            assert_eq!(found, expected, "phase {phase}");
        }
    }

    #[test]
    fn the_answers_about_windows_and_rates_are_those_of_host_h() {
        for decision in decisions() {
            let phase = decision.phase;
            for (cwnd, ssthresh) in WINDOWS.into_iter().flat_map(|a| WINDOWS.map(|b| (a, b))) {
                for (rate, resumed) in WINDOWS.into_iter().flat_map(|a| WINDOWS.map(|b| (a, b))) {
                    let paced = Decision {
                        pacing_bytes_per_s: rate,
                        ..decision
                    };
                    // SAFETY: the function takes any numbers.
                    let paces =
                        unsafe { bindings::host_paces(phase, rate, cwnd, ssthresh, resumed) };
                    let found = paced.host_paces(cwnd, ssthresh, resumed);
                    assert_eq!(found, paces, "{paced:?}");
                }
                // SAFETY: the function takes any numbers.
                let owns = unsafe { bindings::host_owns_cwnd(phase, cwnd, ssthresh) };
                assert_eq!(
                    decision.host_owns_cwnd(cwnd, ssthresh),
                    owns,
                    "{decision:?}"
                );
                for recovers in [false, true] {
                    // SAFETY: the function takes any numbers.
                    let reports =
                        unsafe { bindings::host_reports_ack(phase, cwnd, ssthresh, recovers) };
                    let found = decision.host_reports_ack(cwnd, ssthresh, recovers);
                    assert_eq!(
                        found, reports,
                        "{decision:?}, {cwnd}, {ssthresh}, {recovers}"
                    );
                }
            }
        }
    }
}
