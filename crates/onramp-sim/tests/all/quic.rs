//! Transfers over QUIC.
#![cfg(feature = "quic")]

use onramp_results::Record;
use onramp_scenario::Case;
use onramp_sim::{run, supports, Options, Outcome};

/// The cases of a path with these keys, and of the tables behind it.
fn cases(keys: &str, tables: &str) -> Vec<Case> {
    let text = format!("name = \"quic\"\n[path]\n{keys}{tables}");
    let scenario = onramp_scenario::parse("quic.toml", &text);
    scenario.unwrap_or_else(|e| panic!("{e:?}")).cases
}

const PATH: &str = "rate = \"10 Mbit/s\"\nrtt = \"40 ms\"\nqueue = \"1 bdp\"\n";
const LARGE_BUFFER: &str = "[receiver]\nbuffer = \"64 MiB\"\n";

fn outcome(case: &Case) -> Outcome {
    let outcome = run(case, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(outcome.failures, []);
    outcome
}

/// A download of this size over [`PATH`] with more keys, and with keys of the transfer.
fn download(size: &str, path: &str, transfer: &str) -> Outcome {
    let table = format!("[[transfer]]\nsize = \"{size}\"\ntransport = \"quic\"\n{transfer}");
    let mut cases = cases(&format!("{PATH}{path}"), &format!("{LARGE_BUFFER}{table}"));
    assert_eq!(cases.len(), 1);
    let outcome = outcome(&cases.remove(0));
    let size_bytes = outcome.records[0].size_bytes;
    for record in &outcome.records {
        assert!(record.finished && record.delivered_bytes == size_bytes);
    }
    outcome
}

fn record(size: &str, path: &str, transfer: &str) -> Record {
    download(size, path, transfer).records.remove(0)
}

#[test]
fn the_first_data_arrive_two_round_trips_after_the_connect() {
    let excess_rtts = record("1 B", "", "").excess_rtts.unwrap();
    // The packets of the handshake are padded to 1200 bytes: a millisecond each at 10 Mbit/s.
    assert!((0.0..0.1).contains(&excess_rtts), "{excess_rtts}");
}

#[test]
fn all_congestion_controls_and_start_ups_deliver() {
    for control in ["cubic", "reno", "bbr3"] {
        let keys = format!("startup = \"none\"\navoidance = \"{control}\"\n");
        assert_eq!(record("1 MB", "", &keys).exit_reason, "none");
    }
    for startup in onramp_quic::startup_names().filter(|name| *name != "qos") {
        let keys = format!("startup = \"{startup}\"\n");
        assert_ne!(record("1 MB", "", &keys).exit_reason, "none", "{startup}");
    }
}

#[test]
fn onramp_measures_the_rate_of_the_path() {
    let record = record("1 MB", "", "startup = \"onramp\"\n");
    let share = record.estimate_bytes_per_s.unwrap() as f64 / record.capacity_bytes_per_s as f64;
    assert!((0.99..1.01).contains(&share), "{share}");
    assert_eq!(record.timeouts, None, "noq does not count them");
}

/// Nothing of TLS, of connection IDs and of the machine's clock reaches the results.
#[test]
fn the_same_case_has_the_same_outcome() {
    let path = "loss = \"1 %\"\njitter = \"5 ms\"\nreorder = true\nduplicate = \"1 %\"\n";
    let download = || download("2 MB", path, "startup = \"onramp\"\ncount = 3\n");
    assert_eq!(download(), download());
}

#[test]
fn lost_packets_are_sent_again() {
    for startup in ["none", "onramp"] {
        let keys = format!("startup = \"{startup}\"\n");
        let record = record(
            "2 MB",
            "loss = \"2 %\"\n[path.reverse]\nloss = \"2 %\"\n",
            &keys,
        );
        let (lost, dropped) = (record.lost_packets, record.dropped_packets);
        assert!(lost > 20, "{lost}");
        // Lost ACKs are not retransmitted. A late ACK causes a spurious retransmission.
        let resent = record.retransmitted_segments;
        assert!(
            (lost / 3..2 * (lost + dropped)).contains(&resent),
            "{resent} of {lost}"
        );
    }
}

#[test]
fn reordered_and_duplicated_packets_are_delivered_once() {
    let path = "jitter = \"8 ms\"\nreorder = true\nduplicate = \"5 %\"\n";
    for startup in ["none", "onramp"] {
        record("2 MB", path, &format!("startup = \"{startup}\"\n"));
    }
}

/// noq's CUBIC goes on with the cwnd that it had before a pause.
#[test]
fn an_application_that_pauses_loses_less_than_with_cubic_when_it_goes_on() {
    let [cubic, onramp] = ["none", "onramp"].map(|startup| {
        let startup = format!("startup = \"{startup}\"\n");
        let writes = "write = \"200 kB\"\nwrite_every = \"5 s\"\n";
        let record = record("600 kB", "", &format!("{startup}{writes}"));
        let completion_s = record.completion_s.unwrap();
        assert!((10.2..10.5).contains(&completion_s), "{completion_s}");
        record.retransmitted_segments
    });
    assert!(onramp < cubic, "{onramp} {cubic}");
}

/// The head of a response leaves alone: its ACK is no part of the train that shows the path's rate.
#[test]
fn a_head_that_leaves_ahead_of_the_data_is_not_taken_for_a_slow_path() {
    for pause in ["2 ms", "10 ms"] {
        let writes = format!("write = [\"1 kB\", \"1 MB\"]\nwrite_every = \"{pause}\"\n");
        let record = record("1 MB", "", &format!("startup = \"onramp\"\n{writes}"));
        let estimate = record.estimate_bytes_per_s.expect("the rate is measured");
        let share = estimate as f64 / record.capacity_bytes_per_s as f64;
        assert!((0.95..1.05).contains(&share), "{pause}: {share}");
    }
}

#[test]
fn the_rate_of_an_application_is_not_taken_for_that_of_the_path() {
    // 1.6 Mbit/s on a path of 10 Mbit/s.
    let writes = "startup = \"onramp\"\nwrite = \"2 kB\"\nwrite_every = \"10 ms\"\n";
    let record = record("200 kB", "", writes);
    let estimate = record.estimate_bytes_per_s;
    assert!(
        estimate.is_none_or(|estimate| estimate > 600_000),
        "{estimate:?}"
    );
}

#[test]
fn a_thousand_connections_at_once_are_all_served() {
    let path = "rate = \"1 Gbit/s\"\nrtt = \"40 ms\"\nqueue = \"1 bdp\"\n";
    let table = "[[transfer]]\nsize = \"20 kB\"\ntransport = \"quic\"\nstartup = \"onramp\"\n\
                 count = 1000\n";
    let outcome = outcome(&cases(path, table)[0]);
    assert_eq!(outcome.records.len(), 1000);
    assert!(outcome.records.iter().all(|record| record.finished));
    let slowest_s = outcome
        .records
        .iter()
        .filter_map(|record| record.completion_s);
    let slowest_s = slowest_s.fold(0.0, f64::max);
    assert!(slowest_s < 2.0, "{slowest_s}");
}

#[test]
fn traffic_of_tcp_shares_the_path() {
    let traffic = "[[traffic]]\nkind = \"transfer\"\nlead = \"5 s\"\n";
    let record = record("5 MB", "", &format!("startup = \"onramp\"\n{traffic}"));
    let capacity = record.capacity_bytes_per_s as f64;
    let before = record.traffic_before_bytes_per_s.unwrap() / capacity;
    let during = record.traffic_during_bytes_per_s.unwrap() / capacity;
    assert!(
        before > 0.9 && during > 0.1 && during < before,
        "{before} {during}"
    );
}

#[test]
fn a_narrow_return_path_and_aggregated_acks_only_slow_it_down() {
    let narrow = "[path.reverse]\nrate = \"500 kbit/s\"\n";
    let aggregated = "[path.reverse]\naggregate = \"4 ms\"\n";
    for path in [narrow, aggregated] {
        let record = record("2 MB", path, "startup = \"onramp\"\n");
        assert!(record.excess_rtts.unwrap() < 6.0, "{record:?}");
    }
}

/// The pacer may ask to be called again in less than a nanosecond. Time has to pass all the same.
#[test]
fn a_paced_sender_never_waits_for_no_time() {
    let path = "jitter = \"5 ms\"\n[path.reverse]\njitter = \"5 ms\"\n";
    for run in 0..4 {
        let rate = format!(
            "rate = \"{} Mbit/s\"\nrtt = \"100 ms\"\nqueue = \"1 bdp\"\n",
            50 << run
        );
        let table = "[[transfer]]\nsize = \"1 MB\"\ntransport = \"quic\"\n\
                     startup = \"onramp\"\nrepeat = 3\n";
        for case in cases(&format!("{rate}{path}"), &format!("{LARGE_BUFFER}{table}")) {
            let counters = outcome(&case).counters;
            assert!(counters.events < 20 * counters.packets, "{counters:?}");
        }
    }
}

/// An encrypted packet does not show what it acknowledges.
#[test]
fn an_ack_filter_lets_acks_pass() {
    let narrow = "[path.reverse]\nrate = \"50 kbit/s\"\nqueue = \"20 packets\"\n";
    let filtered = format!("{narrow}ack_filter = true\n");
    let [plain, filtered] = [narrow, &filtered].map(|path| download("2 MB", path, ""));
    assert!(
        plain.links[1].dropped.packets > 0,
        "the return path is full"
    );
    assert_eq!(plain.links, filtered.links);
}

#[test]
fn queues_mark_its_packets_where_the_case_has_ecn() {
    let codel = "discipline = \"codel\"\necn = true\n";
    let transfer = "startup = \"none\"\n";
    let marked = record("5 MB", codel, &format!("{transfer}ecn = true\n"));
    assert!(marked.marked_packets > 0);
    let plain = record("5 MB", codel, transfer);
    assert_eq!(plain.marked_packets, 0);
    assert!(plain.dropped_packets > 0);
}

#[test]
fn datagrams_fill_the_packets_of_the_path() {
    for (path, transfer, max_payload_bytes) in [
        ("", "", 1440),
        ("", "ip = \"v6\"\n", 1420),
        ("mtu = \"9000 B\"\n", "", 8940),
        ("", "segment = \"1300 B\"\n", 1240),
    ] {
        let outcome = download("1 MB", path, transfer);
        let forward = outcome.links[0].delivered;
        let least = 1_000_000 / max_payload_bytes;
        // Two packets of the handshake, ACKs of the request and the end.
        assert!(
            (least..least + 10).contains(&forward.packets),
            "{forward:?}"
        );
    }
}

#[test]
fn the_receive_buffer_is_the_window_of_flow_control() {
    let table = "[receiver]\nbuffer = \"32 KiB\"\n\
                 [[transfer]]\nsize = \"1 MB\"\ntransport = \"quic\"\n";
    let record = outcome(&cases(PATH, table)[0]).records.remove(0);
    let rate = 1e6 / (record.completion_s.unwrap() - 0.08);
    let limit = 32.0 * 1024.0 / 0.04;
    assert!((0.5 * limit..limit).contains(&rate), "{rate} of {limit}");
}

#[test]
fn later_copies_remember_what_earlier_ones_measured() {
    let keys = "startup = \"onramp\"\nmemory = \"careful\"\ncount = 2\nspacing = \"20 s\"\n";
    let path = "rate = \"50 Mbit/s\"\nrtt = \"200 ms\"\nqueue = \"1 bdp\"\n";
    let table = format!("[[transfer]]\nsize = \"5 MB\"\ntransport = \"quic\"\n{keys}");
    let records = outcome(&cases(path, &format!("{LARGE_BUFFER}{table}"))[0]).records;
    assert_eq!(records[0].remembered_bytes, None);
    // 50 Mbit/s for 200 ms, as UDP payload.
    let remembered_bytes = records[1].remembered_bytes.unwrap();
    assert!(
        (1_150_000..1_250_000).contains(&remembered_bytes),
        "{remembered_bytes}"
    );
}

#[test]
fn keys_of_a_tcp_are_refused_with_what_is_supported() {
    let refused = |path: &str, keys: &str| {
        let table = format!("[[transfer]]\nsize = \"1 B\"\ntransport = \"quic\"\n{keys}");
        let case = cases(&format!("{PATH}{path}"), &table).remove(0);
        supports(&case).unwrap_err().to_string()
    };
    let refusals = [
        ("", "stack = \"lite\"\n"),
        ("", "recovery = \"newreno\"\n"),
        ("", "clock = \"1 ms\"\n"),
        ("", "avoidance = \"vegas\"\n"),
        ("", "startup = \"onramp\"\navoidance = \"reno\"\n"),
        ("", "startup = \"pair\"\n"),
        ("", "startup = \"qos\"\nqos_rate = \"1 Mbit/s\"\n"),
        ("", "connections = 2\n"),
        ("", "connect = \"sender\"\n"),
        ("", "initial_ssthresh = \"20 kB\"\n"),
        ("mtu = \"1000 B\"\n", ""),
    ];
    let table: Vec<String> = refusals.map(|(path, keys)| refused(path, keys)).into();
    insta::assert_snapshot!(table.join("\n"));
}
