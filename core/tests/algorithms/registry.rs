//! What an algorithm declares in `core/registry.h` is what it does, for every algorithm.

use onramp_core::{
    congestion_control, needs_pairs, repairs, reserves, resumes, sends_pairs, startup_names,
    summary, Loss, Start, Startup, LOSS_RECOVERY, OPTION_PAIRS, PAIR_NONE, UNLIMITED,
};

/// The start of a connection on a host that sets no ssthresh.
fn start() -> Start {
    Start {
        mss_bytes: 1,
        ssthresh_bytes: UNLIMITED,
        ..Start::default()
    }
}

fn startup(name: &str) -> Startup {
    Startup::new(name).expect("the name is of the registry")
}

fn asks_for_pairs(name: &str, options: u32) -> bool {
    let start = Start { options, ..start() };
    startup(name).start(&start).pair != PAIR_NONE
}

fn sends_at_a_reserved_rate(name: &str) -> bool {
    let start = Start {
        pace_bytes_per_s: 1,
        ..start()
    };
    startup(name).start(&start).is_reserved()
}

/// An algorithm that resumes begins otherwise with a remembered BDP than without, or keeps it in
/// its state for later.
fn uses_a_remembered_bdp(name: &str) -> bool {
    let begin = |remembered_bytes| {
        let mut startup = startup(name);
        let decision = startup.start(&Start {
            srtt_ns: 1,
            remembered_bytes,
            remembered_rtt_ns: u64::from(remembered_bytes != 0),
            ..start()
        });
        (decision, startup)
    };
    begin(0) != begin(1 << 20)
}

/// An algorithm that repairs begins to do so at the first loss.
fn controls_a_repair(name: &str) -> bool {
    let mut startup = startup(name);
    startup.start(&start());
    let loss = Loss {
        kind: LOSS_RECOVERY,
        cwnd_bytes: 10,
        ssthresh_bytes: 7,
        lost_bytes: 1,
        mss_bytes: 1,
        ..Loss::default()
    };
    startup.loss(&loss).is_repairing()
}

#[test]
fn every_algorithm_declares_what_it_does() {
    for name in startup_names() {
        assert_eq!(
            needs_pairs(name),
            asks_for_pairs(name, 0),
            "{name} needs pairs"
        );
        assert_eq!(
            sends_pairs(name),
            asks_for_pairs(name, OPTION_PAIRS),
            "{name} sends pairs"
        );
        assert_eq!(
            reserves(name),
            sends_at_a_reserved_rate(name),
            "{name} reserves"
        );
        assert_eq!(resumes(name), uses_a_remembered_bdp(name), "{name} resumes");
        assert_eq!(repairs(name), controls_a_repair(name), "{name} repairs");
    }
}

#[test]
fn every_name_is_unique_and_has_a_summary() {
    let names = startup_names();
    for (index, name) in names.iter().enumerate() {
        assert!(!names[..index].contains(name), "{name} is there twice");
        assert!(
            summary(name).is_some_and(|summary| !summary.is_empty()),
            "{name}"
        );
    }
}

#[test]
fn an_unknown_name_declares_nothing() {
    assert!(Startup::new("fast").is_none() && summary("fast").is_none());
    assert!(!needs_pairs("fast") && !sends_pairs("fast") && !reserves("fast") && !resumes("fast"));
}

#[test]
fn names_of_congestion_controls_fit_the_kernels_limit() {
    for name in startup_names() {
        assert!(congestion_control(name).len() <= 15, "{name}");
    }
}
