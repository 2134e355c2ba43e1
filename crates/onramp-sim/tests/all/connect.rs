//! Which end connects: the receiver, which then sends a request, or the sender, which sends without
//! a request.

use onramp_scenario::Case;
use onramp_sim::observe::{Direction, DropReason, Observer, PacketEvent};
use onramp_sim::{run, run_observed, Options, Outcome};
use onramp_tcp::Flags;

fn case(text: &str) -> Case {
    let text = format!("name = \"test\"\n{text}");
    onramp_scenario::parse("test.toml", &text)
        .expect("the scenario is right")
        .cases
        .remove(0)
}

fn simulate(case: &Case) -> Outcome {
    run(case, &Options::default()).expect("the case can be simulated")
}

/// For each packet sent: flow, time in ns, direction, flags and payload bytes. For each packet
/// dropped: its flags.
#[derive(Default)]
struct Log {
    sent: Vec<(u32, u64, Direction, Flags, u32)>,
    lost: Vec<Flags>,
}

impl Observer for Log {
    fn sent(&mut self, packet: &PacketEvent<'_>) {
        let PacketEvent {
            flow,
            time_ns,
            direction,
            segment,
            ..
        } = *packet;
        self.sent.push((
            flow,
            time_ns,
            direction,
            segment.flags,
            segment.payload_bytes,
        ));
    }

    fn dropped(&mut self, _link: u32, _why: DropReason, packet: &PacketEvent<'_>) {
        self.lost.push(packet.segment.flags);
    }
}

fn logged(case: &Case) -> (Outcome, Log) {
    run_observed(case, &Options::default(), Log::default()).expect("the case can be simulated")
}

/// A rate at which serialisation is negligible: one byte takes 0.08 ns.
const FAST: &str = "[path]\nrate = \"100 Gbit/s\"\nrtt = \"60 ms\"\nqueue = \"1000 packets\"\n";
const CLEAN: &str = "[path]\nrate = \"12 Mbit/s\"\nrtt = \"100 ms\"\nqueue = \"100 packets\"\n";

/// Aron & Druschel (1998), figure 5: on a path of 60 ms the handshake ends 60 ms after the start.
#[test]
fn a_connecting_sender_sends_data_after_one_round_trip() {
    let (_, log) = logged(&case(&format!(
        "{FAST}[[transfer]]\nsize = \"10 kB\"\nconnect = \"sender\"\n"
    )));
    let ms = |ns: u64| (ns as f64 / 1e4).round() / 100.0;
    let first: Vec<_> = log.sent[..4]
        .iter()
        .map(|(_, ns, direction, flags, bytes)| (ms(*ns), *direction, *flags, *bytes))
        .collect();
    let wanted = [
        (0.0, Direction::Data, Flags::SYN, 0),
        (30.0, Direction::Ack, Flags::SYN.with(Flags::ACK), 0),
        (60.0, Direction::Data, Flags::ACK, 0),
        (60.0, Direction::Data, Flags::ACK, 1448),
    ];
    assert_eq!(first, wanted);
}

/// The window of the SYN-ACK is not scaled (RFC 7323, section 2.2): 40 segments fit into its 64 KB.
#[test]
fn with_a_large_initial_window_a_clean_path_meets_the_bound() {
    let transfer = "[[transfer]]\nsize = \"57920 B\"\nconnect = \"sender\"\n\
        initial_window = \"40 segments\"\nstartup = \"none\"\n";
    let record = simulate(&case(&format!(
        "{CLEAN}[receiver]\nbuffer = \"1 MB\"\n{transfer}"
    )))
    .records
    .remove(0);
    assert_eq!(record.bound_s, 0.15 + 60_000.0 * 8.0 / 12e6);
    // SYN and SYN-ACK have 60 bytes each, and the last segment of the handshake has 52.
    let beyond_s = record.completion_s.unwrap() - record.bound_s;
    assert!((beyond_s - 172.0 * 8.0 / 12e6).abs() < 1e-6, "{beyond_s}");
    assert_eq!(
        (record.application.as_str(), record.start_s),
        ("unasked (sender connects)", 0.0)
    );
}

/// The first timeout of a SYN is one second. Everything else is as if the transfer had started
/// then.
#[test]
fn a_lost_syn_delays_the_transfer_by_its_timeout() {
    let transfer =
        "loss = \"30 %\"\n[[transfer]]\nsize = \"1000 B\"\nconnect = \"sender\"\nrepeat = 40\n";
    let scenario = format!("name = \"test\"\n{FAST}{transfer}");
    let cases = onramp_scenario::parse("test.toml", &scenario)
        .unwrap()
        .cases;
    let lost_syn = cases
        .iter()
        .map(logged)
        .find(|(_, log)| log.lost == [Flags::SYN]);
    let (outcome, log) = lost_syn.expect("one of them loses the first SYN and nothing else");
    let completion_s = outcome.records[0].completion_s.unwrap();
    assert!((completion_s - 1.09).abs() < 1e-5, "{completion_s}");
    assert_eq!(
        log.sent
            .iter()
            .filter(|(.., flags, _)| *flags == Flags::SYN)
            .count(),
        2
    );
}

#[test]
fn a_receiver_that_does_not_connect_sends_no_request() {
    let request_bytes = |connect: &str| {
        let (_, log) = logged(&case(&format!(
            "{CLEAN}[[transfer]]\nsize = \"10 kB\"\nconnect = \"{connect}\"\n"
        )));
        log.sent
            .iter()
            .filter(|(_, _, direction, ..)| *direction == Direction::Ack)
            .map(|(.., bytes)| bytes)
            .sum::<u32>()
    };
    assert_eq!((request_bytes("receiver"), request_bytes("sender")), (8, 0));
}

#[test]
fn applications_start_to_write_after_the_handshake_of_their_copy() {
    let copies = "count = 3\nspacing = \"1 s\"\nwrite = \"1000 B\"\nwrite_every = \"200 ms\"\n";
    let (outcome, log) = logged(&case(&format!(
        "{FAST}[[transfer]]\nsize = \"3000 B\"\nconnect = \"sender\"\n{copies}"
    )));
    for (copy, record) in (0..).zip(&outcome.records) {
        let completion_s = record.completion_s.unwrap();
        assert!(
            (completion_s - (0.06 + 0.4 + 0.03)).abs() < 1e-5,
            "{completion_s}"
        );
        assert_eq!(
            (record.start_s, record.delivered_bytes),
            (f64::from(copy), 3000)
        );
        assert_eq!(
            record.application,
            "1 kB every 200 ms, unasked (sender connects)"
        );
    }
    assert_eq!(
        log.sent.iter().filter(|(.., bytes)| *bytes == 1000).count(),
        9
    );
}

#[test]
fn the_connect_key_also_applies_to_traffic() {
    let traffic =
        "[[traffic]]\nsize = \"10 kB\"\nconnect = \"sender\"\nmeasured = true\nstart = \"0 s\"\n";
    let (outcome, log) = logged(&case(&format!(
        "{FAST}{traffic}[[transfer]]\nsize = \"10 kB\"\nstart = \"1 s\"\n"
    )));
    let opens: Vec<_> = log
        .sent
        .iter()
        .filter(|(.., flags, _)| *flags == Flags::SYN)
        .map(|(flow, _, direction, ..)| (*flow, *direction))
        .collect();
    assert_eq!(opens, [(0, Direction::Data), (1, Direction::Ack)]);
    let applications: Vec<_> = outcome
        .records
        .iter()
        .map(|record| (record.application.as_str(), (record.bound_s * 1e3).round()))
        .collect();
    assert_eq!(
        applications,
        [("", 120.0), ("unasked (sender connects)", 90.0)]
    );
}

#[test]
fn a_sender_without_replies_times_out() {
    let mut case = case(&format!(
        "{FAST}[[transfer]]\nsize = \"10 kB\"\nconnect = \"sender\"\n"
    ));
    let mut network = (*case.network).clone();
    network.links[0].forward.loss_ppm = 1_000_000;
    case.network = network.into();
    let outcome = simulate(&case);
    assert_eq!(outcome.failures, [(0, onramp_tcp::Failure::TimedOut)]);
    assert_eq!(outcome.counters.active_flows, 0);
}
