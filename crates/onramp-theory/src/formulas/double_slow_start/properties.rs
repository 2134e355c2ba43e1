//! The identities and monotonicity statements of the paper, over a grid of paths: from a modem to
//! 10 Gbit/s, with buffers from one packet to many times the BDP.

use super::*;
use crate::formulas::assert_near;

/// Relative error that rounding of doubles may cause.
const ROUNDING: f64 = 1e-9;

fn paths() -> impl Iterator<Item = Path> {
    let rates = [20.0, 366.0, 4_000.0, 800_000.0];
    let rhos = [0.0, 0.1, 0.5, 0.9, 0.999];
    let buffers = [1.0, 7.0, 40.0, 1_000.0, 100_000.0];
    let times = [0.01, 0.1, 0.56, 2.0];
    rates.into_iter().flat_map(move |rate| {
        rhos.into_iter().flat_map(move |rho| {
            let path = move |buffer, time_s| Path::new(rate, rho * rate, buffer, time_s).unwrap();
            buffers
                .into_iter()
                .flat_map(move |buffer| times.into_iter().map(move |time_s| path(buffer, time_s)))
        })
    })
}

/// All combinations of sources for this path.
fn sources(path: Path) -> impl Iterator<Item = Source> {
    let between = move |share: f64| path.available() + share * path.rate();
    let rates = [
        None,
        Some(between(0.0)),
        Some(between(0.01)),
        Some(between(0.4)),
        Some(between(0.9)),
        Some(between(3.0)),
    ];
    [0.05, 0.2, 0.34, 0.5].into_iter().flat_map(move |gamma| {
        rates
            .into_iter()
            .map(move |spaced_rate| Source { gamma, spaced_rate })
    })
}

#[test]
fn eq_9_at_the_rate_of_slow_start_is_eq_4() {
    for path in paths() {
        let (mu, lambda) = (path.rate(), path.rate() - path.available());
        assert_near(
            path.overflow_window(),
            path.buffer() * (2.0 * mu - lambda) / mu,
            ROUNDING,
        );
        assert_near(
            path.overflow_window_at(path.slow_start_rate()).unwrap(),
            path.overflow_window(),
            ROUNDING,
        );
    }
}

#[test]
fn both_forms_of_eq_5_and_eq_7_agree() {
    for path in paths() {
        let (beta, rho) = (path.beta(), path.rho());
        assert_eq!(path.starts_twice(), beta <= path.beta_limit(), "{path:?}");
        assert_eq!(path.starts_twice(), path.gamma_max() <= 0.5, "{path:?}");
        assert_near(
            path.gamma_max(),
            beta * (2.0 - rho) / (beta * (1.0 - rho) + 1.0),
            ROUNDING,
        );
        let at = |share: f64| {
            Path {
                buffer: share * path.buffer_limit(),
                ..path
            }
            .starts_twice()
        };
        assert!(at(1.0 - ROUNDING) && !at(1.0 + ROUNDING), "{path:?}");
    }
}

/// R_max is less than slow start's own rate exactly when slow start occurs twice.
#[test]
fn eq_10_is_where_eq_9_meets_the_threshold() {
    for path in paths().filter(Path::starts_twice) {
        let spaced = path
            .max_spaced_rate()
            .expect("(5) implies that the denominator is above 0");
        assert!(
            spaced <= path.slow_start_rate() * (1.0 + ROUNDING),
            "{path:?}"
        );
        assert_near(
            path.overflow_window_at(spaced).unwrap(),
            path.max_window() / 2.0,
            ROUNDING,
        );
    }
    for path in paths().filter(|path| !path.starts_twice()) {
        assert!(
            path.max_spaced_rate()
                .is_none_or(|spaced| spaced > path.slow_start_rate()),
            "{path:?}"
        );
    }
}

/// "gamma_max decreases when beta becomes smaller due to an increase in mu or tau or a decrease in
/// the buffer capacity B"; and "an increase in lambda, thus in rho, makes gamma_max" grow. It grows
/// to B and not "to infinity".
#[test]
fn gamma_max_falls_with_beta_and_rises_with_the_background() {
    for path in paths() {
        let more = |path: Path| path.gamma_max();
        assert!(
            more(Path {
                buffer: 1.1 * path.buffer,
                ..path
            }) > path.gamma_max(),
            "{path:?}"
        );
        assert!(
            more(Path {
                round_trip_s: 1.1 * path.round_trip_s,
                ..path
            }) < path.gamma_max(),
            "{path:?}"
        );
        assert!(
            more(Path {
                rate: 1.1 * path.rate,
                ..path
            }) < path.gamma_max(),
            "{path:?}"
        );
        let background = path.background + 0.01 * path.available();
        assert!(
            more(Path { background, ..path }) > path.gamma_max(),
            "{path:?}"
        );
        let full = Path {
            background: (1.0 - 1e-12) * path.rate,
            ..path
        };
        assert_near(full.gamma_max(), path.buffer, 1e-3);
    }
}

/// "any decrease in beta [...] reduces R_max"; for a given beta, "a variation of lambda between 0
/// and mu makes R_max vary between mu (1 + beta) / (1 - beta) and 0".
#[test]
fn r_max_falls_with_beta_and_with_the_background() {
    let of = |beta: f64, rho: f64| {
        let path = Path::new(1000.0, 1000.0 * rho, 1.0, 0.5).unwrap();
        Path {
            buffer: beta * path.pipe_packets(),
            ..path
        }
        .max_spaced_rate()
        .unwrap()
    };
    for beta in [0.01, 0.1, 0.25, 0.33] {
        assert_near(
            of(beta, 0.0),
            1000.0 * (1.0 + beta) / (1.0 - beta),
            ROUNDING,
        );
        assert!(of(beta, 1.0 - 1e-9) < 1e-3);
        let rhos = [0.0, 0.2, 0.4, 0.6, 0.8, 0.99];
        assert!(rhos
            .windows(2)
            .all(|pair| of(beta, pair[0]) > of(beta, pair[1])));
        assert!(rhos
            .iter()
            .all(|rho| of(0.99 * beta, *rho) < of(beta, *rho)));
    }
}

/// "this window increases when R decreases for any network parameters". The window is at least B,
/// and infinite at the available rate.
#[test]
fn the_overflow_window_grows_as_the_segment_rate_falls() {
    for path in paths() {
        let at = |share: f64| {
            path.overflow_window_at(path.available() + share * path.rate())
                .unwrap()
        };
        let windows = [1.0, 0.9, 0.5, 0.1, 0.001, 0.0].map(at);
        assert!(
            windows.windows(2).all(|pair| pair[0] < pair[1]),
            "{path:?} {windows:?}"
        );
        assert!(windows[0] >= path.buffer() && windows[5].is_infinite());
    }
}

/// "If the chosen factor is less than 1/4, it reduces the throughput", measured here by the window
/// at which congestion avoidance starts. A factor between 1/4 and gamma_max raises it, and one
/// between gamma_max and 1/2 never does.
#[test]
fn gamma_helps_between_one_quarter_and_gamma_max() {
    for path in paths().filter(Path::starts_twice) {
        let tahoe = path.avoidance_window(0.5).unwrap();
        for gamma in (1..50).map(|percent| f64::from(percent) / 100.0) {
            let helps = path.avoidance_window(gamma).unwrap() > tahoe * (1.0 + ROUNDING);
            assert_eq!(
                helps,
                gamma > 0.25 && gamma < path.gamma_max(),
                "{path:?} {gamma}"
            );
        }
    }
}

#[test]
fn the_throughput_of_a_cycle_is_at_most_the_available_rate() {
    let mut cycles = 0;
    for (path, source) in paths().flat_map(|path| sources(path).map(move |source| (path, source))) {
        let Ok(cycle) = path.cycle(&source) else {
            continue;
        };
        for phase in cycle.phases() {
            assert!(
                phase.seconds >= 0.0
                    && phase.packets >= 0.0
                    && phase.to_window >= phase.from_window,
                "{phase:?}"
            );
        }
        assert_eq!(cycle.avoidance.from_window, cycle.slow_start.to_window);
        assert_near(
            cycle.avoidance.from_window,
            path.avoidance_window_of(&source).unwrap(),
            ROUNDING,
        );
        // Check only cycles in which slow start does not fill the pipe. Otherwise its mini-cycles
        // are longer than tau.
        let pipe = path.round_trip_s * path.available();
        if cycle
            .overflow
            .into_iter()
            .chain([cycle.slow_start])
            .all(|phase| phase.to_window <= pipe)
        {
            let throughput = cycle.packets_per_s();
            assert!(
                throughput > 0.0 && throughput <= path.available(),
                "{path:?} {source:?} {throughput}"
            );
            cycles += 1;
        }
    }
    assert!(cycles > 1_000, "{cycles}");
}

/// "any R satisfying (10) results in the same performance", and an R that does not satisfy it
/// results in that of Tahoe.
#[test]
fn pacing_has_its_whole_effect_below_r_max_and_none_above() {
    for path in paths().filter(|path| path.starts_twice() && path.overflow_window() >= 4.0) {
        let of = |spaced_rate| {
            path.cycle(&Source {
                spaced_rate,
                ..Source::TAHOE
            })
            .unwrap()
        };
        let limit = path.max_spaced_rate().unwrap();
        let below = |share: f64| of(Some(path.available() + share * (limit - path.available())));
        assert_eq!(below(0.0), below(1.0 - 1e-6));
        assert!(below(0.5).overflow.is_none() && below(1.0 + 1e-6).overflow.is_some());
        assert!(
            below(0.5).packets_per_s() > of(None).packets_per_s(),
            "{path:?}"
        );
    }
}
