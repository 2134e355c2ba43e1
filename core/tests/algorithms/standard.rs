//! `standard`: slow start (RFC 5681, section 3.1).

use crate::flights::{start, Host, MS, MSS};
use onramp_core::{
    exit_name, Start, ACK_CWND_LIMITED, LOSS_RECOVERY, LOSS_TIMEOUT, PHASE_DONE, UNLIMITED,
};

const RTT_NS: u64 = 100 * MS;

fn host(ssthresh_segments: u64) -> Host {
    Host::new(
        "standard",
        Start {
            ssthresh_bytes: ssthresh_segments * u64::from(MSS),
            ..start()
        },
        RTT_NS,
    )
}

/// "During slow start, a TCP increments cwnd by at most SMSS bytes for each ACK received that
/// cumulatively acknowledges new data."
#[test]
fn cwnd_doubles_each_round_trip() {
    let mut host = host(1_000_000);
    for segments in [20, 40, 80, 160] {
        let decision = host.flight(MS, ACK_CWND_LIMITED);
        assert_eq!(decision.cwnd_bytes, segments * u64::from(MSS));
        assert_eq!(decision.pacing_bytes_per_s, UNLIMITED);
    }
}

/// "Slow start ends when cwnd exceeds ssthresh [...] or when congestion is observed."
#[test]
fn growth_stops_exactly_at_ssthresh() {
    let mut host = host(37);
    host.flight(MS, ACK_CWND_LIMITED);
    let reached = host.flight(MS, ACK_CWND_LIMITED);
    assert_eq!(
        (reached.cwnd_bytes, reached.ssthresh_bytes),
        (37_000, 37_000)
    );
}

#[test]
fn a_cwnd_at_ssthresh_ends_the_startup() {
    let mut host = host(10);
    let done = host.ack(RTT_NS, 9_000, ACK_CWND_LIMITED);
    assert_eq!((done.phase, exit_name(done.exit)), (PHASE_DONE, "ssthresh"));
    assert_eq!(done.cwnd_bytes, 10_000);
}

/// RFC 7661: a window that was not used shows nothing about the path.
#[test]
fn a_window_that_does_not_limit_does_not_grow() {
    let mut host = host(1_000);
    assert_eq!(host.flight(MS, 0).cwnd_bytes, 10_000);
}

#[test]
fn a_loss_leaves_the_ssthresh_of_congestion_avoidance() {
    for (kind, exit) in [(LOSS_RECOVERY, "loss"), (LOSS_TIMEOUT, "timeout")] {
        let mut host = host(1_000);
        host.flight(MS, ACK_CWND_LIMITED);
        let done = host.loss(kind, 18_000, 14_000);
        assert_eq!((done.phase, exit_name(done.exit)), (PHASE_DONE, exit));
        assert_eq!((done.cwnd_bytes, done.ssthresh_bytes), (20_000, 14_000));
        assert_eq!(done.pacing_bytes_per_s, UNLIMITED);
    }
}
