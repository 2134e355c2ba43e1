//! Made-up counts of a service's policies.

use onramp_service::canary::{Settings, Watch};
use onramp_service::counts::{
    Counts, GroupCounts, Histogram, PolicyCounts, RegistrationCounts, ServiceCounts, State,
};

/// When these counts were read, in seconds since 1970.
pub const COUNTS_TIME_S: f64 = 1_700_000_000.0;

/// A service with three policies: a canary whose start-up is faster, one that is on for all
/// connections, and one that was switched off. All have so many connections for each step of
/// `size`.
pub fn counts(size: u64) -> Counts {
    let canary = PolicyCounts {
        with_startup: group(50 * size, 0.8, 1),
        control: control(950 * size, 0.01),
        ..policy("web", State::Canary { percent: 5.0 })
    };
    let on = PolicyCounts {
        with_startup: group(20 * size, 0.9, 2),
        ..policy("backup", State::On)
    };
    let reason = "connections with the start-up took 1.214 times as long as the control group";
    let switched_off = PolicyCounts {
        with_startup: group(30 * size, 1.2, 5),
        control: control(30 * size, 0.02),
        ..policy(
            "mobile",
            State::SwitchedOff {
                reason: reason.to_owned(),
                time_s: COUNTS_TIME_S - 3_600.0,
            },
        )
    };
    Counts {
        time_s: COUNTS_TIME_S,
        policies: vec![compared(canary), on, switched_off],
        registrations: vec![registration(size)],
        service: ServiceCounts {
            started_s: COUNTS_TIME_S - 86_400.0,
            version: "0.1.0".to_owned(),
            reloads: 2,
            reloads_refused: 1,
            default_changes: 1,
            switched_off: 1,
            connections_without_policy: 4_000,
            connections_chosen_by_program: 12,
            connections_refused: 0,
            connections_not_counted: 3,
            connections_lifted: 9,
            connections_not_lifted: 1,
            lifted_bytes: 8 << 20,
            cgroups_lost: 0,
            cpu_s: 12.5,
        },
    }
}

fn policy(name: &str, state: State) -> PolicyCounts {
    PolicyCounts {
        name: name.to_owned(),
        startup: Some("onramp".to_owned()),
        avoidance: "cubic".to_owned(),
        congestion_control: Some("onramp".to_owned()),
        state,
        with_startup: GroupCounts::default(),
        control: GroupCounts::default(),
        comparison: None,
    }
}

fn compared(mut policy: PolicyCounts) -> PolicyCounts {
    let empty = PolicyCounts {
        with_startup: GroupCounts::default(),
        control: GroupCounts::default(),
        ..policy.clone()
    };
    policy.comparison = Watch::new(Settings::default(), &empty).comparison(&policy);
    policy
}

/// Every twentieth connection loses this many segments.
fn group(connections: u64, slowness: f64, burst: u64) -> GroupCounts {
    let mut group = GroupCounts {
        connections,
        live: connections / 100,
        exits: [
            ("delay".to_owned(), connections / 2),
            ("loss".to_owned(), connections / 20),
            (
                "application".to_owned(),
                connections - connections / 2 - connections / 20,
            ),
        ]
        .into(),
        ..GroupCounts::default()
    };
    for number in 0..connections {
        let place = (number as f64 + 0.5) / connections as f64;
        // The logistic distribution's quantile: times are log-logistic around 250 ms.
        let time_us = 250_000.0 * slowness * (0.5 * (place / (1.0 - place)).ln()).exp();
        group.time_to_100_kb.add(time_us as u64);
        if number % 5 == 0 {
            group.time_to_1_mb.add((2.5 * time_us) as u64);
        }
        group.startup_time.add((0.4 * time_us) as u64);
        group.estimate.add((1e12 / time_us) as u64);
        group.smoothed_rtt.add((0.2 * time_us) as u64);
        let lost = if number % 20 == 0 { burst } else { 0 };
        group.segments.add(80 + lost, lost);
    }
    group
}

/// A group without a start-up, of which this share of connections loses four segments.
fn control(connections: u64, loss: f64) -> GroupCounts {
    let mut group = GroupCounts {
        exits: Default::default(),
        startup_time: Histogram::new(onramp_service::counts::Scale::Time),
        estimate: Histogram::new(onramp_service::counts::Scale::Rate),
        segments: Default::default(),
        ..group(connections, 1.0, 0)
    };
    for number in 0..connections {
        let loses = (number as f64 * loss).fract() < loss;
        group.segments.add(80, if loses { 4 } else { 0 });
    }
    group
}

fn registration(size: u64) -> RegistrationCounts {
    RegistrationCounts {
        name: "onramp".to_owned(),
        startup: "onramp".to_owned(),
        avoidance: "cubic".to_owned(),
        connections: 100 * size,
        live: size,
        exits: [
            ("delay".to_owned(), 60 * size),
            ("loss".to_owned(), 40 * size),
        ]
        .into(),
        initial_bytes_per_s: 1_500_000,
        startup_sent_segments: 8_000 * size,
        startup_retransmitted_segments: 70 * size,
        governor_holds_all: false,
        governor_held_destinations: 2,
        events_lost: 0,
    }
}
