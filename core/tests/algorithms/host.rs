//! The contract between start-up and host, `core/host.h`, phase by phase.

use onramp_core::{
    phase_name, Ack, Decision, Limited, ACK_APP_LIMITED, ACK_CWND_LIMITED, EXIT_APPLICATION,
    EXIT_DELAY, EXIT_RECEIVER, PHASE_APPROACH, PHASE_AVOIDANCE, PHASE_DONE, PHASE_PACING,
    UNLIMITED,
};

/// A decision of each phase, by its name.
fn phases() -> impl Iterator<Item = (&'static str, Decision)> {
    (0..)
        .map(|phase| {
            let decision = Decision {
                phase,
                ..Decision::default()
            };
            (phase_name(phase), decision)
        })
        .take_while(|(name, _)| *name != "unknown")
}

/// The names of the phases in which the host does something.
fn phases_where(does: impl Fn(&Decision) -> bool) -> Vec<&'static str> {
    phases()
        .filter(|(_, decision)| does(decision))
        .map(|(name, _)| name)
        .collect()
}

#[test]
fn congestion_avoidance_owns_cwnd_once_the_startup_is_over() {
    let over = ["done", "avoidance", "safe-transmit"];
    assert_eq!(phases_where(Decision::is_over), over);
    assert_eq!(
        phases_where(|decision| decision.host_owns_cwnd(10, 10)),
        over
    );
}

#[test]
fn a_slow_start_that_returns_is_the_algorithms_unless_it_is_done() {
    let owned = phases_where(|decision| decision.host_owns_cwnd(9, 10));
    assert_eq!(owned, ["done", "safe-transmit"]);
    assert_eq!(phases_where(Decision::is_done), ["done"]);
}

#[test]
fn acks_are_reported_where_the_algorithm_owns_cwnd_or_paces() {
    let unreported = phases_where(|decision| !decision.host_reports_ack(10, 10, false));
    assert_eq!(unreported, ["done", "avoidance"]);
    let unreported = phases_where(|decision| !decision.host_reports_ack(9, 10, false));
    assert_eq!(unreported, ["done"]);
    assert_eq!(
        phases_where(Decision::is_paced_by_algorithm),
        ["safe-transmit"]
    );
}

#[test]
fn quiet_acks_leave_nothing_in_flight_while_the_application_limits() {
    let ack = |flags, inflight_bytes| Ack {
        flags,
        inflight_bytes,
        ..Ack::default()
    };
    assert!(ack(ACK_APP_LIMITED, 0).is_quiet());
    assert!(!ack(ACK_APP_LIMITED, 1).is_quiet());
    assert!(!ack(0, 0).is_quiet());
    assert!(!ack(ACK_APP_LIMITED | ACK_CWND_LIMITED, 0).is_quiet());
}

#[test]
fn quiet_acks_are_skipped_in_a_slow_start_that_is_not_paced() {
    let skipping = |pacing_bytes_per_s, quiet_acks| {
        phases_where(|decision| {
            let decision = Decision {
                pacing_bytes_per_s,
                ..*decision
            };
            decision.host_skips_quiet_ack(quiet_acks)
        })
    };
    assert_eq!(skipping(UNLIMITED, 2), ["slow-start", "probe"]);
    assert!(skipping(UNLIMITED, 1).is_empty());
    assert!(skipping(1_000_000, 2).is_empty());
}

#[test]
fn many_quiet_acks_end_the_startup_of_a_connection_for_small_messages() {
    let mut decision = Decision::default();
    let ends = (1..).find(|&quiet_acks| decision.end_quiet_connection(quiet_acks));
    assert_eq!(ends, Some(100));
    assert!(decision.is_done());
    assert_eq!(decision.exit, EXIT_APPLICATION);
}

/// Segments that each round trip of [`rounds_until_the_end`] delivers, an ACK for each.
const ACKS_PER_ROUND: u64 = 10;

/// The round trips after which the host ends the start-up; `None`: it does not. `change` is given
/// the number of each round trip, its ACKs, and the decision.
fn rounds_until_the_end(change: impl Fn(u64, &mut Ack, &mut Decision)) -> Option<(u64, Decision)> {
    const MSS_BYTES: u64 = 1000;
    let mut limited = Limited::default();
    for acked in 0..ACKS_PER_ROUND * 1000 {
        let round = acked / ACKS_PER_ROUND;
        let mut decision = Decision {
            pacing_bytes_per_s: UNLIMITED,
            ..Decision::default()
        };
        // One segment is acknowledged, and the next one leaves.
        let mut ack = Ack {
            delivered_bytes: (acked + 1) * MSS_BYTES,
            inflight_bytes: (ACKS_PER_ROUND - 1) * MSS_BYTES,
            ..Ack::default()
        };
        change(round, &mut ack, &mut decision);
        if decision.end_limited_connection(&mut limited, &ack) {
            return Some((round, decision));
        }
    }
    None
}

#[test]
fn a_hundred_round_trips_that_cwnd_does_not_limit_end_the_startup() {
    let (rounds, decision) = rounds_until_the_end(|_, _, _| {}).unwrap();
    // A round trip lasts from an ACK to that of what was in flight then: nine segments.
    assert_eq!(rounds, 100 * (ACKS_PER_ROUND - 1) / ACKS_PER_ROUND);
    assert!(decision.is_done());
    assert_eq!(decision.exit, EXIT_RECEIVER);
    let by_the_application = |_: u64, ack: &mut Ack, _: &mut Decision| ack.flags = ACK_APP_LIMITED;
    let (_, decision) = rounds_until_the_end(by_the_application).unwrap();
    assert_eq!(decision.exit, EXIT_APPLICATION);
}

#[test]
fn a_round_trip_that_cwnd_limits_begins_the_count_anew() {
    let in_the_50th = |round, ack: &mut Ack, _: &mut Decision| {
        if round == 50 {
            ack.flags = ACK_CWND_LIMITED;
        }
    };
    let (rounds, _) = rounds_until_the_end(in_the_50th).unwrap();
    assert_eq!(rounds, 51 + 100 * (ACKS_PER_ROUND - 1) / ACKS_PER_ROUND);
    let now_and_then = |round, ack: &mut Ack, _: &mut Decision| {
        if round % 50 == 0 {
            ack.flags = ACK_CWND_LIMITED;
        }
    };
    assert_eq!(rounds_until_the_end(now_and_then), None);
}

#[test]
fn only_an_unpaced_slow_start_ends_because_cwnd_is_no_limit() {
    let paced = |_: u64, _: &mut Ack, decision: &mut Decision| {
        decision.pacing_bytes_per_s = 1_000_000;
    };
    assert_eq!(rounds_until_the_end(paced), None);
    let pacing = |_: u64, _: &mut Ack, decision: &mut Decision| decision.phase = PHASE_PACING;
    assert_eq!(rounds_until_the_end(pacing), None);
}

#[test]
fn acks_of_a_recovery_are_reported_in_reserved_retreat_and_repair() {
    let reported = ["reserved", "retreat", "repair"];
    assert_eq!(
        phases_where(|decision| decision.host_reports_ack(10, 10, true)),
        reported
    );
    assert_eq!(phases_where(Decision::host_reports_recovery), reported);
    assert_eq!(phases_where(Decision::is_reserved), ["reserved"]);
    assert_eq!(phases_where(Decision::is_retreating), ["retreat"]);
    assert_eq!(phases_where(Decision::is_repairing), ["repair"]);
}

#[test]
fn losses_are_reported_until_the_startup_is_done() {
    assert_eq!(
        phases_where(|decision| !decision.host_reports_loss()),
        ["done"]
    );
}

#[test]
fn the_host_paces_where_a_rate_is_decided() {
    let decision = |pacing_bytes_per_s| Decision {
        pacing_bytes_per_s,
        ..Decision::default()
    };
    assert!(decision(1).host_paces(2, 1, 2) && !decision(UNLIMITED).host_paces(1, 2, 0));
}

#[test]
fn congestion_avoidance_is_paced_below_ssthresh_and_for_a_window_after_a_pause() {
    let decision = Decision {
        phase: PHASE_AVOIDANCE,
        pacing_bytes_per_s: 1,
        ..Decision::default()
    };
    assert!(decision.host_paces(1, 2, 1) && !decision.host_paces(2, 2, 2));
    assert!(decision.host_paces(2, 2, 1));
}

#[test]
fn a_bulk_transfer_ends_what_an_idle_time_would_need() {
    let decision = |phase, restart_bytes| Decision {
        phase,
        restart_bytes,
        pacing_bytes_per_s: 1,
        exit: EXIT_DELAY,
        ..Decision::default()
    };
    let mut bulk = decision(PHASE_AVOIDANCE, 1);
    assert!(!bulk.end_busy_connection(16 << 20) && bulk.phase == PHASE_AVOIDANCE);
    assert!(bulk.end_busy_connection((16 << 20) + 1));
    assert_eq!((bulk.phase, bulk.exit), (PHASE_DONE, EXIT_DELAY));
    assert!(!bulk.host_paces(1, 2, 0));
    for mut other in [decision(PHASE_AVOIDANCE, 0), decision(PHASE_APPROACH, 1)] {
        assert!(!other.end_busy_connection(u64::MAX));
    }
}

#[test]
fn an_idle_time_leaves_nothing_after_five_minutes_or_behind_a_bulk_transfer() {
    let decision = Decision {
        restart_bytes: 1,
        ..Decision::default()
    };
    assert_eq!(
        decision.host_restart_bytes(300 * 1_000_000_000, 16 << 20),
        1
    );
    assert_eq!(decision.host_restart_bytes(301 * 1_000_000_000, 0), 0);
    assert_eq!(decision.host_restart_bytes(0, (16 << 20) + 1), 0);
}
