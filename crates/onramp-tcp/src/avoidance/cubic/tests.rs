//! CUBIC against RFC 9438 in floating point, over a simulated ACK clock, and what Linux adds.

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

/// A path of a constant RTT whose ACKs, of one segment each, come evenly.
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

    /// Runs for so long; the time since and the window after each ACK.
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

/// RFC 9438, section 4.2, figures 1 and 2: the window is on the curve. It aims at where the curve
/// is after the next round trip, so it may be ahead by as much; a step of the window's pace is a
/// segment, and a jiffy of the clock's.
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

/// Before the first loss Linux grows by 5 % a round trip, to find one; not where a start-up has
/// found the path.
#[test]
fn a_window_that_holds_the_path_is_where_the_curve_rests() {
    let after_two_seconds = |is_full: bool| {
        let mut clock = Clock::new(100, 400);
        clock.window.ssthresh_bytes = clock.window.cwnd_bytes;
        if is_full {
            clock.cubic.path_is_full(&clock.window);
        }
        clock.run_ms(2000);
        clock.window.segments()
    };
    let (searching, resting) = (after_two_seconds(false), after_two_seconds(true));
    assert!(
        searching > 900,
        "{searching}: 400 times 1.05 to the 20th are 1061"
    );
    assert!(
        (400..=420).contains(&resting),
        "{resting}: Reno's 8/15 a round trip are 11"
    );
}

/// RFC 9438, section 4.3, figure 4, with alpha as Linux has it: 8/15 segments a round trip on short
/// paths. While the window stays the same its pace is computed anew only after 28 ms, so it may be
/// late by as much.
#[test]
fn on_short_paths_the_window_is_renos_with_this_beta() {
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
fn a_loss_below_the_last_window_gives_way() {
    let mut cubic = Cubic::default();
    cubic.ssthresh(&window(1000), 0, 0);
    assert_eq!(cubic.w_max, 1000);
    cubic.ssthresh(&window(900), 0, 0);
    assert_eq!(cubic.w_max, 900 * 1741 / 2048);
    cubic.ssthresh(&window(800), 0, 0);
    assert_eq!(
        cubic.w_max, 800,
        "no less than what was left of the last one"
    );
}

/// RFC 9438, section 4.6.
#[test]
fn a_loss_leaves_seven_tenths_and_two_segments_at_least() {
    let ssthresh = |segments| Cubic::default().ssthresh(&window(segments), 0, 0) / MSS;
    assert_eq!([1000, 10, 3, 2, 1].map(ssthresh), [700, 7, 2, 2, 2]);
}

/// RFC 9438, section 5: the average window with one loss in 1/p segments. The formula is for the
/// deterministic loss model without fast convergence, which does not set in where every loss finds
/// the same window.
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
                // Over time, and an ACK takes RTT / cwnd of it.
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

/// RFC 9438, section 4.2: the target is at most half as much again, which a window's worth of ACKs
/// reaches; and one segment more by what was left of the ACKs before.
#[test]
fn the_window_never_grows_by_more_than_half_in_a_round_trip() {
    let mut clock = Clock::new(2000, 20);
    clock.lose();
    let growths = (0..12).map(|_| {
        let before = clock.window.segments();
        (0..before).for_each(|_| clock.acknowledge());
        clock.window.segments().saturating_sub(1) as f64 / before as f64
    });
    let most = growths.fold(0.0, f64::max);
    assert!((1.4..=1.5).contains(&most), "{most}");
}

/// Linux: a window's twentieth for each window delivered, when no loss has told of W_max.
#[test]
fn without_a_loss_the_window_grows_by_a_twentieth_at_least() {
    let mut clock = Clock::new(20, 200);
    clock.window.ssthresh_bytes = clock.window.cwnd_bytes;
    (0..200).for_each(|_| clock.acknowledge());
    assert_eq!(clock.window.segments(), 210);
}

/// RFC 9438, section 4.8, and Linux, which forgets everything.
#[test]
fn a_timeout_starts_from_nothing() {
    let mut clock = Clock::new(100, 100);
    clock.lose();
    clock.run_ms(3000);
    clock.cubic.ssthresh(&clock.window, clock.now_ns, 0);
    clock.cubic.timeout();
    assert_eq!(
        (
            clock.cubic.w_max,
            clock.cubic.least_rtt_us,
            clock.cubic.epoch.is_none()
        ),
        (0, None, true)
    );
}

/// RFC 9438, section 5.8: time without data is not counted.
#[test]
fn an_idle_time_does_not_move_the_window_along_the_curve() {
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

/// Linux: what is measured while the queue of the loss drains is no least RTT.
#[test]
fn round_trips_of_an_epochs_first_second_do_not_count() {
    let mut clock = Clock::new(100, 50);
    clock.lose();
    clock.acknowledge();
    clock.rtt_ns = 90 * MS;
    clock.run_ms(900);
    assert_eq!(clock.cubic.least_rtt_us, Some(100_000));
    clock.run_ms(300);
    assert_eq!(clock.cubic.least_rtt_us, Some(90_000));
}

/// RFC 9438, section 4.10. The path holds 100 segments, ACKs come one a millisecond.
#[test]
fn hystart_ends_slow_start_before_the_window_is_twice_the_path() {
    let mut path = Path::new(Box::<Cubic>::default(), MS, 100 * MS, 10, UNLIMITED / MSS);
    let window = path.run(2000 * MS);
    assert!(
        (50_000..200_000).contains(&window.ssthresh_bytes),
        "{window:?}"
    );
}

/// Linux: the curve is evaluated when the window has changed, and otherwise once in more than 1/32
/// s.
#[test]
fn the_pace_is_kept_while_the_window_stays_the_same() {
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
