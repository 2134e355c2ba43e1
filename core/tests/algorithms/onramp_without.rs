//! `onramp` with one of its ideas switched off: the idea then has no effect, and otherwise it has
//! one.

use crate::flights::{start, Host, MS};
use crate::onramp::{
    arrive, assert_segments, in_two_aggregates, phase, round, until, QUEUED, RATE, RTT, SEGMENT,
};
use crate::path::time_ns;
use onramp_core::{
    exit_name, Start, Train, Without, ACK_CWND_LIMITED, LOSS_RECOVERY, LOSS_TIMEOUT, UNLIMITED,
};

/// A host of RTT whose start-up has all ideas but this one.
fn without(idea: &str) -> Host {
    starting(idea, start().srtt_ns)
}

/// Such a host, with this RTT of the handshake.
fn starting(idea: &str, handshake_ns: u64) -> Host {
    let mut host = Host::new(
        "onramp",
        Start {
            variant: Without::named(idea).unwrap().bits("onramp"),
            srtt_ns: handshake_ns,
            ..start()
        },
        RTT,
    );
    host.ack.rtt_ns = RTT;
    host
}

/// Two hosts: with all ideas, and with all but this one.
fn with_and_without(idea: &str) -> [Host; 2] {
    ["nothing", idea].map(without)
}

/// The first flight has given the rate.
fn in_pacing(mut host: Host) -> Host {
    host.flight(time_ns(SEGMENT, RATE), ACK_CWND_LIMITED);
    assert_eq!(phase(&host), "pacing");
    host
}

/// The first paced segment has arrived.
fn in_approach(host: Host) -> Host {
    let mut host = in_pacing(host);
    until(&mut host, "approach", RATE, RTT);
    host
}

#[test]
fn each_idea_and_each_reading_of_trains_has_its_own_bit() {
    let ideas = Without::all();
    let (nothing, ideas) = ideas.split_first().unwrap();
    assert_eq!((nothing.name(), nothing.bits("onramp")), ("nothing", 0));
    assert_eq!(ideas.len(), 11);
    let trains = ["ends", "closest"].map(|name| Train::named(name).unwrap());
    let bits: Vec<u64> = trains
        .iter()
        .map(|train| train.bits("onramp"))
        .chain(ideas.iter().map(|idea| idea.bits("onramp")))
        .collect();
    assert!(bits.iter().all(|bits| bits.is_power_of_two()), "{bits:?}");
    let all = bits.iter().fold(0, |all, bits| all | bits);
    assert_eq!(all.count_ones() as usize, bits.len());
    // `line` is a reading and an idea.
    assert_eq!(Train::default().bits("onramp"), 0);
}

#[test]
fn without_measuring_no_rate_is_used() {
    let mut host = without("measuring");
    for _ in 0..3 {
        let decision = host.flight(MS / 10, ACK_CWND_LIMITED);
        assert_eq!(
            (phase(&host), decision.estimate_bytes_per_s),
            ("slow-start", 0)
        );
        assert_eq!(decision.pacing_bytes_per_s, UNLIMITED);
    }
    assert_eq!(host.decision.cwnd_bytes, 80 * SEGMENT);
}

/// The delay still ends slow start.
#[test]
fn without_measuring_delayed_samples_hold_slow_start() {
    let mut host = without("measuring");
    host.flight(MS / 10, ACK_CWND_LIMITED);
    arrive(&mut host, 8, RATE, QUEUED);
    assert_eq!(phase(&host), "hold");
}

#[test]
fn without_the_line_a_train_that_is_none_gives_a_rate() {
    let [mut with, mut without] = with_and_without("line");
    in_two_aggregates(&mut with);
    in_two_aggregates(&mut without);
    assert_eq!((phase(&with), phase(&without)), ("slow-start", "pacing"));
    assert_ne!(without.decision.estimate_bytes_per_s, 0);
}

#[test]
fn without_sharing_a_longer_first_rtt_leaves_the_whole_bdp() {
    let windows = ["nothing", "sharing"].map(|idea| {
        let mut host = starting(idea, RTT - 10 * MS);
        host.flight(MS / 10, ACK_CWND_LIMITED);
        assert_eq!(phase(&host), "pacing");
        host.decision.cwnd_bytes
    });
    assert!(windows[0] < 100 * SEGMENT, "{windows:?}");
    assert_segments(windows[1], 760);
}

#[test]
fn without_spacing_nothing_is_paced() {
    let mut host = in_pacing(without("spacing"));
    assert_eq!(
        (host.decision.cwnd_bytes, host.decision.pacing_bytes_per_s),
        (760 * SEGMENT, UNLIMITED)
    );
    until(&mut host, "approach", RATE, RTT);
    assert_eq!(host.decision.pacing_bytes_per_s, UNLIMITED);
    until(&mut host, "hold", RATE, QUEUED);
    assert_eq!(host.decision.pacing_bytes_per_s, UNLIMITED);
}

#[test]
fn without_validating_the_whole_bdp_is_filled_and_counts_as_validated() {
    let mut host = in_pacing(without("validating"));
    assert_eq!(host.decision.cwnd_bytes, 1000 * SEGMENT);
    assert_eq!(host.decision.pacing_bytes_per_s, RATE);
    until(&mut host, "approach", RATE, RTT);
    assert_segments(arrive(&mut host, 80, RATE, RTT).cwnd_bytes, 1010);
    // Half of the flight arrives in time. With validation, this window would count as too large.
    let decision = until(&mut host, "avoidance", RATE / 2, QUEUED);
    assert_eq!((exit_name(decision.exit), decision.is_full), ("delay", 1));
}

#[test]
fn without_easing_a_validated_cwnd_grows_as_in_slow_start() {
    let mut host = in_approach(without("easing"));
    for (one, of) in [(1, 3), (1, 1), (1, 1)] {
        let (before, in_flight) = (host.decision.cwnd_bytes, host.ack.inflight_bytes);
        let after = round(&mut host, RATE, RTT).cwnd_bytes;
        assert_segments(after - before, in_flight / SEGMENT * one / of);
    }
}

#[test]
fn without_raising_a_carried_flight_ends_the_startup() {
    let mut host = in_approach(without("raising"));
    let in_flight = host.ack.inflight_bytes / SEGMENT;
    arrive(&mut host, in_flight - 1, RATE, RTT);
    assert_eq!(phase(&host), "approach");
    let decision = arrive(&mut host, 1, RATE, RTT);
    assert_eq!(
        (phase(&host), exit_name(decision.exit), decision.is_full),
        ("done", "estimate", 0)
    );
    assert_segments(decision.cwnd_bytes, 760 + 253);
    assert_eq!(
        (decision.ssthresh_bytes, decision.pacing_bytes_per_s),
        (decision.cwnd_bytes, UNLIMITED)
    );
}

#[test]
fn without_the_delay_nothing_is_held() {
    let mut host = in_approach(without("delay"));
    for _ in 0..3 {
        round(&mut host, RATE / 2, 2 * RTT);
        assert_eq!(phase(&host), "approach");
    }
    let [mut with, mut without] = with_and_without("delay");
    for host in [&mut with, &mut without] {
        in_two_aggregates(host);
        arrive(host, 8, RATE, QUEUED);
    }
    assert_eq!((phase(&with), phase(&without)), ("hold", "slow-start"));
}

#[test]
fn without_retreat_a_loss_ends_the_startup_at_the_hosts_ssthresh() {
    for (kind, exit) in [(LOSS_RECOVERY, "loss"), (LOSS_TIMEOUT, "timeout")] {
        for mut host in [
            in_pacing(without("retreat")),
            in_approach(without("retreat")),
        ] {
            let decision = host.lose(kind, 190 * SEGMENT, 380 * SEGMENT);
            assert_eq!((phase(&host), exit_name(decision.exit)), ("done", exit));
            assert_eq!(
                (decision.cwnd_bytes, decision.ssthresh_bytes),
                (760 * SEGMENT, 190 * SEGMENT)
            );
        }
    }
}
