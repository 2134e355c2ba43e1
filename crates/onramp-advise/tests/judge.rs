//! Judging connections whose paths are known.

use onramp_advise::{configuration, judge, Advice, Candidate, Limit, Options, Receiver};
use onramp_kernel::{Observation, Observations, ObservedTransfer};
use onramp_service::config;

/// The path of the tests: 50 Mbit/s of IP packets, 100 ms.
const RATE_BYTES_PER_S: u64 = 6_030_000;
const RTT_S: f64 = 0.1;

/// A download of CUBIC over that path.
fn download(bytes: u64, time_s: f64) -> Observation {
    Observation {
        destination: "203.0.113.0/24".into(),
        port: 443,
        accepted: true,
        congestion_control: "cubic".into(),
        transfers: vec![ObservedTransfer {
            start_s: RTT_S / 2.0,
            time_s,
            bytes,
        }],
        transfer_count: 1,
        complete: true,
        duration_s: time_s + 2.0 * RTT_S,
        handshake_rtt_s: Some(RTT_S),
        min_rtt_s: Some(RTT_S),
        max_rtt_s: Some(1.2 * RTT_S),
        rounds: 8,
        rate_bytes_per_s: Some(RATE_BYTES_PER_S),
        mss_bytes: 1448,
        sent_segments: (bytes / 1448) as u32 + 1,
        initial_cwnd_segments: 10,
        max_cwnd_segments: 400,
        first_window_bytes: 8 << 20,
        max_window_bytes: 8 << 20,
        ..Observation::default()
    }
}

fn advice(connections: Vec<Observation>) -> Advice {
    let observations = Observations {
        connections,
        ..Observations::default()
    };
    judge(&observations, &Options::default()).unwrap()
}

fn counts(advice: &Advice) -> (usize, usize, usize) {
    (advice.judged, advice.not_understood, advice.unused)
}

#[test]
fn a_class_whose_time_the_simulator_reproduces_is_judged() {
    let advice = advice(vec![download(150_000, 0.41), download(1_000_000, 0.74)]);
    assert_eq!(counts(&advice), (2, 0, 0), "{advice:#?}");
    let receivers = advice.classes.iter().map(|one| one.class.path.receiver);
    assert!(receivers.eq([Receiver::Large; 2]));
    let gain = advice.gain().expect("slow start costs some round trips");
    assert!(gain.time < 0.8 && gain.slower == 0.0, "{gain:?}");
    assert_eq!(advice.candidates.len(), Candidate::ALL.len());
    let text = configuration(&advice);
    assert!(text.contains("local_port = [443]"), "{text}");
    config::parse("config.toml", &text).unwrap();
}

#[test]
fn a_class_that_took_another_time_is_in_no_sum() {
    let advice = advice(vec![download(1_000_000, 3.0)]);
    assert_eq!(counts(&advice), (0, 1, 0));
    assert!(advice.candidates.is_empty() && advice.gain().is_none());
    assert!(!advice.classes[0].is_understood());
    assert!(!configuration(&advice).contains("percent"));
}

#[test]
fn what_fits_into_the_first_window_has_nothing_to_gain() {
    let advice = advice(vec![download(9_000, 0.102)]);
    assert_eq!(counts(&advice), (1, 0, 0), "{advice:#?}");
    assert_eq!(advice.classes[0].limit, Limit::Small);
    assert!(advice.gain().is_none());
    assert!(!configuration(&advice).contains("percent"));
}

#[test]
fn another_congestion_control_and_cut_off_connections_are_not_judged() {
    let mut dctcp = download(1_000_000, 0.74);
    dctcp.congestion_control = "dctcp".into();
    let mut cut_off = download(1_000_000, 0.74);
    cut_off.complete = false;
    let advice = advice(vec![dctcp, cut_off]);
    assert_eq!(counts(&advice), (0, 1, 1));
    assert_eq!(advice.classes[0].simulated, None);
}

#[test]
fn losses_that_no_queue_explains_are_too_many_to_rebuild() {
    let mut policed = download(1_000_000, 0.74);
    policed.max_rtt_s = policed.min_rtt_s;
    policed.retransmitted_segments = 60;
    policed.loss_rounds = 30;
    let advice = advice(vec![policed]);
    assert_eq!(advice.judged, 0, "{advice:#?}");
}

#[test]
fn each_class_has_a_scenario_of_its_own() {
    let advice = advice(vec![download(1_000_000, 0.74)]);
    let scenario = advice.classes[0].class.scenario(&[(1_000_000, 0.0)]).unwrap();
    let cases = onramp_scenario::parse("class", &scenario).unwrap().cases;
    assert_eq!(cases[0].path.rtt_ns, 100_000_000);
    assert_eq!(cases[0].transfer.size_bytes, 1_000_000);
}
