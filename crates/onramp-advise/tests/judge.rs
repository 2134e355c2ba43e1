//! Judging connections whose paths are known.

use onramp_advise::{
    compare, configuration, judge, Advice, Candidate, Limit, Options, Part, Receiver,
};
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
    let mut unknown = download(1_000_000, 0.74);
    unknown.congestion_control = "illinois".into();
    let mut cut_off = download(1_000_000, 0.74);
    cut_off.complete = false;
    let advice = advice(vec![unknown, cut_off]);
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

/// Twelve downloads, whose handshakes take longer than the RTT of payload by these parts of 6 ms.
/// Their clients are at different distances, in steps of a millisecond.
fn handshakes_vary(parts: [f64; 4]) -> Advice {
    let connection = |number: usize| {
        let rtt_s = RTT_S + 1e-3 * (number / 4) as f64;
        Observation {
            handshake_rtt_s: Some(rtt_s + 6e-3 * parts[number % 4]),
            min_rtt_s: Some(rtt_s),
            ..download(1_000_000, 0.74)
        }
    };
    advice((0..12).map(connection).collect())
}

#[test]
fn handshakes_that_vary_show_jitter_and_distances_do_not() {
    let (calm, noisy) = (
        handshakes_vary([0.5; 4]),
        handshakes_vary([0.125, 0.375, 0.625, 0.875]),
    );
    let jitter_s = |advice: &Advice| advice.classes[0].class.path.jitter_s;
    assert_eq!(jitter_s(&calm), 0.0);
    assert!((5e-3..7e-3).contains(&jitter_s(&noisy)), "{noisy:#?}");
    let scenario = noisy.classes[0].class.typical_scenario().unwrap();
    assert!(scenario.contains("jitter = "), "{scenario}");
    // The jitter counts in what is predicted.
    let time = |advice: &Advice| advice.gain().expect("there is a gain").time;
    assert!((time(&noisy) - time(&calm)).abs() > 0.01);
}

#[test]
fn each_class_has_a_scenario_of_its_own() {
    let advice = advice(vec![download(1_000_000, 0.74)]);
    let scenario = advice.classes[0]
        .class
        .scenario(&[(1_000_000, 0.0)])
        .unwrap();
    let cases = onramp_scenario::parse("class", &scenario).unwrap().cases;
    assert_eq!(cases[0].path.rtt_ns, 100_000_000);
    assert_eq!(cases[0].transfer.size_bytes, 1_000_000);
}

/// A connection whose client asks again after this pause, and gets as much.
fn asks_again(bytes: u64, times_s: [f64; 2], pause_s: f64) -> Observation {
    let mut seen = download(bytes, times_s[0]);
    let first = seen.transfers[0];
    seen.transfers.push(ObservedTransfer {
        start_s: first.start_s + first.time_s + pause_s,
        time_s: times_s[1],
        bytes,
    });
    seen.transfer_count = 2;
    seen.sent_segments *= 2;
    seen
}

#[test]
fn later_transfers_of_a_connection_are_a_class_of_their_own() {
    // The window is still open after a pause that is shorter than an RTO, and begins anew after a
    // long one.
    for (pause_s, later_s) in [(0.05, 0.112), (30.0, 0.41)] {
        let advice = advice(vec![asks_again(150_000, [0.41, later_s], pause_s)]);
        assert_eq!(counts(&advice), (1, 0, 0), "{pause_s} s: {advice:#?}");
        assert_eq!(
            (advice.judged_later_transfers, advice.later_transfers),
            (1, 1)
        );
        let later = advice
            .classes
            .iter()
            .find(|one| one.class.part == Part::Later);
        let later = later.expect("it has a later transfer");
        assert_eq!((later.bytes, later.time_s), (150_000.0, later_s));
        let scenario = later.class.typical_scenario().unwrap();
        let case = &onramp_scenario::parse("class", &scenario).unwrap().cases[0];
        let writes = case.transfer.application.as_ref().unwrap();
        let offset_ns = ((0.41 + pause_s) * 1e9) as u64;
        assert_eq!(writes.write_bytes[..], [150_000; 2]);
        assert!(writes.every_ns[0].abs_diff(offset_ns) < 1000, "{writes:?}");
    }
}

/// The same connections of a canary: some of them with `onramp`, which takes this share of it.
fn canary(share: f64) -> Observations {
    let mut connections = Vec::new();
    for noise in [0.98, 1.0, 1.02] {
        connections.push(download(1_000_000, 0.74 * noise));
        connections.push(Observation {
            congestion_control: "onramp".into(),
            ..download(1_000_000, 0.74 * share * noise)
        });
    }
    Observations {
        connections,
        ..Observations::default()
    }
}

#[test]
fn a_canary_stands_beside_the_prediction() {
    let advice = advice(vec![download(1_000_000, 0.74), download(150_000, 0.41)]);
    let compared = compare(&advice, &canary(0.6)).expect("the canary has one of the classes");
    let [one] = compared.classes.as_slice() else {
        panic!("the canary has no transfers of 150 kB: {compared:?}")
    };
    assert!((one.measured - 0.6).abs() < 1e-9, "{one:?}");
    let [low, high] = one.interval.expect("there are three of each");
    assert!(
        0.55 < low && low < 0.6 && 0.6 < high && high < 0.65,
        "{one:?}"
    );
    assert_eq!((one.connections, one.has_control_group), ([3, 3], true));
    assert_eq!(compared.predicted, one.predicted);
    // Without a control group, those connections are compared on which the prediction rests.
    let mut alone = canary(0.6);
    alone
        .connections
        .retain(|seen| seen.congestion_control != "cubic");
    let compared = compare(&advice, &alone).unwrap();
    assert!(!compared.classes[0].has_control_group);
    assert!((compared.measured - 0.6).abs() < 1e-3, "{compared:?}");
    let nothing = Observations::default();
    assert_eq!(compare(&advice, &nothing), None);
}
