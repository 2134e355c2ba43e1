//! Background traffic, and applications that do not send all data at once.

use onramp_scenario::Case;
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
fn a_competing_flow_is_measured_before_and_during_the_transfer() {
    let competing = "[[traffic]]\nstartup = \"none\"\navoidance = \"cubic\"\nlead = \"5 s\"\n";
    let record = simulate(&case(&format!(
        "{PATH}{competing}[[transfer]]\nsize = \"2 MB\"\n"
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
fn without_traffic_no_traffic_rate_is_recorded() {
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
fn records_of_measured_traffic_follow_that_of_the_transfer() {
    let traffic = "[[traffic]]\nsize = [\"10 kB\", \"30 kB\"]\ncount = 40\narrivals = \"20/s\"\n\
        measured = true\nstart = \"0 s\"\n";
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
    // 40 arrivals at 20 per second take 2 s, within three standard deviations of a sum of 40
    // exponential intervals.
    let last_s = traffic[39].start_s;
    assert!((1.05..2.95).contains(&last_s), "{last_s}");
}

#[test]
fn datagrams_take_their_rate_from_the_transfer() {
    let constant = "[[traffic]]\nkind = \"constant\"\nrate = \"6 Mbit/s\"\npacket = \"1500 B\"\n\
        lead = \"1 s\"\n";
    let record = simulate(&case(&format!(
        "{PATH}{constant}[[transfer]]\nsize = \"3 MB\"\n"
    )))
    .records
    .remove(0);
    let alone = simulate(&case(&format!("{PATH}[[transfer]]\nsize = \"3 MB\"\n")))
        .records
        .remove(0);
    // A datagram has 1472 bytes of payload in 1500.
    let before = record.traffic_before_bytes_per_s.unwrap();
    assert!(
        (before - 750_000.0 * 1472.0 / 1500.0).abs() < 2_000.0,
        "{before}"
    );
    let ratio = record.completion_s.unwrap() / alone.completion_s.unwrap();
    assert!((1.6..2.6).contains(&ratio), "{ratio}");
}

#[test]
fn an_application_that_pauses_determines_the_completion_time() {
    let transfer = "[[transfer]]\nsize = \"100 kB\"\nwrite = \"10 kB\"\nwrite_every = \"500 ms\"\n";
    let record = simulate(&case(&format!("{PATH}{transfer}")))
        .records
        .remove(0);
    // The tenth write is 4.5 s after the first, which follows the request.
    let completion_s = record.completion_s.unwrap();
    assert!((4.58..4.61).contains(&completion_s), "{completion_s}");
}

#[test]
fn an_unsupported_feature_is_rejected_with_its_key() {
    let mut case = case(&format!("{PATH}[[transfer]]\nsize = \"10 kB\"\n"));
    assert_eq!(supports(&case), Ok(()));
    case.transfer.startup = "fast".to_owned();
    let error = supports(&case).unwrap_err();
    assert_eq!(
        (error.key.as_str(), error.asked.as_str()),
        ("transfer.startup", "fast")
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
fn ended_flows_leave_no_state_and_no_packets() {
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
fn a_transfer_without_replies_times_out_and_ends_the_run() {
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
    // Linux sends a SYN seven times. The intervals double, from one second on.
    let end_s = outcome.counters.end_ns / 1_000_000_000;
    assert!((60..300).contains(&end_s), "{end_s} s");
}

#[test]
fn a_transfer_completes_with_a_send_buffer_smaller_than_a_segment() {
    let path =
        "[path]\nrate = \"12 Mbit/s\"\nrtt = \"4 ms\"\nmtu = \"9000 B\"\nqueue = \"100 packets\"\n";
    let case = case(&format!(
        "{path}[sender]\nbuffer = \"4 KiB\"\n[run]\nduration = \"60 s\"\n[[transfer]]\n\
            size = \"50 kB\"\n"
    ));
    let record = simulate(&case).records.remove(0);
    assert!(record.finished, "{record:?}");
}

/// A transfer of 100 kB beside an endless stream and `traffic`.
fn beside_a_stream(traffic: &str) -> Outcome {
    let stream = "[[traffic]]\nkind = \"constant\"\nrate = \"100 kbit/s\"\n";
    simulate(&case(&format!(
        "{PATH}{traffic}{stream}[[transfer]]\nsize = \"100 kB\"\nstartup = \"none\"\n"
    )))
}

#[test]
fn a_run_ends_with_the_last_arrival_before_stop() {
    let outcome = beside_a_stream(
        "[[traffic]]\nsize = \"10 kB\"\narrivals = \"5 /s\"\nmeasured = true\nstart = \"0 s\"\n\
            stop = \"3 s\"\n",
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
fn a_run_ends_if_stop_comes_before_all_arrivals() {
    let outcome = beside_a_stream(
        "[[traffic]]\nsize = \"10 kB\"\ncount = 1000\narrivals = \"5 /s\"\nmeasured = true\n\
            start = \"0 s\"\nstop = \"3 s\"\n",
    );
    assert!(outcome.records.len() < 40 && outcome.counters.end_ns < 10_000_000_000);
    let outcome = beside_a_stream(
        "[[traffic]]\nsize = \"10 kB\"\ncount = 5\narrivals = \"0.001 /s\"\nmeasured = true\n\
            start = \"0 s\"\nstop = \"3 s\"\n",
    );
    assert_eq!(outcome.records.len(), 1);
}

#[test]
fn a_run_ends_if_a_peer_does_not_learn_that_the_other_failed() {
    // After three seconds no packet arrives. The sender times out, and the receiver has nothing to
    // send.
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
fn the_traffic_rate_is_measured_only_while_there_is_traffic() {
    // 20 round trips are 0.8 s. The stream starts 0.2 s before the transfer and stops 0.2 s after
    // its start.
    let stream = "[[traffic]]\nkind = \"constant\"\nrate = \"6 Mbit/s\"\nlead = \"200 ms\"\n\
        stop = \"1.2 s\"\n";
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
    // The first packets arrive after 21 ms. Packets in flight at the stop do not count.
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
fn events_after_the_last_measured_transfer_are_not_in_its_record() {
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
fn the_meter_extends_a_run_by_at_most_a_minute() {
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
