use super::*;
use onramp_scenario::{Case, Connections, Dscp, TokenBucket, TrafficKind, Transport};

fn case() -> Case {
    let text =
        "name = \"x\"\n[path]\nrate = \"50 Mbit/s\"\nrtt = \"600 ms\"\nqueue = \"0.4 bdp\"\n\
                [receiver]\nbuffer = \"64 MiB\"\n[[transfer]]\nsize = \"1448 B\"\n\
                startup = \"paced\"\n";
    onramp_scenario::parse("x.toml", text)
        .unwrap()
        .cases
        .remove(0)
}

#[test]
fn a_record_has_the_words_of_its_scenario() {
    let record = Record::of_case(&case(), "sim");
    assert_eq!((record.rate_bits_per_s, record.rtt_ms), (50_000_000, 600.0));
    assert_eq!(
        (record.queue.as_str(), record.receiver_buffer.as_str()),
        ("0.4 bdp", "64 MiB")
    );
    assert_eq!(
        (record.startup.as_str(), record.avoidance.as_str()),
        ("paced", "cubic")
    );
    assert_eq!(
        (record.initial_window.as_str(), record.exit_reason.as_str()),
        ("host", "unfinished")
    );
}

#[test]
fn the_bound_counts_headers() {
    let mut case = case();
    assert_eq!(
        Record::of_case(&case, "sim").bound_s,
        1.2 + 1500.0 * 8.0 / 50e6
    );
    assert_eq!(
        Record::of_case(&case, "sim").capacity_bytes_per_s,
        6_250_000 * 1448 / 1500
    );
    case.transfer.size_bytes = 2 * 1460;
    case.receiver.timestamps = false;
    assert_eq!(
        Record::of_case(&case, "sim").bound_s,
        1.2 + 3000.0 * 8.0 / 50e6
    );
}

#[test]
fn the_record_of_quic_has_its_headers_and_no_words_of_a_tcp() {
    let mut case = case();
    case.transfer.transport = Transport::Quic;
    case.transfer.size_bytes = 2 * 1440;
    let record = Record::of_case(&case, "sim");
    assert_eq!(record.bound_s, 1.2 + 3000.0 * 8.0 / 50e6);
    assert_eq!(record.capacity_bytes_per_s, 6_250_000 * 1440 / 1500);
    assert_eq!(record.algorithms(), "paced + cubic, QUIC");
    let words = [
        record.transport,
        record.stack,
        record.recovery,
        record.timers,
    ];
    assert_eq!(words.join("/"), "quic/noq//");
}

#[test]
fn the_capacity_of_a_path_is_the_minimum_of_its_rates() {
    let mut case = case();
    let bucket = |rate_bits_per_s| {
        Some(TokenBucket {
            rate_bits_per_s,
            burst_bytes: 3_000,
        })
    };
    (case.path.forward.shaper, case.path.forward.policer) =
        (bucket(30_000_000), bucket(60_000_000));
    let record = Record::of_case(&case, "sim");
    assert_eq!(
        (record.rate_bits_per_s, record.capacity_bits_per_s),
        (50_000_000, 30_000_000)
    );
    assert_eq!(record.path, "shaper 30 Mbit/s 3 kB, policer 60 Mbit/s 3 kB");
}

#[test]
fn an_expedited_flow_has_its_guaranteed_rate_and_no_more() {
    let mut case = case();
    case.path.forward.expedited = Some(TokenBucket {
        rate_bits_per_s: 1_000_000,
        burst_bytes: 3_000,
    });
    case.transfer.size_bytes = 1448 * 10;
    let best_effort = Record::of_case(&case, "sim");
    assert_eq!(best_effort.capacity_bits_per_s, 50_000_000);
    assert_eq!(
        (best_effort.algorithms().as_str(), best_effort.path.as_str()),
        ("paced + cubic", "EF 1 Mbit/s 3 kB")
    );
    case.transfer.dscp = Dscp::Ef;
    let of = |case: &Case| {
        let record = Record::of_case(case, "sim");
        (
            record.algorithms(),
            record.capacity_bits_per_s,
            record.bound_s,
        )
    };
    assert_eq!(
        of(&case),
        (
            "paced + cubic, EF".to_owned(),
            1_000_000,
            1.2 + 12_000.0 * 8.0 / 1e6
        )
    );
    // Each connection is a flow of its own.
    case.transfer.connections = Connections::Fixed(3);
    let three = "paced + cubic, EF, 3 connections".to_owned();
    assert_eq!(of(&case), (three, 3_000_000, 1.2 + 6_000.0 * 8.0 / 3e6));
}

#[test]
fn excess_is_counted_in_round_trips() {
    let mut record = Record::of_case(&case(), "sim");
    record.complete(record.bound_s + 1.5);
    assert!((record.excess_rtts.unwrap() - 2.5).abs() < 1e-12);
    assert_eq!(
        (record.finished, record.completion_s),
        (true, Some(record.bound_s + 1.5))
    );
    assert_eq!(record.delivered_bytes, 1448);
}

#[test]
fn copies_and_traffic_have_records_of_their_own_route() {
    let text = "name = \"x\"\n[[node]]\nname = \"a\"\n[[node]]\nname = \"b\"\n[[node]]\n\
                name = \"c\"\n\
                [[link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mbit/s\"\ndelay = \"10 ms\"\n\
                [[link]]\nfrom = \"b\"\nto = \"c\"\nrate = \"2 Mbit/s\"\ndelay = \"10 ms\"\n\
                [[transfer]]\nsize = \"1 kB\"\nstack = \"lite\"\nfrom = [\"a\", \"b\"]\n\
                to = \"c\"\ncount = 2\n\
                start = \"1 s\"\nspacing = \"2 s\"\n\
                [[traffic]]\nsize = \"5 kB\"\nfrom = \"c\"\nto = \"b\"\nmeasured = true\n";
    let case = onramp_scenario::parse("x.toml", text)
        .unwrap()
        .cases
        .remove(0);
    let (first, second) = (
        Record::of_copy(&case, "sim", 0),
        Record::of_copy(&case, "sim", 1),
    );
    assert_eq!(first, Record::of_case(&case, "sim"));
    assert_eq!(
        (first.rate_bits_per_s, first.rtt_ms, first.start_s),
        (1_000_000, 40.0, 5.0)
    );
    assert_eq!(
        (second.rate_bits_per_s, second.rtt_ms, second.start_s),
        (2_000_000, 20.0, 7.0)
    );
    assert_eq!(
        (
            second.flow,
            second.recovery.as_str(),
            second.timers.as_str()
        ),
        (2, "reno", "bsd")
    );
    let TrafficKind::Transfers(transfers) = &case.traffic[0].kind else {
        panic!()
    };
    let traffic = Record::of_traffic(&case, "sim", &case.traffic[0], transfers, 5_000, 3);
    assert_eq!(
        (traffic.case, traffic.beside.as_str(), traffic.beside_bytes),
        (1, "reno, lite", Some(1_000))
    );
    assert_eq!(
        (traffic.role.as_str(), traffic.rtt_ms, traffic.size_bytes),
        ("traffic", 20.0, 5_000)
    );
    assert_eq!(
        (traffic.stack.as_str(), traffic.exit_reason.as_str()),
        ("linux", "none")
    );
}
