//! A sender over a path of one link, without a QUIC library.

use super::*;
use crate::startup_names;
use onramp_core::{phase_name, InitialRate, EXIT_LOSS, EXIT_TIMEOUT, PHASE_HOLD};
use proptest::prelude::*;
use std::collections::VecDeque;

pub(super) const MTU: u64 = 1_200;
const MS: u64 = 1_000_000;
pub(super) const BEGIN_NS: u64 = 1_000 * MS;

/// Nothing leaves behind the initial window before an ACK.
fn settings(startup: &str) -> Settings {
    let mut settings = Settings::named(startup).unwrap();
    settings.initial_rate = InitialRate::Off;
    if onramp_core::reserves(startup) {
        settings.pace_bytes_per_s = Some(1_000_000);
    }
    settings
}

fn started(startup: &str, srtt_ns: u64) -> Sender {
    let mut sender = Sender::new(settings(startup), MTU);
    sender.start(BEGIN_NS, Some(srtt_ns).filter(|srtt_ns| *srtt_ns > 0));
    sender
}

fn acked(now_ns: u64, sent_ns: u64, bytes: u64, inflight_bytes: u64) -> Acked {
    Acked {
        now_ns,
        newest_sent_ns: sent_ns,
        bytes,
        inflight_bytes,
        srtt_ns: now_ns - sent_ns,
        rtt_ns: Some(now_ns - sent_ns),
        receiver_us: None,
        is_app_limited: false,
        is_cwnd_limited: true,
    }
}

fn congestion(now_ns: u64, sent_ns: u64, cause: Cause, ssthresh_bytes: u64) -> Congestion {
    Congestion {
        now_ns,
        newest_sent_ns: sent_ns,
        lost_bytes: MTU,
        acked_behind_bytes: 0,
        avoidance_ssthresh_bytes: ssthresh_bytes,
        cause,
    }
}

/// Sends `bytes` over a link with an endless queue. Returns the round trips that it takes beyond
/// the time that the link needs.
fn wasted_round_trips(startup: &str, rate_bytes_per_s: u64, rtt_ns: u64, bytes: u64) -> f64 {
    wasted_with_larger_mtu(startup, rate_bytes_per_s, rtt_ns, bytes, None)
}

/// The same, where the ACK with this number reports that larger datagrams arrive. The packets stay
/// as they are.
fn wasted_with_larger_mtu(
    startup: &str,
    rate_bytes_per_s: u64,
    rtt_ns: u64,
    bytes: u64,
    larger_at_ack: Option<u32>,
) -> f64 {
    let mut sender = started(startup, rtt_ns);
    let mut acks_received = 0;
    let (mut now_ns, mut sent_bytes, mut inflight_bytes) = (BEGIN_NS, 0, 0);
    let (mut link_free_ns, mut next_send_ns) = (now_ns, now_ns);
    let mut acks: VecDeque<(u64, u64)> = VecDeque::new();
    while sent_bytes < bytes || !acks.is_empty() {
        let may_send = sent_bytes < bytes && inflight_bytes + MTU <= sender.cwnd_bytes();
        let send_ns = next_send_ns.max(now_ns);
        let ack_ns = acks.front().map_or(u64::MAX, |(ack_ns, _)| *ack_ns);
        if may_send && send_ns <= ack_ns {
            now_ns = send_ns;
            link_free_ns = link_free_ns.max(now_ns) + MTU * 1_000_000_000 / rate_bytes_per_s;
            acks.push_back((link_free_ns + rtt_ns, now_ns));
            sender.on_sent(now_ns, MTU);
            sent_bytes += MTU;
            inflight_bytes += MTU;
            if let Pacing::BytesPerS(rate) = sender.pacing() {
                next_send_ns = now_ns + MTU * 1_000_000_000 / rate;
            }
        } else {
            let (ack_ns, sent_ns) = acks.pop_front().expect("something is in flight");
            now_ns = ack_ns;
            inflight_bytes -= MTU;
            acks_received += 1;
            if larger_at_ack == Some(acks_received) {
                sender.set_mtu(MTU + 126);
            }
            sender.on_ack(&acked(now_ns, sent_ns, MTU, inflight_bytes));
            if sender.owner() == Owner::Avoidance {
                sender.follow_avoidance(sender.cwnd_bytes());
            }
        }
    }
    let transfer_ns = bytes * 1_000_000_000 / rate_bytes_per_s;
    (now_ns - BEGIN_NS - transfer_ns) as f64 / rtt_ns as f64
}

#[test]
fn onramp_fills_a_long_path_in_two_round_trips_and_slow_start_does_not() {
    // 50 Mbit/s and 200 ms: a BDP of 1,042 datagrams, for which slow start needs seven rounds.
    let wasted = |startup| wasted_round_trips(startup, 6_250_000, 200 * MS, 10_000_000);
    let (onramp, standard) = (wasted("onramp"), wasted("standard"));
    assert!(onramp < 2.5, "{onramp}");
    assert!(standard > 4.0, "{standard}");
}

/// MTU discovery probes in the first round trips.
#[test]
fn a_larger_mtu_costs_no_round_trip() {
    let wasted = |at| wasted_with_larger_mtu("onramp", 6_250_000, 200 * MS, 10_000_000, at);
    let without = wasted(None);
    for at in 1..=30 {
        let with = wasted(Some(at));
        assert!(with < without + 0.2, "{at}: {with} {without}");
    }
}

#[test]
fn before_the_start_the_window_is_the_initial_window_and_nothing_is_paced() {
    let mut sender = Sender::new(settings("onramp"), MTU);
    sender.on_ack(&acked(BEGIN_NS + MS, BEGIN_NS, MTU, 0));
    assert_eq!(
        (sender.cwnd_bytes(), sender.pacing()),
        (10 * MTU, Pacing::None)
    );
    assert!(!sender.has_started() && sender.owner() == Owner::Startup);
}

/// 600 kB/s and 20 ms are ten segments more.
#[test]
fn behind_the_initial_window_datagrams_leave_at_the_initial_rate() {
    let mut settings = settings("onramp");
    settings.initial_rate = InitialRate::Auto;
    let mut sender = Sender::new(settings, MTU);
    sender.start(BEGIN_NS, Some(20 * MS));
    assert_eq!(sender.cwnd_bytes(), 20 * MTU);
    for sent in 0..10 {
        assert_eq!(sender.pacing(), Pacing::None, "{sent}");
        sender.on_sent(BEGIN_NS, MTU);
    }
    assert_eq!(sender.pacing(), Pacing::BytesPerS(600_000));
}

#[test]
fn a_lost_packet_of_the_handshake_makes_the_initial_window_smaller_and_ends_nothing() {
    let mut sender = Sender::new(settings("onramp"), MTU);
    sender.count_lost(MTU);
    sender.on_congestion(&congestion(BEGIN_NS, BEGIN_NS - MS, Cause::Loss, 8_400));
    assert_eq!(
        (sender.cwnd_bytes(), sender.recorded_ssthresh_bytes()),
        (8_400, UNLIMITED)
    );
    sender.start(BEGIN_NS + MS, Some(20 * MS));
    assert_eq!(sender.record().unwrap().cwnd_bytes, 8_400);
    assert!(!sender.is_done());
}

#[test]
fn losses_of_one_recovery_reduce_cwnd_once() {
    let mut sender = started("standard", 20 * MS);
    let loss = |sent_ms| {
        let now_ns = BEGIN_NS + 30 * MS;
        congestion(now_ns, BEGIN_NS + sent_ms * MS, Cause::Loss, 8_400)
    };
    sender.on_congestion(&loss(5));
    assert_eq!(
        (sender.cwnd_bytes(), sender.recorded_ssthresh_bytes()),
        (8_400, 8_400)
    );
    assert!(sender.is_of_recovery(BEGIN_NS + 30 * MS) && sender.is_recovering());
    let second = Congestion {
        avoidance_ssthresh_bytes: 4_800,
        ..loss(29)
    };
    sender.on_congestion(&second);
    assert_eq!(sender.cwnd_bytes(), 8_400);
}

/// The losses that the first ACK behind a recovery shows are known to the start-up with the second.
#[test]
fn the_start_up_sees_all_losses_of_a_flight_before_the_recovery_ends() {
    let mut sender = started("onramp", 20 * MS);
    let lost_ns = BEGIN_NS + 30 * MS;
    sender.on_congestion(&congestion(lost_ns, BEGIN_NS, Cause::Loss, 8_400));
    let mut is_recovering = |sent_ms| {
        let now_ns = lost_ns + 20 * MS + sent_ms * MS;
        sender.on_ack(&acked(now_ns, lost_ns + sent_ms * MS, MTU, 4 * MTU));
        sender.is_recovering()
    };
    assert_eq!(
        [0, 1, 2, 3].map(&mut is_recovering),
        [true, true, true, false]
    );
}

#[test]
fn a_loss_that_was_none_restores_cwnd_and_ssthresh() {
    let mut sender = started("onramp", 20 * MS);
    sender.on_sent(BEGIN_NS, 10 * MTU);
    let before = (sender.cwnd_bytes(), sender.recorded_ssthresh_bytes());
    sender.on_congestion(&congestion(
        BEGIN_NS + 30 * MS,
        BEGIN_NS,
        Cause::Loss,
        8_400,
    ));
    assert_eq!(sender.cwnd_bytes(), 8_400);
    sender.on_spurious_congestion();
    assert_eq!(
        (sender.cwnd_bytes(), sender.recorded_ssthresh_bytes()),
        before
    );
    // A mark says that the queue is long: it is never for nothing.
    sender.on_congestion(&congestion(
        BEGIN_NS + 80 * MS,
        BEGIN_NS + 40 * MS,
        Cause::Mark,
        8_400,
    ));
    sender.on_spurious_congestion();
    assert_eq!(sender.cwnd_bytes(), 8_400);
}

#[test]
fn persistent_congestion_leaves_two_datagrams_and_ends_the_start_up() {
    let mut sender = started("onramp", 20 * MS);
    sender.on_sent(BEGIN_NS, 10 * MTU);
    let event = congestion(
        BEGIN_NS + 900 * MS,
        BEGIN_NS,
        Cause::PersistentCongestion,
        6_000,
    );
    sender.on_congestion(&event);
    assert_eq!(
        (sender.cwnd_bytes(), sender.recorded_ssthresh_bytes()),
        (2 * MTU, 6_000)
    );
    assert_eq!(sender.record().unwrap().exit, EXIT_TIMEOUT);
    assert!(sender.is_done() && sender.owner() == Owner::Avoidance);
}

#[test]
fn a_loss_in_slow_start_ends_the_start_up_with_the_ssthresh_of_the_avoidance() {
    let mut sender = started("onramp", 20 * MS);
    sender.on_sent(BEGIN_NS, 10 * MTU);
    sender.on_congestion(&congestion(
        BEGIN_NS + 30 * MS,
        BEGIN_NS,
        Cause::Loss,
        8_400,
    ));
    assert_eq!(sender.record().unwrap().exit, EXIT_LOSS);
    assert_eq!(
        (sender.recorded_ssthresh_bytes(), sender.pacing()),
        (8_400, Pacing::Host)
    );
}

#[test]
fn after_a_short_pause_a_large_window_is_paced() {
    let mut sender = started("standard", 20 * MS);
    sender.on_sent(BEGIN_NS, 10 * MTU);
    assert_eq!(sender.pacing(), Pacing::None);
    sender.on_ack(&acked(BEGIN_NS + 20 * MS, BEGIN_NS, 10 * MTU, 0));
    assert_eq!(sender.cwnd_bytes(), 20 * MTU);
    // 2 * 24,000 bytes in 20 ms.
    assert_eq!(sender.pacing(), Pacing::BytesPerS(2_400_000));
    sender.on_sent(BEGIN_NS + 20 * MS, MTU);
    assert_eq!(sender.pacing(), Pacing::BytesPerS(2_400_000));
    sender.on_ack(&acked(BEGIN_NS + 40 * MS, BEGIN_NS + 20 * MS, MTU, MTU));
    assert_eq!(sender.pacing(), Pacing::None);
}

/// After the recovery cwnd rises at once, and no ACKs clock what may leave.
#[test]
fn after_a_loss_the_start_up_is_paced() {
    let mut sender = started("onramp", 100 * MS);
    let ack_ns = |number: u64| BEGIN_NS + 100 * MS + number * MS / 5;
    sender.on_sent(BEGIN_NS, 10 * MTU);
    for number in 0..10 {
        let inflight_bytes = (9 - number) * MTU;
        sender.on_ack(&acked(ack_ns(number), BEGIN_NS, MTU, inflight_bytes));
    }
    assert!(
        sender.record().unwrap().host_paces(0, UNLIMITED, 0),
        "by an estimate"
    );
    let flight_bytes = sender.cwnd_bytes();
    sender.on_sent(ack_ns(10), flight_bytes);
    let mut now_ns = ack_ns(10) + 100 * MS;
    while sender.record().unwrap().phase != PHASE_HOLD {
        sender.on_ack(&acked(now_ns, ack_ns(10), MTU, flight_bytes));
        now_ns += MS / 5;
    }
    sender.count_lost(MTU);
    sender.on_congestion(&congestion(now_ns, ack_ns(10), Cause::Loss, 20 * MTU));
    let decision = *sender.record().unwrap();
    assert!(
        !decision.host_paces(0, UNLIMITED, 0) && !decision.is_over(),
        "{decision:?}"
    );
    let bytes_per_s = 2 * sender.cwnd_bytes() * 1_000_000_000 / sender.srtt_ns().unwrap();
    assert_eq!(sender.pacing(), Pacing::BytesPerS(bytes_per_s));
}

#[test]
fn after_an_idle_time_cwnd_is_halved_for_each_rto() {
    let idle = |idle_ms: u64| {
        let mut sender = started("standard", 20 * MS);
        let mut now_ns = BEGIN_NS;
        for _ in 0..3 {
            let bytes = sender.cwnd_bytes();
            sender.on_sent(now_ns, bytes);
            sender.on_ack(&acked(now_ns + 20 * MS, now_ns, bytes, 0));
            now_ns += 20 * MS;
        }
        assert_eq!(sender.cwnd_bytes(), 80 * MTU);
        sender.on_sent(now_ns + idle_ms * MS, MTU);
        sender.cwnd_bytes() / MTU
    };
    assert_eq!([199, 200, 450, 5_000].map(idle), [80, 40, 20, 10]);
}

#[test]
fn a_window_of_which_less_than_half_is_used_does_not_grow() {
    let mut sender = started("standard", 20 * MS);
    for round in 1..5 {
        let now_ns = BEGIN_NS + round * 20 * MS;
        let report = Acked {
            is_app_limited: true,
            is_cwnd_limited: false,
            ..acked(now_ns, now_ns - 20 * MS, MTU, 3 * MTU)
        };
        sender.on_ack(&report);
    }
    assert_eq!(sender.cwnd_bytes(), 10 * MTU);
}

/// The rate that `onramp` measures where the forward path carries a datagram in 100 us, and the
/// return path an ACK of two datagrams in 400 us: half of the rate.
fn measured_behind_a_slow_return_path(has_receiver_clock: bool) -> u64 {
    const RTT_NS: u64 = 200 * MS;
    let mut sender = Sender::new(settings("onramp"), MTU);
    if has_receiver_clock {
        sender.use_receiver_clock((BEGIN_NS - RTT_NS / 2) / 1_000);
    }
    sender.start(BEGIN_NS, Some(RTT_NS));
    let (mut now_ns, mut inflight_bytes) = (BEGIN_NS, 0);
    let (mut link_free_ns, mut return_free_ns) = (now_ns, now_ns);
    let mut acks: VecDeque<(u64, u64, u64)> = VecDeque::new();
    while sender.record().unwrap().estimate_bytes_per_s == 0 {
        while inflight_bytes + 2 * MTU <= sender.cwnd_bytes() {
            link_free_ns = link_free_ns.max(now_ns) + 200_000;
            let arrival_ns = link_free_ns + RTT_NS / 2;
            return_free_ns = return_free_ns.max(arrival_ns) + 400_000;
            acks.push_back((return_free_ns + RTT_NS / 2, now_ns, arrival_ns));
            inflight_bytes += 2 * MTU;
        }
        let (ack_ns, sent_ns, arrival_ns) = acks.pop_front().expect("something is in flight");
        now_ns = ack_ns;
        inflight_bytes -= 2 * MTU;
        sender.on_ack(&Acked {
            receiver_us: Some(arrival_ns / 1_000),
            ..acked(now_ns, sent_ns, 2 * MTU, inflight_bytes)
        });
    }
    sender.record().unwrap().estimate_bytes_per_s
}

#[test]
fn the_receivers_clock_shows_the_rate_of_a_path_whose_return_path_is_slow() {
    let rate = MTU * 10_000;
    let with_clock = measured_behind_a_slow_return_path(true);
    let without = measured_behind_a_slow_return_path(false);
    assert!(with_clock.abs_diff(rate) < rate / 20, "{with_clock}");
    assert!(without.abs_diff(rate / 2) < rate / 20, "{without}");
}

#[test]
fn a_bdp_that_the_host_remembers_is_used_carefully() {
    // RFC 9959: half of the BDP, when the initial window is acknowledged.
    let mut sender = Sender::new(settings("onramp"), MTU);
    sender.remember(1_000 * MTU, 100 * MS);
    sender.start(BEGIN_NS, Some(100 * MS));
    assert_eq!(sender.cwnd_bytes(), 10 * MTU);
    let now_ns = BEGIN_NS + 100 * MS;
    sender.on_ack(&acked(now_ns, BEGIN_NS, 10 * MTU, 0));
    assert_eq!(sender.cwnd_bytes(), 500 * MTU);
    assert_eq!(sender.pacing(), Pacing::BytesPerS(500 * MTU * 10));
}

/// An event of a random history.
#[derive(Clone, Debug)]
enum Event {
    Send(u64),
    Ack { bytes: u64, app_limited: bool },
    Lose { bytes: u64, cause: usize },
    Spurious,
    Mtu(u64),
    Wait(u64),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (1..100_u64).prop_map(|packets| Event::Send(packets * MTU)),
        6 => (1..200_000_u64, any::<bool>())
            .prop_map(|(bytes, app_limited)| Event::Ack { bytes, app_limited }),
        1 => (1..50_000_u64, 0..3_usize).prop_map(|(bytes, cause)| Event::Lose { bytes, cause }),
        1 => Just(Event::Spurious),
        1 => (1_200..9_000_u64).prop_map(Event::Mtu),
        3 => (1..400 * MS).prop_map(Event::Wait),
    ]
}

proptest! {
    #[test]
    fn every_start_up_keeps_a_usable_window_whatever_happens(
        startup in proptest::sample::select(startup_names().collect::<Vec<_>>()),
        srtt_ms in 0..700_u64,
        events in proptest::collection::vec(event(), 1..200),
    ) {
        let mut sender = started(startup, srtt_ms * MS);
        let (mut now_ns, mut mtu, mut inflight_bytes) = (BEGIN_NS + MS, MTU, 0);
        for event in events {
            let was_done = sender.is_done();
            match event {
                Event::Send(bytes) => {
                    sender.on_sent(now_ns, bytes);
                    inflight_bytes += bytes;
                }
                Event::Ack { bytes, app_limited } => {
                    let bytes = bytes.min(inflight_bytes);
                    inflight_bytes -= bytes;
                    sender.on_ack(&Acked {
                        is_app_limited: app_limited,
                        ..acked(now_ns, now_ns - MS, bytes, inflight_bytes)
                    });
                }
                Event::Lose { bytes, cause } => {
                    let bytes = bytes.min(inflight_bytes);
                    inflight_bytes -= bytes;
                    sender.count_lost(bytes);
                    let causes = [Cause::Loss, Cause::Mark, Cause::PersistentCongestion];
                    let reduced_bytes = sender.cwnd_bytes() / 10 * 7;
                    let event = congestion(now_ns, now_ns - MS, causes[cause], reduced_bytes);
                    sender.on_congestion(&event);
                }
                Event::Spurious => sender.on_spurious_congestion(),
                Event::Mtu(bytes) => {
                    mtu = bytes;
                    sender.set_mtu(bytes);
                }
                Event::Wait(ns) => now_ns += ns,
            }
            let phase = phase_name(sender.record().unwrap().phase);
            prop_assert!(sender.cwnd_bytes() >= 2 * mtu, "{startup}: {phase}");
            prop_assert!(sender.recorded_ssthresh_bytes() >= 2 * MTU, "{startup}: {phase}");
            prop_assert!(sender.pacing() != Pacing::BytesPerS(0), "{startup}: {phase}");
            prop_assert!(sender.is_done() || !was_done, "{startup} came back from its end");
            prop_assert_eq!(sender.is_done() && sender.owner() == Owner::Startup, false);
        }
    }
}
