//! `qos`: cwnd and the burst of a reservation, and the losses that show that it does not hold.

use crate::flights::{start, Host, MS, MSS};
use onramp_core::{
    exit_name, phase_name, Decision, Loss, Start, LOSS_RECOVERY, LOSS_TIMEOUT, PHASE_RESERVED,
    UNLIMITED,
};
use proptest::prelude::*;

const SEGMENT: u64 = MSS as u64;
/// 8 Mbit/s: a segment each millisecond.
const RATE: u64 = 1_000_000;
/// The losses that a reservation tolerates at once.
const MOST_SEGMENTS: u64 = 10;

fn reserved() -> Start {
    Start {
        pace_bytes_per_s: RATE,
        srtt_ns: 100 * MS,
        ..start()
    }
}

fn host() -> Host {
    Host::new("qos", reserved(), 100 * MS)
}

fn decided_at_start(start: Start) -> Decision {
    Host::new("qos", start, 0).decision
}

/// This many segments arrive. With the last of them, this many are marked lost.
fn arrive(host: &mut Host, segments: u64, lost_segments: u64) -> Decision {
    for _ in 1..segments {
        host.ack(MS, 50 * SEGMENT, 0);
    }
    host.ack.lost_bytes += lost_segments * SEGMENT;
    host.ack(MS, 50 * SEGMENT, 0)
}

fn is_broken(decision: &Decision) -> bool {
    assert_eq!(decision.is_over(), decision.phase != PHASE_RESERVED);
    assert!(!decision.is_over() || exit_name(decision.exit) == "broken");
    decision.is_over()
}

/// Equation 1: window size >= 2 * bandwidth * delay.
#[test]
fn cwnd_is_twice_the_bdp_as_the_rtt_becomes_known() {
    let mut host = host();
    assert_eq!(phase_name(host.decision.phase), "reserved");
    assert_eq!(
        (host.decision.cwnd_bytes, host.decision.ssthresh_bytes),
        (200 * SEGMENT, UNLIMITED)
    );
    assert_eq!(
        (
            host.decision.pacing_bytes_per_s,
            host.decision.estimate_bytes_per_s
        ),
        (RATE, RATE)
    );
    for (srtt_ms, segments) in [(500, 1000), (50, 100), (7, 14)] {
        host.ack.srtt_ns = srtt_ms * MS;
        assert_eq!(host.ack(MS, 0, 0).cwnd_bytes, segments * SEGMENT);
    }
    host.ack.srtt_ns = 0;
    assert_eq!(
        host.ack(MS, 0, 0).cwnd_bytes,
        14 * SEGMENT,
        "nothing new is known"
    );
}

#[test]
fn cwnd_is_at_least_the_initial_window_and_the_bdp_and_a_burst() {
    let at = |srtt_ns, burst_bytes, cwnd_bytes| {
        decided_at_start(Start {
            srtt_ns,
            burst_bytes,
            cwnd_bytes,
            ..reserved()
        })
        .cwnd_bytes
    };
    assert_eq!(
        at(0, 0, 4 * SEGMENT),
        4 * SEGMENT,
        "the handshake's round trip is not known"
    );
    assert_eq!(at(MS, 0, 4 * SEGMENT), 4 * SEGMENT);
    assert_eq!(
        at(MS, 0, 40 * SEGMENT),
        10 * SEGMENT,
        "but no more than what may leave at once of any host"
    );
    assert_eq!(at(MS, 50_000, 4 * SEGMENT), SEGMENT + 50_000);
}

#[test]
fn a_burst_is_a_milliseconds_worth_but_two_to_ten_segments() {
    let burst = |pace_bytes_per_s| {
        decided_at_start(Start {
            pace_bytes_per_s,
            ..reserved()
        })
        .burst_bytes
    };
    assert_eq!([1, 125_000, 2_048_000].map(burst), [2000, 2000, 2000]);
    assert_eq!(
        [4_096_000, 10_240_000, 1_250_000_000].map(burst),
        [4000, 10_000, 10_000]
    );
}

#[test]
fn a_burst_that_is_given_holds_a_segment_at_least() {
    let burst = |burst_bytes| {
        decided_at_start(Start {
            burst_bytes,
            ..reserved()
        })
        .burst_bytes
    };
    assert_eq!(
        [1, 1500, 50_000, u32::MAX].map(burst),
        [1000, 1500, 50_000, u32::MAX]
    );
}

#[test]
fn without_a_reserved_rate_the_startup_is_over_at_once_and_changes_nothing() {
    let host = Start {
        cwnd_bytes: 7 * SEGMENT,
        ssthresh_bytes: 90_000,
        srtt_ns: 100 * MS,
        ..start()
    };
    let decision = decided_at_start(host);
    assert_eq!(
        (phase_name(decision.phase), exit_name(decision.exit)),
        ("done", "unreserved")
    );
    assert_eq!(
        (decision.cwnd_bytes, decision.ssthresh_bytes),
        (7 * SEGMENT, 90_000)
    );
    assert_eq!(
        (decision.pacing_bytes_per_s, decision.burst_bytes),
        (UNLIMITED, 0)
    );
}

/// One loss in 129 segments, each a loss event of its own.
#[test]
fn stray_losses_below_one_in_128_never_break_it() {
    let mut host = host();
    for _ in 0..700 {
        assert!(!is_broken(&arrive(&mut host, 128, 0)));
        host.ack.lost_bytes += SEGMENT;
        assert!(!is_broken(&host.loss(
            LOSS_RECOVERY,
            100 * SEGMENT,
            50 * SEGMENT
        )));
        assert_eq!(
            (host.decision.cwnd_bytes, host.decision.ssthresh_bytes),
            (200 * SEGMENT, UNLIMITED)
        );
    }
}

/// One loss in 64 segments, of which half a segment is tolerated. Nothing compensates the first
/// loss, as arrivals before a loss give no credit. So the 20th loss makes the excess 10.5 segments.
#[test]
fn losses_of_twice_the_tolerance_break_it_when_ten_segments_are_beyond() {
    let mut host = host();
    let broken_after = (1..).find(|_| is_broken(&arrive(&mut host, 64, 1)));
    assert_eq!(broken_after, Some(2 * MOST_SEGMENTS));
}

/// A policer at nine tenths of the rate: of ten segments one is lost, and nine arrive.
#[test]
fn a_policer_that_is_too_small_breaks_it_within_some_hundred_segments() {
    let mut host = host();
    let broken_after = (1..).find(|_| is_broken(&arrive(&mut host, 9, 1)));
    // Ten segments add 1 - 9 / 128 to the excess.
    assert_eq!(broken_after, Some(11));
    let decision = host.decision;
    assert_eq!(
        (decision.cwnd_bytes, decision.ssthresh_bytes),
        (50 * SEGMENT, 25 * SEGMENT)
    );
    assert_eq!(
        (decision.pacing_bytes_per_s, decision.burst_bytes),
        (UNLIMITED, 0)
    );
}

#[test]
fn an_outage_breaks_it_at_once() {
    let mut host = host();
    arrive(&mut host, 100_000, 0);
    host.ack.lost_bytes += 100 * SEGMENT;
    let decision = host.loss(LOSS_TIMEOUT, 100 * SEGMENT, 70 * SEGMENT);
    assert!(is_broken(&decision), "earlier arrivals give no credit");
    assert_eq!(
        (decision.cwnd_bytes, decision.ssthresh_bytes),
        (100 * SEGMENT, 50 * SEGMENT)
    );
}

#[test]
fn the_avoidances_ssthresh_counts_if_it_is_the_lower_one() {
    let mut host = host();
    host.ack.lost_bytes += 11 * SEGMENT;
    assert_eq!(
        host.loss(LOSS_RECOVERY, 100 * SEGMENT, 30 * SEGMENT)
            .ssthresh_bytes,
        30 * SEGMENT
    );
}

/// RFC 5681, equation 4.
#[test]
fn two_segments_are_left_of_any_reservation() {
    let mut host = host();
    host.ack.lost_bytes += 11 * SEGMENT;
    let decision = host.ack(MS, 0, 0);
    assert!(is_broken(&decision));
    assert_eq!(
        (decision.cwnd_bytes, decision.ssthresh_bytes),
        (SEGMENT, 2 * SEGMENT)
    );
}

/// The loss that an ECN mark, or a tail loss that a probe repaired, counts as with this much in
/// flight.
fn mark_bytes(inflight_bytes: u64) -> u64 {
    inflight_bytes / 128 + 3 * SEGMENT
}

/// The number of round trips after which a reservation breaks if one of `every` round trips is
/// marked. cwnd is `window` segments.
fn breaks_after(window: u64, every: u64) -> Option<u64> {
    let mut host = host();
    (1..200).find(|round| {
        let is_marked = round % every == 0;
        let marked = is_marked
            && is_broken(&host.loss(LOSS_RECOVERY, window * SEGMENT, window / 2 * SEGMENT));
        marked || is_broken(&host.jump(MS, window * SEGMENT))
    })
}

#[test]
fn round_trips_that_are_all_marked_break_it_whatever_cwnd() {
    for window in [10, 100, 1000, 10_000] {
        assert!(
            breaks_after(window, 1).is_some_and(|rounds| rounds <= 4),
            "{window}: {:?}",
            breaks_after(window, 1)
        );
    }
    // Eight round trips of 100 segments tolerate 6.2 segments, and a mark counts as 3.8.
    assert_eq!(breaks_after(100, 8), None);
}

#[test]
fn a_loss_is_not_counted_again_as_an_event() {
    let mut host = host();
    host.ack.lost_bytes += MOST_SEGMENTS * SEGMENT;
    assert!(!is_broken(&host.loss(
        LOSS_RECOVERY,
        100 * SEGMENT,
        50 * SEGMENT
    )));
    assert!(
        !is_broken(&host.ack(MS, 50 * SEGMENT, 0)),
        "the ACK reports the same loss"
    );
    host.ack.lost_bytes += SEGMENT;
    assert!(is_broken(&host.ack(MS, 50 * SEGMENT, 0)));
}

/// ACKs of one byte each give the same tolerance as one ACK of all bytes.
#[test]
fn fractions_of_a_byte_of_tolerance_are_kept() {
    let mut host = host();
    host.ack.lost_bytes += MOST_SEGMENTS * SEGMENT;
    for _ in 0..128 {
        assert!(!is_broken(&host.jump(MS, 1)));
    }
    host.ack.lost_bytes += 1;
    assert!(
        !is_broken(&host.jump(MS, 1)),
        "128 delivered bytes compensate one lost byte"
    );
    host.ack.lost_bytes += 1;
    assert!(is_broken(&host.jump(MS, 1)));
}

/// The same sum, exact: in integers that do not overflow, and in 1/128 of a byte.
struct Reckoning {
    excess: i128,
    /// Delivered bytes that have not given a whole byte of tolerance yet.
    part: i128,
}

impl Reckoning {
    fn holds(&mut self, delivered: u64, lost: u64) -> bool {
        let arrived = self.part + i128::from(delivered);
        self.part = arrived % 128;
        self.excess = (self.excess + i128::from(lost) - arrived / 128).max(0);
        self.excess <= i128::from(MOST_SEGMENTS * SEGMENT)
    }
}

proptest! {
    #[test]
    fn it_breaks_when_the_exact_reckoning_says_so(
        events in prop::collection::vec(
            (
                prop_oneof![1u64..1000, 1u64..200_000],
                prop_oneof![3 => Just(0u64), 1 => 0u64..3000],
                any::<bool>(),
                0u64..1_000_000_000,
            ),
            1..500,
        ),
    ) {
        let mut host = host();
        let mut exact = Reckoning { excess: 0, part: 0 };
        let mut lost_since_event = 0;
        for (delivered, lost, is_event, srtt_ns) in events {
            lost_since_event += lost;
            host.ack.lost_bytes += lost;
            host.ack.srtt_ns = srtt_ns;
            let (decision, holds) = match is_event {
                true => {
                    let decision = host.loss(LOSS_RECOVERY, 100 * SEGMENT, 50 * SEGMENT);
                    let mark = if std::mem::take(&mut lost_since_event) == 0 {
                        mark_bytes(100 * SEGMENT)
                    } else {
                        0
                    };
                    (decision, exact.holds(0, lost.max(mark)))
                }
                false => (host.jump(MS, delivered), exact.holds(delivered, lost)),
            };
            prop_assert_eq!(is_broken(&decision), !holds);
            if !holds {
                prop_assert!(
                    decision.ssthresh_bytes >= 2 * SEGMENT && decision.cwnd_bytes >= SEGMENT
                );
                break;
            }
            prop_assert!(decision.cwnd_bytes >= reserved().cwnd_bytes);
            prop_assert_eq!(
                (decision.ssthresh_bytes, decision.pacing_bytes_per_s),
                (UNLIMITED, RATE)
            );
        }
    }
}

#[test]
fn a_tolerated_loss_changes_nothing() {
    let mut startup = onramp_core::Startup::new("qos").unwrap();
    let before = startup.start(&reserved());
    let loss = Loss {
        cwnd_bytes: SEGMENT,
        ssthresh_bytes: SEGMENT,
        mss_bytes: MSS,
        kind: LOSS_TIMEOUT,
        ..Loss::default()
    };
    assert_eq!(startup.loss(&loss), before);
}
