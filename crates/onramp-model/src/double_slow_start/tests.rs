//! The numbers and statements of the paper, and what is refused.

use super::*;
use crate::assert_near;

/// Section 5: a T1 satellite link of 512-byte packets.
fn satellite() -> Path {
    Path::new(366.0, 100.0, 40.0, 0.56).unwrap()
}

/// The values of section 5, to the digits that it prints (480 packets/s is 480.9, cut off).
#[test]
fn the_papers_example() {
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
fn eq_5_is_one_third_without_background() {
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

/// At R_max the buffer overflows just when the window reaches its threshold.
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

/// "X2 - X1 is equal to 2 W_B - W and W is simply the old factor times W_max": where the loss finds
/// congestion avoidance begun, W_B < W < 2 W_B.
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

/// Section 5 and figures 6 to 10: 161, 172, 153 and 195 packets/s by the paper's ns.
///
/// The model has 13, 17, 19 and 12 % more. Nothing is fitted, so 10 to 20 % more is what it is held
/// to: it leaves out what `cycle.rs` lists, and the paper does not print the W_max that its
/// simulations reach, which matters most. The share of Tahoe's throughput is nearer, within 6 %:
/// 1.20 with spacing (the paper: 1.21), 1.10 with gamma = 0.34 (1.07). The paper does not print the
/// gamma below 1/4 of figure 8 either; with 0.2 the model has what Tahoe has (1.00, the paper:
/// 0.95).
#[test]
fn the_papers_throughputs() {
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
fn the_cycle_of_figure_6() {
    let path = satellite();
    let cycle = path.cycle(&Source::TAHOE).unwrap();
    let overflow = cycle.overflow.unwrap();
    assert_near(overflow.to_window, path.max_window() / 2.0, 1e-12);
    assert_near(cycle.avoidance.from_window, path.max_window() / 4.0, 1e-12);
    // tau (log2 69.1 + 1), tau log2 44.7; 2 W_B - 1
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

/// Its integrals are the sums over round trips, of path and queue.
#[test]
fn congestion_avoidance_is_the_sum_of_its_round_trips() {
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
fn what_cannot_be_is_refused() {
    let said = |path: Result<Path, Invalid>| path.unwrap_err().to_string();
    assert_eq!(
        said(Path::new(0.0, 0.0, 40.0, 0.5)),
        "the rate is 0: a number above 0 is wanted"
    );
    assert_eq!(
        said(Path::new(f64::NAN, 0.0, 40.0, 0.5)),
        "the rate is NaN: a number above 0 is wanted"
    );
    assert_eq!(
        said(Path::new(366.0, 0.0, f64::INFINITY, 0.5)),
        "the buffer is inf: a number above 0 is wanted"
    );
    assert_eq!(
        said(Path::new(366.0, 0.0, 40.0, -1.0)),
        "the round trip is -1: a number above 0 is wanted"
    );
    let full =
        "the background is 366.0 packets/s: from 0 to less than the bottleneck's 366.0 is wanted";
    assert_eq!(said(Path::new(366.0, 366.0, 40.0, 0.5)), full);
    for background in [-1.0, 400.0, f64::NAN] {
        assert!(said(Path::new(366.0, background, 40.0, 0.5)).starts_with("the background is "));
    }
}

#[test]
fn a_source_that_cannot_be_is_refused() {
    let path = satellite();
    let said = |source: Source| path.cycle(&source).unwrap_err().to_string();
    for gamma in [0.0, -0.1, 0.51, f64::NAN] {
        let expected = format!("gamma is {gamma}: above 0 and at most 1/2 is wanted");
        assert_eq!(
            said(Source {
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
        said(Source {
            spaced_rate: Some(rate),
            ..Source::TAHOE
        })
    };
    let slow = "segments spaced at 265.0 packets/s make the source the bottleneck: at least the 266.0 that are available is wanted";
    assert_eq!(spaced(265.0), slow);
    assert_eq!(
        spaced(f64::NAN),
        "the rate of spaced segments is NaN: a number above 0 is wanted"
    );
    let small = "the slow start's threshold is 0.90 packets: a window of at least 1 is wanted";
    assert_eq!(
        said(Source {
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
    let late =
        "20.0 packets are no less than the window of 20.0: the loss is not one of slow start";
    assert_eq!(
        adapted_gamma(0.5, 20.0, 20.0).unwrap_err().to_string(),
        late
    );
}

/// Spacing at what slow start sends anyhow, or faster, is none.
#[test]
fn a_rate_above_that_of_slow_start_spaces_nothing() {
    let path = satellite();
    for spaced in [632.0, 5000.0] {
        assert_near(
            path.overflow_window_at(spaced).unwrap(),
            path.overflow_window(),
            1e-12,
        );
    }
}
