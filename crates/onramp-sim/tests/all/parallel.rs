//! Transfers over several parallel connections.

use onramp_scenario::Case;
use onramp_sim::observe::{Direction, FlowStart, Observer, PacketEvent};
use onramp_sim::{run, run_observed, Options, Outcome};
use onramp_tcp::Failure;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn case(text: &str) -> Case {
    let text = format!("name = \"test\"\n{text}");
    onramp_scenario::parse("test.toml", &text)
        .unwrap_or_else(|error| panic!("{error:?}"))
        .cases
        .remove(0)
}

fn simulate(case: &Case) -> Outcome {
    run(case, &Options::default()).expect("the case can be simulated")
}

const FAST: &str = "[path]\nrate = \"100 Gbit/s\"\nrtt = \"60 ms\"\nqueue = \"10000 packets\"\n";
/// The paper's satellite path, with 1.5 Mbit/s.
const SATELLITE: &str = "[path]\nrate = \"1.5 Mbit/s\"\nrtt = \"560 ms\"\n";

/// Starts and ends of flows, the bytes that they delivered, and the times at which new data left.
#[derive(Default)]
struct Witness {
    started: Vec<FlowStart>,
    /// Times of starts (+1) and ends (-1) of flows, in order.
    changes: Vec<(u64, i32)>,
    delivered: BTreeMap<u32, u64>,
    sent_ns: Vec<u64>,
    /// For each flow, the highest stream offset that was sent.
    reached: BTreeMap<u32, u64>,
}

impl Observer for Witness {
    fn flow_started(&mut self, flow: &FlowStart) {
        self.started.push(*flow);
        self.changes.push((flow.time_ns, 1));
    }

    fn sent(&mut self, packet: &PacketEvent<'_>) {
        if packet.direction == Direction::Data
            && packet.segment.payload_bytes > 0
            && !packet.retransmission
        {
            self.sent_ns.push(packet.time_ns);
            let end = packet.stream_start + u64::from(packet.segment.payload_bytes);
            let reached = self.reached.entry(packet.flow).or_default();
            *reached = end.max(*reached);
        }
    }

    fn delivered(&mut self, _time_ns: u64, flow: u32, bytes: u64) {
        *self.delivered.entry(flow).or_default() += bytes;
    }

    fn flow_ended(&mut self, time_ns: u64, _flow: u32) {
        self.changes.push((time_ns, -1));
    }
}

impl Witness {
    fn max_at_once(&self) -> i32 {
        let counts = self.changes.iter().scan(0, |count, (_, change)| {
            *count += change;
            Some(*count)
        });
        counts.max().unwrap_or(0)
    }
}

fn witnessed(case: &Case) -> (Outcome, Witness) {
    run_observed(case, &Options::default(), Witness::default()).expect("the case can be simulated")
}

/// Slow start from one segment: 2^k - 1 segments have left after k round trips.
#[test]
fn n_connections_start_n_times_as_fast_as_one() {
    for connections in [1, 2, 4, 9] {
        for (connect, first_ms) in [("sender", 60), ("receiver", 90)] {
            let keys = "size = \"100 MB\"\nstack = \"lite\"\n[receiver]\nacks = \"every\"\n\
                buffer = \"16 MiB\"\n";
            let text = format!(
                "{FAST}[[transfer]]\nconnect = \"{connect}\"\n\
                connections = {connections}\n{keys}[run]\nduration = \"500 ms\"\n"
            );
            let (outcome, seen) = witnessed(&case(&text));
            assert_eq!(
                (seen.started.len(), outcome.counters.flows),
                (connections, connections as u32)
            );
            for k in 1..=5 {
                let until_ns = (first_ms + 60 * k as u64 - 1) * 1_000_000;
                let sent = seen
                    .sent_ns
                    .iter()
                    .filter(|at_ns| **at_ns < until_ns)
                    .count();
                assert_eq!(
                    sent,
                    connections * ((1 << k) - 1),
                    "{connections} connections, {k} round trips, {connect}"
                );
            }
        }
    }
}

/// Equation (1) of the paper: one window per round trip and connection. The window is 64 KB,
/// without window scaling.
#[test]
fn the_rate_of_n_windows_is_n_times_that_of_one() {
    let rate = |connections: u32| {
        let keys = format!("size = \"8 MB\"\nconnections = {connections}\n");
        let host = "[receiver]\nwindow_scaling = false\nbuffer = \"64 KiB\"\n";
        let path = SATELLITE.replace("1.5 Mbit/s", "20 Mbit/s");
        let record = simulate(&case(&format!("{path}[[transfer]]\n{keys}{host}")))
            .records
            .remove(0);
        8e6 / (record.completion_s.unwrap() - record.bound_s + 8e6 / 2.4e6)
    };
    let one = rate(1);
    assert!((105e3..117e3).contains(&one), "{one}");
    for connections in [2, 4, 8] {
        let ratio = rate(connections) / one / f64::from(connections);
        assert!((0.8..1.05).contains(&ratio), "{connections}: {ratio}");
    }
}

#[test]
fn the_record_sums_up_all_connections_and_all_bytes_arrive() {
    let text =
        format!("{SATELLITE}loss = \"1 %\"\n[[transfer]]\nsize = \"1 MB\"\nconnections = 5\n");
    let (outcome, seen) = witnessed(&case(&text));
    let record = &outcome.records[0];
    assert!(
        record.finished && record.retransmitted_segments > 3,
        "{record:?}"
    );
    assert_eq!(
        (record.connections.as_str(), record.delivered_bytes),
        ("5 connections", 1_000_000)
    );
    assert_eq!(seen.delivered.values().sum::<u64>(), 1_000_000);
    assert_eq!(seen.delivered, seen.reached);
    // All records have 8 KiB, except the last.
    assert_eq!(
        seen.delivered
            .values()
            .filter(|bytes| *bytes % 8192 != 0)
            .count(),
        1
    );
    let lanes: Vec<_> = seen
        .started
        .iter()
        .map(|flow| (flow.transfer, flow.lane, flow.hop))
        .collect();
    assert_eq!(
        lanes,
        [(0, 0, 0), (0, 1, 0), (0, 2, 0), (0, 3, 0), (0, 4, 0)]
    );
}

#[test]
fn connections_beyond_the_number_of_records_get_no_data() {
    let (outcome, seen) = witnessed(&case(&format!(
        "{SATELLITE}[[transfer]]\nsize = \"20 kB\"\nconnections = 64\n"
    )));
    assert!(outcome.records[0].finished);
    // The initial windows of ten segments take all records.
    assert_eq!(
        (seen.started.len(), seen.delivered.values().sum::<u64>()),
        (64, 20_000)
    );
    assert!(seen.delivered.len() <= 3, "{:?}", seen.delivered);
}

#[test]
fn an_application_that_pauses_uses_several_connections() {
    let keys = "size = \"400 kB\"\nconnections = 4\nwrite = \"50 kB\"\nwrite_every = \"1 s\"\n";
    let (outcome, seen) = witnessed(&case(&format!("{SATELLITE}[[transfer]]\n{keys}")));
    let took_s = outcome.records[0].completion_s.unwrap();
    assert!((8.0..9.0).contains(&took_s), "{took_s}");
    assert!(seen.delivered.len() > 1, "{:?}", seen.delivered);
}

#[test]
fn the_transfer_fails_when_one_connection_fails() {
    let path = SATELLITE.replace("1.5 Mbit/s", "10 Mbit/s");
    for (number, connect) in [
        ("3", "sender"),
        ("3", "receiver"),
        ("\"adaptive\"", "sender"),
        ("\"adaptive\"", "receiver"),
    ] {
        let keys = format!("size = \"50 MB\"\nconnect = \"{connect}\"\nconnections = {number}\n");
        let gone = "[[path.change]]\nat = \"6 s\"\nrtt = \"3600 s\"\n";
        let outcome = simulate(&case(&format!("{path}{gone}[[transfer]]\n{keys}")));
        assert_eq!(
            outcome.failures,
            [(0, Failure::TimedOut)],
            "{number} {connect}"
        );
        assert_eq!(outcome.counters.active_flows, 0);
        assert!(outcome.records[0].delivered_bytes < 50_000_000);
    }
}

/// The changes of the number of connections: time, new number and reason.
fn numbers(case: &Case) -> (Vec<String>, Outcome, Witness) {
    let (outcome, seen) = run_observed(
        case,
        &Options {
            trace: true,
            ..Options::default()
        },
        Witness::default(),
    )
    .unwrap();
    let events = outcome.traces[0]
        .events
        .iter()
        .filter(|event| event.kind == "connections");
    (
        events
            .map(|event| format!("{:.2} s: {}", event.time_s, event.what))
            .collect(),
        outcome,
        seen,
    )
}

#[test]
fn an_adaptive_number_doubles_until_there_is_congestion() {
    let text = |number: &str| {
        format!(
            "{}queue = \"1 bdp\"\n[receiver]\nbuffer = \"64 KiB\"\nwindow_scaling = false\n\
            [[transfer]]\nsize = \"10 MB\"\nconnections = {number}\n",
            SATELLITE.replace("1.5 Mbit/s", "10 Mbit/s")
        )
    };
    let (changes, outcome, seen) = numbers(&case(&text("\"adaptive\"")));
    let adaptive = &outcome.records[0];
    let [one, sixteen] = ["1", "16"].map(|number| simulate(&case(&text(number))).records.remove(0));
    // The windows of 13 connections fill the pipe.
    assert!(adaptive.completion_s.unwrap() < one.completion_s.unwrap() / 5.0);
    assert!(adaptive.completion_s.unwrap() < 1.5 * sixteen.completion_s.unwrap());
    let wanted = [
        "0.00 s: 4, at first",
        "1.96 s: 8, no congestion so far",
        "3.67 s: 16, no congestion so far",
        "6.13 s: 32, no congestion so far",
        "10.18 s: 16, a loss",
    ];
    assert_eq!(changes, wanted);
    assert_eq!(seen.delivered.values().sum::<u64>(), 10_000_000);
    assert!(
        (13..=64).contains(&seen.max_at_once()),
        "{}",
        seen.max_at_once()
    );
}

#[test]
fn an_adaptive_number_halves_at_losses() {
    let text = format!(
        "{SATELLITE}queue = \"10 packets\"\n[[transfer]]\nsize = \"3 MB\"\n\
        connect = \"sender\"\nconnections = \"adaptive\"\n"
    );
    let (changes, outcome, seen) = numbers(&case(&text));
    assert!(outcome.records[0].finished && outcome.records[0].retransmitted_segments > 0);
    assert!(
        changes.iter().any(|change| change.ends_with("a loss")),
        "{changes:#?}"
    );
    assert!((1..=64).contains(&seen.max_at_once()));
    assert_eq!(seen.delivered, seen.reached);
}

#[test]
fn parallel_connections_pass_through_relays() {
    let nodes = ["a", "m", "b"]
        .map(|name| format!("[[node]]\nname = \"{name}\"\n"))
        .concat();
    let link = |from, to, rate, delay| {
        format!(
            "[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"{rate}\"\n\
            delay = \"{delay}\"\nqueue = \"500 packets\"\n"
        )
    };
    let links = link("a", "m", "100 Mbit/s", "2 ms") + &link("m", "b", "5 Mbit/s", "270 ms");
    for number in ["3", "\"adaptive\""] {
        for connect in ["sender", "receiver"] {
            let keys = format!(
                "size = \"2 MB\"\nfrom = \"a\"\nto = \"b\"\nsplit = \"m\"\n\
                connect = \"{connect}\"\nconnections = {number}\ncount = 2\n"
            );
            let case = case(&format!("{nodes}{links}[[transfer]]\n{keys}"));
            let (outcome, seen) = witnessed(&case);
            assert!(
                outcome.records.iter().all(|record| record.finished),
                "{number} {connect}: {:?}",
                outcome.failures
            );
            let transfers: BTreeSet<u32> = seen.started.iter().map(|flow| flow.transfer).collect();
            assert_eq!(transfers.len(), 2, "two copies");
            for transfer in transfers {
                let last_hops = seen
                    .started
                    .iter()
                    .filter(|flow| flow.transfer == transfer && flow.hop == 1);
                let bytes: u64 = last_hops
                    .filter_map(|flow| seen.delivered.get(&flow.flow))
                    .sum();
                assert_eq!(bytes, 2_000_000, "{number} {connect}");
            }
            assert_eq!(simulate(&case), outcome);
        }
    }
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(48))]
    #[test]
    fn all_bytes_arrive_once_over_any_number_of_connections(
        connections in prop_oneof![
            (1u32..=64).prop_map(|number| number.to_string()),
            Just("\"adaptive\"".to_owned()),
        ],
        size in 1u64..1_000_000,
        loss in 0u32..40,
        rate in 1u32..40,
        rtt in 1u32..300,
        queue in 3u32..100,
        mtu in prop::sample::select(vec![296u32, 1500, 9000]),
        buffer_kib in prop::sample::select(vec![4u32, 30, 60_000]),
        sender_connects in any::<bool>(),
        lite in any::<bool>(),
    ) {
        let text = format!(
            "[path]\nrate = \"{rate} Mbit/s\"\nrtt = \"{rtt} ms\"\nqueue = \"{queue} packets\"\n\
                loss = \"{} %\"\nmtu = \"{mtu} B\"\n\
             [sender]\nbuffer = \"{buffer_kib} KiB\"\n[[transfer]]\nsize = \"{size} B\"\n\
             connections = {connections}\nconnect = \"{}\"\nstack = \"{}\"\n",
            f64::from(loss) / 10.0,
            if sender_connects { "sender" } else { "receiver" },
            if lite { "lite" } else { "linux" },
        );
        let case = case(&text);
        let (outcome, seen) = witnessed(&case);
        let record = &outcome.records[0];
        prop_assert!(record.finished, "{:?}", outcome.failures);
        let completion_s = record.completion_s.unwrap();
        prop_assert!(completion_s >= record.bound_s, "{completion_s} {}", record.bound_s);
        prop_assert_eq!(seen.delivered.values().sum::<u64>(), size);
        prop_assert_eq!(&seen.delivered, &seen.reached);
        prop_assert!(seen.max_at_once() <= 64);
        prop_assert_eq!(simulate(&case), outcome);
    }
}
