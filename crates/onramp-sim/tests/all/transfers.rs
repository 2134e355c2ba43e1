//! Whole transfers: how long they take, and that the result is the same in every run.

use onramp_scenario::random::Interval;
use onramp_scenario::{Case, Scenario};
use onramp_sim::{run, run_all, Options, Outcome};
use std::ops::ControlFlow;

fn scenario(text: &str) -> Scenario {
    onramp_scenario::parse("test.toml", &format!("name = \"test\"\n{text}"))
        .expect("the scenario is right")
}

fn simulate(case: &Case) -> Outcome {
    run(case, &Options::default()).expect("the case can be simulated")
}

fn traced(case: &Case) -> Outcome {
    run(
        case,
        &Options {
            trace: true,
            ..Options::default()
        },
    )
    .expect("the case can be simulated")
}

const CLEAN: &str = "[path]\nrate = \"12 Mbit/s\"\nrtt = \"100 ms\"\nqueue = \"100 packets\"\n";
/// A path with losses, a competing flow and a queue that overflows.
const ROUGH: &str = "[path]\nrate = [\"10 Mbit/s\", \"40 Mbit/s\"]\nrtt = \"40 ms\"\n\
    queue = \"0.5 bdp\"\nloss = \"0.5 %\"\n\
    [[traffic]]\nstartup = \"standard\"\navoidance = \"reno\"\nlead = \"2 s\"\n\
    [[transfer]]\nsize = [\"50 kB\", \"500 kB\"]\nstartup = [\"none\", \"paced\"]\n\
    avoidance = [\"cubic\", \"reno\"]\nrepeat = 2\n";

#[test]
fn the_trace_of_the_receiver_ends_with_the_last_byte() {
    let text =
        format!("{CLEAN}[[transfer]]\nsize = \"300 kB\"\nstartup = [\"none\", \"onramp\"]\n");
    for case in scenario(&text).cases {
        let outcome = traced(&case);
        let (record, trace) = (&outcome.records[0], &outcome.traces[0]);
        let [first, .., last] = trace.receiver.as_slice() else {
            panic!("{:?}", trace.receiver);
        };
        assert!(
            first.time_s > 0.2,
            "the first data arrives after two round trips: {first:?}"
        );
        assert_eq!(last.received_bytes, 300_000);
        assert!(
            (last.time_s - record.completion_s.unwrap()).abs() < 1e-9,
            "{last:?}"
        );
        let last_ack = trace.sender.last().unwrap();
        assert!(
            last_ack.acked_bytes < 300_000,
            "the sender does not know yet: {last_ack:?}"
        );
    }
}

#[test]
fn a_tiny_transfer_takes_two_round_trips_and_its_serialisation_time() {
    let case = scenario(&format!("{CLEAN}[[transfer]]\nsize = \"1000 B\"\n"))
        .cases
        .remove(0);
    let record = simulate(&case).records.remove(0);
    // Forward and return path alternate: a SYN of 60 bytes; a SYN-ACK of 60; an ACK of 52 with the
    // request of 60 right behind it; and the ACK of the request of 52 before 1052 bytes of data. At
    // 12 Mbit/s a byte takes 2/3 us.
    let bytes = [60, 60, 52 + 60, 52 + 1052].iter().sum::<u64>() as f64;
    let wanted_s = 0.2 + bytes * 8.0 / 12e6;
    let found_s = record.completion_s.unwrap();
    assert!(
        (found_s - wanted_s).abs() < 2e-9,
        "{found_s} instead of {wanted_s}"
    );
    assert!(
        record.finished && record.delivered_bytes == 1000 && record.retransmitted_segments == 0
    );
}

#[test]
fn a_transfer_within_the_initial_window_is_one_packet_train() {
    let case = scenario(&format!("{CLEAN}[[transfer]]\nsize = \"14480 B\"\n"))
        .cases
        .remove(0);
    let record = simulate(&case).records.remove(0);
    let bytes = [60, 60, 52 + 60, 52 + 10 * 1500].iter().sum::<u64>() as f64;
    let wanted_s = 0.2 + bytes * 8.0 / 12e6;
    let found_s = record.completion_s.unwrap();
    assert!(
        (found_s - wanted_s).abs() < 5e-9,
        "{found_s} instead of {wanted_s}"
    );
}

#[test]
fn the_same_case_gives_identical_outcomes() {
    for case in &scenario(ROUGH).cases {
        assert_eq!(traced(case), traced(case));
    }
}

#[test]
fn tracing_changes_nothing() {
    for case in &scenario(ROUGH).cases {
        let with_trace = traced(case);
        assert_eq!(with_trace.traces.len(), with_trace.records.len());
        assert_eq!(
            Outcome {
                traces: Vec::new(),
                ..with_trace
            },
            simulate(case)
        );
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let scenario = scenario(ROUGH);
    let cases: Vec<&Case> = scenario.cases.iter().collect();
    let all = |threads| {
        let mut outcomes = Vec::new();
        run_all(&cases, &Options::default(), threads, |index, outcome| {
            outcomes.push((index, format!("{:?}", outcome.unwrap())));
            ControlFlow::Continue(())
        });
        outcomes
    };
    let one = all(1);
    assert_eq!(one.len(), cases.len());
    assert_eq!(one, all(2));
}

#[test]
fn no_outcome_is_reported_after_a_break() {
    let scenario = scenario(ROUGH);
    let cases: Vec<&Case> = scenario.cases.iter().collect();
    let mut indices = Vec::new();
    run_all(&cases, &Options::default(), 2, |index, _| {
        indices.push(index);
        if index == 2 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(indices, [0, 1, 2]);
}

#[test]
fn each_repetition_has_its_own_seed() {
    let cases = scenario(ROUGH).cases;
    let completions: Vec<_> = cases
        .iter()
        .map(|case| simulate(case).records[0].completion_s)
        .collect();
    let first = cases.iter().position(|case| case.run == 2).unwrap();
    assert_ne!(
        completions[first],
        completions[first - 4],
        "another repetition has another seed"
    );
}

#[test]
fn a_trace_agrees_with_its_record() {
    let case = scenario(&format!(
        "{CLEAN}[[transfer]]\nsize = \"1 MB\"\nstartup = \"paced\"\n"
    ))
    .cases
    .remove(0);
    let outcome = traced(&case);
    let (record, trace) = (&outcome.records[0], &outcome.traces[0]);
    let first_sent: u64 = trace
        .segments
        .iter()
        .filter(|s| !s.retransmission)
        .map(|s| u64::from(s.length_bytes))
        .sum();
    assert_eq!(first_sent, 1_000_000);
    assert_eq!(
        trace
            .segments
            .iter()
            .filter(|segment| segment.retransmission)
            .count() as u64,
        record.retransmitted_segments
    );
    assert!(trace
        .sender
        .is_sorted_by_key(|sample| (sample.time_s, sample.acked_bytes)));
    // The run ends when the last byte is read: its ACK is still in flight.
    let last = trace.sender.last().unwrap();
    assert!(
        last.time_s <= record.completion_s.unwrap() && last.acked_bytes < 1_000_000,
        "{last:?}"
    );
    let exit = trace
        .events
        .iter()
        .find(|event| event.kind == "exit")
        .expect("a transfer of 1 MB leaves the start-up");
    assert_eq!(
        (Some(exit.time_s), &exit.what),
        (record.exit_time_s, &record.exit_reason)
    );
}

#[test]
fn packets_wait_no_longer_than_the_queue_is() {
    let text = format!("{CLEAN}[[transfer]]\nsize = \"1 MB\"\nstartup = [\"none\", \"onramp\"]\n");
    for case in scenario(&text).cases {
        let outcome = traced(&case);
        let trace = &outcome.traces[0];
        let [queue] = trace.queues.as_slice() else {
            panic!("{:?}", trace.queues);
        };
        assert_eq!(queue.link, "sender - receiver");
        // 100 packets of 1500 bytes, and the one that is being sent, at 12 Mbit/s
        let waits = || queue.samples.iter().map(|sample| sample.wait_s);
        let longest = waits().fold(0.0, f64::max);
        assert!((0.001..=0.101).contains(&longest), "{longest}");
        // Each packet that arrived has waited for what its delay exceeds half of the RTT and its
        // transmission by.
        assert!(trace.packets.len() as u64 >= 1_000_000 / 1448);
        for packet in &trace.packets {
            let rest = packet.delay_s - packet.queued_s;
            assert!((0.05..0.0511).contains(&rest), "{packet:?}");
        }
        let queued: f64 = trace.packets.iter().map(|packet| packet.queued_s).sum();
        let waited: f64 = waits().sum();
        // Packets in flight at the end have waited and not arrived.
        assert!(queued <= waited + 1e-9, "{queued} {waited}");
    }
}

#[test]
fn a_run_ends_at_its_duration_with_records_of_unfinished_transfers() {
    let mut case = scenario(&format!("{CLEAN}[[transfer]]\nsize = \"100 MB\"\n"))
        .cases
        .remove(0);
    case.duration_ns = Some(3_000_000_000);
    let outcome = simulate(&case);
    let record = &outcome.records[0];
    assert!(!record.finished && record.completion_s.is_none() && record.excess_rtts.is_none());
    assert!(
        (2_000_000..4_500_000).contains(&record.delivered_bytes),
        "{}",
        record.delivered_bytes
    );
    assert!(outcome.counters.end_ns <= 3_000_000_000);
    assert!(
        outcome.failures.is_empty(),
        "it did not finish, but it did not fail"
    );
}

#[test]
fn copies_that_would_start_after_the_end_have_records() {
    let transfer = "[run]\nduration = \"5 s\"\n[[transfer]]\nsize = \"10 kB\"\ncount = 10\n\
        spacing = \"1 s\"\nstart = \"500 ms\"\n";
    let outcome = traced(&scenario(&format!("{CLEAN}{transfer}")).cases[0]);
    let records: Vec<_> = outcome
        .records
        .iter()
        .map(|r| (r.flow, r.start_s, r.finished, r.delivered_bytes))
        .collect();
    let wanted = |copy: u32| {
        (
            copy + 1,
            0.5 + f64::from(copy),
            copy < 5,
            if copy < 5 { 10_000 } else { 0 },
        )
    };
    assert_eq!(records, (0..10).map(wanted).collect::<Vec<_>>());
    assert_eq!((outcome.traces.len(), outcome.failures.len()), (10, 0));
    assert!(outcome.traces[9].sender.is_empty() && outcome.records[9].completion_s.is_none());
}

#[test]
fn a_transfer_that_would_start_after_the_end_has_a_record() {
    let text = "[run]\nduration = \"5 s\"\n[[transfer]]\nsize = \"10 kB\"\nstart = \"10 s\"\n\
        [[traffic]]\nkind = \"constant\"\nrate = \"1 Mbit/s\"\nstart = \"0 s\"\n";
    let record = simulate(&scenario(&format!("{CLEAN}{text}")).cases[0])
        .records
        .remove(0);
    assert_eq!(
        (record.finished, record.delivered_bytes, record.start_s),
        (false, 0, 10.0)
    );
    assert_eq!(
        (
            record.traffic_before_bytes_per_s,
            record.traffic_during_bytes_per_s
        ),
        (None, None)
    );
}

#[test]
fn each_copy_has_a_record_and_the_copies_share_the_link() {
    let mut case = scenario(&format!("{CLEAN}[[transfer]]\nsize = \"1 MB\"\n"))
        .cases
        .remove(0);
    (case.transfer.count, case.transfer.spacing) = (4, Interval::Fixed(250_000_000));
    let records = simulate(&case).records;
    let starts: Vec<_> = records
        .iter()
        .map(|record| (record.flow, record.start_s))
        .collect();
    assert_eq!(starts, [(1, 0.0), (2, 0.25), (3, 0.5), (4, 0.75)]);
    let alone_s = simulate(&Case {
        transfer: onramp_scenario::Transfer {
            count: 1,
            ..case.transfer.clone()
        },
        ..case
    })
    .records[0]
        .completion_s;
    assert!(records
        .iter()
        .all(|record| record.finished && record.completion_s > alone_s));
}

#[test]
fn the_trace_of_a_long_transfer_is_limited() {
    let path = "[path]\nrate = \"10 Gbit/s\"\nrtt = \"1 ms\"\nqueue = \"50 packets\"\n";
    let case = scenario(&format!("{path}[[transfer]]\nsize = \"400 MB\"\n"))
        .cases
        .remove(0);
    let outcome = traced(&case);
    let trace = &outcome.traces[0];
    let problem = trace
        .segments
        .iter()
        .filter(|s| s.retransmission || s.dropped)
        .count();
    let plain = trace.segments.len() - problem;
    assert!((50_000..=100_000).contains(&plain), "{plain} of 276,000");
    assert!(
        (50_000..=100_000).contains(&trace.sender.len()),
        "{}",
        trace.sender.len()
    );
    let retransmitted = trace.segments.iter().filter(|s| s.retransmission).count() as u64;
    assert!(
        retransmitted > 0 && retransmitted == outcome.records[0].retransmitted_segments,
        "{retransmitted}"
    );
    assert!(
        trace.segments.is_sorted_by_key(|s| s.time_s)
            && trace.sender.is_sorted_by_key(|s| s.time_s)
    );
    assert_eq!(outcome.decimated_traces, 1);
    // Delivery rates are still measured over a round trip.
    let fastest = trace
        .sender
        .iter()
        .map(|sample| sample.delivery_bytes_per_s)
        .max()
        .unwrap();
    assert!((500_000_000..1_300_000_000).contains(&fastest), "{fastest}");
}

#[test]
fn a_receiver_that_limits_for_a_hundred_round_trips_ends_the_start_up() {
    let limited = |size: &str| {
        let text = format!(
            "[path]\nrate = \"50 Mbit/s\"\nrtt = \"20 ms\"\n[receiver]\nbuffer = \"20 kB\"\n\
             [[transfer]]\nsize = \"{size}\"\nstartup = \"standard\"\navoidance = \"reno\"\n"
        );
        let case = scenario(&text).cases.remove(0);
        simulate(&case).records.remove(0).exit_reason
    };
    // Up to 20 kB leave in a round trip: 50 of them, then 200.
    assert_eq!(limited("1 MB"), "unfinished");
    assert_eq!(limited("4 MB"), "receiver");
}
