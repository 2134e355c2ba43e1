//! Pipe: Reno whose additive increase is a fraction of the pipe, not a segment.
//!
//! M. Aron, P. Druschel: TCP: Improving Startup Dynamics by Adaptive Timers and Congestion Control,
//! 1998, appendix B. In one sentence: the segment, which the MTU of the sender's own network
//! decides (512 to 9180 bytes), says nothing about how much a path can take, so let what the path
//! holds decide by how much the window grows.
//!
//! ```text
//!   base RTT   the least ever
//!   rate       delivered in a round trip / its time; the greatest of the last 5 to 10 s
//!   pipe       base RTT * rate
//!   step       pipe / 32
//!   queued     cwnd (RTT - base RTT) / RTT        Vegas's, of the last round trip
//!
//!   slow start, loss     as Reno
//!   avoidance            queued <= 2 steps: cwnd += step in a round trip
//!                        otherwise, or without a pipe: cwnd += MSS, but no more than a step
//! ```
//!
//! The appendix is a suggestion of eight sentences. It says what to take in place of the segment,
//! that Vegas's view of the bottleneck's buffer may give the size of the pipe, and that "extreme
//! care is required so as not to affect the fairness and network stability". It leaves open the
//! fraction, the estimate, and what the care is. Here:
//!
//! *The estimate* is what Vegas knows: base RTT and the rate that came through. While the window is
//! smaller than the pipe that is the window itself, so a connection that has never filled its path
//! grows by 1/32 of the window each round trip. What it has once seen it remembers for 5 to 10 s,
//! through timeouts too: long enough for the paper's sender, whose losses come 1.2 to 2.8 s after
//! its start (Fig. 4), and short enough to forget a share that rivals have taken since. Start-ups
//! of `core/` are looked at as well.
//!
//! *The fraction* is 1/32. A loss halves the window, and 16 round trips, one second at the paper's
//! 60 ms, bring it back; from next to nothing it takes 32, where Reno took the paper's sender more
//! than 16 s. When the queue is full, the step of one round trip is what is lost, 3 % of the pipe;
//! of the paper's 145 KB that is three segments, no more than fast recovery repairs. Whatever
//! number of connections share a path, their pipes add up to its own, so that together they push by
//! 1/32 of it: Reno's push grows with their number instead.
//!
//! *The care* is that the step is for an empty queue. Two steps in the queue (Vegas's alpha, two
//! segments, with the step for the segment) say that the path is full, and from there on it is
//! Reno, or slower where a segment is more than a step. It never grows faster than slow start
//! would.
//!
//! Where it fails. A queue that others keep full makes it Reno, by design; one that was there
//! before it hides in the base RTT, and pipe and step are then too large by as much, as Vegas's
//! windows are. Beside Reno it takes the room that a loss has left sooner, and so more than half:
//! `docs/simulator.md` has figures. It is an experiment, for paths of one's own.

use super::reno::Reno;
use super::{AckSample, Avoidance};
use crate::Window;

/// Steps in a pipe.
const STEPS: u64 = 32;
/// Steps in the queue beyond which it is Reno.
const QUEUED_STEPS: u128 = 2;
/// A rate is remembered for one to two of these.
const MEMORY_NS: u64 = 5_000_000_000;
const SECOND_NS: u128 = 1_000_000_000;

/// The pipe's window.
#[derive(Clone, Debug, Default)]
pub struct Pipe {
    reno: Reno,
    base_rtt_ns: Option<u64>,
    round: Option<Round>,
    /// The least round-trip time of the last whole round.
    rtt_ns: u64,
    rate: Greatest,
    /// Growth that is not yet a byte, times cwnd.
    credit: u128,
}

/// A round trip under way.
#[derive(Clone, Copy, Debug)]
struct Round {
    start_ns: u64,
    /// Sent when it began; it is over when more is acknowledged.
    end: u64,
    delivered_bytes: u64,
    least_rtt_ns: u64,
}

/// The greatest of the last while: that of the present stretch of time, and that of the one before.
#[derive(Clone, Copy, Debug, Default)]
struct Greatest {
    since_ns: u64,
    present: u64,
    before: u64,
}

impl Greatest {
    fn pass(&mut self, now_ns: u64) {
        match now_ns.saturating_sub(self.since_ns) / MEMORY_NS {
            0 => {}
            1 => {
                *self = Greatest {
                    since_ns: now_ns,
                    present: 0,
                    before: self.present,
                }
            }
            _ => {
                *self = Greatest {
                    since_ns: now_ns,
                    present: 0,
                    before: 0,
                }
            }
        }
    }

    fn note(&mut self, now_ns: u64, value: u64) {
        self.pass(now_ns);
        self.present = self.present.max(value);
    }

    fn get(&self) -> u64 {
        self.present.max(self.before)
    }
}

impl Pipe {
    /// On this Reno.
    pub fn new(reno: Reno) -> Pipe {
        Pipe {
            reno,
            ..Pipe::default()
        }
    }

    /// What the path holds without a queue, if that is known.
    fn pipe_bytes(&self) -> Option<u64> {
        let bytes = u128::from(self.rate.get()) * u128::from(self.base_rtt_ns?) / SECOND_NS;
        (bytes > 0).then(|| u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    /// Growth in a round trip.
    fn step_bytes(&self, window: &Window) -> u64 {
        let mss = u64::from(window.mss_bytes);
        let (Some(pipe_bytes), Some(base_rtt_ns)) = (self.pipe_bytes(), self.base_rtt_ns) else {
            return mss;
        };
        let step_bytes = (pipe_bytes / STEPS).max(1);
        let rtt_ns = self.rtt_ns.max(base_rtt_ns);
        // queued * RTT, which needs no division
        let queued = u128::from(window.cwnd_bytes).saturating_mul((rtt_ns - base_rtt_ns).into());
        let is_full =
            queued > (QUEUED_STEPS * u128::from(step_bytes)).saturating_mul(rtt_ns.into());
        if is_full {
            step_bytes.min(mss)
        } else {
            step_bytes
        }
    }

    fn end_round(&mut self, now_ns: u64, round: &Round) {
        let Some(base_rtt_ns) = self.base_rtt_ns else {
            return;
        };
        let time_ns = now_ns
            .saturating_sub(round.start_ns)
            .max(base_rtt_ns)
            .max(1);
        let rate = u128::from(round.delivered_bytes) * SECOND_NS / u128::from(time_ns);
        self.rate
            .note(now_ns, u64::try_from(rate).unwrap_or(u64::MAX));
        if round.least_rtt_ns < u64::MAX {
            self.rtt_ns = round.least_rtt_ns;
        }
    }
}

impl Avoidance for Pipe {
    fn measure(&mut self, _window: &mut Window, ack: &AckSample) {
        if let Some(rtt_ns) = ack.rtt_ns.map(|rtt_ns| rtt_ns.max(1)) {
            self.base_rtt_ns = Some(self.base_rtt_ns.unwrap_or(rtt_ns).min(rtt_ns));
            if let Some(round) = &mut self.round {
                round.least_rtt_ns = round.least_rtt_ns.min(rtt_ns);
            }
        }
        self.rate.pass(ack.now_ns);
        if let Some(round) = &mut self.round {
            round.delivered_bytes = round.delivered_bytes.saturating_add(ack.delivered_bytes);
        }
        if let Some(round) = self.round {
            if ack.una <= round.end {
                return;
            }
            self.end_round(ack.now_ns, &round);
        }
        let (start_ns, end) = (ack.now_ns, ack.nxt);
        self.round = Some(Round {
            start_ns,
            end,
            delivered_bytes: 0,
            least_rtt_ns: u64::MAX,
        });
    }

    fn raise(&mut self, window: &mut Window, ack: &AckSample) {
        if window.in_slow_start() {
            return self.reno.raise(window, ack);
        }
        if !ack.cwnd_limited {
            return;
        }
        let step_bytes = self.step_bytes(window).min(window.cwnd_bytes);
        let growth = u128::from(ack.delivered_bytes).saturating_mul(step_bytes.into());
        self.credit = self.credit.saturating_add(growth);
        let cwnd = u128::from(window.cwnd_bytes);
        let bytes = u64::try_from(self.credit / cwnd).unwrap_or(u64::MAX);
        self.credit %= cwnd;
        window.cwnd_bytes = window.cwnd_bytes.saturating_add(bytes);
    }

    fn ssthresh(&mut self, window: &Window, now_ns: u64, flight_bytes: u64) -> u64 {
        self.credit = 0;
        self.reno.ssthresh(window, now_ns, flight_bytes)
    }

    fn resume(&mut self, _idle_since_ns: u64, _now_ns: u64) {
        // The path may have changed, and with it all that was known.
        *self = Pipe::new(self.reno);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::UNLIMITED;

    const MS_NS: u64 = 1_000_000;
    /// Of the paper's wan, section 3: 155 Mbit/s and 60 ms, shared by eight.
    const PIPE_BYTES: u64 = 145_000;
    const RTT_NS: u64 = 60 * MS_NS;

    /// A sender on a path of that pipe and with a queue without end: whatever is beyond the pipe
    /// waits.
    struct Flow {
        avoidance: Box<dyn Avoidance>,
        window: Window,
        now_ns: u64,
        una: u64,
    }

    impl Flow {
        fn new(avoidance: impl Avoidance + 'static, cwnd_bytes: u64, mss_bytes: u32) -> Flow {
            let window = Window {
                cwnd_bytes,
                ssthresh_bytes: 2 * u64::from(mss_bytes),
                mss_bytes,
            };
            Flow {
                avoidance: Box::new(avoidance),
                window,
                now_ns: 1,
                una: 0,
            }
        }

        /// One window is delivered; how much that raises it.
        fn round_trip(&mut self) -> u64 {
            let cwnd_bytes = self.window.cwnd_bytes;
            let rtt_ns = RTT_NS * cwnd_bytes.max(PIPE_BYTES) / PIPE_BYTES;
            let (start_ns, mut left_bytes) = (self.now_ns, cwnd_bytes);
            while left_bytes > 0 {
                let bytes = left_bytes.min(2 * u64::from(self.window.mss_bytes));
                left_bytes -= bytes;
                self.una += bytes;
                self.now_ns = start_ns + rtt_ns * (cwnd_bytes - left_bytes) / cwnd_bytes;
                let ack = AckSample {
                    now_ns: self.now_ns,
                    delivered_bytes: bytes,
                    lost_bytes: 0,
                    una: self.una,
                    nxt: self.una + cwnd_bytes,
                    inflight_bytes: cwnd_bytes,
                    rtt_ns: Some(rtt_ns),
                    srtt_ns: rtt_ns,
                    cwnd_limited: true,
                    startup: false,
                };
                self.avoidance.measure(&mut self.window, &ack);
                self.avoidance.raise(&mut self.window, &ack);
            }
            self.window.cwnd_bytes - cwnd_bytes
        }

        /// It has filled the pipe for some round trips, and is left with a window of so much.
        fn after_filling(mut self, cwnd_bytes: u64) -> Flow {
            for _ in 0..5 {
                self.window.cwnd_bytes = PIPE_BYTES;
                self.round_trip();
            }
            self.avoidance
                .ssthresh(&self.window, self.now_ns, PIPE_BYTES);
            self.window.cwnd_bytes = cwnd_bytes;
            // The queue is gone.
            self.round_trip();
            self.round_trip();
            self.window.cwnd_bytes = cwnd_bytes;
            self
        }

        /// Time until the window is the pipe.
        fn fills_in_ns(&mut self) -> u64 {
            let start_ns = self.now_ns;
            while self.window.cwnd_bytes < PIPE_BYTES {
                self.round_trip();
            }
            self.now_ns - start_ns
        }
    }

    /// Appendix B: "can vary from 512 bytes to 9180 bytes".
    #[test]
    fn growth_is_the_same_whatever_the_segment() {
        for mss_bytes in [512, 1460, 9180] {
            let mut flow = Flow::new(Pipe::default(), PIPE_BYTES, mss_bytes).after_filling(70_000);
            let growth = flow.round_trip();
            assert!(
                (4300..=4600).contains(&growth),
                "{growth} bytes with segments of {mss_bytes}"
            );
        }
    }

    /// Fig. 4: after its timeout the paper's sender needs more than 16 s to fill 145 KB, with an
    /// ACK for every second segment.
    #[test]
    fn fills_the_pipe_in_a_fraction_of_reno_s_time() {
        let after_timeout = |avoidance: Box<dyn Avoidance>| {
            let window = Window {
                cwnd_bytes: PIPE_BYTES,
                ssthresh_bytes: 2920,
                mss_bytes: 1460,
            };
            Flow {
                avoidance,
                window,
                now_ns: 1,
                una: 0,
            }
            .after_filling(2920)
            .fills_in_ns()
        };
        let reno_ns = after_timeout(Box::new(Reno::per_ack()));
        let pipe_ns = after_timeout(Box::new(Pipe::new(Reno::per_ack())));
        assert!(
            (11_000 * MS_NS..12_500 * MS_NS).contains(&reno_ns),
            "{reno_ns}"
        );
        assert!(
            (1_800 * MS_NS..2_400 * MS_NS).contains(&pipe_ns),
            "{pipe_ns}"
        );
    }

    #[test]
    fn without_an_estimate_it_grows_by_a_segment() {
        for mss_bytes in [512, 9180] {
            let mut flow = Flow::new(Pipe::default(), 91_800, mss_bytes);
            let growth = flow.round_trip();
            assert!(
                growth.abs_diff(mss_bytes.into()) <= u64::from(mss_bytes) / 10,
                "{growth} of {mss_bytes}"
            );
        }
    }

    #[test]
    fn a_connection_that_never_filled_its_path_grows_by_a_part_of_its_window() {
        let mut flow = Flow::new(Pipe::default(), 64_000, 1000);
        flow.round_trip();
        flow.round_trip();
        let before = flow.window.cwnd_bytes;
        let growth = flow.round_trip();
        assert!(
            growth.abs_diff(before / STEPS) < 200,
            "{growth} of {before}"
        );
    }

    #[test]
    fn two_steps_in_the_queue_make_it_reno() {
        let mut flow = Flow::new(Pipe::default(), PIPE_BYTES, 1000).after_filling(130_000);
        let growths: Vec<u64> = (0..20).map(|_| flow.round_trip()).collect();
        let steep = growths.iter().filter(|growth| **growth > 3000).count();
        // From 130 KB to 154 KB in steps of 4.5 KB, and one more until the queue has been seen.
        assert!((5..=8).contains(&steep), "{growths:?}");
        assert!(
            growths[10..]
                .iter()
                .all(|growth| (900..=1100).contains(growth)),
            "{growths:?}"
        );
        let mut large = Flow::new(Pipe::default(), PIPE_BYTES, 9180).after_filling(200_000);
        large.round_trip();
        let growth = large.round_trip();
        assert!(
            growth < 5000,
            "{growth}: no more than a step, however large the segment"
        );
    }

    #[test]
    fn what_was_seen_is_forgotten_after_ten_seconds_and_not_after_five() {
        let mut greatest = Greatest::default();
        let second_ns = 1_000_000_000;
        greatest.note(second_ns, 9);
        greatest.note(5 * second_ns, 2);
        assert_eq!(greatest.get(), 9);
        greatest.note(9 * second_ns, 3);
        assert_eq!(greatest.get(), 9);
        greatest.note(14 * second_ns, 1);
        assert_eq!(greatest.get(), 3);
        greatest.pass(40 * second_ns);
        assert_eq!(greatest.get(), 0);
    }

    #[test]
    fn slow_start_and_losses_are_reno_s() {
        let mut pipe = Pipe::default();
        let mut window = Window {
            cwnd_bytes: 10_000,
            ssthresh_bytes: UNLIMITED,
            mss_bytes: 1000,
        };
        let ack = AckSample {
            delivered_bytes: 2000,
            cwnd_limited: true,
            ..AckSample::default()
        };
        pipe.raise(&mut window, &ack);
        assert_eq!(
            (window.cwnd_bytes, pipe.ssthresh(&window, 0, 0)),
            (12_000, 6_000)
        );
    }

    #[test]
    fn after_a_pause_nothing_is_known() {
        let mut flow = Flow::new(Pipe::default(), PIPE_BYTES, 9180).after_filling(70_000);
        flow.avoidance.resume(0, flow.now_ns);
        let growth = flow.round_trip();
        assert!((8000..=9200).contains(&growth), "{growth}");
    }
}
