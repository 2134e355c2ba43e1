//! Connections that relays on the path split.

mod witness;

use onramp_scenario::Case;
use onramp_sim::{run, run_observed, Options, Outcome};
use onramp_tcp::Failure;
use proptest::prelude::*;
use witness::Witness;

fn case(text: &str) -> Case {
    onramp_scenario::parse("test.toml", text)
        .unwrap_or_else(|error| panic!("{error:?}"))
        .cases
        .remove(0)
}

/// A path from `a` over `edge` and `ground` to `b`. The link from `edge` to `ground` is a satellite
/// with the keys of `space`; the other links are fast.
fn satellite(space: &str, transfer: &str) -> String {
    let node = |name| format!("[[node]]\nname = \"{name}\"\n");
    let nodes: String = ["a", "edge", "ground", "b"].into_iter().map(node).collect();
    format!(
        "name = \"test\"\n{nodes}\
         [[link]]\nfrom = \"a\"\nto = \"edge\"\nrate = \"100 Mbit/s\"\ndelay = \"5 ms\"\n\
         queue = \"1000 packets\"\n\
         [[link]]\nfrom = \"edge\"\nto = \"ground\"\n{space}\n\
         [[link]]\nfrom = \"ground\"\nto = \"b\"\nrate = \"100 Mbit/s\"\ndelay = \"5 ms\"\n\
         queue = \"1000 packets\"\n\
         [receiver]\nbuffer = \"16 MiB\"\n\
         [[transfer]]\nfrom = \"a\"\nto = \"b\"\n{transfer}"
    )
}

const CLEAN: &str = "rate = \"10 Mbit/s\"\ndelay = \"250 ms\"\nqueue = \"1000 packets\"\n";

fn simulate(case: &Case) -> Outcome {
    run(case, &Options::default()).expect("the case can be simulated")
}

fn witnessed(case: &Case) -> (Outcome, Witness) {
    run_observed(case, &Options::default(), Witness::default()).expect("the case can be simulated")
}

#[test]
fn a_split_does_not_change_the_time_of_handshake_and_request() {
    // For one segment of payload: two round trips of 520 ms if the receiver connects, and one and a
    // half if the sender connects.
    for (connect, wanted_s) in [("receiver", 1.04), ("sender", 0.78)] {
        let text = |split: &str| {
            satellite(
                CLEAN,
                &format!("size = \"1 kB\"\nconnect = \"{connect}\"\n{split}"),
            )
        };
        let whole = simulate(&case(&text("")))
            .records
            .remove(0)
            .completion_s
            .unwrap();
        let split = simulate(&case(&text("split = [\"edge\", \"ground\"]\n")))
            .records
            .remove(0)
            .completion_s
            .unwrap();
        assert!((whole - wanted_s).abs() < 0.003, "{connect}: {whole}");
        assert!(
            (split - whole).abs() < 0.001,
            "{connect}: {split} against {whole}"
        );
    }
}

#[test]
fn at_a_fixed_rate_on_a_clean_path_the_bound_is_met_within_a_round_trip() {
    // The window of the SYN-ACK, which is not scaled, allows only 64 KB in the first round trip. If
    // the sender connects, this costs half a second.
    for (connect, max_s) in [("receiver", 0.1), ("sender", 0.52)] {
        let keys = format!(
            "size = \"3 MB\"\nconnect = \"{connect}\"\nsplit = [\"edge\", \"ground\"]\n\
                split_rate = \"10 Mbit/s\"\n"
        );
        let (outcome, seen) = witnessed(&case(&satellite(CLEAN, &keys)));
        let record = &outcome.records[0];
        let late_s = record.completion_s.unwrap() - record.bound_s;
        // The start of the short hops takes some time.
        assert!((0.0..max_s).contains(&late_s), "{connect}: {late_s} s");
        assert_eq!(
            (record.retransmitted_segments, record.timeouts),
            (0, Some(0))
        );
        assert!(outcome.links.iter().all(|link| link.dropped.packets == 0));
        assert_eq!(seen.started.len(), 3);
        let ends: Vec<_> = (0..3)
            .map(|hop| {
                seen.started
                    .iter()
                    .find(|flow| flow.hop == hop)
                    .map(|flow| (flow.from, flow.to))
            })
            .collect();
        assert_eq!(ends, [Some((0, 1)), Some((1, 2)), Some((2, 3))]);
        // The forward queue of the satellite link stays nearly empty, because segments arrive at
        // its rate.
        assert!(
            outcome.links[2].peak_queue.packets <= 3,
            "{:?}",
            outcome.links[2].peak_queue
        );
    }
}

#[test]
fn a_split_with_a_known_rate_is_faster_than_one_connection() {
    let time = |split: &str| {
        simulate(&case(&satellite(
            CLEAN,
            &format!("size = \"3 MB\"\nstartup = \"none\"\n{split}"),
        )))
        .records
        .remove(0)
        .completion_s
        .unwrap()
    };
    let (whole, split, rated) = (
        time(""),
        time("split = [\"edge\", \"ground\"]\n"),
        time("split = [\"edge\", \"ground\"]\nsplit_rate = \"10 Mbit/s\"\n"),
    );
    assert!(
        rated + 1.0 < split && split < whole + 0.1,
        "{rated}, {split}, {whole}"
    );
}

#[test]
fn losses_are_repaired_on_their_own_hop_without_a_loss_of_rate() {
    let space = format!("{CLEAN}loss_every = \"50 packets\"\n");
    let keys = "size = \"3 MB\"\nsplit = [\"edge\", \"ground\"]\nsplit_rate = \"10 Mbit/s\"\n";
    let (outcome, seen) = witnessed(&case(&satellite(&space, keys)));
    let record = &outcome.records[0];
    // One of 50 packets is lost and retransmitted a round trip later. The other packets continue
    // meanwhile.
    assert!(
        record.completion_s.unwrap() - record.bound_s < 1.2,
        "{:?}",
        record.completion_s
    );
    assert!(
        record.retransmitted_segments >= 2072 / 50,
        "{}",
        record.retransmitted_segments
    );
    assert_eq!(
        seen.delivered.iter().map(|(_, bytes)| bytes).sum::<u64>(),
        3_000_000
    );
}

#[test]
fn a_slow_hop_closes_the_window_of_the_one_before_it() {
    let keys = "size = \"5 MB\"\nsplit = [\"edge\"]\nsplit_buffer = \"64 KiB\"\n";
    let (outcome, seen) = witnessed(&case(&satellite(CLEAN, keys)));
    // 64 KiB per round trip of 510 ms and its queueing delay: at most 129 kB/s.
    let record = &outcome.records[0];
    let rate = 5e6 / record.completion_s.unwrap();
    assert!((115_000.0..129_000.0).contains(&rate), "{rate} B/s");
    assert_eq!(record.retransmitted_segments, 0);
    assert!(
        (100_000..=2 * 65_536).contains(&seen.max_held_bytes),
        "{}",
        seen.max_held_bytes
    );
}

#[test]
fn a_hop_that_fails_resets_the_others() {
    // After 2 s the satellite has a delay of an hour: no reply arrives in time.
    let space = format!("{CLEAN}[[link.change]]\nat = \"2 s\"\ndelay = \"3600 s\"\n");
    for connect in ["receiver", "sender"] {
        let keys =
            format!("size = \"5 MB\"\nconnect = \"{connect}\"\nsplit = [\"edge\", \"ground\"]\n");
        let (outcome, seen) = witnessed(&case(&satellite(&space, &keys)));
        let record = &outcome.records[0];
        assert!(!record.finished && record.delivered_bytes < 5_000_000);
        assert_eq!(outcome.failures, [(0, Failure::TimedOut)], "{connect}");
        assert_eq!(
            (outcome.counters.flows, outcome.counters.active_flows),
            (3, 0)
        );
        assert_eq!(seen.ended, 3);
        assert!(record.timeouts.unwrap() > 5);
    }
}

#[test]
fn a_next_hop_that_never_opens_ends_the_transfer() {
    let space = CLEAN.replace("250 ms", "3600 s");
    let keys = "size = \"5 MB\"\nconnect = \"sender\"\nsplit = [\"edge\"]\n";
    let outcome = simulate(&case(&satellite(&space, keys)));
    assert_eq!(outcome.failures, [(0, Failure::TimedOut)]);
    assert_eq!(
        (outcome.counters.flows, outcome.counters.active_flows),
        (2, 0)
    );
}

#[test]
fn an_unfinished_transfer_has_a_record() {
    let text = satellite(
        CLEAN,
        "size = \"50 MB\"\nsplit = [\"edge\", \"ground\"]\nsplit_rate = \"5 Mbit/s\"\n",
    );
    let outcome = simulate(&case(&format!("{text}[run]\nduration = \"10 s\"\n")));
    let record = &outcome.records[0];
    assert!(!record.finished && outcome.failures.is_empty());
    // 5 Mbit/s for 9 s, with 1448 bytes of payload in each packet of 1500.
    assert!(
        (5.2e6..5.5e6).contains(&(record.delivered_bytes as f64)),
        "{}",
        record.delivered_bytes
    );
}

#[test]
fn each_copy_is_split_and_its_trace_is_that_of_the_slowest_link() {
    let keys =
        "size = \"500 kB\"\ncount = 3\nspacing = \"100 ms\"\nsplit = [\"edge\", \"ground\"]\n";
    let text = satellite(CLEAN, keys);
    let outcome = run(
        &case(&text),
        &Options {
            trace: true,
            ..Options::default()
        },
    )
    .unwrap();
    assert_eq!(
        (
            outcome.records.len(),
            outcome.traces.len(),
            outcome.counters.flows
        ),
        (3, 3, 9)
    );
    for (record, trace) in outcome.records.iter().zip(&outcome.traces) {
        assert!(record.finished, "{record:?}");
        assert_eq!(record.connections, "split at edge, ground");
        let sent: u64 = trace
            .segments
            .iter()
            .filter(|s| !s.retransmission)
            .map(|s| u64::from(s.length_bytes))
            .sum();
        assert_eq!(sent, 500_000);
        // The trace starts with its hop, after the handshake of the last hop. Its times are
        // relative to the start of the transfer.
        let first_s = trace.segments[0].time_s;
        assert!((0.7..0.9).contains(&first_s), "{first_s}");
    }
    assert_eq!(
        run(
            &case(&text),
            &Options {
                trace: true,
                ..Options::default()
            }
        )
        .unwrap(),
        outcome
    );
    let plain = simulate(&case(&text));
    assert_eq!(
        plain,
        Outcome {
            traces: Vec::new(),
            ..outcome
        }
    );
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(24))]
    #[test]
    fn all_bytes_arrive_once_and_in_order_and_no_relay_holds_more_than_it_may(
        relays in prop::sample::subsequence(vec!["edge", "middle", "ground"], 1..=3),
        losses in prop::collection::vec(0u32..40, 4),
        rates in prop::collection::vec(1u32..40, 4),
        delays_ms in prop::collection::vec(0u32..80, 4),
        mtus in prop::collection::vec(prop::sample::select(vec![296u32, 576, 1500, 9000]), 4),
        buffer_kib in 4u64..200,
        rate in prop::option::of(1u32..40),
        size in 1u64..1_500_000,
        sender_connects in any::<bool>(),
        stack in prop::sample::select(vec!["linux", "lite"]),
        recovery in prop::sample::select(vec!["tahoe", "reno", "newreno", "sack", "prr", "rack"]),
    ) {
        let nodes = ["a", "edge", "middle", "ground", "b"];
        let mut text = "name = \"test\"\n".to_owned();
        nodes.iter().for_each(|name| text += &format!("[[node]]\nname = \"{name}\"\n"));
        for (link, ends) in nodes.windows(2).enumerate() {
            text += &format!(
                "[[link]]\nfrom = \"{}\"\nto = \"{}\"\nrate = \"{} Mbit/s\"\ndelay = \"{} ms\"\n\
                 mtu = \"{} B\"\nloss = \"{} %\"\nqueue = \"30 packets\"\n",
                ends[0],
                ends[1],
                rates[link],
                delays_ms[link] + 1,
                mtus[link],
                f64::from(losses[link]) / 10.0,
            );
        }
        text += &format!(
            "[[transfer]]\nsize = \"{size} B\"\nfrom = \"a\"\nto = \"b\"\nstack = \"{stack}\"\n\
                recovery = \"{recovery}\"\n\
             connect = \"{}\"\nsplit = {relays:?}\nsplit_buffer = \"{buffer_kib} KiB\"\n",
            if sender_connects { "sender" } else { "receiver" },
        );
        rate.iter().for_each(|rate| text += &format!("split_rate = \"{rate} Mbit/s\"\n"));
        let case = case(&text);
        let (outcome, seen) = witnessed(&case);
        let record = &outcome.records[0];
        prop_assert!(record.finished, "{:?}", outcome.failures);
        let completion_s = record.completion_s.unwrap();
        prop_assert!(completion_s >= record.bound_s, "{completion_s} {}", record.bound_s);
        let last = seen.hop(0, relays.len() as u32).unwrap();
        prop_assert!(seen.delivered.iter().all(|(flow, _)| *flow == last));
        prop_assert_eq!(seen.delivered.iter().map(|(_, bytes)| bytes).sum::<u64>(), size);
        for hop in 0..=relays.len() as u32 {
            prop_assert_eq!(seen.in_order(seen.hop(0, hop).unwrap()), size);
        }
        let buffer_bytes = buffer_kib * 1024;
        let held_bytes = seen.max_held_bytes;
        prop_assert!(held_bytes <= 2 * buffer_bytes, "{held_bytes} of {buffer_bytes}");
        let mut unobserved = simulate(&case);
        unobserved.counters.events = outcome.counters.events;
        prop_assert_eq!(unobserved, outcome);
    }
}
