//! What the interface promises to a host, whatever the host reports.

use crate::ack_train::any_size;
use crate::arbitrary::{changes, event, starts, Change};
use crate::exact_rate::reading;
use crate::flights::{start, MS, MSS};
use onramp_core::{
    exit_name, phase_name, repairs, reserves, startup_names, Ack, Clock, Decision, Loss, Start,
    Startup, Without, ACK_CWND_LIMITED, LOSS_RECOVERY, LOSS_TIMEOUT, PHASE_CONSERVATIVE,
    PHASE_DONE, PHASE_LINEAR, PHASE_PACING, PHASE_REPAIR, PHASE_RESERVED, PHASE_RETREAT,
    PHASE_SAFE, PHASE_SLOW_START, UNLIMITED,
};
use proptest::prelude::*;

/// The start, with a reserved rate if the algorithm needs one.
fn for_startup(name: &str, start: &Start) -> Start {
    Start {
        pace_bytes_per_s: if reserves(name) { 1_000_000 } else { 0 },
        ..*start
    }
}

/// The ACKs that a host would report if it obeys the decisions, each with the decision before and
/// after it.
fn run(
    startup: &mut Startup,
    start: &Start,
    srtt_ns: u64,
    changes: &[Change],
) -> Vec<(Ack, Decision, Decision)> {
    let mut decision = startup.start(start);
    let mut steps = Vec::new();
    let (mut now_ns, mut delivered_bytes) = (start.now_ns, 0);
    for change in changes {
        now_ns += change.gap_ns;
        let acked_bytes = change.acked_segments * u64::from(start.mss_bytes);
        delivered_bytes += acked_bytes;
        let ack = Ack {
            now_ns,
            acked_bytes,
            delivered_bytes,
            lost_bytes: 0,
            inflight_bytes: (decision.cwnd_bytes * change.window_filled / 256)
                .saturating_sub(acked_bytes),
            srtt_ns,
            rtt_ns: srtt_ns,
            cwnd_bytes: decision.cwnd_bytes,
            ssthresh_bytes: decision.ssthresh_bytes,
            pair_interval_ns: change.pair_interval_ns,
            pair_bytes: delivered_bytes,
            peer_window_bytes: 0,
            tsval: now_ns / MS,
            mss_bytes: start.mss_bytes,
            flags: change.flags,
            siblings: 0,
        };
        let before = decision;
        decision = startup.ack(&ack);
        steps.push((ack, before, decision));
        if decision.is_over() {
            break;
        }
    }
    steps
}

/// The variant in which nothing is paced.
fn without_spacing() -> u64 {
    Without::named("spacing").unwrap().bits("onramp")
}

/// cwnd is at most a probe of `onramp`: what leaves in a round trip at the rate at which it is
/// paced, or the ssthresh that the host had from the beginning.
fn is_probe(start: &Start, srtt_ns: u64, after: &Decision) -> bool {
    let is_paced = after.pacing_bytes_per_s != UNLIMITED || start.variant & without_spacing() != 0;
    let leaves_in_a_round_trip = u128::from(after.cwnd_bytes) * 1_000_000_000
        <= u128::from(after.pacing_bytes_per_s) * u128::from(srtt_ns);
    let is_probing = phase_name(after.phase) == "probe" && is_paced && leaves_in_a_round_trip;
    after.estimate_bytes_per_s == 0 && (is_probing || after.cwnd_bytes == start.ssthresh_bytes)
}

/// The transitions of the state diagrams.
fn may_follow(name: &str, before: u32, after: u32) -> bool {
    if name != "onramp" {
        let beside_slow_start = match name {
            "astart" => PHASE_LINEAR,
            "hystart" => PHASE_CONSERVATIVE,
            "suss" => PHASE_PACING,
            _ => PHASE_SLOW_START,
        };
        let alternates = [after, before]
            .iter()
            .all(|phase| [PHASE_SLOW_START, beside_slow_start].contains(phase));
        return alternates || after == PHASE_DONE || after >= before;
    }
    let next: &[&str] = match phase_name(before) {
        // An ssthresh that the host had from the beginning ends the start-up anywhere.
        "slow-start" => &["probe", "pacing", "hold", "done"],
        "probe" => &["slow-start", "pacing", "hold", "done"],
        "pacing" => &["approach", "done"],
        "approach" => &["hold", "done"],
        "hold" => &["slow-start", "approach", "done"],
        // A light loss leads back to the phase in which it was found.
        "retreat" => &["slow-start", "probe", "pacing", "approach", "hold", "done"],
        phase => panic!("{phase} is none of its phases"),
    };
    before == after || next.contains(&phase_name(after))
}

/// The algorithms that lower cwnd without a loss, to drain a queue or because pacing has held data
/// back.
const THAT_SHRINK: [&str; 5] = ["onramp", "search", "suss", "bbrstart", "lift"];

/// `suss` sends the data of the next round too: four times what the last round sent.
fn is_quadrupled(name: &str, after: &Decision, ack: &Ack) -> bool {
    name == "suss"
        && after.phase == PHASE_PACING
        && after.cwnd_bytes <= 4 * (ack.cwnd_bytes + ack.acked_bytes)
}

/// `spaced` in its variant `remaining` sends at a rate what the ACKs of a flight have permitted.
fn is_doubled(name: &str, after: &Decision, ack: &Ack) -> bool {
    name == "spaced"
        && after.pacing_bytes_per_s != UNLIMITED
        && after.cwnd_bytes <= 2 * ack.cwnd_bytes
}

/// The most that cwnd may be after this ACK of slow start.
fn most_bytes(name: &str, ack: &Ack) -> u64 {
    let slow_start = ack.cwnd_bytes + ack.acked_bytes;
    match name {
        "rapid" => slow_start + ack.acked_bytes,
        "bbrstart" => slow_start.max(4 * u64::from(ack.mss_bytes)),
        "lift" => UNLIMITED,
        _ => slow_start,
    }
}

/// The algorithms that measure the path, because no rate is reserved.
fn that_measure() -> impl Iterator<Item = &'static &'static str> {
    startup_names().iter().filter(|name| !reserves(name))
}

/// A host may count fewer bytes than arrived (RFC 5681, equation 2; RFC 3465).
#[test]
fn slow_start_grows_by_what_the_host_counts() {
    for name in that_measure() {
        let mut startup = Startup::new(name).unwrap();
        startup.start(&start());
        let ack = Ack {
            acked_bytes: 1000,
            delivered_bytes: 3000,
            cwnd_bytes: 10_000,
            ssthresh_bytes: UNLIMITED,
            srtt_ns: 100 * MS,
            mss_bytes: MSS,
            flags: ACK_CWND_LIMITED,
            ..Ack::default()
        };
        assert_eq!(startup.ack(&ack).cwnd_bytes, 11_000, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn decisions_keep_the_promises_of_the_interface(
        start in starts(),
        srtt_ns in 0u64..1_000_000_000,
        changes in changes(),
    ) {
        for name in startup_names() {
            let mut startup = Startup::new(name).unwrap();
            for (ack, before, after) in
                run(&mut startup, &for_startup(name, &start), srtt_ns, &changes)
            {
                let mss = u64::from(ack.mss_bytes);
                prop_assert!(
                    after.cwnd_bytes >= mss,
                    "a window below a segment: {after:?}"
                );
                prop_assert!(
                    THAT_SHRINK.contains(name) || after.cwnd_bytes >= ack.cwnd_bytes,
                    "only a loss shrinks the window: {after:?}"
                );
                prop_assert!(
                    may_follow(name, before.phase, after.phase),
                    "phases go forward: {before:?} {after:?}"
                );
                prop_assert_eq!(
                    after.exit != 0,
                    after.is_over(),
                    "an exit is the end: {:?}",
                    after
                );
                prop_assert!(after.pacing_bytes_per_s > 0, "a rate of nothing: {after:?}");
                prop_assert!(
                    name != &"paced"
                        || before.estimate_bytes_per_s == 0
                        || after.ssthresh_bytes <= before.ssthresh_bytes,
                    "its estimates only lower the threshold: {before:?} {after:?}"
                );
                prop_assert!(
                    before.estimate_bytes_per_s == 0 || after.estimate_bytes_per_s > 0,
                    "an estimate stays: {before:?} {after:?}"
                );
                let slow_start = most_bytes(name, &ack);
                let pthresh = if name == &"paced" && after.estimate_bytes_per_s > 0 {
                    after.ssthresh_bytes / 2
                } else {
                    0
                };
                let is_given = after.phase == PHASE_RESERVED;
                // Also where cwnd is at the host's ssthresh at once.
                let is_measured = name == &"onramp"
                    && (phase_name(after.phase) == "pacing"
                        || before.estimate_bytes_per_s == 0 && after.estimate_bytes_per_s > 0);
                let is_given =
                    is_given || name == &"onramp" && is_probe(&start, srtt_ns, &after);
                prop_assert!(
                    is_given
                        || is_measured
                        || is_quadrupled(name, &after, &ack)
                        || is_doubled(name, &after, &ack)
                        || after.cwnd_bytes <= slow_start.max(pthresh),
                    "a jump above pthresh: {before:?} {after:?}"
                );
                prop_assert!(
                    ack.cwnd_bytes >= after.ssthresh_bytes
                        || after.cwnd_bytes <= after.ssthresh_bytes,
                    "growth beyond the threshold: {after:?}"
                );
                prop_assert!(
                    !after.is_over()
                        || after.phase == PHASE_SAFE
                        || after.pacing_bytes_per_s == UNLIMITED,
                    "the end leaves pacing to others: {after:?}"
                );
            }
        }
    }

    /// Two hosts that report the same get the same decisions, and so does a copy of a start-up.
    #[test]
    fn decisions_follow_from_the_inputs_alone(
        start in starts(),
        srtt_ns in 0u64..1_000_000_000,
        changes in changes(),
        copied_after in 0usize..600,
    ) {
        for name in startup_names() {
            let start = for_startup(name, &start);
            let mut first = Startup::new(name).unwrap();
            let mut second = Startup::new(name).unwrap();
            let steps = run(&mut first, &start, srtt_ns, &changes);
            second.start(&start);
            let mut copy = None;
            for (i, (ack, _, decision)) in steps.iter().enumerate() {
                if i == copied_after.min(steps.len() / 2) {
                    copy = Some(second.clone());
                }
                if let Some(copy) = &mut copy {
                    prop_assert_eq!(copy.ack(ack), *decision);
                }
                prop_assert_eq!(second.ack(ack), *decision);
            }
        }
    }

    #[test]
    fn a_loss_ends_every_startup(
        start in starts(),
        changes in changes(),
        kind in 1u32..=3,
        inflight_bytes in any_size(),
        ssthresh_bytes in any_size(),
    ) {
        for name in that_measure() {
            let mut startup = Startup::new(name).unwrap();
            let Some((last_ack, _, last)) = run(&mut startup, &start, 100_000_000, &changes).pop()
            else {
                continue;
            };
            if last.is_over() {
                continue;
            }
            let (now_ns, cwnd_bytes, mss_bytes) = (u64::MAX / 2, last.cwnd_bytes, start.mss_bytes);
            let done = startup.loss(&Loss {
                now_ns,
                inflight_bytes,
                cwnd_bytes,
                ssthresh_bytes,
                acknowledged_bytes: last_ack.delivered_bytes,
                lost_bytes: 0,
                mss_bytes,
                kind,
            });
            let repairs = repairs(name) && kind == LOSS_RECOVERY && done.phase == PHASE_REPAIR;
            let retreats = repairs
                || name == &"onramp" && kind == LOSS_RECOVERY && done.phase == PHASE_RETREAT;
            let exit = if kind == LOSS_TIMEOUT {
                "timeout"
            } else {
                "loss"
            };
            let exit = if retreats { "none" } else { exit };
            prop_assert_eq!((done.is_over(), exit_name(done.exit)), (!retreats, exit));
            if repairs {
                let most_bytes = cwnd_bytes.max(2 * u64::from(mss_bytes));
                prop_assert!((1..=most_bytes).contains(&done.cwnd_bytes));
                continue;
            }
            // Westwood's rule alone may leave more than the host's ssthresh.
            let is_westwood = name == &"astart" && start.variant & reading("westwood") != 0;
            prop_assert!(
                is_westwood && kind == LOSS_TIMEOUT
                    || done.ssthresh_bytes <= ssthresh_bytes.max(2 * u64::from(mss_bytes))
            );
            prop_assert_eq!(done.cwnd_bytes, cwnd_bytes);
            prop_assert!(done.phase == PHASE_SAFE || done.pacing_bytes_per_s == UNLIMITED);
        }
    }

    /// Nonsense gives a decision too: the native build of a test traps on undefined behaviour.
    #[test]
    fn no_input_is_undefined_behaviour(
        start in (any_size(), any_size(), any_size(), any_size(), any::<u32>(), any::<u32>()),
        acks in prop::collection::vec(
            (
                any_size(),
                any_size(),
                any_size(),
                any_size(),
                any_size(),
                any_size(),
                1u32..,
                any::<u32>(),
            ),
            0..100,
        ),
        loss in (any_size(), any_size(), any_size(), any_size(), any::<u32>(), any::<u32>()),
    ) {
        for name in startup_names() {
            let mut startup = Startup::new(name).unwrap();
            startup.start(&Start {
                now_ns: start.0,
                clock: Clock {
                    measure_ns: 0,
                    event_ns: start.1,
                },
                cwnd_bytes: start.2,
                ssthresh_bytes: start.3,
                mss_bytes: start.4,
                options: start.5,
                pace_bytes_per_s: start.0,
                gamma_ppm: start.4,
                srtt_ns: start.1,
                burst_bytes: start.5,
                excess_bytes: 0,
                remembered_bytes: start.3,
                remembered_rtt_ns: start.0,
                jump_bytes: start.2,
                tsval: start.1,
                peer_window_bytes: start.2,
                initial_bytes_per_s: start.3,
                siblings: start.3 % 4,
                variant: start.5.into(),
            });
            for &(now_ns, acked, delivered, inflight, srtt, cwnd, mss_bytes, flags) in &acks {
                let decision = startup.ack(&Ack {
                    now_ns,
                    acked_bytes: acked,
                    delivered_bytes: delivered,
                    lost_bytes: cwnd,
                    inflight_bytes: inflight,
                    srtt_ns: srtt,
                    rtt_ns: inflight,
                    cwnd_bytes: cwnd,
                    ssthresh_bytes: UNLIMITED,
                    pair_interval_ns: srtt,
                    pair_bytes: acked,
                    peer_window_bytes: delivered,
                    tsval: now_ns,
                    mss_bytes,
                    flags,
                    siblings: srtt,
                });
                prop_assert_eq!(decision.exit != 0, decision.is_over());
            }
            let done = startup.loss(&Loss {
                now_ns: loss.0,
                inflight_bytes: loss.1,
                cwnd_bytes: loss.2,
                ssthresh_bytes: loss.3,
                acknowledged_bytes: loss.2,
                lost_bytes: loss.3,
                mss_bytes: loss.4,
                kind: loss.5,
            });
            let goes_on = [PHASE_RESERVED, PHASE_RETREAT, PHASE_REPAIR].contains(&done.phase);
            prop_assert!(done.is_over() || goes_on);
        }
    }

    /// A host whose clock runs backwards, whose totals jump and whose segments change size has a
    /// valid cwnd too.
    #[test]
    fn every_record_gets_a_whole_decision(
        start in starts(),
        events in prop::collection::vec(event(), 1..300),
    ) {
        for name in startup_names() {
            let mut startup = Startup::new(name).unwrap();
            let mut decision = startup.start(&for_startup(name, &start));
            let mut host = Ack {
                now_ns: start.now_ns,
                mss_bytes: start.mss_bytes,
                ..Ack::default()
            };
            for event in &events {
                if decision.phase == PHASE_DONE {
                    startup = Startup::new(name).unwrap();
                    decision = startup.start(&for_startup(name, &start));
                }
                host = event.reported(&host, &decision);
                decision = match event.loss {
                    Some(kind) => startup.loss(&Loss {
                        now_ns: host.now_ns,
                        inflight_bytes: host.inflight_bytes,
                        cwnd_bytes: host.cwnd_bytes,
                        ssthresh_bytes: (host.cwnd_bytes / 2).max(2 * u64::from(host.mss_bytes)),
                        acknowledged_bytes: host.delivered_bytes,
                        lost_bytes: host.lost_bytes,
                        mss_bytes: host.mss_bytes,
                        kind,
                    }),
                    None if decision.is_over() && host.cwnd_bytes >= host.ssthresh_bytes => {
                        continue
                    }
                    None => startup.ack(&host),
                };
                prop_assert!(decision.cwnd_bytes > 0, "{name}: {host:?} {decision:?}");
                prop_assert!(
                    decision.pacing_bytes_per_s > 0,
                    "{name}: {host:?} {decision:?}"
                );
                prop_assert!(
                    phase_name(decision.phase) != "unknown"
                        && exit_name(decision.exit) != "unknown"
                );
                prop_assert_eq!(decision.exit != 0, decision.is_over());
                prop_assert!(
                    decision.is_full == 0 || decision.cwnd_bytes == decision.ssthresh_bytes
                );
            }
        }
    }
}
