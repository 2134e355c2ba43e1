//! Reserved rates on whole paths: how long transfers take, what happens if a reservation cannot be
//! kept, and that other flows do not change.

use onramp_results::{Record, Trace};
use onramp_scenario::Case;
use onramp_sim::{run, Options, Outcome};

fn case(text: &str) -> Case {
    let text = format!("name = \"test\"\n{text}");
    onramp_scenario::parse("test.toml", &text)
        .expect("the scenario is right")
        .cases
        .remove(0)
}

fn simulate(text: &str) -> Outcome {
    run(
        &case(text),
        &Options {
            trace: true,
            ..Options::default()
        },
    )
    .expect("the case can be simulated")
}

fn record(text: &str) -> Record {
    simulate(text).records.remove(0)
}

/// Ritter, Wehrle & Wolf (2001), section 5: RTT 500 ms between links of 10 Mbit/s.
const PAPER: &str = "[path]\nrate = \"10 Mbit/s\"\nrtt = \"500 ms\"\nqueue = \"100 packets\"\n";

/// 100 kB take 0.8 s at 1 Mbit/s. The handshake and the request take two round trips.
#[test]
fn the_reserved_rate_applies_from_the_first_segment() {
    let transfer = "[[transfer]]\nsize = \"100 kB\"\nstartup = \"qos\"\nqos_rate = \"1 Mbit/s\"\n";
    let record = record(&format!("{PAPER}{transfer}"));
    let completion_s = record.completion_s.unwrap();
    let bound_s = 2.0 * 0.5 + 100_000.0 * 8.0 / 1e6;
    assert!(
        (0.97..1.0).contains(&(completion_s / bound_s)),
        "{completion_s} of {bound_s}: the burst saves some time"
    );
    assert_eq!(
        (record.retransmitted_segments, record.dropped_packets),
        (0, 0)
    );
    assert_eq!(
        (record.startup.as_str(), record.exit_reason.as_str()),
        ("qos 1 Mbit/s", "unfinished")
    );
}

/// Figures 1 and 4 of the paper: without a reservation the transfer spends its time in slow start.
#[test]
fn a_short_transfer_is_much_slower_without_a_reservation() {
    let with = |more: &str| {
        let transfer = "[[transfer]]\nsize = \"100 kB\"\ninitial_window = \"2 segments\"\n\
            connect = \"sender\"\n";
        record(&format!("{PAPER}{transfer}{more}"))
            .completion_s
            .unwrap()
    };
    let (reserved_s, slow_s) = (
        with("startup = \"qos\"\nqos_rate = \"1 Mbit/s\"\n"),
        with("startup = \"none\"\n"),
    );
    assert!(slow_s / reserved_s > 2.0, "{slow_s} s and {reserved_s} s");
}

#[test]
fn a_policer_of_the_rate_and_its_headers_drops_nothing() {
    for burst in ["3 kB", "14480 B"] {
        // 1448 bytes of payload have 52 bytes of headers, also in the burst. The packets of the
        // handshake are small.
        let policer = "policer_rate = \"1.036 Mbit/s\"\npolicer_burst = \"15.2 kB\"\n";
        let transfer = format!(
            "[[transfer]]\nsize = \"2 MB\"\nstartup = \"qos\"\nqos_rate = \"1 Mbit/s\"\n\
                qos_burst = \"{burst}\"\n"
        );
        let record = record(&format!("{PAPER}{policer}{transfer}"));
        assert_eq!(
            (record.dropped_packets, record.retransmitted_segments),
            (0, 0),
            "{burst}"
        );
        let completion_s = record.completion_s.unwrap();
        assert!(
            (16.85..17.0).contains(&completion_s),
            "{burst}: {completion_s}"
        );
    }
}

#[test]
fn random_losses_do_not_reduce_the_rate() {
    for stack in [
        "stack = \"linux\"",
        "stack = \"lite\"\nrecovery = \"sack\"\ntick = \"10 ms\"",
    ] {
        let path = "[path]\nrate = \"10 Mbit/s\"\nrtt = \"200 ms\"\nqueue = \"100 packets\"\n\
            loss = \"0.2 %\"\n";
        let transfer =
            format!("{stack}\nsize = \"10 MB\"\nstartup = \"qos\"\nqos_rate = \"4 Mbit/s\"\n");
        let large = "[receiver]\nbuffer = \"4 MiB\"\nsack = true\n";
        let record = record(&format!("{path}{large}[[transfer]]\n{transfer}"));
        let completion_s = record.completion_s.unwrap();
        assert!(
            record.retransmitted_segments > 5 && record.exit_reason == "unfinished",
            "{record:?}"
        );
        assert!(
            (20.0..21.3).contains(&completion_s),
            "{stack}: {completion_s}"
        );
    }
}

/// A path with half of the reserved rate, and a competing flow on it.
#[test]
fn a_flow_whose_reservation_fails_becomes_an_ordinary_flow() {
    for avoidance in ["reno", "cubic"] {
        let path = "[path]\nrate = \"10 Mbit/s\"\nrtt = \"50 ms\"\nqueue = \"1 bdp\"\n[run]\n\
            duration = \"125 s\"\n";
        let rival =
            format!("[[traffic]]\navoidance = \"{avoidance}\"\nlead = \"5 s\"\nmeasured = true\n");
        let transfer = format!(
            "[[transfer]]\nsize = \"1 GB\"\nstartup = \"qos\"\nqos_rate = \"20 Mbit/s\"\n\
                avoidance = \"{avoidance}\"\n"
        );
        let outcome = simulate(&format!("{path}{rival}{transfer}"));
        let record = &outcome.records[0];
        assert_eq!(record.exit_reason, "broken");
        assert!(
            record.exit_time_s.unwrap() < 1.0,
            "{:?}",
            record.exit_time_s
        );
        // Relative to 120 s at 10 Mbit/s of packets.
        let share = record.delivered_bytes as f64 / (120.0 * 1_250_000.0 * 1448.0 / 1500.0);
        assert!((0.4..0.6).contains(&share), "{avoidance}: {share}");
    }
}

/// Two guaranteed flows at the same time. Each gets its own rate.
#[test]
fn several_reservations_share_a_path_as_they_were_reserved() {
    let path = "[path]\nrate = \"10 Mbit/s\"\nrtt = \"100 ms\"\nqueue = \"100 packets\"\n[run]\n\
        duration = \"21 s\"\n";
    let other = "[[traffic]]\nstartup = \"qos\"\nqos_rate = \"3 Mbit/s\"\nqos_burst = \"1448 B\"\n\
        lead = \"1 s\"\nmeasured = true\n";
    let transfer = "[[transfer]]\nsize = \"1 GB\"\nstartup = \"qos\"\nqos_rate = \"6 Mbit/s\"\n";
    let outcome = simulate(&format!("{path}{other}{transfer}"));
    let startups: Vec<_> = outcome
        .records
        .iter()
        .map(|record| record.startup.as_str())
        .collect();
    assert_eq!(startups, ["qos 6 Mbit/s", "qos 3 Mbit/s burst 1448 B"]);
    for (record, bytes) in outcome.records.iter().zip([20.0 * 750e3, 21.0 * 375e3]) {
        let share = record.delivered_bytes as f64 / bytes;
        assert!(
            (0.98..1.0).contains(&share) && record.retransmitted_segments == 0,
            "{} {share}",
            record.startup
        );
    }
}

/// A flow whose links are not shared with `traffic`, which runs between two other nodes.
fn beside(traffic: &str) -> Trace {
    let node = |name: &str| format!("[[node]]\nname = \"{name}\"\n");
    let link = |from: &str, to: &str| {
        format!(
            "[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"10 Mbit/s\"\ndelay = \"20 ms\"\n\
                queue = \"30 packets\"\nloss = \"0.5 %\"\n"
        )
    };
    let nodes: String = ["a", "b", "c", "d"].map(node).concat();
    let links = [link("a", "b"), link("c", "d")].concat();
    let transfer = "[[transfer]]\nsize = \"3 MB\"\nfrom = \"a\"\nto = \"b\"\nstart = \"1 s\"\n";
    let mut outcome = simulate(&format!("{nodes}{links}{transfer}{traffic}"));
    assert!(outcome.records[0].retransmitted_segments > 0);
    outcome.traces.remove(0)
}

/// "The modifications can be switched on or off at the socket interface, thus per flow" (section
/// 6).
#[test]
fn a_reservation_does_not_change_other_flows() {
    let traffic = "[[traffic]]\nfrom = \"c\"\nto = \"d\"\nstart = \"0 s\"\n";
    let reserved = "startup = \"qos\"\nqos_rate = \"5 Mbit/s\"\n";
    let alone = beside("");
    for traffic in [traffic.to_owned(), format!("{traffic}{reserved}")] {
        assert_eq!(beside(&traffic), alone, "{traffic}");
    }
}
