//! Transfers over QUIC: noq on UDP sockets of both namespaces.

use crate::common;

use common::{case, case_with, lab_runs_here};
use onramp_lab::{run, BuiltIn, Error, Outcome, RunOptions};
use onramp_results::Record;
use onramp_scenario::{Application, Avoidance, Case, Transport};
use onramp_testing::undisturbed;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

fn over_quic(case: Case) -> Case {
    let mut case = case;
    case.transfer.transport = Transport::Quic;
    case
}

fn outcome(case: &Case) -> Outcome {
    run(case, &mut BuiltIn, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn excess_rtts(record: &Record) -> f64 {
    record
        .excess_rtts
        .expect("a transfer of the lab is finished or an error")
}

#[test]
fn every_controller_of_noq_completes() {
    if !lab_runs_here() {
        return;
    }
    for avoidance in [Avoidance::Cubic, Avoidance::Bbr, Avoidance::Reno] {
        let mut case = over_quic(case("50 Mbit/s", "20 ms", "500 kB"));
        case.transfer.avoidance = avoidance;
        let record = outcome(&case).record;
        assert_eq!(record.avoidance, avoidance.name());
        assert_eq!((&*record.transport, &*record.stack), ("quic", "noq"));
        assert_eq!((record.delivered_bytes, record.timeouts), (500_000, None));
        assert!(excess_rtts(&record) > 0.0, "{record:?}");
    }
}

#[test]
fn onramp_wastes_fewer_round_trips_than_cubic_and_reports_its_estimate() {
    if !lab_runs_here() {
        return;
    }
    let cubic = over_quic(case("50 Mbit/s", "100 ms", "1 MB"));
    let mut onramp = cubic.clone();
    onramp.transfer.startup = "onramp".to_owned();
    // 50 Mbit/s of packets are 6.0 MB/s of payload.
    let has_measured = |record: &Record| {
        let estimate = record.estimate_bytes_per_s;
        estimate.is_some_and(|rate| (5_500_000..6_700_000).contains(&rate))
    };
    let record = undisturbed(
        || outcome(&onramp).record,
        |record| excess_rtts(record) < 2.0 && has_measured(record),
    );
    assert!(
        excess_rtts(&record) < 2.0 && has_measured(&record),
        "{record:?}"
    );
    assert!(excess_rtts(&outcome(&cubic).record) > 4.0);
}

#[test]
fn copies_that_an_application_limits_complete_over_quic() {
    if !lab_runs_here() {
        return;
    }
    let mut case = over_quic(case("50 Mbit/s", "20 ms", "300 kB"));
    case.transfer.count = 3;
    case.transfer.startup = "onramp".to_owned();
    case.transfer.application = Some(Application::regular(100_000, 100_000_000));
    let records: Vec<Record> = outcome(&case)
        .into_all()
        .map(|(record, _)| record)
        .collect();
    assert_eq!(records.len(), 3);
    for record in records {
        // The last write comes 200 ms after the first.
        assert!(record.completion_s.unwrap() > 0.2, "{record:?}");
    }
}

#[test]
fn a_run_over_quic_can_be_stopped() {
    if !lab_runs_here() {
        return;
    }
    let case = over_quic(case_with("1 Mbit/s", "100 ms", "100 MB", ""));
    let options = RunOptions::default();
    let stop = options.stop.clone();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(500));
        stop.store(true, Ordering::Relaxed);
    });
    match run(&case, &mut BuiltIn, &options) {
        Err(Error::Stopped) => {}
        other => panic!("{:?}", other.map(|outcome| outcome.record)),
    }
}

#[test]
fn a_start_up_that_needs_a_tcp_option_is_refused_over_quic() {
    if !lab_runs_here() {
        return;
    }
    let mut case = over_quic(case("1 Mbit/s", "100 ms", "1 kB"));
    case.transfer.startup = "pair".to_owned();
    match run(&case, &mut BuiltIn, &RunOptions::default()) {
        Err(error) => assert!(error.to_string().contains("TCP option"), "{error}"),
        Ok(outcome) => panic!("{:?}", outcome.record),
    }
}
