//! The whole of `onramp advise` on this kernel: CUBIC is watched over emulated paths, `onramp` is
//! predicted, then measured over the same paths. Needs root; without it the test says so and
//! passes, but fails if CI=true.

#[path = "../examples/mixture/paths.rs"]
mod paths;

use onramp_advise::{judge, Candidate, Options};
use onramp_core::InitialRate;
use onramp_kernel::{own_cgroup, Observation, Observations, Observer, Registration};
use onramp_scenario::Case;
use onramp_testing::undisturbed;
use std::time::Duration;

/// The prediction is within this of the measured time, in points of CUBIC's.
const WITHIN: f64 = 0.15;

fn cases() -> Vec<Case> {
    let of = |rate: &str, rtt: &str, buffer: &str| {
        let text = format!(
            "name = \"path\"\n[path]\nrate = \"{rate}\"\nrtt = \"{rtt}\"\nqueue = \"1 bdp\"\n\
             [receiver]\nbuffer = \"{buffer}\"\n[[transfer]]\nsize = [\"150 kB\", \"1 MB\"]\n\
             startup = \"none\"\n"
        );
        onramp_scenario::parse("path", &text).unwrap().cases
    };
    [
        of("50 Mbit/s", "100 ms", "64 MiB"),
        of("20 Mbit/s", "60 ms", "linux-default"),
    ]
    .concat()
}

/// The downloads with a congestion control. The path stands for the destination.
fn watched(cases: &[Case], control: &str, observer: &Observer) -> Vec<Observation> {
    let download = |case: &Case| Observation {
        destination: format!("{} ms", case.path.rtt_ns / 1_000_000),
        ..paths::download(case, &[(case.transfer.size_bytes, Duration::ZERO)], control, observer).unwrap()
    };
    cases.iter().map(download).collect()
}

/// The predicted and the measured time of each download, of CUBIC's.
fn predicted_and_measured() -> Vec<(f64, f64)> {
    let cases = cases();
    let observer = Observer::of_cgroup(&own_cgroup().unwrap(), 1000).unwrap();
    let was = Observations {
        connections: watched(&cases, "cubic", &observer),
        ..Observations::default()
    };
    let advice = judge(&was, &Options::default()).unwrap();
    let options = onramp_kernel::Options {
        governor_bound_ppm: 0,
        initial_rate: InitialRate::BitsPerS(advice.initial_bits_per_s),
        ..onramp_kernel::Options::new("onramp")
    };
    let registration = Registration::new(&options).unwrap();
    let with = watched(&cases, registration.name(), &observer);
    let both = with.iter().zip(&was.connections).filter_map(|(with, was)| {
        let bytes = was.transfers[0].bytes as f64;
        let mut classes = advice.classes.iter();
        let class =
            classes.find(|one| one.class.destination == was.destination && one.bytes == bytes)?;
        let predicted = class.outlook(Candidate::Onramp)?.time;
        Some((
            predicted,
            with.transfers[0].time_s / was.transfers[0].time_s,
        ))
    });
    both.collect()
}

#[test]
#[ignore = "takes long: make test-kernel"]
fn the_gain_of_onramp_is_what_was_predicted_from_cubic() {
    if onramp_kernel::probe::check_permission().is_err() {
        assert!(std::env::var_os("CI").is_none(), "CI runs as root");
        eprintln!("skipped: loading BPF programs needs root");
        return;
    }
    let agree = |all: &Vec<(f64, f64)>| {
        eprintln!("predicted, measured: {all:.3?}");
        let is_near = |(predicted, measured): &(f64, f64)| (predicted - measured).abs() < WITHIN;
        all.len() == 4 && all.iter().all(is_near)
    };
    let all = undisturbed(predicted_and_measured, agree);
    assert!(agree(&all));
    assert!(all
        .iter()
        .all(|(predicted, measured)| *predicted < 1.0 && *measured < 1.0));
}
