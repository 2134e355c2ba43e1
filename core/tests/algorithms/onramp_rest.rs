//! `onramp` when the pipe is full: cwnd rests, and grows again if the delay passes.

use crate::flights::{Host, MS};
use crate::onramp::{
    arrive, assert_segments, host_on, in_two_aggregates, phase, round, until, validated,
};
use crate::onramp::{PACED_RATE, QUEUED, RATE, RTT, SEGMENT};
use onramp_core::{exit_name, ACK_APP_LIMITED, UNLIMITED};

/// The rate of the full pipe: 855 segments in an RTT.
const FULL_RATE: u64 = PACED_RATE / 8 * 9;

fn held(host: &mut Host) {
    until(host, "hold", RATE, QUEUED);
    until(host, "rest", FULL_RATE, QUEUED);
}

fn in_rest() -> Host {
    let mut host = validated();
    held(&mut host);
    host
}

/// The delay stays for the first round. Then it passes. (A sudden drop would be RTT noise.)
fn grow_again(host: &mut Host) {
    round(host, FULL_RATE, QUEUED);
    assert_eq!(phase(host), "rest");
    until(host, "approach", FULL_RATE, QUEUED - 1);
}

#[test]
fn a_delay_that_stays_for_four_rounds_ends_the_startup_with_the_same_cwnd() {
    let mut host = in_rest();
    let window = host.decision.cwnd_bytes;
    for _ in 0..3 {
        let decision = round(&mut host, FULL_RATE, QUEUED);
        assert_eq!(
            (phase(&host), decision.cwnd_bytes, decision.is_full),
            ("rest", window, 0)
        );
        assert_eq!(decision.ssthresh_bytes, UNLIMITED);
    }
    let left = host.ack.inflight_bytes / SEGMENT;
    arrive(&mut host, left - 1, FULL_RATE, QUEUED);
    assert_eq!(phase(&host), "rest");
    let decision = arrive(&mut host, 1, FULL_RATE, QUEUED);
    assert_eq!(
        (phase(&host), exit_name(decision.exit), decision.is_full),
        ("done", "delay", 1)
    );
    assert_eq!(
        (decision.cwnd_bytes, decision.ssthresh_bytes),
        (window, window)
    );
    assert_eq!(decision.pacing_bytes_per_s, UNLIMITED);
    assert_segments(decision.learned_bytes, 855);
    assert_eq!(decision.estimate_bytes_per_s / 1000, FULL_RATE / 1000);
}

/// The queue of the round before leaves first.
#[test]
fn samples_of_the_first_round_do_not_count() {
    let mut host = in_rest();
    let in_flight = host.ack.inflight_bytes / SEGMENT;
    arrive(&mut host, in_flight - 1, FULL_RATE, RTT);
    assert_eq!(phase(&host), "rest");
    until(&mut host, "approach", FULL_RATE, RTT);
    let since_rest = host.ack.delivered_bytes - in_rest().ack.delivered_bytes;
    assert!(
        since_rest <= (in_flight + 8) * SEGMENT,
        "the first group that ends after the round"
    );
}

/// By a quarter of what is acknowledged, as in the second round after validation.
#[test]
fn a_delay_that_passes_lets_cwnd_grow_again() {
    let mut host = in_rest();
    let window = host.decision.cwnd_bytes;
    grow_again(&mut host);
    assert_eq!((host.decision.cwnd_bytes, host.decision.exit), (window, 0));
    assert_segments(
        arrive(&mut host, 80, FULL_RATE, RTT).cwnd_bytes,
        window / SEGMENT + 20,
    );
}

/// Eight samples are not delayed only where one of them is not.
#[test]
fn a_group_of_delayed_samples_rests() {
    let mut host = in_rest();
    round(&mut host, FULL_RATE, QUEUED);
    // A delay of just a queue's length, beyond the baseline from before HOLD.
    arrive(&mut host, 100, FULL_RATE, QUEUED);
    assert_eq!(phase(&host), "rest");
    arrive(&mut host, 16, FULL_RATE, QUEUED - 1);
    assert_eq!(phase(&host), "approach");
}

#[test]
fn growth_begins_again_eight_times_at_most() {
    let mut host = in_rest();
    for _ in 0..8 {
        grow_again(&mut host);
        held(&mut host);
    }
    let window = host.decision.cwnd_bytes;
    // Also where the delay has passed.
    let decision = round(&mut host, FULL_RATE, RTT);
    assert_eq!(
        (phase(&host), exit_name(decision.exit), decision.is_full),
        ("done", "delay", 1)
    );
    assert_eq!(decision.cwnd_bytes, window);
}

/// An idle sender has no queue.
#[test]
fn app_limited_samples_do_not_count() {
    for flags in [ACK_APP_LIMITED, 0] {
        let mut host = in_rest();
        round(&mut host, FULL_RATE, QUEUED);
        host.ack.rtt_ns = RTT;
        for _ in 0..100 {
            let decision = host.ack(MS, 400 * SEGMENT, flags);
            assert_eq!((phase(&host), decision.is_full), ("rest", 0));
        }
        until(&mut host, "approach", FULL_RATE, RTT);
    }
}

/// Slow start's hold: no BDP is known.
#[test]
fn a_slow_start_at_rest_grows_again_as_slow_start() {
    let mut host = host_on(RTT);
    in_two_aggregates(&mut host);
    in_two_aggregates(&mut host);
    until(&mut host, "hold", RATE / 100, QUEUED);
    until(&mut host, "rest", RATE / 100, QUEUED);
    round(&mut host, RATE / 100, QUEUED);
    let window = host.decision.cwnd_bytes;
    let decision = until(&mut host, "slow-start", RATE / 100, RTT);
    assert_eq!(
        (decision.cwnd_bytes, decision.estimate_bytes_per_s),
        (window, RATE / 100)
    );
    // The next flight of slow start gives the rate.
    let decision = until(&mut host, "pacing", RATE / 100, RTT);
    let rate = decision.estimate_bytes_per_s;
    assert!(rate.abs_diff(RATE / 100) <= 1, "{rate}");
}
