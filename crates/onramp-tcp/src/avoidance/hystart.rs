//! HyStart: end slow start before it loses anything.
//!
//! S. Ha, I. Rhee: Hybrid Slow Start for High-Bandwidth and Long-Distance Networks, 2008 (PFLDnet)
//! and 2011 (Computer Networks 55). In one sentence: slow start has filled the path when a round
//! trip's ACKs come as a train as long as half of it, or when the queue makes the first of them
//! late.
//!
//! ```text
//!   train   ACKs in a row, each within 2 ms of the last, the last of them more than
//!           (least RTT + cushion) / 2 after the round began; nothing halved where the sender paces
//!   delay   the least RTT of the round, of more than 8 samples, is beyond
//!           least RTT + clamp(least RTT / 8, 4 ms, 16 ms)
//!   found   ssthresh = cwnd, for good: only a timeout arms it again
//! ```
//!
//! A round begins at the first ACK beyond what had been sent when the last one began.
//!
//! Constants, Linux's: 16 segments, below which a train is too short to tell anything; 2 ms, the
//! paper's bound of what is "closely spaced" (section 3.2); 8 samples (section 3.3), so that a
//! delayed ACK or two do not count; 4 ms and 16 ms (section 3.3), since noise does not scale with
//! the RTT beyond these. A half: data flow one way half of the RTT, hence a train that long fills
//! the forward path. The cushion, at most 1 ms, is what four maximal aggregates take to send at the
//! pacing rate: GSO and GRO stretch trains on short paths.
//!
//! Differences from the paper, all Linux's since 5.6 and 5.16: the cushion; no halving with pacing;
//! every ACK of a round counts as a delay sample; rounds begin whether or not the window has its 16
//! segments or is used, so that a train's length is counted from a flight's first ACK.
//!
//! Difference from Linux: whether the sender paces is not known here, and it is taken not to. That
//! matters while a start-up of `core/` paces, and such a start-up has its own idea of the
//! threshold.

use super::segments::in_slow_start;
use super::AckSample;
use crate::Window;

const LOW_WINDOW_SEGMENTS: u64 = 16;
const ACK_SPACING_US: u64 = 2_000;
const DELAY_SAMPLES: u32 = 8;
const LEAST_DELAY_US: u64 = 4_000;
const MOST_DELAY_US: u64 = 16_000;
const MOST_CUSHION_US: u64 = 1_000;
/// Four aggregates of what GSO carries at most.
const CUSHION_BYTES: u64 = 4 * 65_536;

/// The state of both detectors.
#[derive(Clone, Debug, Default)]
pub(super) struct HyStart {
    found: bool,
    round: Option<Round>,
}

#[derive(Clone, Copy, Debug)]
struct Round {
    start_us: u64,
    /// Sent when it began; it is over when more is acknowledged.
    end: u64,
    /// Last ACK of the train that began the round.
    train_us: u64,
    least_rtt_us: u64,
    samples: u32,
}

impl HyStart {
    /// Looks at an ACK with an RTT sample, before the window grows; may end slow start.
    pub fn measure(
        &mut self,
        window: &mut Window,
        ack: &AckSample,
        rtt_us: u64,
        least_rtt_us: u64,
    ) {
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
            least_rtt_us.saturating_add(cushion_us(window, ack)) / 2,
        );
        let delay = round.delay_rose(rtt_us, least_rtt_us);
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
            least_rtt_us: u64::MAX,
            samples: 0,
        }
    }

    fn train_fills_path(&mut self, now_us: u64, threshold_us: u64) -> bool {
        if now_us.saturating_sub(self.train_us) > ACK_SPACING_US {
            return false; // a gap: whatever follows in this round is no part of the train
        }
        self.train_us = now_us;
        now_us.saturating_sub(self.start_us) > threshold_us
    }

    fn delay_rose(&mut self, rtt_us: u64, least_rtt_us: u64) -> bool {
        self.least_rtt_us = self.least_rtt_us.min(rtt_us);
        if self.samples < DELAY_SAMPLES {
            self.samples += 1;
            return false;
        }
        let allowance_us = (least_rtt_us / 8).clamp(LEAST_DELAY_US, MOST_DELAY_US);
        self.least_rtt_us > least_rtt_us.saturating_add(allowance_us)
    }
}

/// What aggregation may add to a train. The pacing rate is the one that Linux keeps for every
/// connection: in slow start two windows in a smoothed RTT, 1.2 beyond half of the threshold.
fn cushion_us(window: &Window, ack: &AckSample) -> u64 {
    let percent = if window.cwnd_bytes < window.ssthresh_bytes / 2 {
        200
    } else {
        120
    };
    let bytes = u128::from(window.cwnd_bytes.max(ack.nxt.saturating_sub(ack.una))) * percent;
    let us = u128::from(CUSHION_BYTES) * u128::from(ack.srtt_ns / 1000) * 100 / bytes.max(1);
    us.min(u128::from(MOST_CUSHION_US)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::UNLIMITED;

    const MS: u64 = 1_000_000;
    const MSS: u64 = 1000;

    /// A round trip's ACKs: one segment each, `spacing_us` apart, with these RTTs in milliseconds,
    /// after the path's least RTT was 100 ms. Gives the number of the ACK at which slow start
    /// ended.
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

    /// Ha & Rhee 2011, section 3.2; Linux's cushion is 1 ms here.
    #[test]
    fn a_train_of_half_the_least_rtt_ends_slow_start() {
        // (100 + 1) / 2 ms after the first ACK, exclusively.
        assert_eq!(exit_at(200, 1000, |_| 100), Some(51));
    }

    /// Ha & Rhee 2011, section 3.2.
    #[test]
    fn acks_that_are_not_closely_spaced_are_no_train() {
        assert_eq!(exit_at(45, 2000, |_| 100), Some(26));
        assert_eq!(exit_at(45, 2001, |_| 100), None);
    }

    #[test]
    fn a_train_with_a_gap_is_over_for_this_round() {
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
    fn one_early_sample_in_a_round_clears_it_of_delay() {
        assert_eq!(exit_at(40, 2500, |i| if i == 3 { 100 } else { 200 }), None);
    }

    #[test]
    fn delay_thresholds_lie_between_4_and_16_ms() {
        let rises = |least_ms: u64, rtt_ms: u64| {
            let mut round = Round::begin(0, 0);
            (0..9).any(|_| round.delay_rose(rtt_ms * 1000, least_ms * 1000))
        };
        assert_eq!((rises(10, 14), rises(10, 15)), (false, true));
        assert_eq!((rises(600, 616), rises(600, 617)), (false, true));
    }

    #[test]
    fn below_16_segments_nothing_ends_slow_start() {
        assert_eq!(exit_at(15, 1000, |_| 500), None);
        assert_eq!(exit_at(16, 1000, |_| 500), Some(8));
    }

    /// The kernel's trace of a path of 80 ms: from 10 segments on, rounds begin with the first ACK
    /// of each flight.
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
    fn a_new_round_begins_when_what_was_sent_before_it_is_acknowledged() {
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
    fn the_cushion_is_four_aggregates_at_the_pacing_rate_and_at_most_a_millisecond() {
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
            "no RTT yet: no limit to the rate"
        );
    }
}
