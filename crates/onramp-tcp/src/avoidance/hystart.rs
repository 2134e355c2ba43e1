//! HyStart: end slow start before it loses anything.
//!
//! S. Ha, I. Rhee: Hybrid Slow Start for High-Bandwidth and Long-Distance Networks, 2008 (PFLDnet)
//! and 2011 (Computer Networks 55). Slow start has filled the pipe when the ACK train of a round is
//! longer than half an RTT, or when the first ACKs of a round are delayed by a queue.
//!
//! ```text
//!   train   consecutive ACKs at most 2 ms apart, the last of them more than
//!           (min RTT + cushion) / 2 after the round began; not halved if the sender paces
//!   delay   the min RTT of the round, over more than 8 samples, exceeds
//!           min RTT + clamp(min RTT / 8, 4 ms, 16 ms)
//!   found   ssthresh = cwnd, for good: only a timeout arms HyStart again
//! ```
//!
//! A round begins at the first ACK above what had been sent when the last round began.
//!
//! Constants, as in Linux: 16 segments, because a shorter train shows nothing. 2 ms is the paper's
//! limit for "closely spaced" ACKs (section 3.2). 8 samples (section 3.3), so that one or two
//! delayed ACKs do not count. 4 ms and 16 ms (section 3.3), because noise does not scale with the
//! RTT beyond these. Half the min RTT is the time of data in one direction, so a train that long
//! fills the forward path. The cushion is the time to send four maximal aggregates at the pacing
//! rate, at most 1 ms. It is needed because GSO and GRO stretch trains on short paths.
//!
//! Differences from the paper, all as in Linux since 5.6 and 5.16: the cushion; no halving with
//! pacing; every ACK of a round counts as a delay sample; rounds also begin if cwnd is below 16
//! segments or not used, so a train's length is counted from the first ACK of a flight. In Linux
//! HyStart was broken from 5.16 to the commit 25c1a9ca53db; this is HyStart with that commit.
//!
//! Difference from Linux: this code does not know whether the sender paces, and assumes that it
//! does not. The difference matters only while a start-up algorithm of `core/` paces, and such an
//! algorithm sets ssthresh itself.

use super::segments::in_slow_start;
use super::AckSample;
use crate::Window;

const LOW_WINDOW_SEGMENTS: u64 = 16;
const ACK_SPACING_US: u64 = 2_000;
const DELAY_SAMPLES: u32 = 8;
const MIN_DELAY_US: u64 = 4_000;
const MAX_DELAY_US: u64 = 16_000;
const MAX_CUSHION_US: u64 = 1_000;
/// Four aggregates of the maximum size of GSO.
const CUSHION_BYTES: u64 = 4 * 65_536;

/// State of both detectors.
#[derive(Clone, Debug, Default)]
pub(super) struct HyStart {
    found: bool,
    round: Option<Round>,
}

#[derive(Clone, Copy, Debug)]
struct Round {
    start_us: u64,
    /// SND.NXT when the round began. The round ends when more is acknowledged.
    end: u64,
    /// Last ACK of the train at the start of the round.
    train_us: u64,
    min_rtt_us: u64,
    samples: u32,
}

impl HyStart {
    /// Processes an ACK with an RTT sample, before cwnd grows. May end slow start.
    pub fn measure(&mut self, window: &mut Window, ack: &AckSample, rtt_us: u64, min_rtt_us: u64) {
        if self.found || !in_slow_start(window) {
            return;
        }
        let now_us = ack.now_ns / 1000;
        let round = match &mut self.round {
            Some(round) if ack.una <= round.end => round,
            over => over.insert(Round::begin(now_us, ack.nxt)),
        };
        if window.segments() < LOW_WINDOW_SEGMENTS {
            return;
        }
        let train = round.train_fills_path(
            now_us,
            min_rtt_us.saturating_add(cushion_us(window, ack)) / 2,
        );
        let delay = round.delay_rose(rtt_us, min_rtt_us);
        if train || delay {
            self.found = true;
            window.ssthresh_bytes = window.cwnd_bytes;
        }
    }
}

impl Round {
    fn begin(now_us: u64, end: u64) -> Round {
        Round {
            start_us: now_us,
            end,
            train_us: now_us,
            min_rtt_us: u64::MAX,
            samples: 0,
        }
    }

    fn train_fills_path(&mut self, now_us: u64, threshold_us: u64) -> bool {
        if now_us.saturating_sub(self.train_us) > ACK_SPACING_US {
            return false; // after a gap, the ACKs of this round no longer belong to the train
        }
        self.train_us = now_us;
        now_us.saturating_sub(self.start_us) > threshold_us
    }

    fn delay_rose(&mut self, rtt_us: u64, min_rtt_us: u64) -> bool {
        self.min_rtt_us = self.min_rtt_us.min(rtt_us);
        if self.samples < DELAY_SAMPLES {
            self.samples += 1;
            return false;
        }
        let allowance_us = (min_rtt_us / 8).clamp(MIN_DELAY_US, MAX_DELAY_US);
        self.min_rtt_us > min_rtt_us.saturating_add(allowance_us)
    }
}

/// How much aggregation may lengthen a train. The pacing rate is the one that Linux computes for
/// every connection: two windows per smoothed RTT in slow start, 1.2 above half of ssthresh.
fn cushion_us(window: &Window, ack: &AckSample) -> u64 {
    let percent = if window.cwnd_bytes < window.ssthresh_bytes / 2 {
        200
    } else {
        120
    };
    let bytes = u128::from(window.cwnd_bytes.max(ack.nxt.saturating_sub(ack.una))) * percent;
    let us = u128::from(CUSHION_BYTES) * u128::from(ack.srtt_ns / 1000) * 100 / bytes.max(1);
    us.min(u128::from(MAX_CUSHION_US)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::UNLIMITED;

    const MS: u64 = 1_000_000;
    const MSS: u64 = 1000;

    /// The ACKs of one round: one segment each, `spacing_us` apart, with these RTTs in
    /// milliseconds, on a path with a min RTT of 100 ms. Returns the index of the ACK at which slow
    /// start ended.
    fn exit_at(segments: u64, spacing_us: u64, rtt_ms: impl Fn(u64) -> u64) -> Option<u64> {
        let mut window = Window {
            cwnd_bytes: segments * MSS,
            ssthresh_bytes: UNLIMITED,
            mss_bytes: MSS as u32,
        };
        let mut hystart = HyStart::default();
        (0..segments).find(|&i| {
            let ack = AckSample {
                now_ns: 1000 * MS + i * spacing_us * 1000,
                una: (i + 1) * MSS,
                nxt: (segments + 2 * i) * MSS,
                srtt_ns: 100 * MS,
                ..AckSample::default()
            };
            hystart.measure(&mut window, &ack, rtt_ms(i) * 1000, 100_000);
            window.ssthresh_bytes != UNLIMITED
        })
    }

    /// Ha & Rhee 2011, section 3.2. Linux's cushion is 1 ms here.
    #[test]
    fn a_train_of_half_the_min_rtt_ends_slow_start() {
        // More than (100 + 1) / 2 ms after the first ACK.
        assert_eq!(exit_at(200, 1000, |_| 100), Some(51));
    }

    /// Ha & Rhee 2011, section 3.2.
    #[test]
    fn acks_that_are_not_closely_spaced_form_no_train() {
        assert_eq!(exit_at(45, 2000, |_| 100), Some(26));
        assert_eq!(exit_at(45, 2001, |_| 100), None);
    }

    #[test]
    fn a_gap_ends_the_train_of_the_round() {
        let mut round = Round::begin(0, 0);
        assert!(!round.train_fills_path(2001, 1000));
        assert!(!round.train_fills_path(2002, 1000));
    }

    /// Ha & Rhee 2011, section 3.3: an eighth of 100 ms is 12.5 ms.
    #[test]
    fn a_delay_beyond_the_threshold_ends_slow_start_at_the_ninth_sample() {
        assert_eq!(exit_at(40, 2500, |_| 113), Some(8));
        assert_eq!(exit_at(40, 2500, |_| 112), None);
    }

    #[test]
    fn one_early_sample_in_a_round_rules_out_a_delay() {
        assert_eq!(exit_at(40, 2500, |i| if i == 3 { 100 } else { 200 }), None);
    }

    #[test]
    fn delay_thresholds_lie_between_4_and_16_ms() {
        let rises = |min_ms: u64, rtt_ms: u64| {
            let mut round = Round::begin(0, 0);
            (0..9).any(|_| round.delay_rose(rtt_ms * 1000, min_ms * 1000))
        };
        assert_eq!((rises(10, 14), rises(10, 15)), (false, true));
        assert_eq!((rises(600, 616), rises(600, 617)), (false, true));
    }

    #[test]
    fn below_16_segments_nothing_ends_slow_start() {
        assert_eq!(exit_at(15, 1000, |_| 500), None);
        assert_eq!(exit_at(16, 1000, |_| 500), Some(8));
    }

    /// As in the kernel's trace of a path of 80 ms: from 10 segments on, rounds begin with the
    /// first ACK of each flight.
    #[test]
    fn rounds_begin_below_16_segments_too() {
        let mut window = Window {
            cwnd_bytes: 10 * MSS,
            ssthresh_bytes: UNLIMITED,
            mss_bytes: MSS as u32,
        };
        let mut hystart = HyStart::default();
        hystart.measure(
            &mut window,
            &AckSample {
                una: MSS,
                nxt: 10 * MSS,
                ..AckSample::default()
            },
            1,
            1,
        );
        assert_eq!(
            hystart.round.map(|round| (round.end, round.samples)),
            Some((10 * MSS, 0))
        );
    }

    #[test]
    fn a_new_round_begins_when_everything_sent_before_is_acknowledged() {
        let mut window = Window {
            cwnd_bytes: 20 * MSS,
            ssthresh_bytes: UNLIMITED,
            mss_bytes: MSS as u32,
        };
        let mut hystart = HyStart::default();
        let mut starts = Vec::new();
        for i in 1..=40 {
            let ack = AckSample {
                now_ns: i * MS,
                una: i * MSS,
                nxt: (i + 10) * MSS,
                ..AckSample::default()
            };
            hystart.measure(&mut window, &ack, 10_000, 1_000_000);
            starts.push(hystart.round.map(|round| round.start_us / 1000).unwrap());
        }
        starts.dedup();
        assert_eq!(starts, [1, 12, 23, 34]);
    }

    #[test]
    fn the_cushion_is_four_aggregates_at_the_pacing_rate_and_at_most_1_ms() {
        let window = |cwnd_bytes| Window {
            cwnd_bytes,
            ssthresh_bytes: UNLIMITED,
            mss_bytes: 1000,
        };
        let ack = AckSample {
            srtt_ns: 10 * MS,
            ..AckSample::default()
        };
        assert_eq!(cushion_us(&window(1_000_000), &ack), 1000);
        assert_eq!(cushion_us(&window(13_107_200), &ack), 100);
        assert_eq!(
            cushion_us(&window(100_000), &AckSample::default()),
            0,
            "no RTT yet, so the rate has no limit"
        );
    }
}
