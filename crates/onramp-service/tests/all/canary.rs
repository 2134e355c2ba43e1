//! The canary's test over simulated lives of policies: how often it errs, and how soon it finds a
//! slowdown.

use crate::lives;

use lives::{Life, Path};
use onramp_service::canary::{Reason, Settings, Watch};

/// An error rate that so few lives can check, and no tolerance that would hide errors.
fn strict() -> Settings {
    Settings {
        error_rate: 0.3,
        tolerated_slowdown: 0.0,
        tolerated_retransmissions: 0.0,
        test_connections: 1_000,
        ..Settings::default()
    }
}

/// Lives that are switched off, of `lives`, each looked at after every 100 connections.
fn switched_off(lives: u64, path: &Path, settings: &Settings, connections: u64) -> u64 {
    let is_switched_off = |seed: &u64| {
        let mut life = Life::new(*seed, 50.0);
        let mut watch = Watch::new(settings.clone(), life.policy());
        (0..connections / 100).any(|_| {
            life.live(100, path, path);
            watch.look(life.policy()).is_some()
        })
    };
    (0..lives).filter(is_switched_off).count() as u64
}

/// Without a difference fewer lives than the error rate are switched off, although each is looked
/// at 100 times and has five tests.
#[test]
fn false_alarms_stay_below_the_error_rate() {
    let settings = strict();
    for path in [Path::wide(), Path::quiet(), Path::bursty()] {
        let lives = 50;
        let errors = switched_off(lives, &path, &settings, 10_000);
        println!("{path:?}: {errors} of {lives} lives switched off");
        // Half of the error rate is that of the direction "worse".
        assert!(
            errors as f64 <= settings.error_rate * lives as f64,
            "{path:?}: {errors}"
        );
    }
}

/// The same without always-valid limits would err: a limit for a single look is passed by chance in
/// more lives. This is what the test above would find if the limits were wrong.
#[test]
fn a_limit_for_a_single_look_is_passed_by_chance() {
    let path = Path::wide();
    let passed = |seed: u64| {
        let mut life = Life::new(seed, 50.0);
        (0..100).any(|_| {
            life.live(100, &path, &path);
            let policy = life.policy();
            let (x, y) = (&policy.with_startup, &policy.control);
            // 1.96 standard errors around the estimate instead of the limit's number of them.
            let interval =
                onramp_service::canary::times::ratio(&x.time_to_100_kb, &y.time_to_100_kb, 0.05);
            let values = (x.time_to_100_kb.count() / 2) as f64;
            let factor = 1.96 / onramp_service::canary::limit(values, 0.05);
            interval.is_some_and(|interval| {
                let margin = (interval.lower / interval.estimate).ln() * factor;
                (interval.estimate.ln() + margin) > 0.0 && values > 100.0
            })
        })
    };
    let errors = (0..60).filter(|&seed| passed(seed)).count();
    assert!(
        errors > 3,
        "{errors} of 60 lives; a single look would pass in 1.5"
    );
}

/// The connections with the start-up until a slowdown is found, the median of some lives; `None`:
/// not found in most of them. A round has 500 connections of both groups.
fn connections_until_found(percent: f64, slowdown: f64, rounds: u64) -> Option<u64> {
    let path = Path::wide();
    let slower = path.slower(slowdown);
    let mut found: Vec<u64> = (0..9)
        .map(|seed| {
            let mut life = Life::new(seed, percent);
            let mut watch = Watch::new(Settings::default(), life.policy());
            for _ in 0..rounds {
                life.live(500, &slower, &path);
                if let Some(decision) = watch.look(life.policy()) {
                    assert!(
                        matches!(decision.reason, Reason::Slower { .. }),
                        "{decision}"
                    );
                    return life.policy().with_startup.connections;
                }
            }
            u64::MAX
        })
        .collect();
    found.sort_unstable();
    Some(found[4]).filter(|&found| found < u64::MAX)
}

#[test]
fn a_slowdown_of_10_percent_is_found() {
    let half = connections_until_found(50.0, 1.1, 100).unwrap();
    let canary = connections_until_found(5.0, 1.1, 400).unwrap();
    println!("10 % slower: found after {half} connections at 50 %, after {canary} at 5 %");
    assert!(half < 20_000 && canary < 10_000, "{half}, {canary}");
    let double = connections_until_found(5.0, 2.0, 100).unwrap();
    println!("twice as slow: found after {double} connections at 5 %");
    assert!(double <= 400, "{double}");
}

#[test]
fn a_tolerated_slowdown_is_not_switched_off() {
    assert_eq!(connections_until_found(50.0, 1.02, 60), None);
}

#[test]
fn a_change_for_the_worse_after_a_long_good_life_is_found() {
    let path = Path::wide();
    let mut life = Life::new(1, 50.0);
    let settings = Settings {
        test_connections: 2_000,
        ..Settings::default()
    };
    let mut watch = Watch::new(settings, life.policy());
    for _ in 0..200 {
        life.live(500, &path, &path);
        assert_eq!(watch.look(life.policy()), None);
    }
    assert!(watch.test() > 20, "{}", watch.test());
    let before = life.policy().with_startup.connections;
    let worse = path.slower(1.5);
    let decision = loop {
        life.live(100, &worse, &path);
        if let Some(decision) = watch.look(life.policy()) {
            break decision;
        }
    };
    let needed = life.policy().with_startup.connections - before;
    println!("after 50,000 good connections: {needed} bad ones; {decision}");
    assert!(needed < 2_000, "{needed}");
}

#[test]
fn more_retransmissions_are_found_and_said_with_their_numbers() {
    let path = Path::bursty();
    let lossy = Path {
        loss: 5.0 * path.loss,
        ..path.clone()
    };
    let mut life = Life::new(3, 50.0);
    let mut watch = Watch::new(Settings::default(), life.policy());
    let decision = loop {
        life.live(500, &lossy, &path);
        if let Some(decision) = watch.look(life.policy()) {
            break decision;
        }
        assert!(life.policy().control.connections < 50_000);
    };
    let text = decision.to_string();
    assert!(
        text.starts_with("connections with the start-up retransmitted "),
        "{text}"
    );
    assert!(
        text.contains("percentage points more, tolerated 0.20;"),
        "{text}"
    );
}

#[test]
fn a_change_of_the_percentage_begins_a_new_test() {
    let path = Path::wide();
    let mut life = Life::new(1, 5.0);
    let mut watch = Watch::new(Settings::default(), life.policy());
    life.live(1_000, &path, &path);
    assert_eq!(watch.look(life.policy()), None);
    // The paths are slower now, for both groups. Pooled, the start-up would look slower.
    life.set_percent(50.0);
    let slow = path.slower(3.0);
    for _ in 0..20 {
        life.live(500, &slow, &slow);
        assert_eq!(watch.look(life.policy()), None);
    }
    assert_eq!(watch.test(), 2);
}

/// A service that restarts goes on with the same test.
#[test]
fn a_watch_survives_as_json() {
    let path = Path::wide();
    let mut life = Life::new(1, 50.0);
    let mut watch = Watch::new(Settings::default(), life.policy());
    life.live(5_000, &path, &path);
    assert_eq!(watch.look(life.policy()), None);
    let loaded: Watch = serde_json::from_str(&serde_json::to_string(&watch).unwrap()).unwrap();
    assert_eq!(loaded, watch);
    assert_eq!(
        loaded.comparison(life.policy()),
        watch.comparison(life.policy())
    );
}

/// The table of docs/metrics.md; minutes without --release.
#[test]
#[ignore = "prints figures for the manual"]
fn figures_of_the_manual() {
    for (name, path) in [
        ("wide", Path::wide()),
        ("quiet", Path::quiet()),
        ("bursty", Path::bursty()),
    ] {
        let errors = switched_off(1_000, &path, &strict(), 20_000);
        println!("{name}: {errors} of 1000 lives switched off, error rate 0.3");
    }
    for slowdown in [1.05, 1.1, 1.2, 1.5, 2.0] {
        let found = [5.0, 50.0].map(|percent| connections_until_found(percent, slowdown, 400));
        println!("{slowdown}: {found:?} connections with the start-up, at 5 % and 50 %");
    }
}

/// What a look of the service costs: with --release, the figure of docs/metrics.md.
#[test]
#[ignore = "prints figures for the manual"]
fn cost_of_a_look() {
    let path = Path::wide();
    let mut life = Life::new(1, 50.0);
    let mut watch = Watch::new(Settings::default(), life.policy());
    life.live(10_000, &path, &path);
    let begin = std::time::Instant::now();
    for _ in 0..1_000 {
        assert_eq!(watch.look(life.policy()), None);
        assert!(watch.comparison(life.policy()).is_some());
    }
    println!("{:?} for a look and its intervals", begin.elapsed() / 1_000);
}
