//! Flows with a guaranteed rate, and flows that come and go, between real sockets.

use crate::common;

use common::{case_with, lab_runs_here};
use onramp_lab::{run, BuiltIn, Outcome, RunOptions};
use onramp_results::Record;
use onramp_scenario::Case;
use onramp_testing::undisturbed;

fn outcome(case: &Case) -> Outcome {
    run(case, &mut BuiltIn, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn completion_s(record: &Record) -> f64 {
    record
        .completion_s
        .expect("a transfer of the lab is finished or an error")
}

/// A link of 10 Mbit/s with a profile of 2.2 Mbit/s for each expedited flow.
fn guaranteed(tables: &str) -> Case {
    let mut case = case_with("10 Mbit/s", "40 ms", "400 kB", tables);
    let profile = onramp_scenario::TokenBucket {
        rate_bits_per_s: 2_200_000,
        burst_bytes: 50_000,
    };
    case.path.forward.expedited = Some(profile);
    case
}

#[test]
fn a_marked_flow_gets_its_rate_among_others_and_no_more() {
    if !lab_runs_here() {
        return;
    }
    let rivals = "[[traffic]]\navoidance = \"cubic\"\ncount = 12\nlead = \"2 s\"\n";
    let run = || {
        ["ef", "best-effort"]
            .map(|dscp| outcome(&guaranteed(&format!("dscp = \"{dscp}\"\n{rivals}"))))
    };
    let times_s = |outcomes: &[Outcome; 2]| outcomes.each_ref().map(|it| completion_s(&it.record));
    let is_preferred = |outcomes: &[Outcome; 2]| {
        let [ef_s, other_s] = times_s(outcomes);
        ef_s < 1.3 * outcomes[0].record.bound_s && other_s > 1.5 * ef_s
    };
    let outcomes = undisturbed(run, is_preferred);
    let (took, bound_s) = (times_s(&outcomes), outcomes[0].record.bound_s);
    assert!(
        took[0] >= bound_s && is_preferred(&outcomes),
        "{took:?}, {bound_s}"
    );
    let [ef, other] = outcomes;
    assert_eq!(
        (ef.record.sender_tcp.as_str(), ef.record.capacity_bits_per_s),
        ("EF", 2_200_000)
    );
    // CUBIC does not use the guarantee, and exceeds it.
    assert!(
        ef.record.policed_packets > 0 && ef.record.policed_packets < ef.record.dropped_packets,
        "{:?}",
        ef.record
    );
    assert!(
        other.record.policed_packets == 0 && other.record.dropped_packets > 0,
        "{:?}",
        other.record
    );
}

#[test]
fn each_connection_has_its_own_profile() {
    if !lab_runs_here() {
        return;
    }
    let case = guaranteed("dscp = \"ef\"\ncount = 3\n");
    let outcome = undisturbed(
        || outcome(&case),
        |outcome| {
            let mut records = outcome.records();
            records.all(|record| completion_s(record) < 1.4 * record.bound_s)
        },
    );
    for record in outcome.records() {
        assert!(
            completion_s(record) >= record.bound_s && completion_s(record) < 1.4 * record.bound_s,
            "{record:?}"
        );
    }
    assert_eq!(outcome.records().count(), 3);
}

/// The packets of the receiver are not marked: ACKs pass although the profile of the return path
/// admits almost nothing.
#[test]
fn acks_are_best_effort() {
    if !lab_runs_here() {
        return;
    }
    let mut case = guaranteed("dscp = \"ef\"\n");
    case.path.reverse.expedited = Some(onramp_scenario::TokenBucket {
        rate_bits_per_s: 1000,
        burst_bytes: 1500,
    });
    let is_punctual =
        |outcome: &Outcome| completion_s(&outcome.record) < 1.4 * outcome.record.bound_s;
    let outcome = undisturbed(|| outcome(&case), is_punctual);
    assert!(is_punctual(&outcome), "{:?}", outcome.record);
    assert_eq!(outcome.link.reverse.policed.packets, 0);
}

/// The first window of the traffic is before the transfer, the second one after its stop.
#[test]
fn traffic_starts_and_stops_at_its_times() {
    if !lab_runs_here() {
        return;
    }
    let traffic =
        "[[traffic]]\navoidance = \"cubic\"\ncount = 3\nstart = \"500 ms\"\nstop = \"1500 ms\"\n";
    let case = case_with(
        "10 Mbit/s",
        "20 ms",
        "500 kB",
        &format!("start = \"2 s\"\n{traffic}"),
    );
    // The traffic had stopped half a second before the transfer started, which is alone.
    let is_alone = |record: &Record| completion_s(record) < 1.15 * record.bound_s;
    // 0.5 MB and one second of 1.25 MB/s. Data in the queue at the stop, at most 25 kB, is
    // delivered too.
    let megabytes = |outcome: &Outcome| outcome.link.forward.delivered.bytes as f64 / 1e6;
    let outcome = undisturbed(
        || outcome(&case),
        |outcome| is_alone(&outcome.record) && (1.55..1.85).contains(&megabytes(outcome)),
    );
    let record = &outcome.record;
    assert!(is_alone(record), "{record:?}");
    let megabytes = megabytes(&outcome);
    assert!((1.55..1.85).contains(&megabytes), "{megabytes}");
    // In the 20 round trips before the start, 400 ms, there was no traffic.
    assert_eq!(
        (
            record.traffic_before_bytes_per_s,
            record.traffic_during_bytes_per_s
        ),
        (None, None)
    );
}

#[test]
fn traffic_during_a_part_of_a_transfer_takes_its_share() {
    if !lab_runs_here() {
        return;
    }
    let traffic = "[[traffic]]\navoidance = \"cubic\"\nstart = \"200 ms\"\nstop = \"1200 ms\"\n";
    let run = || {
        let alone = completion_s(&outcome(&case_with("10 Mbit/s", "20 ms", "2 MB", "")).record);
        let record = outcome(&case_with("10 Mbit/s", "20 ms", "2 MB", traffic)).record;
        (completion_s(&record) - alone, record)
    };
    // The transfer can lose at most the whole second. Afterwards it is alone again.
    let loses_a_share = |longer_s: f64| (0.05..1.2).contains(&longer_s);
    let carried = |record: &Record| record.traffic_during_bytes_per_s.unwrap();
    let (longer, record) = undisturbed(run, |(longer, record)| {
        loses_a_share(*longer) && carried(record) > 50_000.0
    });
    assert!(loses_a_share(longer), "{longer}");
    let carried = carried(&record);
    assert!(carried > 50_000.0 && carried < 1_250_000.0, "{carried}");
}

#[test]
fn traffic_with_a_stop_before_its_start_does_not_start() {
    if !lab_runs_here() {
        return;
    }
    let traffic = "[[traffic]]\navoidance = \"cubic\"\nlead = \"100 ms\"\nstop = \"500 ms\"\n";
    let outcome = outcome(&case_with(
        "10 Mbit/s",
        "20 ms",
        "100 kB",
        &format!("start = \"1 s\"\n{traffic}"),
    ));
    assert_eq!(outcome.record.traffic_before_bytes_per_s, None);
    assert!(
        outcome.link.forward.delivered.bytes < 120_000,
        "{:?}",
        outcome.link.forward
    );
}
