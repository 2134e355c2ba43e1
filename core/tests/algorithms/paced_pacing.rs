//! Pacing (Aron & Druschel, section 4.2.2), and the growth from there to ssthresh.

use crate::flights::{paced_in, start, Host, MS, MSS};
use crate::path::{time_ns, Path, Transfer};
use onramp_core::{
    phase_name, Clock, Start, Train, ACK_CWND_LIMITED, LOSS_RECOVERY, OPTION_PAPER_INITIAL_WINDOW,
    PHASE_DONE, UNLIMITED,
};

/// Figure 2 with the delay of section 2, "a high bandwidth delay path of size 116KB".
const SATELLITE: Path = Path {
    rate_bytes_per_s: 200_000,
    delay_ns: 580 * MS,
    mss_bytes: 512,
};
const GEO: Path = Path {
    rate_bytes_per_s: 6_250_000,
    delay_ns: 600 * MS,
    mss_bytes: 1448,
};

fn transfer(path: Path, event_ns: u64, segments: usize) -> Transfer {
    let mss = u64::from(path.mss_bytes);
    let start = Start {
        clock: Clock {
            measure_ns: MS,
            event_ns,
        },
        cwnd_bytes: 10 * mss,
        options: if mss < 1000 {
            OPTION_PAPER_INITIAL_WINDOW
        } else {
            0
        },
        ..start()
    };
    path.transfer("paced", start, segments)
}

/// "N <- MIN(p - d, RTT * f_ev), T <- MAX(1 / f_ev, 1 / bw)"
#[test]
fn n_segments_are_sent_one_each_t() {
    for (path, event_ns, n_limit, t_limit) in [
        (SATELLITE, 10 * MS, "clock", "clock"),
        (SATELLITE, 2 * MS, "window", "bandwidth"),
        (SATELLITE, 50_000, "window", "bandwidth"),
        (GEO, 2 * MS, "clock", "clock"),
        (GEO, 50_000, "window", "bandwidth"),
    ] {
        let transfer = transfer(path, event_ns, 200);
        let (_, step) = transfer.first_in("pacing").expect("the estimates agree");
        let mss = f64::from(path.mss_bytes);
        let f_ev = 1e9 / event_ns as f64;
        let rtt_s = step.ack.srtt_ns as f64 / 1e9;
        let bw = step.decision.estimate_bytes_per_s as f64 / mss;
        let p = (step.decision.ssthresh_bytes as f64 / 2.0 / mss).floor();
        let d = (step.ack.inflight_bytes as f64 / mss).ceil();

        assert!(
            (bw * mss / path.rate_bytes_per_s as f64 - 1.0).abs() < 0.01,
            "bw {bw}"
        );
        let n = (p - d).min((rtt_s * f_ev).floor());
        let t_s = (1.0 / f_ev).max(1.0 / bw);
        assert_eq!(
            n < p - d,
            n_limit == "clock",
            "{event_ns} ns: N {n}, p {p}, d {d}"
        );
        assert_eq!(t_s > 1.0 / bw, t_limit == "clock", "{event_ns} ns: T {t_s}");

        let pacing = step.decision.pacing_bytes_per_s as f64;
        assert_eq!(step.decision.cwnd_bytes, ((d + n) * mss) as u64);
        assert!(
            (pacing * t_s / mss - 1.0).abs() < 0.001,
            "{event_ns} ns: {pacing} B/s, T {t_s} s"
        );
    }
}

/// A partly acknowledged segment counts in d.
#[test]
fn d_is_rounded_up() {
    // 37.5 segments in flight; 100 ticks of 1 ms in a round trip.
    let mut coarse = Host::new(
        "paced",
        Start {
            clock: Clock {
                measure_ns: 1,
                event_ns: MS,
            },
            ..start()
        },
        100 * MS,
    );
    coarse.flight(MS / 10, ACK_CWND_LIMITED);
    for _ in 1..20 {
        coarse.ack(MS / 10, coarse.decision.cwnd_bytes - 1000, ACK_CWND_LIMITED);
    }
    assert_eq!(
        coarse.ack(MS / 10, 37_500, ACK_CWND_LIMITED).cwnd_bytes,
        (38 + 100) * 1000
    );
}

/// "(pacing is not effective due to the large value of clock granularity)": section 5.2.1, about a
/// clock of 500 ms. Pacing must then not delay the segments that slow start would have sent.
#[test]
fn a_coarse_clock_sends_no_later_than_slow_start() {
    for path in [
        SATELLITE,
        Path {
            delay_ns: 60 * MS,
            rate_bytes_per_s: 12_500_000,
            mss_bytes: 1448,
        },
    ] {
        let segments = (path.bdp_bytes() / u64::from(path.mss_bytes)) as usize;
        let start = Start {
            cwnd_bytes: 4 * u64::from(path.mss_bytes),
            ..start()
        };
        let standard = path.transfer("standard", start, segments).completion_ns();
        let clock = Clock {
            measure_ns: MS,
            event_ns: 500 * MS,
        };
        let paced = path
            .transfer("paced", Start { clock, ..start }, segments)
            .completion_ns();
        assert!(
            paced <= standard + path.delay_ns / 10,
            "{} ms after {} ms",
            paced / MS,
            standard / MS
        );
    }
}

/// If N < p - d, the ticks end when the d segments have made their round trip. ACKs clock the
/// sender from there on.
#[test]
fn pacing_by_a_coarse_clock_ends_with_the_next_ack() {
    let clock = Clock {
        measure_ns: 1,
        event_ns: 20 * MS,
    };
    let mut host = Host::new("paced", Start { clock, ..start() }, 100 * MS);
    while phase_name(host.decision.phase) == "slow-start" {
        host.ack(MS / 10, host.decision.cwnd_bytes - 1000, ACK_CWND_LIMITED);
    }
    // Five ticks of 20 ms in a round trip: N = 5 more segments than those in flight, one per tick.
    let d = host.ack.inflight_bytes;
    assert_eq!(
        (phase_name(host.decision.phase), host.decision.cwnd_bytes),
        ("pacing", d + 5 * 1000)
    );
    assert_eq!(host.decision.pacing_bytes_per_s, 1000 * 50);
    let window = host.decision.cwnd_bytes;
    let next = host.ack(90 * MS, window - 1000, ACK_CWND_LIMITED);
    assert_eq!(
        (phase_name(next.phase), next.cwnd_bytes),
        ("approach", window + 1000)
    );
}

/// "the amount of time over which pacing is done does not exceed one RTT": the paper's rule, which
/// a user chooses.
#[test]
fn pacing_by_a_coarse_clock_lasts_a_round_trip_where_the_user_chooses_it() {
    let clock = Clock {
        measure_ns: 1,
        event_ns: 20 * MS,
    };
    let variant = Train::named("round").unwrap().bits("paced");
    let start = Start {
        clock,
        variant,
        ..start()
    };
    let mut host = Host::new("paced", start, 100 * MS);
    while phase_name(host.decision.phase) == "slow-start" {
        host.ack(MS / 10, host.decision.cwnd_bytes - 1000, ACK_CWND_LIMITED);
    }
    let (window, rate) = (
        host.ack.inflight_bytes + 5 * 1000,
        host.decision.pacing_bytes_per_s,
    );
    assert_eq!((host.decision.cwnd_bytes, rate), (window, 1000 * 50));
    for gap_ns in [1, 50 * MS, 50 * MS - 2] {
        let next = host.ack(gap_ns, window - 1000, ACK_CWND_LIMITED);
        assert_eq!(
            (phase_name(next.phase), next.cwnd_bytes),
            ("pacing", window)
        );
        assert_eq!(next.pacing_bytes_per_s, rate);
    }
    let next = host.ack(1, window - 1000, ACK_CWND_LIMITED);
    assert_eq!(phase_name(next.phase), "approach");
}

/// All segments are paced only where no more segments leave per tick than a host may send at once
/// (RFC 6928).
#[test]
fn acks_clock_the_approach_where_ticks_are_worth_more_than_ten_segments() {
    for (event_ns, paces) in [(MS, true), (2 * MS, false)] {
        // 10 segments of 1000 bytes in a millisecond: one every 100 us.
        let mut host = Host::new(
            "paced",
            Start {
                clock: Clock {
                    measure_ns: 1,
                    event_ns,
                },
                ..start()
            },
            100 * MS,
        );
        while phase_name(host.decision.phase) != "approach" {
            host.flight(MS / 10, ACK_CWND_LIMITED);
        }
        assert_eq!(
            host.decision.pacing_bytes_per_s != UNLIMITED,
            paces,
            "{event_ns} ns"
        );
    }
}

/// Section 5.2.1: "With a 10ms scheduling clock, the sender [...] was able to achieve a 5-fold
/// improvement"
#[test]
fn a_finer_clock_finishes_earlier() {
    let segments = (SATELLITE.bdp_bytes() / 512) as usize;
    let completion_ns = |event_ns| transfer(SATELLITE, event_ns, segments).completion_ns();
    assert!(completion_ns(10 * MS) < completion_ns(500 * MS));
    assert!(completion_ns(2 * MS) < completion_ns(10 * MS));
}

/// The segments in flight already fill half of the estimate, so there is nothing to pace.
#[test]
fn a_window_half_full_skips_pacing() {
    let mut host = Host::new("paced", start(), 100 * MS);
    host.flight(100 * MS / 70, ACK_CWND_LIMITED);
    let decision = host.flight(100 * MS / 70, ACK_CWND_LIMITED);
    assert_eq!(phase_name(decision.phase), "approach");
}

/// "the amount of time over which pacing is done does not exceed one RTT"
#[test]
fn pacing_lasts_one_round_trip() {
    let mut host = paced_in("pacing");
    let window = host.decision.cwnd_bytes;
    host.ack(100 * MS - 1, window - 1000, ACK_CWND_LIMITED);
    assert_eq!(phase_name(host.decision.phase), "pacing");
    host.ack(1, window - 1000, ACK_CWND_LIMITED);
    assert_eq!(phase_name(host.decision.phase), "approach");
}

/// "the total transmitted data in one RTT remains less than the estimated pthresh value"
#[test]
fn cwnd_stays_at_half_the_estimate_while_pacing() {
    let mut host = paced_in("pacing");
    while phase_name(host.decision.phase) == "pacing" {
        assert_eq!(
            host.decision.cwnd_bytes,
            host.decision.ssthresh_bytes / 2 / u64::from(MSS) * u64::from(MSS)
        );
        host.ack(MS, host.decision.cwnd_bytes - 1000, ACK_CWND_LIMITED);
    }
}

/// "Transmitting paced TCP segments in this fashion strikes a balance between filling up the
/// network pipe quickly and avoiding congestion due to traffic bursts."
#[test]
fn the_path_is_full_after_five_round_trips_and_its_queue_short() {
    let segments = 2 * (GEO.bdp_bytes() / 1448) as usize;
    let transfer = transfer(GEO, 50_000, segments);
    let (_, done) = transfer.first_in("done").unwrap();
    assert!(
        done.ack.now_ns < 5 * GEO.delay_ns,
        "{} ms",
        done.ack.now_ns / MS
    );

    let service_ns = time_ns(1448, GEO.rate_bytes_per_s);
    let queued = |(step, sent_ns): (&crate::path::Step, &u64)| {
        (step.ack.now_ns - sent_ns - GEO.delay_ns) / service_ns
    };
    let longest = transfer
        .steps
        .iter()
        .zip(&transfer.sent_ns)
        .map(queued)
        .max()
        .unwrap();
    assert!(longest <= 40, "{longest} segments stood in the queue");
}

#[test]
fn approach_reaches_the_estimate_in_one_more_round_trip() {
    let transfer = transfer(GEO, 50_000, 4000);
    let (approach, begin) = transfer.first_in("approach").unwrap();
    let (done, end) = transfer.first_in("done").unwrap();
    let round_trips = (end.ack.now_ns - begin.ack.now_ns) as f64 / GEO.delay_ns as f64;
    assert!(
        (0.5..1.1).contains(&round_trips),
        "{round_trips} round trips"
    );
    assert_eq!(end.decision.cwnd_bytes, end.decision.ssthresh_bytes);
    for step in &transfer.steps[approach..done] {
        assert_eq!(
            step.decision.pacing_bytes_per_s,
            step.decision.estimate_bytes_per_s
        );
    }
}

/// The congestion avoidance that follows decides whether it paces.
#[test]
fn pacing_ends_with_the_startup() {
    let transfer = transfer(GEO, 50_000, 4000);
    let (_, done) = transfer.first_in("done").unwrap();
    assert_eq!(done.decision.pacing_bytes_per_s, UNLIMITED);
}

/// RFC 5681, equation 4: "ssthresh = max (FlightSize / 2, 2*SMSS)"
#[test]
fn a_loss_while_pacing_halves_what_is_in_flight() {
    for (inflight, avoidance, ssthresh) in [
        (100_000, 350_000, 50_000),
        (3_000, 350_000, 2_000),
        (100_000, 30_000, 30_000),
    ] {
        let mut host = paced_in("pacing");
        let done = host.loss(LOSS_RECOVERY, inflight, avoidance);
        assert_eq!((done.phase, done.ssthresh_bytes), (PHASE_DONE, ssthresh));
        assert_eq!(done.pacing_bytes_per_s, UNLIMITED);
    }
}

#[test]
fn a_loss_outside_pacing_is_the_congestion_avoidances() {
    for phase in ["slow-start", "approach"] {
        let mut host = paced_in_or_before(phase);
        assert_eq!(
            host.loss(LOSS_RECOVERY, 100_000, 350_000).ssthresh_bytes,
            350_000
        );
    }
}

fn paced_in_or_before(phase: &str) -> Host {
    if phase != "slow-start" {
        return paced_in(phase);
    }
    let mut host = Host::new("paced", start(), 100 * MS);
    host.flight(MS / 10, ACK_CWND_LIMITED);
    host
}
