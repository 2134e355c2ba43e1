//! The numbers and statements of the paper, and the arguments that are rejected.

use super::*;
use crate::formulas::assert_near;

/// Section 5: a T1 satellite link of 512-byte packets.
fn satellite() -> Path {
    Path::new(366.0, 100.0, 40.0, 0.56).unwrap()
}

/// The values of section 5, to the digits that it prints. The paper truncates 480.9 packets/s to
/// 480.
#[test]
fn the_model_gives_the_values_of_the_papers_example() {
    let path = satellite();
    assert_eq!(format!("{:.3}", path.beta()), "0.267");
    assert_eq!(format!("{:.1}", path.overflow_window()), "69.1");
    assert_eq!(format!("{:.1}", path.max_window()), "179.0");
    assert_eq!(format!("{:.3}", path.gamma_max()), "0.386");
    assert_eq!(path.max_spaced_rate().unwrap().floor(), 480.0);
    assert!(path.starts_twice());
}

/// "For lambda = 0, this condition becomes similar to the beta <= 1/3 found in [14]."
#[test]
fn eq_5_gives_one_third_without_background() {
    for (buffer, twice) in [(33.0, true), (34.0, false)] {
        let path = Path::new(99.0, 0.0, buffer, 1.0).unwrap();
        assert_eq!(path.starts_twice(), twice, "beta {}", path.beta());
        assert_eq!(path.beta() <= 1.0 / (3.0 - path.rho()), twice);
    }
}

#[test]
fn both_forms_of_eq_7_agree() {
    for background in [0.0, 50.0, 200.0, 365.0] {
        let path = Path::new(366.0, background, 40.0, 0.56).unwrap();
        let (beta, rho) = (path.beta(), path.rho());
        assert_near(
            path.gamma_max(),
            beta * (2.0 - rho) / (beta * (1.0 - rho) + 1.0),
            1e-12,
        );
    }
}

/// At R_max the buffer overflows exactly when the window reaches ssthresh.
#[test]
fn eq_10_is_where_eq_9_meets_the_threshold() {
    let path = satellite();
    assert_near(
        path.overflow_window_at(path.max_spaced_rate().unwrap())
            .unwrap(),
        path.max_window() / 2.0,
        1e-12,
    );
    assert_eq!(path.overflow_window_at(path.available()), Ok(f64::INFINITY));
    assert!(Path::new(366.0, 0.0, 400.0, 0.56)
        .unwrap()
        .max_spaced_rate()
        .is_none());
}

/// Section 3, for gamma_max < 1/4: gamma W_max up to gamma_max, gamma^2 W_max up to twice that,
/// then 2 gamma W_B.
#[test]
fn figure_3_has_three_pieces() {
    let path = Path::new(1000.0, 0.0, 50.0, 0.5).unwrap();
    let (gamma_max, w_max, w_b) = (path.gamma_max(), path.max_window(), path.overflow_window());
    assert!(gamma_max < 0.25);
    assert_near(
        path.avoidance_window(0.9 * gamma_max).unwrap(),
        0.9 * gamma_max * w_max,
        1e-12,
    );
    assert_near(
        path.avoidance_window(1.5 * gamma_max).unwrap(),
        (1.5 * gamma_max).powi(2) * w_max,
        1e-12,
    );
    assert_near(path.avoidance_window(0.5).unwrap(), w_b, 1e-12);
    assert_near(path.avoidance_window(0.45).unwrap(), 0.9 * w_b, 1e-12);
}

/// "X2 - X1 is equal to 2 W_B - W and W is simply the old factor times W_max". This holds if the
/// loss occurs after congestion avoidance has started: W_B < W < 2 W_B.
#[test]
fn eq_8_finds_gamma_max_in_one_step() {
    let path = Path::new(1000.0, 0.0, 50.0, 0.5).unwrap();
    for gamma in [0.2, 0.3, 0.36] {
        let window = gamma * path.max_window();
        assert_near(
            adapted_gamma(gamma, 2.0 * path.overflow_window() - window, window).unwrap(),
            path.gamma_max(),
            1e-12,
        );
    }
}

/// Section 5 and figures 6 to 10: 161, 172, 153 and 195 packets/s in the paper's ns simulations.
///
/// The model gives 13, 17, 19 and 12 % more. No parameter is fitted, so the test accepts 10 to 20 %
/// more. The reasons are the effects that `cycle.rs` lists, and the W_max of the simulations, which
/// the paper does not print and which matters most. The throughput relative to Tahoe agrees within
/// 6 %: 1.20 with pacing (the paper: 1.21), 1.10 with gamma = 0.34 (1.07). The paper does not print
/// the gamma below 1/4 of figure 8 either; with 0.2 the model has the throughput of Tahoe (1.00,
/// the paper: 0.95).
#[test]
fn the_throughputs_are_10_to_20_percent_above_the_papers() {
    let path = satellite();
    let of = |source: Source| path.cycle(&source).unwrap().packets_per_s();
    let gamma = |gamma| {
        of(Source {
            gamma,
            ..Source::TAHOE
        })
    };
    let spaced = |rate| {
        of(Source {
            spaced_rate: Some(rate),
            ..Source::TAHOE
        })
    };
    let tahoe = gamma(0.5);
    for (found, simulated) in [
        (tahoe, 161.0),
        (gamma(0.34), 172.0),
        (gamma(0.2), 153.0),
        (spaced(440.0), 195.0),
    ] {
        let ratio = found / simulated;
        assert!(
            (1.1..=1.2).contains(&ratio),
            "{found:.1} for {simulated}: {ratio:.3}"
        );
        assert_near(found / tahoe, simulated / 161.0, 0.06);
    }
    assert_eq!(
        spaced(440.0),
        spaced(300.0),
        "\"the throughputs are the same\""
    );
    assert!(gamma(0.15) < tahoe && tahoe < gamma(0.34) && gamma(0.34) < spaced(300.0));
}

/// "W_D = W_th and the congestion avoidance phase starts at one fourth the maximum window."
#[test]
fn the_cycle_has_the_windows_of_figure_6() {
    let path = satellite();
    let cycle = path.cycle(&Source::TAHOE).unwrap();
    let overflow = cycle.overflow.unwrap();
    assert_near(overflow.to_window, path.max_window() / 2.0, 1e-12);
    assert_near(cycle.avoidance.from_window, path.max_window() / 4.0, 1e-12);
    // tau (log2 69.1 + 1) and tau log2 44.7 seconds; 2 W_B - 1 packets.
    assert_eq!(
        format!("{:.2} {:.2}", overflow.seconds, cycle.slow_start.seconds),
        "3.98 3.07"
    );
    assert_eq!(format!("{:.1}", overflow.packets), "137.1");
    let spaced = path
        .cycle(&Source {
            spaced_rate: Some(300.0),
            ..Source::TAHOE
        })
        .unwrap();
    assert_eq!(spaced.overflow, None);
    assert_near(spaced.avoidance.from_window, path.max_window() / 2.0, 1e-12);
}

/// The closed forms match the sums over round trips, with and without a queue.
#[test]
fn congestion_avoidance_matches_the_sum_over_its_round_trips() {
    for buffer in [400.0, 4000.0, 20_000.0] {
        let path = Path::new(20_000.0, 5_000.0, buffer, 0.5).unwrap();
        let phase = path.cycle(&Source::TAHOE).unwrap().avoidance;
        let (mut window, mut packets, mut seconds) = (phase.from_window, 0.0, 0.0);
        while window < phase.to_window {
            packets += window;
            seconds += f64::max(0.5, window / path.available());
            window += 1.0;
        }
        assert_near(phase.packets, packets, 1e-3);
        assert_near(phase.seconds, seconds, 1e-3);
    }
}

#[test]
fn an_invalid_path_is_rejected() {
    let error_text = |path: Result<Path, Invalid>| path.unwrap_err().to_string();
    assert_eq!(
        error_text(Path::new(0.0, 0.0, 40.0, 0.5)),
        "the rate is 0; it must be a number above 0"
    );
    assert_eq!(
        error_text(Path::new(f64::NAN, 0.0, 40.0, 0.5)),
        "the rate is NaN; it must be a number above 0"
    );
    assert_eq!(
        error_text(Path::new(366.0, 0.0, f64::INFINITY, 0.5)),
        "the buffer is inf; it must be a number above 0"
    );
    assert_eq!(
        error_text(Path::new(366.0, 0.0, 40.0, -1.0)),
        "the round trip is -1; it must be a number above 0"
    );
    let full = "the background is 366.0 packets/s; \
         it must be at least 0 and less than the bottleneck's 366.0 packets/s";
    assert_eq!(error_text(Path::new(366.0, 366.0, 40.0, 0.5)), full);
    for background in [-1.0, 400.0, f64::NAN] {
        assert!(
            error_text(Path::new(366.0, background, 40.0, 0.5)).starts_with("the background is ")
        );
    }
}

#[test]
fn an_invalid_source_is_rejected() {
    let path = satellite();
    let error_text = |source: Source| path.cycle(&source).unwrap_err().to_string();
    for gamma in [0.0, -0.1, 0.51, f64::NAN] {
        let expected = format!("gamma is {gamma}; it must be above 0 and at most 1/2");
        assert_eq!(
            error_text(Source {
                gamma,
                ..Source::TAHOE
            }),
            expected
        );
        assert_eq!(
            path.avoidance_window(gamma).unwrap_err().to_string(),
            expected
        );
        assert_eq!(
            adapted_gamma(gamma, 1.0, 2.0).unwrap_err().to_string(),
            expected
        );
    }
    let spaced = |rate| {
        error_text(Source {
            spaced_rate: Some(rate),
            ..Source::TAHOE
        })
    };
    let slow = "segments sent at 265.0 packets/s make the source the bottleneck; \
                the rate must be at least the available 266.0 packets/s";
    assert_eq!(spaced(265.0), slow);
    assert_eq!(
        spaced(f64::NAN),
        "the rate of spaced segments is NaN; it must be a number above 0"
    );
    let small = "the slow start's ssthresh is 0.90 packets; it must be at least 1";
    assert_eq!(
        error_text(Source {
            gamma: 0.005,
            ..Source::TAHOE
        }),
        small
    );
    let tiny = Path::new(366.0, 100.0, 0.5, 0.56)
        .unwrap()
        .cycle(&Source::TAHOE)
        .unwrap_err()
        .to_string();
    assert!(
        tiny.starts_with("the window that overflows the buffer is 0.86"),
        "{tiny}"
    );
    let late = "20.0 acknowledged packets are not less than the window of 20.0; \
         the loss did not occur in slow start";
    assert_eq!(
        adapted_gamma(0.5, 20.0, 20.0).unwrap_err().to_string(),
        late
    );
}

/// A segment rate at or above that of slow start has no effect.
#[test]
fn a_segment_rate_above_that_of_slow_start_has_no_effect() {
    let path = satellite();
    for spaced in [632.0, 5000.0] {
        assert_near(
            path.overflow_window_at(spaced).unwrap(),
            path.overflow_window(),
            1e-12,
        );
    }
}
