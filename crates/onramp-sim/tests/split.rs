//! Connections that are split at relays on the way.

use onramp_scenario::Case;
use onramp_sim::observe::{Direction, FlowStart, Observer, PacketEvent};
use onramp_sim::{run, run_observed, Options, Outcome};
use onramp_tcp::{Connection, Failure};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn case(text: &str) -> Case {
    onramp_scenario::parse("test.toml", text)
        .unwrap_or_else(|error| panic!("{error:?}"))
        .cases
        .remove(0)
}

/// `near` is a fast network, `space` a satellite's link with this rate, between `edge` and
/// `ground`.
fn satellite(space: &str, transfer: &str) -> String {
    let node = |name| format!("[[node]]\nname = \"{name}\"\n");
    let nodes: String = ["a", "edge", "ground", "b"].into_iter().map(node).collect();
    format!(
        "name = \"test\"\n{nodes}\
         [[link]]\nfrom = \"a\"\nto = \"edge\"\nrate = \"100 Mbit/s\"\ndelay = \"5 ms\"\nqueue = \"1000 packets\"\n\
         [[link]]\nfrom = \"edge\"\nto = \"ground\"\n{space}\n\
         [[link]]\nfrom = \"ground\"\nto = \"b\"\nrate = \"100 Mbit/s\"\ndelay = \"5 ms\"\nqueue = \"1000 packets\"\n\
         [receiver]\nbuffer = \"16 MiB\"\n\
         [[transfer]]\nfrom = \"a\"\nto = \"b\"\n{transfer}"
    )
}

const CLEAN: &str = "rate = \"10 Mbit/s\"\ndelay = \"250 ms\"\nqueue = \"1000 packets\"\n";

fn simulate(case: &Case) -> Outcome {
    run(case, &Options::default()).expect("the case can be simulated")
}

/// What each relay holds, and what the receiver got.
#[derive(Default)]
struct Witness {
    started: Vec<FlowStart>,
    /// Of each flow: the ranges of its stream that have arrived, and what its receiver has
    /// acknowledged of them.
    arrived: BTreeMap<u32, Vec<(u64, u64)>>,
    acked: BTreeMap<u32, u64>,
    delivered: Vec<(u32, u64)>,
    ended: usize,
    most_held: u64,
}

impl Witness {
    fn in_order(&self, flow: u32) -> u64 {
        let mut ranges = self.arrived.get(&flow).cloned().unwrap_or_default();
        ranges.sort_unstable();
        ranges.into_iter().fold(
            0,
            |end, (from, to)| if from <= end { end.max(to) } else { end },
        )
    }

    fn hop(&self, transfer: u32, hop: u32) -> Option<u32> {
        self.started
            .iter()
            .find(|flow| flow.transfer == transfer && flow.hop == hop)
            .map(|flow| flow.flow)
    }

    /// Between a hop and the next one.
    fn look(&mut self, flow: u32) {
        let Some(start) = self
            .started
            .iter()
            .find(|start| start.flow == flow)
            .copied()
        else {
            return;
        };
        let Some(next) = self.hop(start.transfer, start.hop + 1) else {
            return;
        };
        let held = self.in_order(flow) - self.acked.get(&next).copied().unwrap_or(0);
        self.most_held = self.most_held.max(held);
    }
}

impl Observer for Witness {
    fn flow_started(&mut self, flow: &FlowStart) {
        self.started.push(*flow);
    }

    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        if packet.direction == Direction::Data && packet.segment.payload_bytes > 0 {
            let (start, end) = (
                packet.stream_start,
                packet.stream_start + u64::from(packet.segment.payload_bytes),
            );
            let ranges = self.arrived.entry(packet.flow).or_default();
            match ranges.last_mut().filter(|last| last.1 == start) {
                Some(last) => last.1 = end,
                None => ranges.push((start, end)),
            }
            self.look(packet.flow);
        }
    }

    fn delivered(&mut self, _time_ns: u64, flow: u32, bytes: u64) {
        self.delivered.push((flow, bytes));
    }

    fn sender_acted(&mut self, _time_ns: u64, flow: u32, sender: &Connection) {
        self.acked.insert(flow, sender.acked_bytes());
    }

    fn flow_ended(&mut self, _time_ns: u64, _flow: u32) {
        self.ended += 1;
    }
}

fn witnessed(case: &Case) -> (Outcome, Witness) {
    run_observed(case, &Options::default(), Witness::default()).expect("the case can be simulated")
}

#[test]
fn handshakes_and_request_take_what_they_take_from_end_to_end() {
    // A segment of payload: two round trips of 520 ms with the receiver's connect, one and a half
    // with the sender's.
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
fn at_a_rate_over_a_clean_path_the_bound_is_met_within_a_round_trip() {
    // Nobody knows of more than the 64 KB of a SYN's answer before it is established: with the
    // sender's connect, half a second of the first round trip.
    for (connect, most_s) in [("receiver", 0.1), ("sender", 0.52)] {
        let keys = format!(
            "size = \"3 MB\"\nconnect = \"{connect}\"\nsplit = [\"edge\", \"ground\"]\nsplit_rate = \"10 Mbit/s\"\n"
        );
        let (outcome, seen) = witnessed(&case(&satellite(CLEAN, &keys)));
        let record = &outcome.records[0];
        let late_s = record.completion_s.unwrap() - record.bound_s;
        // What the short hops need to start.
        assert!((0.0..most_s).contains(&late_s), "{connect}: {late_s} s");
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
        // The queue of the satellite's link, forward, stays as good as empty: segments come at its
        // rate.
        assert!(
            outcome.links[2].peak_queue.packets <= 3,
            "{:?}",
            outcome.links[2].peak_queue
        );
    }
}

#[test]
fn a_split_starts_faster_than_a_connection_from_end_to_end() {
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
fn losses_are_repaired_on_their_own_hop_and_the_rate_stays() {
    let space = format!("{CLEAN}loss_every = \"50 packets\"\n");
    let keys = "size = \"3 MB\"\nsplit = [\"edge\", \"ground\"]\nsplit_rate = \"10 Mbit/s\"\n";
    let (outcome, seen) = witnessed(&case(&satellite(&space, keys)));
    let record = &outcome.records[0];
    // One of 50 is lost, and repaired a round trip later; the rest goes on meanwhile.
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
    // 64 KiB a round trip of 510 ms and its waiting: no more than 129 kB a second.
    let record = &outcome.records[0];
    let rate = 5e6 / record.completion_s.unwrap();
    assert!((115_000.0..129_000.0).contains(&rate), "{rate} B/s");
    assert_eq!(record.retransmitted_segments, 0);
    assert!(
        (100_000..=2 * 65_536).contains(&seen.most_held),
        "{}",
        seen.most_held
    );
}

#[test]
fn a_hop_that_gives_up_resets_the_others() {
    // After 2 s the satellite is an hour away: nobody answers any more.
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
fn what_the_end_of_the_run_overtakes_has_a_record() {
    let text = satellite(
        CLEAN,
        "size = \"50 MB\"\nsplit = [\"edge\", \"ground\"]\nsplit_rate = \"5 Mbit/s\"\n",
    );
    let outcome = simulate(&case(&format!("{text}[run]\nduration = \"10 s\"\n")));
    let record = &outcome.records[0];
    assert!(!record.finished && outcome.failures.is_empty());
    // 5 Mbit/s for 9 s, of which 1448 of 1500 bytes are payload.
    assert!(
        (5.2e6..5.5e6).contains(&(record.delivered_bytes as f64)),
        "{}",
        record.delivered_bytes
    );
}

#[test]
fn copies_are_split_each_for_itself_and_traced_over_the_slowest_link() {
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
        // It begins when that hop does, which is after the last hop's handshake, and counts from
        // the transfer's start.
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
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
                "[[link]]\nfrom = \"{}\"\nto = \"{}\"\nrate = \"{} Mbit/s\"\ndelay = \"{} ms\"\nmtu = \"{} B\"\nloss = \"{} %\"\nqueue = \"30 packets\"\n",
                ends[0], ends[1], rates[link], delays_ms[link] + 1, mtus[link], f64::from(losses[link]) / 10.0,
            );
        }
        text += &format!(
            "[[transfer]]\nsize = \"{size} B\"\nfrom = \"a\"\nto = \"b\"\nstack = \"{stack}\"\nrecovery = \"{recovery}\"\n\
             connect = \"{}\"\nsplit = {relays:?}\nsplit_buffer = \"{buffer_kib} KiB\"\n",
            if sender_connects { "sender" } else { "receiver" },
        );
        rate.iter().for_each(|rate| text += &format!("split_rate = \"{rate} Mbit/s\"\n"));
        let case = case(&text);
        let (outcome, seen) = witnessed(&case);
        let record = &outcome.records[0];
        prop_assert!(record.finished, "{:?}", outcome.failures);
        prop_assert!(record.completion_s.unwrap() >= record.bound_s, "{:?} {}", record.completion_s, record.bound_s);
        let last = seen.hop(0, relays.len() as u32).unwrap();
        prop_assert!(seen.delivered.iter().all(|(flow, _)| *flow == last));
        prop_assert_eq!(seen.delivered.iter().map(|(_, bytes)| bytes).sum::<u64>(), size);
        for hop in 0..=relays.len() as u32 {
            prop_assert_eq!(seen.in_order(seen.hop(0, hop).unwrap()), size);
        }
        prop_assert!(seen.most_held <= 2 * buffer_kib * 1024, "{} of {}", seen.most_held, buffer_kib * 1024);
        prop_assert_eq!(simulate(&case), outcome);
    }
}
