//! Vegas: keep two to four segments of one's own in the queue.
//!
//! L. Brakmo, L. Peterson: TCP Vegas: End to End Congestion Avoidance on a Global Internet, 1995.
//! In one sentence: what a window would bring without queues, less what it brings, is what waits in
//! queues, and can be held constant.
//!
//! ```text
//!   expected = cwnd / base RTT         base RTT: the least ever        section 3.2
//!   actual   = cwnd / RTT              RTT: the least of the last round
//!   queued   = (expected - actual) * base RTT = cwnd (RTT - base RTT) / RTT        in segments
//!
//!   slow start   queued > gamma: cwnd = min(cwnd, actual * base RTT + 1), and avoidance from now on   section 3.3
//!   avoidance    queued < alpha: cwnd += 1;  queued > beta: cwnd -= 1;  otherwise it stays
//! ```
//!
//! Decided once a round trip: when what had been sent at the last decision is acknowledged. With
//! two samples or fewer in it a round says nothing (a delayed ACK may have made both late), and its
//! last ACK counts as Reno's.
//!
//! Two of them, one for each [`Stack`](crate::Stack). [`Vegas::default`] is Linux's: it doubles in
//! each round trip, and slow start ends at what the path carries. [`Vegas::as_in_ns`] is that of
//! the simulator ns (`tcp-vegas.cc`), which follows the authors' own code: it doubles in every
//! other round trip, and decides at the end of those in which the window stood still, so that the
//! rates compared belong to one window (section 3.3). Its RTT is the mean of the round, its base
//! RTT the least mean, `queued` is rounded to whole segments, and slow start ends with 7/8 of the
//! window. A flight that doubles leaves in pairs, which queue behind each other: the mean RTT shows
//! them long before the path is full.
//!
//! Constants: alpha 2, beta 4 (the paper's "Vegas-2,4"; ns has 1 and 3): two segments are enough to
//! take room that appears, four so few that a loss is rare, and between them is a gap so that the
//! window does not oscillate. gamma 1: slow start overshoots by a round trip, so it has to stop at
//! the first sign.
//!
//! Differences from the paper: none of its retransmissions (section 3.1), which belong to loss
//! recovery; a loss halves the window as Reno's does; when Linux's slow start ends, the window
//! becomes what the path carries, and one more. The window grows only while it limits the sender.
//!
//! Differences from Linux: `queued` is the paper's; Linux divides by the base RTT, which is the
//! same for a short queue and more for a long one. The window is Vegas's, not Reno's, while a
//! timeout's losses are repaired.

use super::reno::Reno;
use super::segments::{at_least_two, in_slow_start, slow_start, Segments};
use super::{AckSample, Avoidance};
use crate::Window;

const GAMMA: u128 = 1;
const FEW_SAMPLES: u32 = 2;

/// Vegas's window.
#[derive(Clone, Debug, Default)]
pub struct Vegas {
    /// ns's, not Linux's.
    is_of_ns: bool,
    base_rtt_ns: Option<u64>,
    round: Option<Round>,
    segments: Segments,
    reno: Reno,
}

#[derive(Clone, Copy, Debug)]
struct Round {
    /// Sent when it began; it is over when more is acknowledged.
    end: u64,
    least_rtt_ns: u64,
    sum_rtt_ns: u64,
    samples: u32,
    /// In slow start: the window stands still, to be compared.
    still: bool,
}

impl Vegas {
    /// As ns has it.
    pub fn as_in_ns() -> Vegas {
        Vegas {
            is_of_ns: true,
            ..Vegas::default()
        }
    }

    fn begin_round(&mut self, end: u64, still: bool) {
        self.round = Some(Round {
            end,
            least_rtt_ns: u64::MAX,
            sum_rtt_ns: 0,
            samples: 0,
            still,
        });
    }

    /// What the round that has ended tells.
    fn decide(&mut self, window: &mut Window, ack: &AckSample, round: &Round) {
        let Some((rtt_ns, base_rtt_ns)) = self.round_trip(round) else {
            return self.reno.raise(window, ack);
        };
        let (cwnd, rtt, base) = (
            window.segments(),
            u128::from(rtt_ns),
            u128::from(base_rtt_ns),
        );
        let (alpha, beta) = if self.is_of_ns { (1, 3) } else { (2, 4) };
        // queued * RTT, which needs no division; whole segments in ns
        let queued = match u128::from(cwnd) * (rtt - base) {
            queued if self.is_of_ns => (queued + rtt / 2) / rtt * rtt,
            queued => queued,
        };
        let mss = u64::from(window.mss_bytes);

        if in_slow_start(window) {
            if queued > GAMMA * rtt {
                let carried = match self.is_of_ns {
                    true => cwnd - cwnd / 8,
                    false => cwnd.min((u128::from(cwnd) * base / rtt) as u64 + 1),
                };
                window.cwnd_bytes = at_least_two(carried, window.mss_bytes);
                window.ssthresh_bytes = window.cwnd_bytes;
            } else {
                self.slow_start(window, ack);
            }
        } else if queued > beta * rtt {
            if cwnd > 2 {
                window.cwnd_bytes -= mss;
            }
            // Not below the threshold again: that would be slow start.
            window.ssthresh_bytes = window.ssthresh_bytes.min(window.cwnd_bytes).max(2 * mss);
        } else if queued < alpha * rtt && ack.cwnd_limited {
            window.cwnd_bytes = window.cwnd_bytes.saturating_add(mss);
        }
    }

    /// The round's RTT and the base RTT, if it says something.
    fn round_trip(&mut self, round: &Round) -> Option<(u64, u64)> {
        if self.is_of_ns {
            let mean_ns = round.sum_rtt_ns.checked_div(round.samples.into())?;
            let base_ns = self.base_rtt_ns.unwrap_or(mean_ns).min(mean_ns);
            self.base_rtt_ns = Some(base_ns);
            return Some((mean_ns, base_ns));
        }
        self.base_rtt_ns
            .filter(|_| round.samples > FEW_SAMPLES)
            .map(|base_ns| (round.least_rtt_ns, base_ns))
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
        // No rounds are seen while a start-up of core/ is in charge.
        if !self.is_of_ns || ack.startup {
            self.base_rtt_ns = Some(self.base_rtt_ns.unwrap_or(rtt_ns).min(rtt_ns));
        }
        if let Some(round) = &mut self.round {
            round.least_rtt_ns = round.least_rtt_ns.min(rtt_ns);
            round.sum_rtt_ns = round.sum_rtt_ns.saturating_add(rtt_ns);
            round.samples = round.samples.saturating_add(1);
        }
    }

    fn raise(&mut self, window: &mut Window, ack: &AckSample) {
        let Some(round) = self.round else {
            // Where each flight is acknowledged at once, and the next one leaves after a moment
            // without any, no round is ever seen whole: then it is Reno, as with too few samples.
            self.begin_round(ack.nxt, false);
            return match in_slow_start(window) {
                true => self.slow_start(window, ack),
                false => self.reno.raise(window, ack),
            };
        };
        if ack.una <= round.end {
            if in_slow_start(window) && !round.still {
                self.slow_start(window, ack);
            }
            return;
        }
        let stand_still = self.is_of_ns && in_slow_start(window) && !round.still;
        match stand_still {
            // A mean of a round that is not compared may still be the least.
            true => {
                self.round_trip(&round);
            }
            false => self.decide(window, ack, &round),
        }
        self.begin_round(ack.nxt, stand_still);
    }

    fn ssthresh(&mut self, window: &Window, now_ns: u64, flight_bytes: u64) -> u64 {
        // What was measured meanwhile is of a window that is no more.
        self.round = None;
        self.reno.ssthresh(window, now_ns, flight_bytes)
    }

    fn resume(&mut self, _idle_since_ns: u64, _now_ns: u64) {
        // The path may have changed, and a base RTT of the old one would never be seen again.
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

    /// 10 segments in the path: one each 10 ms, 100 ms there and back. Windows each 10 ms for 20 s.
    fn windows(vegas: Vegas, cwnd: u64, ssthresh: u64) -> Vec<u64> {
        let mut path = Path::new(Box::new(vegas), 10 * MS, 100 * MS, cwnd, ssthresh);
        (0..2000)
            .map(|i| path.run(i * 10 * MS).segments())
            .collect()
    }

    /// Brakmo & Peterson 1995, section 3.2: between alpha and beta segments are in the queue. The
    /// segment that is being sent belongs to the path.
    #[test]
    fn keeps_two_to_four_segments_in_the_queue() {
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

    /// Brakmo & Peterson 1995, section 3.2: linear, by one a round trip.
    #[test]
    fn moves_by_one_segment_a_round_trip() {
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
        // Doubling each time, what a window queues is seen when it has doubled again.
        for (vegas, most) in [(Vegas::default(), 32), (Vegas::as_in_ns(), 20)] {
            let windows = windows(vegas, 2, UNLIMITED / MSS);
            assert!(
                *windows.iter().max().unwrap() <= most,
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
        // The first round trips have too few samples to be compared, and grow as Reno.
        let published = per_round_trip(Vegas::as_in_ns());
        assert!(published[5] <= 16, "{published:?}");
        assert!(
            published.windows(2).any(|pair| pair[0] == pair[1]),
            "{published:?}"
        );
    }

    #[test]
    fn few_samples_are_left_to_reno() {
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
    fn ns_learns_the_base_rtt_during_a_start_up_too() {
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
    fn a_window_that_is_acknowledged_at_once_grows() {
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
