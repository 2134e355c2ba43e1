//! Estimating ssthresh (Aron & Druschel, section 4.2.1).

use crate::flights::{start, Host, MS, MSS};
use onramp_core::{
    phase_name, Ack, Start, Startup, ACK_APP_LIMITED, ACK_CWND_LIMITED,
    OPTION_PAPER_INITIAL_WINDOW, UNLIMITED,
};

const RTT_NS: u64 = 100 * MS;

/// The time between two segments on a path with this BDP, in segments, and an RTT of 100 ms.
fn spacing_ns(bdp_segments: u64) -> u64 {
    RTT_NS / bdp_segments
}

fn host() -> Host {
    Host::new("paced", start(), RTT_NS)
}

#[track_caller]
fn assert_segments(bytes: u64, segments: u64) {
    let segments_bytes = segments * u64::from(MSS);
    assert!(
        bytes.abs_diff(segments_bytes) <= segments_bytes / 1000,
        "{bytes} bytes are not {segments} segments"
    );
}

/// "MIN(4 * MSS, MAX(2 * MSS, 4380 bytes)) [...] an initial congestion window of 3 segments for an
/// IP packet size of 1500 bytes and 4 segments for an IP packet size of 512 bytes"
#[test]
fn the_papers_initial_window_on_request() {
    for (mss_bytes, segments) in [
        (460, 4.0),
        (472, 4.0),
        (1448, 4380.0 / 1448.0),
        (1460, 3.0),
        (8960, 2.0),
    ] {
        let window = |options| {
            let mut paced = Startup::new("paced").unwrap();
            paced
                .start(&Start {
                    mss_bytes,
                    options,
                    cwnd_bytes: 10 * u64::from(mss_bytes),
                    ..start()
                })
                .cwnd_bytes
        };
        assert_eq!(
            window(OPTION_PAPER_INITIAL_WINDOW),
            (segments * f64::from(mss_bytes)).round() as u64
        );
        assert_eq!(window(0), 10 * u64::from(mss_bytes));
    }
}

/// "The bandwidth-delay product is computed by taking the product of the bandwidth with the
/// estimated RTT."
#[test]
fn the_first_flight_gives_bandwidth_times_rtt() {
    let mut host = host();
    let first = host.flight(spacing_ns(1000), ACK_CWND_LIMITED);
    assert_segments(first.ssthresh_bytes, 1000);
    assert_segments(first.estimate_bytes_per_s / 10, 1000);
}

/// "we estimate its value repeatedly at most once every RTT"
#[test]
fn one_estimate_a_round_trip() {
    let mut host = host();
    for _ in 1..10 {
        assert_eq!(
            host.ack(spacing_ns(1000), 9 * u64::from(MSS), ACK_CWND_LIMITED)
                .ssthresh_bytes,
            UNLIMITED
        );
    }
    assert_ne!(
        host.ack(spacing_ns(1000), 9 * u64::from(MSS), ACK_CWND_LIMITED)
            .ssthresh_bytes,
        UNLIMITED
    );
}

/// cwnd grows as in slow start until the estimate is final.
#[test]
fn slow_start_goes_on_after_the_first_estimate() {
    let mut host = host();
    let first = host.flight(spacing_ns(1000), ACK_CWND_LIMITED);
    assert_eq!(phase_name(first.phase), "slow-start");
    assert_eq!(
        (first.cwnd_bytes, first.pacing_bytes_per_s),
        (20 * u64::from(MSS), UNLIMITED)
    );
}

/// "As soon as an estimation lies within 10% of the minimum of the estimations done so far, the
/// resulting ssthresh value is considered to be final"
#[test]
fn estimates_agree_within_ten_percent_of_the_minimum() {
    for (second, phase) in [
        (880, "slow-start"),
        (910, "pacing"),
        (1090, "pacing"),
        (1120, "slow-start"),
    ] {
        let mut host = host();
        host.flight(spacing_ns(1000), ACK_CWND_LIMITED);
        let decision = host.flight(spacing_ns(second), ACK_CWND_LIMITED);
        assert_eq!(phase_name(decision.phase), phase, "{second} after 1000");
        assert_segments(decision.ssthresh_bytes, second.min(1000));
    }
}

/// The host's ssthresh is not an estimate. So the first estimate cannot agree with it.
#[test]
fn one_estimate_is_never_final() {
    let mut host = Host::new(
        "paced",
        Start {
            ssthresh_bytes: 1000 * u64::from(MSS),
            ..start()
        },
        RTT_NS,
    );
    assert_eq!(
        phase_name(host.flight(spacing_ns(1000), ACK_CWND_LIMITED).phase),
        "slow-start"
    );
}

/// "The new ssthresh value at each estimation is set to the minimum of all estimations done so
/// far."
#[test]
fn the_minimum_is_kept_until_two_agree() {
    let mut host = host();
    for (estimate, minimum, phase) in [
        (1000, 1000, "slow-start"),
        (2000, 1000, "slow-start"),
        (600, 600, "slow-start"),
        (630, 600, "approach"),
    ] {
        let decision = host.flight(spacing_ns(estimate), ACK_CWND_LIMITED);
        assert_segments(decision.ssthresh_bytes, minimum);
        assert_segments(decision.estimate_bytes_per_s / 10, minimum);
        // 160 segments are in flight at the fourth, less than half of 600.
        let phase = if phase == "approach" { "pacing" } else { phase };
        assert_eq!(phase_name(decision.phase), phase, "after {estimate}");
    }
}

/// "and no more estimations are performed"
#[test]
fn a_final_estimate_stays() {
    let mut host = host();
    host.flight(spacing_ns(1000), ACK_CWND_LIMITED);
    let last = host.flight(spacing_ns(1000), ACK_CWND_LIMITED);
    let later = host.flight(spacing_ns(300), ACK_CWND_LIMITED);
    assert_eq!(later.ssthresh_bytes, last.ssthresh_bytes);
    assert_eq!(later.estimate_bytes_per_s, last.estimate_bytes_per_s);
}

#[test]
fn a_flight_that_the_application_left_short_gives_no_estimate() {
    let mut host = host();
    let decision = host.flight(spacing_ns(20), ACK_APP_LIMITED);
    assert_eq!(
        (decision.ssthresh_bytes, decision.estimate_bytes_per_s),
        (UNLIMITED, 0)
    );
}

/// One ACK of a whole flight has no spacing, so the next flight gives the estimate.
#[test]
fn a_flight_acknowledged_at_once_gives_no_estimate() {
    let mut host = host();
    let mss = u64::from(MSS);
    host.ack.delivered_bytes += 9 * mss;
    assert_eq!(
        host.ack(RTT_NS, 0, ACK_CWND_LIMITED).estimate_bytes_per_s,
        0
    );
    assert_segments(
        host.flight(spacing_ns(1000), ACK_CWND_LIMITED)
            .ssthresh_bytes,
        1000,
    );
}

#[test]
fn no_estimate_without_an_rtt() {
    let mut host = Host::new("paced", start(), 0);
    assert_eq!(host.flight(MS, ACK_CWND_LIMITED).estimate_bytes_per_s, 0);
}

/// With a cwnd of one segment, the receiver would delay every ACK.
#[test]
fn ssthresh_is_at_least_two_segments() {
    let mut host = host();
    host.flight(300 * MS, ACK_CWND_LIMITED);
    assert_eq!(host.decision.ssthresh_bytes, 2 * u64::from(MSS));
}

/// The maximum of bw * RTT: 100 Gbit/s (80 ns a segment) and 10 s, 125 GB.
#[test]
fn the_product_holds_on_the_fastest_and_longest_path() {
    let mut host = Host::new("paced", start(), 10_000 * MS);
    let decision = host.flight(80, ACK_CWND_LIMITED);
    assert_eq!(decision.estimate_bytes_per_s / 1_000_000, 12_500);
    assert_eq!(decision.ssthresh_bytes / 1_000_000, 125_000);
}

/// The kernel's smoothed RTT has units of an eighth of a microsecond.
#[test]
fn the_product_holds_on_a_round_trip_of_microseconds() {
    let mut host = Host::new("paced", start(), 1_875);
    let decision = host.flight(100, ACK_CWND_LIMITED);
    assert_eq!(decision.ssthresh_bytes, 18_750);
}

/// The host's ssthresh (a route's metric) has no influence on whether the estimates agree with one
/// another.
#[test]
fn estimates_agree_below_which_the_host_has_an_ssthresh() {
    let mut host = Host::new(
        "paced",
        Start {
            ssthresh_bytes: 200 * u64::from(MSS),
            ..start()
        },
        RTT_NS,
    );
    host.flight(spacing_ns(1000), ACK_CWND_LIMITED);
    let decision = host.flight(spacing_ns(1000), ACK_CWND_LIMITED);
    assert_eq!(decision.ssthresh_bytes, 200 * u64::from(MSS));
    assert_eq!(phase_name(decision.phase), "pacing");
}

/// The flag says that the application has no unsent data now. The segments that it then writes in
/// pieces are acknowledged a round trip later.
#[test]
fn a_flight_that_left_while_the_application_paused_gives_no_estimate() {
    let mut host = host();
    host.flight(spacing_ns(20), ACK_APP_LIMITED);
    assert_eq!(
        host.flight(spacing_ns(20), ACK_CWND_LIMITED)
            .estimate_bytes_per_s,
        0
    );
    assert_segments(
        host.flight(spacing_ns(1000), ACK_CWND_LIMITED)
            .ssthresh_bytes,
        1000,
    );
}

/// Hosts count segments. When the MSS shrinks, the total in bytes shrinks with it. Only one flight
/// gives no estimate.
#[test]
fn a_smaller_mss_costs_one_flight() {
    let mut host = Host::new(
        "paced",
        Start {
            mss_bytes: 9000,
            cwnd_bytes: 90_000,
            ..start()
        },
        RTT_NS,
    );
    for _ in 0..5 {
        host.ack(MS / 10, host.decision.cwnd_bytes - 9000, ACK_CWND_LIMITED);
    }
    host.ack = Ack {
        mss_bytes: 1000,
        delivered_bytes: host.ack.delivered_bytes / 9,
        ..host.ack
    };
    host.decision.cwnd_bytes = 15_000;
    host.flight(spacing_ns(1000), ACK_CWND_LIMITED);
    assert_segments(
        host.flight(spacing_ns(1000), ACK_CWND_LIMITED)
            .ssthresh_bytes,
        1000,
    );
}

/// When the MSS grows, the total in bytes grows too, although nothing was acknowledged.
#[test]
fn a_larger_mss_invents_no_estimate() {
    let mut host = host();
    for _ in 0..5 {
        host.ack(
            MS / 10,
            host.decision.cwnd_bytes - u64::from(MSS),
            ACK_CWND_LIMITED,
        );
    }
    host.ack = Ack {
        mss_bytes: 9000,
        delivered_bytes: host.ack.delivered_bytes * 9,
        ..host.ack
    };
    assert_eq!(
        host.ack(MS / 10, 9 * 9000, ACK_CWND_LIMITED)
            .estimate_bytes_per_s,
        0
    );
}

/// The kernel counts segments in 32 bits.
#[test]
fn a_total_that_wraps_costs_one_flight() {
    let mss = u64::from(MSS);
    let wrap = (1 << 32) * mss;
    let mut host = host();
    host.ack.delivered_bytes = wrap - 6 * mss;
    for _ in 0..5 {
        host.ack(MS / 10, host.decision.cwnd_bytes - mss, ACK_CWND_LIMITED);
    }
    host.ack.delivered_bytes -= wrap - mss;
    host.flight(spacing_ns(1000), ACK_CWND_LIMITED);
    assert_segments(
        host.flight(spacing_ns(1000), ACK_CWND_LIMITED)
            .ssthresh_bytes,
        1000,
    );
}

/// An ACK that also covers segments of the next flight arrives as late as these.
#[test]
fn a_stretch_ack_across_two_flights_is_in_neither_train() {
    let mut paced = Startup::new("paced").unwrap();
    paced.start(&start());
    let mut now_ns = 0;
    let mut ack = |gap_ns: u64, delivered: u64, inflight: u64| {
        now_ns += gap_ns;
        let decision = paced.ack(&Ack {
            now_ns,
            acked_bytes: 3000,
            delivered_bytes: delivered * 1000,
            inflight_bytes: inflight * 1000,
            srtt_ns: RTT_NS,
            cwnd_bytes: 20_000,
            ssthresh_bytes: UNLIMITED,
            mss_bytes: MSS,
            flags: ACK_CWND_LIMITED,
            ..Ack::default()
        });
        decision.estimate_bytes_per_s
    };
    // Ten segments are in flight behind the first three. The fourth ACK waits for two segments of
    // the next flight.
    for (gap_ns, delivered) in [(0, 3), (MS, 6), (MS, 9), (MS, 12)] {
        assert_eq!(ack(gap_ns, delivered, 10), 0);
    }
    assert_eq!(ack(RTT_NS, 15, 10), 3_000_000);
}
