//! Parameters, for every algorithm of the registry that has any.

use crate::flights::{start, MS};
use crate::path::Path;
use onramp_core::{exit_name, parameters, startup_names, Parameters, Startup};

#[test]
fn every_default_is_in_its_range_and_every_key_is_unique() {
    for name in startup_names() {
        let all = parameters(name);
        for (at, one) in all.iter().enumerate() {
            let key = one.key();
            assert!((one.min..=one.max).contains(&one.usual), "{name}, {key}");
            assert!(one.meaning().ends_with('.'), "{name}, {key}");
            assert!(all[..at].iter().all(|other| other.key() != key), "{key}");
        }
    }
}

#[test]
fn each_value_reaches_the_state_and_the_default_changes_nothing() {
    for name in startup_names() {
        let usual = Startup::new(name).unwrap();
        for one in parameters(name) {
            let with = |value| {
                let mut given = Parameters::default();
                assert!(given.set(name, one.c_name(), value), "{name}");
                Startup::with(name, given).unwrap()
            };
            assert!(with(one.usual) == usual, "{name}, {}", one.key());
            assert!(with(one.min) == usual || one.min != one.usual, "{name}");
            assert!(with(one.max) != with(one.min), "{name}, {}", one.key());
        }
    }
}

#[test]
fn a_value_out_of_range_and_an_unknown_name_are_refused() {
    let mut given = Parameters::default();
    assert!(!given.set("search", "thresh_ppm", 1_000_001));
    assert!(!given.set("search", "thresh", 300_000));
    assert!(!given.set("standard", "thresh_ppm", 300_000));
    assert_eq!(given, Parameters::default());
    assert!(given.set("search", "thresh_ppm", 300_000));
    let changed: Vec<_> = given
        .changed("search")
        .map(|(one, value)| (one.key(), value))
        .collect();
    assert_eq!(changed, [("thresh", 300_000)]);
}

/// The ACK at which a start-up ends on 10 Mbit/s and 100 ms, and the reason.
fn exit(startup: &str, c_name: &str, value: u64) -> (usize, &'static str) {
    let path = Path {
        rate_bytes_per_s: 1_250_000,
        delay_ns: 100 * MS,
        mss_bytes: 1000,
    };
    let mut given = Parameters::default();
    assert!(given.set(startup, c_name, value));
    let startup = Startup::with(startup, given).unwrap();
    let transfer = path.transfer_of(startup, start(), 4000);
    let (at, step) = transfer.first_in("done").expect("it ends");
    (at, exit_name(step.decision.exit))
}

/// A higher threshold of SEARCH, and more rounds of conservative slow start.
#[test]
fn a_larger_value_ends_the_start_up_later() {
    for (startup, c_name, [small, large], reason) in [
        ("search", "thresh_ppm", [100_000, 260_000], "delivery"),
        ("hystart", "css_rounds", [1, 5], "delay"),
    ] {
        let [early, late] = [small, large].map(|value| exit(startup, c_name, value));
        assert_eq!((early.1, late.1), (reason, reason), "{startup}");
        assert!(early.0 < late.0, "{startup}: {early:?}, {late:?}");
    }
}
