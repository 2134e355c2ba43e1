//! Vegas: keep two to four segments of the connection in the queue.
//!
//! L. Brakmo, L. Peterson: TCP Vegas: End to End Congestion Avoidance on a Global Internet, 1995.
//! The expected rate without queues, minus the actual rate, shows how much data waits in queues.
//! Vegas keeps this amount constant.
//!
//! ```text
//!   expected = cwnd / base RTT         base RTT: the minimum ever measured        section 3.2
//!   actual   = cwnd / RTT              RTT: the minimum of the last round
//!   queued   = (expected - actual) * base RTT = cwnd (RTT - base RTT) / RTT       in segments
//!
//!   slow start   queued > gamma: cwnd = min(cwnd, actual * base RTT + 1), then avoidance
//!                (section 3.3)
//!   avoidance    queued < alpha: cwnd += 1;  queued > beta: cwnd -= 1;  otherwise no change
//! ```
//!
//! Vegas decides once a round, when everything that had been sent at the last decision is
//! acknowledged. A round with two samples or fewer shows nothing, because a delayed ACK may have
//! delayed both. Its last ACK then counts as Reno's.
//!
//! There are two variants, one for each [`Stack`](crate::Stack). [`Vegas::default`] is Linux's. It
//! doubles cwnd in each round trip, and slow start ends at the measured BDP. [`Vegas::as_in_ns`] is
//! that of the simulator ns (`tcp-vegas.cc`), which follows the authors' own code. It doubles cwnd
//! in every other round, and decides at the end of the rounds in which cwnd did not change, so that
//! both rates belong to one window (section 3.3). Its RTT is the mean of the round, its base RTT
//! the minimum mean, `queued` is rounded to whole segments, and slow start ends with 7/8 of cwnd. A
//! flight that doubles is sent in pairs, which queue behind each other. The mean RTT shows this
//! queue long before the pipe is full.
//!
//! Constants: alpha 2, beta 4 (the paper's "Vegas-2,4"; ns has 1 and 3). Two segments are enough to
//! use capacity that becomes free. Four are so few that a loss is rare. The gap between them keeps
//! cwnd from oscillating. gamma is 1: slow start overshoots by a round trip, so it must stop at the
//! first sign.
//!
//! Differences from the paper: none of its retransmissions (section 3.1), which belong to loss
//! recovery; a loss halves cwnd as in Reno; when Linux's slow start ends, cwnd becomes the BDP plus
//! one segment. cwnd grows only while it limits the sender.
//!
//! Differences from Linux: `queued` is the paper's. Linux divides by the base RTT, which gives the
//! same value for a short queue and a larger one for a long queue. While the losses of a timeout
//! are repaired, cwnd follows Vegas here and Reno in Linux.

use super::reno::Reno;
use super::segments::{at_least_two, in_slow_start, slow_start, Segments};
use super::{AckSample, Avoidance};
use crate::Window;

const GAMMA: u128 = 1;
const FEW_SAMPLES: u32 = 2;

/// Congestion avoidance of Vegas.
#[derive(Clone, Debug, Default)]
pub struct Vegas {
    /// The variant of ns, not of Linux.
    is_ns_variant: bool,
    base_rtt_ns: Option<u64>,
    round: Option<Round>,
    segments: Segments,
    reno: Reno,
}

#[derive(Clone, Copy, Debug)]
struct Round {
    /// SND.NXT when the round began. The round ends when more is acknowledged.
    end: u64,
    min_rtt_ns: u64,
    sum_rtt_ns: u64,
    samples: u32,
    /// In slow start: cwnd does not change in this round, so that rates can be compared.
    is_still: bool,
}

impl Vegas {
    /// Vegas as in ns.
    pub fn as_in_ns() -> Vegas {
        Vegas {
            is_ns_variant: true,
            ..Vegas::default()
        }
    }

    fn begin_round(&mut self, end: u64, is_still: bool) {
        self.round = Some(Round {
            end,
            min_rtt_ns: u64::MAX,
            sum_rtt_ns: 0,
            samples: 0,
            is_still,
        });
    }

    /// Changes cwnd at the end of a round.
    fn decide(&mut self, window: &mut Window, ack: &AckSample, round: &Round) {
        let Some((rtt_ns, base_rtt_ns)) = self.round_trip(round) else {
            return self.reno.raise(window, ack);
        };
        let (cwnd, rtt, base) = (
            window.segments(),
            u128::from(rtt_ns),
            u128::from(base_rtt_ns),
        );
        let (alpha, beta) = if self.is_ns_variant { (1, 3) } else { (2, 4) };
        // queued * RTT, which needs no division; rounded to whole segments in ns
        let queued = match u128::from(cwnd) * (rtt - base) {
            queued if self.is_ns_variant => (queued + rtt / 2) / rtt * rtt,
            queued => queued,
        };
        let mss = u64::from(window.mss_bytes);

        if in_slow_start(window) {
            if queued > GAMMA * rtt {
                let bdp_segments = match self.is_ns_variant {
                    true => cwnd - cwnd / 8,
                    false => cwnd.min((u128::from(cwnd) * base / rtt) as u64 + 1),
                };
                window.cwnd_bytes = at_least_two(bdp_segments, window.mss_bytes);
                window.ssthresh_bytes = window.cwnd_bytes;
            } else {
                self.slow_start(window, ack);
            }
        } else if queued > beta * rtt {
            if cwnd > 2 {
                window.cwnd_bytes -= mss;
            }
            // Keep ssthresh at most at cwnd. Otherwise slow start would resume.
            window.ssthresh_bytes = window.ssthresh_bytes.min(window.cwnd_bytes).max(2 * mss);
        } else if queued < alpha * rtt && ack.cwnd_limited {
            window.cwnd_bytes = window.cwnd_bytes.saturating_add(mss);
        }
    }

    /// The round's RTT and the base RTT; `None` if the round shows nothing.
    fn round_trip(&mut self, round: &Round) -> Option<(u64, u64)> {
        if self.is_ns_variant {
            let mean_ns = round.sum_rtt_ns.checked_div(round.samples.into())?;
            let base_ns = self.base_rtt_ns.unwrap_or(mean_ns).min(mean_ns);
            self.base_rtt_ns = Some(base_ns);
            return Some((mean_ns, base_ns));
        }
        self.base_rtt_ns
            .filter(|_| round.samples > FEW_SAMPLES)
            .map(|base_ns| (round.min_rtt_ns, base_ns))
    }

    fn slow_start(&mut self, window: &mut Window, ack: &AckSample) {
        if ack.cwnd_limited {
            let segments = self
                .segments
                .delivered(ack.delivered_bytes, window.mss_bytes);
            slow_start(window, segments);
        }
    }
}

impl Avoidance for Vegas {
    fn measure(&mut self, _window: &mut Window, ack: &AckSample) {
        let Some(rtt_ns) = ack.rtt_ns.map(|rtt_ns| rtt_ns.max(1)) else {
            return;
        };
        // While a start-up algorithm of core/ controls cwnd, raise() is not called and there are no
        // rounds.
        if !self.is_ns_variant || ack.startup {
            self.base_rtt_ns = Some(self.base_rtt_ns.unwrap_or(rtt_ns).min(rtt_ns));
        }
        if let Some(round) = &mut self.round {
            round.min_rtt_ns = round.min_rtt_ns.min(rtt_ns);
            round.sum_rtt_ns = round.sum_rtt_ns.saturating_add(rtt_ns);
            round.samples = round.samples.saturating_add(1);
        }
    }

    fn raise(&mut self, window: &mut Window, ack: &AckSample) {
        let Some(round) = self.round else {
            // If each flight is acknowledged at once, and the next one is sent only after an idle
            // moment, no round is ever complete. Then Vegas behaves as Reno, as with too few
            // samples.
            self.begin_round(ack.nxt, false);
            return match in_slow_start(window) {
                true => self.slow_start(window, ack),
                false => self.reno.raise(window, ack),
            };
        };
        if ack.una <= round.end {
            if in_slow_start(window) && !round.is_still {
                self.slow_start(window, ack);
            }
            return;
        }
        let keeps_still = self.is_ns_variant && in_slow_start(window) && !round.is_still;
        match keeps_still {
            // The mean of a round that is not compared may still be the minimum.
            true => {
                self.round_trip(&round);
            }
            false => self.decide(window, ack, &round),
        }
        self.begin_round(ack.nxt, keeps_still);
    }

    fn ssthresh(&mut self, window: &Window, now_ns: u64, flight_bytes: u64) -> u64 {
        // The measurements belong to a cwnd that no longer exists.
        self.round = None;
        self.reno.ssthresh(window, now_ns, flight_bytes)
    }

    fn resume(&mut self, _idle_since_ns: u64, _now_ns: u64) {
        // The path may have changed, and then the old base RTT would never be measured again.
        self.base_rtt_ns = None;
        self.round = None;
    }
}

#[cfg(test)]
mod tests {
    use super::super::path::{Path, MSS};
    use super::*;
    use crate::window::UNLIMITED;

    const MS: u64 = 1_000_000;

    /// cwnd every 10 ms for 20 s, on a path with a BDP of 10 segments: 10 ms each, an RTT of 100
    /// ms.
    fn windows(vegas: Vegas, cwnd: u64, ssthresh: u64) -> Vec<u64> {
        let mut path = Path::new(Box::new(vegas), 10 * MS, 100 * MS, cwnd, ssthresh);
        (0..2000)
            .map(|i| path.run(i * 10 * MS).segments())
            .collect()
    }

    /// Brakmo & Peterson 1995, section 3.2: between alpha and beta segments are in the queue. The
    /// segment that is being transmitted does not count as queued.
    #[test]
    fn two_to_four_segments_stay_in_the_queue() {
        for start in [4, 10, 13, 30] {
            let windows = windows(Vegas::default(), start, start);
            let late = &windows[1000..];
            assert!(
                late.iter().all(|cwnd| (12..=15).contains(cwnd)),
                "from {start}: {:?}",
                late[0]
            );
            assert!(late.iter().all(|cwnd| *cwnd == late[0]), "it oscillates");
        }
    }

    /// Brakmo & Peterson 1995, section 3.2: linear change, by one segment a round trip.
    #[test]
    fn cwnd_changes_by_one_segment_a_round_trip() {
        let windows = windows(Vegas::default(), 30, 30);
        assert!(windows
            .windows(2)
            .all(|pair| pair[0].abs_diff(pair[1]) <= 1));
        let down = windows.iter().position(|cwnd| *cwnd == 29).unwrap();
        let further = windows.iter().position(|cwnd| *cwnd == 28).unwrap();
        assert!(
            (20..40).contains(&(further - down)),
            "{} ms",
            10 * (further - down)
        );
    }

    /// Brakmo & Peterson 1995, section 3.3.
    #[test]
    fn slow_start_ends_when_one_segment_is_queued() {
        // With doubling in each round trip, the queue of a window is seen when cwnd has doubled
        // again.
        for (vegas, max) in [(Vegas::default(), 32), (Vegas::as_in_ns(), 20)] {
            let windows = windows(vegas, 2, UNLIMITED / MSS);
            assert!(
                *windows.iter().max().unwrap() <= max,
                "{:?}",
                windows.iter().max()
            );
            assert!((12..=15).contains(windows.last().unwrap()));
        }
    }

    /// Brakmo & Peterson 1995, section 3.3: "exponential growth only every other RTT".
    #[test]
    fn the_published_slow_start_doubles_in_every_other_round_trip() {
        let per_round_trip = |vegas: Vegas| {
            let mut path = Path::new(Box::new(vegas), MS / 100, 100 * MS, 2, UNLIMITED / MSS);
            (0..6)
                .map(|i| path.run(i * 100 * MS + 50 * MS).segments())
                .collect::<Vec<_>>()
        };
        assert_eq!(per_round_trip(Vegas::default()), [2, 4, 8, 16, 32, 64]);
        // The first round trips have too few samples to be compared, so cwnd grows as with Reno.
        let published = per_round_trip(Vegas::as_in_ns());
        assert!(published[5] <= 16, "{published:?}");
        assert!(
            published.windows(2).any(|pair| pair[0] == pair[1]),
            "{published:?}"
        );
    }

    #[test]
    fn rounds_with_few_samples_behave_as_reno() {
        let mut vegas = Vegas::default();
        let mut window = Window {
            cwnd_bytes: 2 * MSS,
            ssthresh_bytes: 2 * MSS,
            mss_bytes: MSS as u32,
        };
        for i in 1..4 {
            let (now_ns, una) = (i * 100 * MS, 2 * i * MSS);
            let rtt_ns = Some(100 * MS + (i - 1) * 300 * MS);
            let delivered_bytes = 2 * MSS;
            let ack = AckSample {
                now_ns,
                una,
                nxt: una,
                rtt_ns,
                delivered_bytes,
                cwnd_limited: true,
                ..AckSample::default()
            };
            vegas.measure(&mut window, &ack);
            vegas.raise(&mut window, &ack);
        }
        assert!(window.segments() > 2, "{window:?}");
    }

    #[test]
    fn an_idle_time_forgets_the_base_rtt() {
        let mut vegas = Vegas::default();
        let mut window = Window {
            cwnd_bytes: 2 * MSS,
            ssthresh_bytes: UNLIMITED,
            mss_bytes: MSS as u32,
        };
        vegas.measure(
            &mut window,
            &AckSample {
                rtt_ns: Some(MS),
                ..AckSample::default()
            },
        );
        vegas.resume(0, MS);
        vegas.measure(
            &mut window,
            &AckSample {
                rtt_ns: Some(9 * MS),
                ..AckSample::default()
            },
        );
        assert_eq!(vegas.base_rtt_ns, Some(9 * MS));
    }

    #[test]
    fn ns_measures_the_base_rtt_during_a_start_up_too() {
        let mut vegas = Vegas::as_in_ns();
        let mut window = Window {
            cwnd_bytes: 2 * MSS,
            ssthresh_bytes: UNLIMITED,
            mss_bytes: MSS as u32,
        };
        for (rtt_ns, startup) in [(10 * MS, true), (30 * MS, true), (5 * MS, false)] {
            vegas.measure(
                &mut window,
                &AckSample {
                    rtt_ns: Some(rtt_ns),
                    startup,
                    ..AckSample::default()
                },
            );
        }
        assert_eq!(
            vegas.base_rtt_ns,
            Some(10 * MS),
            "afterwards by the means of rounds"
        );
    }

    #[test]
    fn a_window_that_one_ack_covers_grows() {
        let mut vegas = Vegas::default();
        let mut window = Window {
            cwnd_bytes: 2 * MSS,
            ssthresh_bytes: 2 * MSS,
            mss_bytes: MSS as u32,
        };
        for flight in 1..=10 {
            let cwnd = window.cwnd_bytes;
            vegas.resume((flight - 1) * 100 * MS, flight * 100 * MS);
            let ack = AckSample {
                now_ns: flight * 100 * MS,
                delivered_bytes: cwnd,
                una: flight * 100 * MSS,
                nxt: flight * 100 * MSS,
                rtt_ns: Some(100 * MS),
                srtt_ns: 100 * MS,
                cwnd_limited: true,
                ..AckSample::default()
            };
            vegas.measure(&mut window, &ack);
            vegas.raise(&mut window, &ack);
        }
        assert!(
            (9 * MSS..=12 * MSS).contains(&window.cwnd_bytes),
            "one segment a round trip: {}",
            window.cwnd_bytes
        );
    }
}
