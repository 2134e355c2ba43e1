//! What shares the network with the transfer, and applications that are no bulk transfers.

use onramp_scenario::{Avoidance, Case};
use onramp_sim::{run, supports, Options, Outcome};

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

const PATH: &str = "[path]\nrate = \"12 Mbit/s\"\nrtt = \"40 ms\"\nqueue = \"100 packets\"\n";

#[test]
fn a_rival_is_measured_before_and_during_the_transfer() {
    let rival = "[[traffic]]\nstartup = \"none\"\navoidance = \"cubic\"\nlead = \"5 s\"\n";
    let record = simulate(&case(&format!(
        "{PATH}{rival}[[transfer]]\nsize = \"2 MB\"\n"
    )))
    .records
    .remove(0);
    let payload_bytes_per_s = 1_500_000.0 * 1448.0 / 1500.0;
    let (before, during) = (
        record.traffic_before_bytes_per_s.unwrap(),
        record.traffic_during_bytes_per_s.unwrap(),
    );
    assert!(
        (0.95..1.001).contains(&(before / payload_bytes_per_s)),
        "{before}"
    );
    assert!(during < 0.98 * before, "{during} of {before}");
}

#[test]
fn without_traffic_there_is_nothing_to_measure_of_it() {
    let record = simulate(&case(&format!("{PATH}[[transfer]]\nsize = \"10 kB\"\n")))
        .records
        .remove(0);
    assert_eq!(
        (
            record.traffic_before_bytes_per_s,
            record.traffic_during_bytes_per_s
        ),
        (None, None)
    );
}

#[test]
fn measured_arrivals_have_records_after_the_transfer_s() {
    let traffic = "[[traffic]]\nsize = [\"10 kB\", \"30 kB\"]\ncount = 40\narrivals = \"20/s\"\nmeasured = true\nstart = \"0 s\"\n";
    let records = simulate(&case(&format!(
        "{PATH}{traffic}[[transfer]]\nsize = \"200 kB\"\n"
    )))
    .records;
    assert_eq!(records.len(), 41);
    assert!(records.iter().all(|record| record.finished));
    assert_eq!(
        (records[0].role.as_str(), records[0].size_bytes),
        ("transfer", 200_000)
    );
    let traffic = &records[1..];
    assert!(traffic
        .iter()
        .all(|record| record.role == "traffic" && [10_000, 30_000].contains(&record.size_bytes)));
    assert!(traffic.is_sorted_by_key(|record| record.start_s));
    assert!(records.iter().map(|record| record.flow).eq(1..=41));
    // 40 arrivals at 20 a second: 2 s, give or take three deviations of a sum of 40 exponentials.
    let last_s = traffic[39].start_s;
    assert!((1.05..2.95).contains(&last_s), "{last_s}");
}

#[test]
fn datagrams_take_their_share_of_the_link() {
    let constant = "[[traffic]]\nkind = \"constant\"\nrate = \"6 Mbit/s\"\npacket = \"1500 B\"\nlead = \"1 s\"\n";
    let record = simulate(&case(&format!(
        "{PATH}{constant}[[transfer]]\nsize = \"3 MB\"\n"
    )))
    .records
    .remove(0);
    let alone = simulate(&case(&format!("{PATH}[[transfer]]\nsize = \"3 MB\"\n")))
        .records
        .remove(0);
    // 1472 of 1500 bytes are payload of a datagram.
    let before = record.traffic_before_bytes_per_s.unwrap();
    assert!(
        (before - 750_000.0 * 1472.0 / 1500.0).abs() < 2_000.0,
        "{before}"
    );
    let ratio = record.completion_s.unwrap() / alone.completion_s.unwrap();
    assert!((1.6..2.6).contains(&ratio), "{ratio}");
}

#[test]
fn an_application_that_writes_now_and_then_sets_the_pace() {
    let transfer = "[[transfer]]\nsize = \"100 kB\"\nwrite = \"10 kB\"\nwrite_every = \"500 ms\"\n";
    let record = simulate(&case(&format!("{PATH}{transfer}")))
        .records
        .remove(0);
    // The tenth write is 4.5 s after the first, which follows the request.
    let completion_s = record.completion_s.unwrap();
    assert!((4.58..4.61).contains(&completion_s), "{completion_s}");
}

#[test]
fn what_the_simulator_does_not_have_is_refused_by_its_key() {
    let mut case = case(&format!("{PATH}[[transfer]]\nsize = \"10 kB\"\n"));
    assert_eq!(supports(&case), Ok(()));
    case.transfer.avoidance = Avoidance::Bbr;
    let error = supports(&case).unwrap_err();
    assert_eq!(
        (error.key.as_str(), error.asked.as_str()),
        ("transfer.avoidance", "bbr")
    );
    assert!(error.to_string().contains("onramp lab"));
    assert!(run(&case, &Options::default()).is_err());
}

#[test]
fn a_stopped_run_is_an_error() {
    let case = case(&format!("{PATH}[[transfer]]\nsize = \"100 MB\"\n"));
    let options = Options::default();
    options
        .stop
        .store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(
        run(&case, &options).unwrap_err(),
        onramp_sim::Error::Stopped
    );
}

#[test]
fn flows_that_have_ended_leave_neither_state_nor_packets() {
    let traffic = "[[traffic]]\nsize = \"20 kB\"\ncount = 10\nlead = \"0 s\"\n";
    let counters = simulate(&case(&format!(
        "{PATH}{traffic}[[transfer]]\nsize = \"10 kB\"\n"
    )))
    .counters;
    assert_eq!(
        (
            counters.flows,
            counters.active_flows,
            counters.packets_in_flight
        ),
        (11, 0, 0)
    );
}

#[test]
fn a_transfer_that_nobody_answers_gives_up_and_ends_the_run() {
    let constant = "[[traffic]]\nkind = \"constant\"\nrate = \"100 kbit/s\"\n";
    let mut case = case(&format!("{PATH}{constant}[[transfer]]\nsize = \"10 kB\"\n"));
    let mut network = (*case.network).clone();
    network.links[0].forward.loss_ppm = 1_000_000;
    case.network = network.into();
    let outcome = simulate(&case);
    let record = &outcome.records[0];
    assert!(
        !record.finished && record.delivered_bytes == 0,
        "{record:?}"
    );
    assert_eq!(outcome.failures, [(0, onramp_tcp::Failure::TimedOut)]);
    // Linux sends a SYN seven times, each after twice the time, from one second on.
    let end_s = outcome.counters.end_ns / 1_000_000_000;
    assert!((60..300).contains(&end_s), "{end_s} s");
}

#[test]
fn a_send_buffer_smaller_than_a_segment_is_used_as_it_is() {
    let path =
        "[path]\nrate = \"12 Mbit/s\"\nrtt = \"4 ms\"\nmtu = \"9000 B\"\nqueue = \"100 packets\"\n";
    let case = case(&format!(
        "{path}[sender]\nbuffer = \"4 KiB\"\n[run]\nduration = \"60 s\"\n[[transfer]]\nsize = \"50 kB\"\n"
    ));
    let record = simulate(&case).records.remove(0);
    assert!(record.finished, "{record:?}");
}

/// 100 kB beside a stream without end, and whatever else.
fn beside_a_stream(traffic: &str) -> Outcome {
    let stream = "[[traffic]]\nkind = \"constant\"\nrate = \"100 kbit/s\"\n";
    simulate(&case(&format!(
        "{PATH}{traffic}{stream}[[transfer]]\nsize = \"100 kB\"\nstartup = \"none\"\n"
    )))
}

#[test]
fn a_run_ends_with_the_last_of_arrivals_that_have_but_a_stop() {
    let outcome = beside_a_stream(
        "[[traffic]]\nsize = \"10 kB\"\narrivals = \"5 /s\"\nmeasured = true\nstart = \"0 s\"\nstop = \"3 s\"\n",
    );
    let arrived = outcome.records.len() - 1;
    assert!((5..30).contains(&arrived), "{arrived}");
    assert!(
        outcome.counters.end_ns < 10_000_000_000,
        "{}",
        outcome.counters.end_ns
    );
}

#[test]
fn a_run_ends_when_stop_comes_before_all_have_started() {
    let outcome = beside_a_stream(
        "[[traffic]]\nsize = \"10 kB\"\ncount = 1000\narrivals = \"5 /s\"\nmeasured = true\nstart = \"0 s\"\nstop = \"3 s\"\n",
    );
    assert!(outcome.records.len() < 40 && outcome.counters.end_ns < 10_000_000_000);
    let outcome = beside_a_stream(
        "[[traffic]]\nsize = \"10 kB\"\ncount = 5\narrivals = \"0.001 /s\"\nmeasured = true\nstart = \"0 s\"\nstop = \"3 s\"\n",
    );
    assert_eq!(outcome.records.len(), 1);
}

#[test]
fn a_run_ends_though_a_peer_never_learns_that_the_other_is_gone() {
    // After three seconds nothing arrives any more: the sender gives up, and the receiver has
    // nothing to send.
    let stream = "[[traffic]]\nkind = \"constant\"\nrate = \"100 kbit/s\"\n";
    let mut case = case(&format!("{PATH}{stream}[[transfer]]\nsize = \"100 MB\"\n"));
    let mut network = (*case.network).clone();
    network.links[0].forward.changes = [onramp_scenario::ChannelChange {
        at_ns: 8_000_000_000,
        rate_bits_per_s: None,
        delay_ns: Some(10_000_000_000_000),
        loss_ppm: None,
    }]
    .into();
    case.network = network.into();
    let outcome = simulate(&case);
    let record = &outcome.records[0];
    assert!(
        !record.finished && record.delivered_bytes > 1_000_000,
        "{record:?} {:?}",
        outcome.counters
    );
    assert_eq!(outcome.failures, [(0, onramp_tcp::Failure::TimedOut)]);
    assert!(
        outcome.counters.end_ns < 3_000_000_000_000,
        "{}",
        outcome.counters.end_ns
    );
}

#[test]
fn a_rate_before_the_transfer_counts_only_time_with_traffic() {
    // 20 round trips are 0.8 s; the stream runs for 0.2 s before the transfer, and stops 0.2 s
    // after its start.
    let stream = "[[traffic]]\nkind = \"constant\"\nrate = \"6 Mbit/s\"\nlead = \"200 ms\"\nstop = \"1.2 s\"\n";
    let record = simulate(&case(&format!(
        "{PATH}{stream}[[transfer]]\nsize = \"10 kB\"\nstart = \"1 s\"\n"
    )))
    .records
    .remove(0);
    let payload_bytes_per_s = 750_000.0 * 1472.0 / 1500.0;
    let (before, during) = (
        record.traffic_before_bytes_per_s.unwrap(),
        record.traffic_during_bytes_per_s.unwrap(),
    );
    // The first packets take 21 ms to arrive, and those that are under way at the stop do not
    // count.
    assert!(
        (0.88..0.91).contains(&(before / payload_bytes_per_s)),
        "{before}"
    );
    assert!(
        (0.97..1.12).contains(&(during / payload_bytes_per_s)),
        "{during}"
    );
}

#[test]
fn what_happens_after_the_last_measured_transfer_is_not_in_its_record() {
    let burst = "[[traffic]]\nkind = \"constant\"\nrate = \"40 Mbit/s\"\nstart = \"1.4 s\"\n";
    let outcome = simulate(&case(&format!(
        "{PATH}{burst}[[transfer]]\nsize = \"10 kB\"\nstart = \"1 s\"\n"
    )));
    let record = &outcome.records[0];
    assert!(
        outcome.links[0].dropped.packets > 100,
        "the burst floods the queue while the meter runs"
    );
    assert_eq!(record.dropped_packets, 0);
    assert!(record.peak_queue_bdp < 0.2, "{}", record.peak_queue_bdp);
}

#[test]
fn the_meter_keeps_a_run_for_a_minute_at_most() {
    let path = "[path]\nrate = \"10 Mbit/s\"\nrtt = \"60 s\"\nqueue = \"100 packets\"\n";
    let stream = "[[traffic]]\nkind = \"constant\"\nrate = \"10 kbit/s\"\nlead = \"60 s\"\n";
    let outcome = simulate(&case(&format!(
        "{path}{stream}[[transfer]]\nsize = \"10 kB\"\n"
    )));
    let over_s = outcome.records[0].start_s + outcome.records[0].completion_s.unwrap();
    let end_s = outcome.counters.end_ns as f64 / 1e9;
    assert!((over_s..=over_s + 60.0).contains(&end_s), "{end_s} s");
    let during = outcome.records[0].traffic_during_bytes_per_s.unwrap();
    assert!((during - 1250.0 * 1472.0 / 1500.0).abs() < 20.0, "{during}");
}
