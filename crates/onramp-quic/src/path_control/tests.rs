//! The control of a path without a QUIC library, and the hand-over to the CUBIC of each library.

use super::*;
use crate::config::StartupConfig;
use onramp_core::UNLIMITED;
use std::time::Duration;

const MTU: u16 = 1_200;
const MTU_BYTES: u64 = 1_200;
const RTT: Duration = Duration::from_millis(100);

/// CUBIC begins with the cwnd and the ssthresh of the start-up, and grows from there slowly.
pub(crate) fn check_hand_over_without_loss<A: Avoidance>(rtt: &A::Rtt) {
    let now = Instant::now();
    // The start-up ends below, at and above ssthresh.
    for (cwnd, ssthresh) in [(60_000, 60_000), (90_000, 60_000), (123_457, 98_765)] {
        let mut cubic: A = avoidance::without_loss(now, MTU, cwnd, ssthresh, rtt);
        assert_eq!(
            (cubic.cwnd_bytes(), cubic.ssthresh_bytes()),
            (cwnd, ssthresh)
        );
        acknowledge(&mut cubic, now + RTT, now, rtt);
        assert!(cubic.cwnd_bytes() <= cwnd + MTU_BYTES, "{cwnd}");
    }
    let mut cubic: A = avoidance::without_loss(now, MTU, 40_000, 60_000, rtt);
    assert_eq!(
        (cubic.cwnd_bytes(), cubic.ssthresh_bytes()),
        (40_000, 60_000)
    );
    acknowledge(&mut cubic, now + RTT, now, rtt);
    assert_eq!(cubic.cwnd_bytes(), 40_000 + 5 * MTU_BYTES);
}

/// CUBIC begins at ssthresh, and packets that left before the loss do not make cwnd grow.
pub(crate) fn check_hand_over_after_a_loss<A: Avoidance>(rtt: &A::Rtt) {
    let now = Instant::now();
    for cwnd in [60_000, 98_765] {
        let mut cubic: A = avoidance::after_loss(now, MTU, cwnd);
        assert_eq!((cubic.cwnd_bytes(), cubic.ssthresh_bytes()), (cwnd, cwnd));
        acknowledge(&mut cubic, now + RTT, now, rtt);
        assert_eq!(cubic.cwnd_bytes(), cwnd);
    }
}

/// Without an ssthresh, CUBIC begins in slow start.
pub(crate) fn check_hand_over_without_an_ssthresh<A: Avoidance>(rtt: &A::Rtt) {
    let now = Instant::now();
    let mut cubic: A = avoidance::without_loss(now, MTU, 60_000, UNLIMITED, rtt);
    assert_eq!(
        (cubic.cwnd_bytes(), cubic.ssthresh_bytes()),
        (60_000, UNLIMITED)
    );
    acknowledge(&mut cubic, now + RTT, now, rtt);
    assert_eq!(cubic.cwnd_bytes(), 60_000 + 5 * MTU_BYTES);
}

/// Where a start-up has left cwnd far below W_max, cwnd follows CUBIC's curve to W_max, and the
/// library's CUBIC takes over on the way. A loss takes from both what CUBIC takes.
pub(crate) fn check_rise_to_w_max<A: Avoidance>(rtt: &A::Rtt) {
    const W_MAX: u64 = 400;
    let (begin, round_trip) = (Instant::now(), A::srtt(rtt));
    let mut cubic: Cubic<A> = Cubic::after_loss(begin, MTU, 40 * MTU_BYTES, W_MAX * MTU_BYTES);
    assert!(matches!(cubic, Cubic::Rise(_)));
    assert_eq!(cubic.cwnd_bytes(), 40 * MTU_BYTES);
    // C (t - K)^3 + W_max with K = cbrt(360 / 0.4) = 9.65 s.
    let w_cubic = |time: Instant| {
        let t_s = time.duration_since(begin).as_secs_f64();
        0.4 * (t_s - 9.65).powi(3) + W_MAX as f64
    };
    let (mut now, mut number) = (begin, 0);
    while now < begin + Duration::from_secs(9) {
        let sent = now + round_trip / 2;
        let earliest = w_cubic(now);
        now += round_trip;
        for _ in 0..cubic.cwnd_bytes() / MTU_BYTES {
            number += 1;
            cubic.on_ack(&packet(now, sent, number), rtt);
        }
        let segments = cubic.cwnd_bytes() as f64 / MTU_BYTES as f64;
        let latest = w_cubic(now + 2 * round_trip);
        assert!(
            (0.95 * earliest..1.02 * latest).contains(&segments),
            "{segments} at {:?} instead of {earliest} to {latest}",
            now.duration_since(begin)
        );
        let is_below = segments < 0.7 * W_MAX as f64;
        assert_eq!(matches!(cubic, Cubic::Rise(_)), is_below, "{segments}");
        let mut reduced = cubic.clone();
        reduced.on_congestion(&loss(now, sent));
        let cubic_takes = cubic.cwnd_bytes() * 7 / 10;
        assert!(
            reduced.cwnd_bytes().abs_diff(cubic_takes) <= MTU_BYTES,
            "{segments}"
        );
    }
}

/// Losses of packets that left before the rise are part of the recovery that led to it.
pub(crate) fn check_losses_before_the_rise<A: Avoidance>() {
    let begin = Instant::now();
    let mut cubic: Cubic<A> = Cubic::after_loss(begin, MTU, 40 * MTU_BYTES, 400 * MTU_BYTES);
    cubic.on_congestion(&loss(begin + RTT, begin));
    assert_eq!(cubic.cwnd_bytes(), 40 * MTU_BYTES);
}

/// Five packets are acknowledged.
fn acknowledge<A: Avoidance>(cubic: &mut A, now: Instant, sent: Instant, rtt: &A::Rtt) {
    for number in 0..5 {
        cubic.on_ack(&packet(now, sent, number), rtt);
    }
}

fn packet(now: Instant, sent: Instant, number: u64) -> AckedPacket {
    AckedPacket {
        now,
        sent,
        bytes: MTU_BYTES,
        number,
        is_app_limited: false,
    }
}

/// A congestion avoidance that halves cwnd once in a recovery, and does not grow.
#[derive(Clone, Debug)]
struct Halving {
    cwnd_bytes: u64,
    ssthresh_bytes: u64,
    recovery_start: Option<Instant>,
    mtu: u16,
}

impl Avoidance for Halving {
    type Rtt = Duration;

    fn srtt(rtt: &Duration) -> Duration {
        *rtt
    }

    fn in_slow_start(_: Instant, mtu: u16, cwnd_bytes: u64) -> Halving {
        Halving {
            cwnd_bytes,
            ssthresh_bytes: UNLIMITED,
            recovery_start: None,
            mtu,
        }
    }

    fn cwnd_bytes(&self) -> u64 {
        self.cwnd_bytes
    }

    fn ssthresh_bytes(&self) -> u64 {
        self.ssthresh_bytes
    }

    fn on_ack(&mut self, _: &AckedPacket, _: &Duration) {}

    fn on_congestion(&mut self, event: &CongestionEvent) {
        if self.recovery_start.is_some_and(|start| event.sent <= start) {
            return;
        }
        self.recovery_start = Some(event.now);
        self.cwnd_bytes /= 2;
        self.ssthresh_bytes = self.cwnd_bytes;
    }

    fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu;
    }
}

/// A path whose handshake is over: ten packets, numbers 1 to 10, have left at the returned time.
fn started(startup: &str) -> (PathControl<Halving>, Instant) {
    let begin = Instant::now();
    let config = StartupConfig::named(startup).unwrap();
    let mut control: PathControl<Halving> = config.path_control(begin, MTU);
    control.on_sent(begin, MTU_BYTES);
    let now = begin + RTT;
    control.on_ack(&packet(now, begin, 0), &RTT);
    control.on_end_acks(now, 0, false, Some(0));
    assert!(!control.sender().has_started());
    for _ in 1..=10 {
        control.on_sent(now, MTU_BYTES);
    }
    control.limited_at_bytes = control.sent_bytes;
    (control, now)
}

fn loss(now: Instant, sent: Instant) -> CongestionEvent {
    CongestionEvent {
        now,
        sent,
        is_persistent: false,
        is_ecn: false,
        lost_bytes: MTU_BYTES,
        number: 1,
    }
}

#[test]
fn the_first_packet_behind_the_handshake_starts_the_start_up_with_its_rtt() {
    let (control, _) = started("onramp");
    assert!(control.sender().has_started());
    assert_eq!(control.sender().srtt_ns(), Some(RTT.as_nanos() as u64));
}

#[test]
fn packets_of_one_frame_make_one_record_when_the_frame_ends() {
    let (mut control, sent) = started("standard");
    let now = sent + RTT;
    let before = control.cwnd_bytes();
    for number in 1..=3 {
        control.on_ack(&packet(now, sent, number), &RTT);
        assert_eq!(control.cwnd_bytes(), before);
    }
    control.on_end_acks(now, 7 * MTU_BYTES, false, Some(3));
    assert_eq!(control.cwnd_bytes(), before + 3 * MTU_BYTES);
    control.on_end_acks(now, 7 * MTU_BYTES, false, Some(3));
    assert_eq!(control.cwnd_bytes(), before + 3 * MTU_BYTES);
}

#[test]
fn a_second_loss_in_a_recovery_reduces_nothing() {
    for startup in ["standard", "onramp"] {
        let (mut control, sent) = started(startup);
        let before = control.cwnd_bytes();
        let now = sent + RTT;
        // A loss of five packets would be a light one to `onramp`.
        control.on_lost(6 * MTU_BYTES, 1);
        control.on_congestion(&loss(now, sent));
        let reduced = control.cwnd_bytes();
        let decision = control.status().decision;
        assert!(reduced < before, "{startup}");
        control.on_lost(MTU_BYTES, 2);
        control.on_congestion(&loss(now + RTT / 4, sent));
        assert_eq!(
            (control.cwnd_bytes(), control.status().decision),
            (reduced, decision)
        );
        // A packet that left after the reduction is of the next recovery.
        control.on_congestion(&loss(now + RTT, now + RTT / 2));
        assert!(control.cwnd_bytes() < reduced, "{startup}");
    }
}

/// Libraries copy the controller where only the port of the peer changes: a NAT has rebound.
#[test]
fn a_copy_of_the_control_goes_on_where_the_original_stands() {
    let (mut original, sent) = started("standard");
    let mut copy = original.clone();
    assert_eq!(copy.cwnd_bytes(), original.cwnd_bytes());
    assert_eq!(copy.status().decision, original.status().decision);
    let now = sent + RTT;
    for control in [&mut copy, &mut original] {
        let before = control.cwnd_bytes();
        control.on_ack(&packet(now, sent, 1), &RTT);
        control.on_end_acks(now, 9 * MTU_BYTES, false, Some(1));
        assert_eq!(control.cwnd_bytes(), before + MTU_BYTES);
    }
}
