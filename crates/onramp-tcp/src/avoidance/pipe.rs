//! Pipe: Reno whose additive increase is a fraction of the BDP and not a segment.
//!
//! M. Aron, P. Druschel: TCP: Improving Startup Dynamics by Adaptive Timers and Congestion Control,
//! 1998, appendix B. The segment size depends on the MTU of the sender's own network (512 to 9180
//! bytes). It says nothing about how much a path can carry. So the BDP, and not the segment size,
//! should determine how fast cwnd grows.
//!
//! ```text
//!   base RTT   the minimum ever measured
//!   rate       delivered in a round trip / its duration; the maximum of the last 5 to 10 s
//!   pipe       base RTT * rate
//!   step       pipe / 32
//!   queued     cwnd (RTT - base RTT) / RTT        as in Vegas, of the last round trip
//!
//!   slow start, loss     as Reno
//!   avoidance            queued <= 2 steps: cwnd += step in a round trip
//!                        otherwise, or without a pipe: cwnd += MSS, but no more than a step
//! ```
//!
//! The appendix is a suggestion of eight sentences. It says what to use in place of the segment. It
//! says that Vegas's estimate of the bottleneck's queue may give the size of the pipe, and that
//! "extreme care is required so as not to affect the fairness and network stability". It leaves
//! open the fraction, the estimate, and the kind of care. This file chooses:
//!
//! *The estimate* consists of base RTT and delivery rate, as in Vegas. While cwnd is smaller than
//! the pipe, the estimate is cwnd itself. So a connection that has never filled its pipe grows by
//! 1/32 of cwnd each round trip. The maximum rate is remembered for 5 to 10 s, also through
//! timeouts. This is long enough for the paper's sender, whose losses come 1.2 to 2.8 s after its
//! start (Fig. 4). It is short enough to forget a share that competing flows have taken since.
//! Start-up algorithms of `core/` are measured as well.
//!
//! *The fraction* is 1/32. A loss halves cwnd, and 16 round trips restore it: one second with the
//! paper's RTT of 60 ms. Growth from almost zero takes 32 round trips; Reno needed more than 16 s
//! for the paper's sender. When the queue is full, the step of one round trip is lost, 3 % of the
//! pipe. With the paper's 145 KB, this is three segments, which fast recovery can repair. The pipes
//! of all connections on a path add up to the BDP of the path. So together they increase by 1/32 of
//! it, whatever their number. The increase of Reno connections grows with their number instead.
//!
//! *The care* is that a step is allowed only while the queue is nearly empty. Two steps in the
//! queue (Vegas's alpha of two segments, with the step in place of the segment) mean that the pipe
//! is full. From there on it grows as Reno, or more slowly if a segment is larger than a step. It
//! never grows faster than slow start.
//!
//! Where it fails: a queue that others keep full turns it into Reno, by design. A queue that
//! existed before the connection is included in the base RTT. Pipe and step are then too large, as
//! Vegas's windows are. It takes the room that a loss leaves faster than Reno does, and so gets
//! more than half beside it: `docs/simulator.md` has figures. It is an experiment, for paths of
//! one's own.

use super::reno::Reno;
use super::{AckSample, Avoidance};
use crate::Window;

/// Number of steps in a pipe.
const STEPS: u64 = 32;
/// Number of steps in the queue above which it grows as Reno.
const QUEUED_STEPS: u128 = 2;
/// A rate is remembered for one to two of these.
const MEMORY_NS: u64 = 5_000_000_000;
const SECOND_NS: u128 = 1_000_000_000;

/// Congestion avoidance by the pipe.
#[derive(Clone, Debug, Default)]
pub struct Pipe {
    reno: Reno,
    base_rtt_ns: Option<u64>,
    round: Option<Round>,
    /// Min RTT of the last complete round.
    rtt_ns: u64,
    rate: Greatest,
    /// Growth of less than a byte, times cwnd.
    credit: u128,
}

/// The current round.
#[derive(Clone, Copy, Debug)]
struct Round {
    start_ns: u64,
    /// SND.NXT when the round began. The round ends when more is acknowledged.
    end: u64,
    delivered_bytes: u64,
    min_rtt_ns: u64,
}

/// A sliding maximum: that of the current interval, and that of the one before.
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
    /// Pipe, based on this Reno.
    pub fn new(reno: Reno) -> Pipe {
        Pipe {
            reno,
            ..Pipe::default()
        }
    }

    /// The BDP without a queue, if it is known.
    fn pipe_bytes(&self) -> Option<u64> {
        let bytes = u128::from(self.rate.get()) * u128::from(self.base_rtt_ns?) / SECOND_NS;
        (bytes > 0).then(|| u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    /// Growth of cwnd per round trip.
    fn step_bytes(&self, window: &Window) -> u64 {
        let mss = u64::from(window.mss_bytes);
        let (Some(pipe_bytes), Some(base_rtt_ns)) = (self.pipe_bytes(), self.base_rtt_ns) else {
            return mss;
        };
        let step_bytes = (pipe_bytes / STEPS).max(1);
        let rtt_ns = self.rtt_ns.max(base_rtt_ns);
        // queued * RTT, which needs no division.
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
        if round.min_rtt_ns < u64::MAX {
            self.rtt_ns = round.min_rtt_ns;
        }
    }
}

impl Avoidance for Pipe {
    fn measure(&mut self, _window: &mut Window, ack: &AckSample) {
        if let Some(rtt_ns) = ack.rtt_ns.map(|rtt_ns| rtt_ns.max(1)) {
            self.base_rtt_ns = Some(self.base_rtt_ns.unwrap_or(rtt_ns).min(rtt_ns));
            if let Some(round) = &mut self.round {
                round.min_rtt_ns = round.min_rtt_ns.min(rtt_ns);
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
            min_rtt_ns: u64::MAX,
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
        // The path may have changed, so discard all measurements.
        *self = Pipe::new(self.reno);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::UNLIMITED;

    const MS_NS: u64 = 1_000_000;
    /// BDP of the paper's WAN, section 3: 155 Mbit/s and 60 ms, shared by eight.
    const PIPE_BYTES: u64 = 145_000;
    const RTT_NS: u64 = 60 * MS_NS;

    /// A sender on a path with this BDP and an unlimited queue, which holds everything above the
    /// BDP.
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

        /// Delivers one window. Returns the growth of cwnd.
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
                    has_ece: false,
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

        /// The sender after some round trips with a full pipe, and then with a cwnd of
        /// `cwnd_bytes`.
        fn after_filling(mut self, cwnd_bytes: u64) -> Flow {
            for _ in 0..5 {
                self.window.cwnd_bytes = PIPE_BYTES;
                self.round_trip();
            }
            self.avoidance
                .ssthresh(&self.window, self.now_ns, PIPE_BYTES);
            self.window.cwnd_bytes = cwnd_bytes;
            // Let the queue drain.
            self.round_trip();
            self.round_trip();
            self.window.cwnd_bytes = cwnd_bytes;
            self
        }

        /// Time until cwnd reaches the BDP.
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
    fn growth_does_not_depend_on_the_segment_size() {
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
    fn the_pipe_fills_in_a_fraction_of_renos_time() {
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
    fn a_connection_that_never_filled_the_pipe_grows_by_a_fraction_of_cwnd() {
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
    fn two_steps_in_the_queue_turn_it_into_reno() {
        let mut flow = Flow::new(Pipe::default(), PIPE_BYTES, 1000).after_filling(130_000);
        let growths: Vec<u64> = (0..20).map(|_| flow.round_trip()).collect();
        let steep = growths.iter().filter(|growth| **growth > 3000).count();
        // From 130 KB to 154 KB in steps of 4.5 KB, and one more until the queue is measured.
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
    fn a_rate_is_forgotten_after_ten_seconds_but_not_after_five() {
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
    fn slow_start_and_losses_are_renos() {
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
    fn an_idle_time_discards_the_estimate() {
        let mut flow = Flow::new(Pipe::default(), PIPE_BYTES, 9180).after_filling(70_000);
        flow.avoidance.resume(0, flow.now_ns);
        let growth = flow.round_trip();
        assert!((8000..=9200).contains(&growth), "{growth}");
    }
}
