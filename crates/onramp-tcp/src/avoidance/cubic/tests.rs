//! Compares CUBIC with RFC 9438 in floating point over a simulated ACK clock, and tests what Linux
//! adds.

use super::super::path::{Path, MSS};
use super::*;
use crate::window::UNLIMITED;

const MS: u64 = 1_000_000;

fn window(segments: u64) -> Window {
    Window {
        cwnd_bytes: segments * MSS,
        ssthresh_bytes: UNLIMITED,
        mss_bytes: MSS as u32,
    }
}

/// A path with a constant RTT and evenly spaced ACKs of one segment each.
struct Clock {
    cubic: Cubic,
    window: Window,
    rtt_ns: u64,
    now_ns: u64,
}

impl Clock {
    fn new(rtt_ms: u64, cwnd: u64) -> Clock {
        let (rtt_ns, now_ns) = (rtt_ms * MS, 1_000_000 * MS);
        let mut clock = Clock {
            cubic: Cubic::default(),
            window: window(cwnd),
            rtt_ns,
            now_ns,
        };
        let ack = clock.ack();
        clock.cubic.measure(&mut clock.window, &ack);
        clock
    }

    fn ack(&self) -> AckSample {
        let rtt_ns = Some(self.rtt_ns);
        AckSample {
            now_ns: self.now_ns,
            delivered_bytes: MSS,
            rtt_ns,
            cwnd_limited: true,
            ..AckSample::default()
        }
    }

    fn lose(&mut self) {
        self.window.ssthresh_bytes = self.cubic.ssthresh(&self.window, self.now_ns, 0);
        self.window.cwnd_bytes = self.window.ssthresh_bytes;
    }

    fn acknowledge(&mut self) {
        self.now_ns += self.rtt_ns / self.window.segments();
        let ack = self.ack();
        self.cubic.measure(&mut self.window, &ack);
        self.cubic.raise(&mut self.window, &ack);
    }

    /// Runs for `ms`. Returns the time since the start and cwnd after each ACK.
    fn run_ms(&mut self, ms: u64) -> Vec<(f64, f64)> {
        let start_ns = self.now_ns;
        let mut curve = Vec::new();
        while self.now_ns < start_ns + ms * MS {
            self.acknowledge();
            curve.push((
                (self.now_ns - start_ns) as f64 / 1e9,
                self.window.segments() as f64,
            ));
        }
        curve
    }
}

/// RFC 9438, section 4.2, figures 1 and 2: cwnd is on the curve. It aims at the curve's value after
/// the next round trip, so it may be ahead by as much. The tolerance is a segment for a step of
/// cwnd, and a jiffy of the clock.
#[test]
fn the_window_follows_the_cubic_function() {
    for (rtt_ms, w_max) in [
        (40, 400u64),
        (100, 200),
        (100, 1000),
        (300, 300),
        (300, 5000),
        (600, 2500),
    ] {
        let mut clock = Clock::new(rtt_ms, w_max);
        clock.lose();
        let k_s = ((w_max as f64 - clock.window.segments() as f64) / 0.4).cbrt();
        let w_cubic = |t: f64| 0.4 * (t - k_s).powi(3) + w_max as f64;
        for (t, cwnd) in clock.run_ms((2000.0 * k_s) as u64) {
            let (behind, ahead) = (w_cubic(t), w_cubic(t + rtt_ms as f64 / 1e3));
            let slack = 2.0 + 0.002 * cwnd;
            let after_first_rtts = t > 2.0 * rtt_ms as f64 / 1e3;
            assert!(
                cwnd <= ahead + slack,
                "RTT {rtt_ms} W_max {w_max} t {t}: {cwnd} > {ahead}"
            );
            assert!(
                cwnd >= behind - slack || !after_first_rtts,
                "RTT {rtt_ms} W_max {w_max} t {t}: {cwnd} < {behind}"
            );
        }
    }
}

/// RFC 9438, section 4.3, figure 4, with alpha as in Linux: 8/15 segments a round trip on short
/// paths. While cwnd does not change, the curve is evaluated again only after 28 ms, so cwnd may be
/// late by as much.
#[test]
fn on_short_paths_cwnd_is_renos_with_this_beta() {
    let mut clock = Clock::new(5, 20);
    clock.lose();
    let start = clock.window.segments() as f64;
    for (t, cwnd) in clock.run_ms(600) {
        let w_est = |t: f64| start + 8.0 / 15.0 * t / 0.005;
        assert!(cwnd <= w_est(t) + 1.0, "t {t}: {cwnd}, Reno {}", w_est(t));
        assert!(
            cwnd >= w_est(t - 0.04) - 2.0,
            "t {t}: {cwnd}, Reno {}",
            w_est(t)
        );
    }
}

/// RFC 9438, section 4.7.
#[test]
fn a_loss_below_the_last_window_reduces_w_max() {
    let mut cubic = Cubic::default();
    cubic.ssthresh(&window(1000), 0, 0);
    assert_eq!(cubic.w_max, 1000);
    cubic.ssthresh(&window(900), 0, 0);
    assert_eq!(cubic.w_max, 900 * 1741 / 2048);
    cubic.ssthresh(&window(800), 0, 0);
    assert_eq!(cubic.w_max, 800, "at least what remained of the last one");
}

/// RFC 9438, section 4.6.
#[test]
fn a_loss_leaves_seven_tenths_and_at_least_two_segments() {
    let ssthresh = |segments| Cubic::default().ssthresh(&window(segments), 0, 0) / MSS;
    assert_eq!([1000, 10, 3, 2, 1].map(ssthresh), [700, 7, 2, 2, 2]);
}

/// RFC 9438, section 5: the average cwnd with one loss in 1/p segments. The formula is for the
/// deterministic loss model without fast convergence. Fast convergence does not apply here, because
/// every loss finds the same cwnd.
#[test]
fn the_response_function_is_the_rfcs() {
    let (p, rtt_s) = (1e-5, 0.1f64);
    let expected = (0.4f64 * 3.7 / (4.0 * 0.3)).powf(0.25) * (rtt_s / p).powf(0.75);
    let mut clock = Clock::new(100, 1000);
    let (mut sum, mut segments) = (0.0, 0.0);
    for cycle in 0..20 {
        clock.lose();
        for _ in 0..(1.0 / p) as u64 {
            clock.acknowledge();
            if cycle >= 10 {
                // The average is over time, and an ACK takes RTT / cwnd of it.
                sum += 1.0;
                segments += 1.0 / clock.window.segments() as f64;
            }
        }
    }
    let average = sum / segments;
    assert!(
        (average / expected - 1.0).abs() < 0.1,
        "{average}, expected {expected}"
    );
}

/// RFC 9438, section 4.2: the target is at most 1.5 cwnd, and one window of ACKs reaches it. The
/// remainder of earlier ACKs may add one segment.
#[test]
fn cwnd_never_grows_by_more_than_half_in_a_round_trip() {
    let mut clock = Clock::new(2000, 20);
    clock.lose();
    let growths = (0..12).map(|_| {
        let before = clock.window.segments();
        (0..before).for_each(|_| clock.acknowledge());
        clock.window.segments().saturating_sub(1) as f64 / before as f64
    });
    let max = growths.fold(0.0, f64::max);
    assert!((1.4..=1.5).contains(&max), "{max}");
}

/// Linux: 1/20 of cwnd for each window delivered, while no loss has set W_max.
#[test]
fn without_a_loss_cwnd_grows_by_at_least_a_twentieth() {
    let mut clock = Clock::new(20, 200);
    clock.window.ssthresh_bytes = clock.window.cwnd_bytes;
    (0..200).for_each(|_| clock.acknowledge());
    assert_eq!(clock.window.segments(), 210);
}

/// RFC 9438, section 4.8, and Linux, which forgets everything.
#[test]
fn a_timeout_resets_everything() {
    let mut clock = Clock::new(100, 100);
    clock.lose();
    clock.run_ms(3000);
    clock.cubic.ssthresh(&clock.window, clock.now_ns, 0);
    clock.cubic.timeout();
    assert_eq!(
        (
            clock.cubic.w_max,
            clock.cubic.min_rtt_us,
            clock.cubic.epoch.is_none()
        ),
        (0, None, true)
    );
}

/// RFC 9438, section 5.8: time without data is not counted.
#[test]
fn an_idle_time_does_not_advance_the_curve() {
    let run = |idle_ms: u64| {
        let mut clock = Clock::new(100, 500);
        clock.lose();
        clock.run_ms(2000);
        let idle_since_ns = clock.now_ns;
        clock.now_ns += idle_ms * MS;
        clock.cubic.resume(idle_since_ns, clock.now_ns);
        clock.run_ms(2000);
        clock.window
    };
    assert_eq!(run(0), run(60_000));
}

/// Linux: samples taken while the queue of the loss drains do not count for the min RTT.
#[test]
fn rtt_samples_of_an_epochs_first_second_do_not_count() {
    let mut clock = Clock::new(100, 50);
    clock.lose();
    clock.acknowledge();
    clock.rtt_ns = 90 * MS;
    clock.run_ms(900);
    assert_eq!(clock.cubic.min_rtt_us, Some(100_000));
    clock.run_ms(300);
    assert_eq!(clock.cubic.min_rtt_us, Some(90_000));
}

/// RFC 9438, section 4.10. The BDP is 100 segments, and ACKs come every millisecond.
#[test]
fn hystart_ends_slow_start_before_cwnd_is_twice_the_bdp() {
    let mut path = Path::new(Box::<Cubic>::default(), MS, 100 * MS, 10, UNLIMITED / MSS);
    let window = path.run(2000 * MS);
    assert!(
        (50_000..200_000).contains(&window.ssthresh_bytes),
        "{window:?}"
    );
}

/// The same path. A timeout, which arms HyStart again, does not switch it on.
#[test]
fn without_hystart_no_delay_ends_slow_start() {
    let mut cubic = Cubic::new(false);
    cubic.timeout();
    let mut path = Path::new(Box::new(cubic), MS, 100 * MS, 10, UNLIMITED / MSS);
    assert_eq!(path.run(2000 * MS).ssthresh_bytes, UNLIMITED / MSS * MSS);
}

/// Linux: the curve is evaluated when cwnd has changed, and otherwise after more than 1/32 s.
#[test]
fn the_pace_is_kept_while_cwnd_does_not_change() {
    let mut clock = Clock::new(100, 1000);
    clock.lose();
    let evaluations = (0..20).map(|i| {
        clock.cubic.pace(i * 4 * MS, 700, 1);
        clock.cubic.evaluated.map(|(_, at)| at)
    });
    let mut evaluations: Vec<_> = evaluations.flatten().collect();
    evaluations.dedup();
    assert_eq!(evaluations, [0, 8, 16], "in jiffies of 4 ms");
}
