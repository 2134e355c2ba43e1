//! What a start-up has decided, in types of this crate.

use core::fmt;
use onramp_core::{
    EXIT_APPLICATION, EXIT_BROKEN, EXIT_DELAY, EXIT_DELIVERY, EXIT_ESTIMATE, EXIT_GOVERNED,
    EXIT_LOSS, EXIT_NONE, EXIT_PATH, EXIT_RECEIVER, EXIT_SSTHRESH, EXIT_TIMEOUT, EXIT_UNRESERVED,
    PHASE_APPROACH, PHASE_AVOIDANCE, PHASE_CONSERVATIVE, PHASE_DONE, PHASE_DRAIN, PHASE_HOLD,
    PHASE_LINEAR, PHASE_PACING, PHASE_PROBE, PHASE_REPAIR, PHASE_RESERVED, PHASE_REST,
    PHASE_RETREAT, PHASE_SAFE, PHASE_SLOW_START, UNLIMITED,
};

/// Declares an enum from numbers of `onramp-core`, whose names are those of its traces.
macro_rules! numbers {
    (
        $(#[$doc:meta])* $type:ident, $name:path;
        $($(#[$one:meta])* $variant:ident = $number:ident,)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$one])* $variant,)*
        }

        impl $type {
            /// `None`: `onramp-core` has no such number, or it means that there is none.
            fn of(number: u32) -> Option<$type> {
                match number {
                    $($number => Some($type::$variant),)*
                    _ => None,
                }
            }

            /// The name in traces and statistics.
            pub fn name(self) -> &'static str {
                $name(match self {
                    $($type::$variant => $number,)*
                })
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

numbers! {
    /// The phase of a start-up.
    Phase, onramp_core::phase_name;
    /// cwnd grows by the bytes that are acknowledged.
    SlowStart = PHASE_SLOW_START,
    /// A measured window is filled at the measured rate.
    Pacing = PHASE_PACING,
    /// cwnd grows from the paced window on, never faster than the measured rate.
    Approach = PHASE_APPROACH,
    /// It is over for good.
    Done = PHASE_DONE,
    /// It is over until the next slow start, which the algorithm controls again.
    Avoidance = PHASE_AVOIDANCE,
    /// Congestion avoidance owns cwnd. The algorithm still paces what cwnd permits.
    Safe = PHASE_SAFE,
    /// cwnd grows by a datagram in a round trip, until slow start goes on.
    Linear = PHASE_LINEAR,
    /// A rate is reserved: losses do not change cwnd.
    Reserved = PHASE_RESERVED,
    /// cwnd stays for a round trip, to see whether a delay lasts.
    Hold = PHASE_HOLD,
    /// cwnd is lower than before, to see whether a queue was the connection's own.
    Drain = PHASE_DRAIN,
    /// A loss is being repaired, and ACKs may still change ssthresh.
    Retreat = PHASE_RETREAT,
    /// cwnd fills the pipe. It stays for some round trips, to see whether the path is as it was.
    Rest = PHASE_REST,
    /// cwnd grows by a quarter of the bytes that are acknowledged, to see whether a delay lasts.
    Conservative = PHASE_CONSERVATIVE,
    /// A loss is being repaired, and the algorithm controls cwnd with each ACK.
    Repair = PHASE_REPAIR,
    /// A flight leaves, paced, that is larger than slow start's: its ACKs are to show a rate.
    Probe = PHASE_PROBE,
}

numbers! {
    /// Why a start-up has ended.
    Exit, onramp_core::exit_name;
    /// cwnd reached the ssthresh that the host had set.
    Ssthresh = EXIT_SSTHRESH,
    /// cwnd reached the ssthresh that the algorithm had measured.
    Estimate = EXIT_ESTIMATE,
    /// A loss, or a mark, that ACKs found.
    Loss = EXIT_LOSS,
    /// Persistent congestion.
    Timeout = EXIT_TIMEOUT,
    /// The application sends too little to go on.
    Application = EXIT_APPLICATION,
    /// The receiver's window is the limit.
    Receiver = EXIT_RECEIVER,
    /// No rate is reserved, or the host did not grant it.
    Unreserved = EXIT_UNRESERVED,
    /// Losses show that the reservation does not hold.
    Broken = EXIT_BROKEN,
    /// The delay rose and stayed: the path is full.
    Delay = EXIT_DELAY,
    /// The host did not start the algorithm: earlier start-ups retransmitted too much.
    Governed = EXIT_GOVERNED,
    /// Deliveries no longer grow as fast as what is sent: the path is full.
    Delivery = EXIT_DELIVERY,
    /// The path is too short for a start-up to gain anything.
    Path = EXIT_PATH,
}

/// What a start-up has decided.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Decision(onramp_core::Decision);

impl Decision {
    pub(crate) fn of(record: &onramp_core::Decision) -> Decision {
        Decision(*record)
    }

    /// The record of `onramp-core`, for crates that trace it. It is not part of the interface.
    #[doc(hidden)]
    pub fn record(&self) -> &onramp_core::Decision {
        &self.0
    }

    /// The phase.
    pub fn phase(&self) -> Phase {
        Phase::of(self.0.phase).expect("the test of `Phase` covers the phases of onramp-core")
    }

    /// Why the start-up ends; `None`: it goes on. While a loss is repaired, the reason is known,
    /// and the start-up is [not over](Self::is_over).
    pub fn exit(&self) -> Option<Exit> {
        match self.0.exit {
            EXIT_NONE => None,
            exit => Exit::of(exit),
        }
    }

    /// The start-up is over, for good or until the next slow start.
    pub fn is_over(&self) -> bool {
        self.0.is_over()
    }

    /// cwnd.
    pub fn cwnd_bytes(&self) -> u64 {
        self.0.cwnd_bytes
    }

    /// ssthresh; `None`: there is none.
    pub fn ssthresh_bytes(&self) -> Option<u64> {
        limited(self.0.ssthresh_bytes)
    }

    /// The rate at which packets leave; `None`: the start-up sets none.
    pub fn pacing_bytes_per_s(&self) -> Option<u64> {
        limited(self.0.pacing_bytes_per_s)
    }

    /// The measured rate of the path; `None`: there is none yet.
    pub fn estimate_bytes_per_s(&self) -> Option<u64> {
        Some(self.0.estimate_bytes_per_s).filter(|rate| *rate > 0)
    }
}

pub(crate) fn limited(value: u64) -> Option<u64> {
    Some(value).filter(|value| *value != UNLIMITED)
}

impl fmt::Debug for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decision")
            .field("phase", &self.phase())
            .field("exit", &self.exit())
            .field("cwnd_bytes", &self.cwnd_bytes())
            .field("ssthresh_bytes", &self.ssthresh_bytes())
            .field("pacing_bytes_per_s", &self.pacing_bytes_per_s())
            .field("estimate_bytes_per_s", &self.estimate_bytes_per_s())
            .finish()
    }
}

/// The state of a start-up, for people and statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The last decision; `None` before the start.
    pub decision: Option<Decision>,
    /// The BDP in bytes that the path memory gave to the start-up; `None`: none.
    pub remembered_bytes: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of `onramp-core` begin at 0 and have no gap.
    #[test]
    fn each_number_of_core_has_a_name_here() {
        let known = |name: fn(u32) -> &'static str| {
            (0..).take_while(move |number| name(*number) != "unknown")
        };
        for phase in known(onramp_core::phase_name) {
            let name = onramp_core::phase_name(phase);
            assert_eq!(Phase::of(phase).map(Phase::name), Some(name));
        }
        for exit in known(onramp_core::exit_name).filter(|exit| *exit != EXIT_NONE) {
            let name = onramp_core::exit_name(exit);
            assert_eq!(Exit::of(exit).map(Exit::name), Some(name));
        }
    }

    #[test]
    fn numbers_that_mean_none_are_none() {
        let record = onramp_core::Decision {
            ssthresh_bytes: UNLIMITED,
            pacing_bytes_per_s: UNLIMITED,
            ..onramp_core::Decision::default()
        };
        let decision = Decision::of(&record);
        assert_eq!(
            (decision.phase(), decision.exit(), decision.is_over()),
            (Phase::SlowStart, None, false)
        );
        assert_eq!(
            [
                decision.ssthresh_bytes(),
                decision.pacing_bytes_per_s(),
                decision.estimate_bytes_per_s()
            ],
            [None; 3]
        );
    }
}
