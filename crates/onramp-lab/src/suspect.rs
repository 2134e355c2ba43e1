//! Whether the emulator's own lateness could have changed a result.

use onramp_scenario::Case;

/// The shares that lateness may take before a run is suspect.
pub(crate) struct Limits {
    /// Of the 99th percentile.
    pub p99_us: f64,
    /// Of a single packet.
    pub max_us: f64,
}

/// - 99 of 100 packets: at most 5 % of the time that ten full packets take at the bottleneck, the shortest train
///   from whose acknowledgements a start-up estimates the rate, or 0.1 % of the round trip where that is more:
///   then neither estimate nor completion moves by more than the repeatability that the lab promises.
/// - every packet: at most 2 % of the round trip, and at least 1 ms: a single stall as long as that is what delay-based
///   exits (HyStart's 4 ms and RTT/8) can begin to notice.
pub(crate) fn limits(case: &Case) -> Limits {
    let train_us = 10.0 * f64::from(case.path.mtu_bytes) * 8e6 / case.path.forward.rate_bits_per_s as f64;
    let rtt_us = case.path.rtt_ns as f64 / 1e3;
    Limits { p99_us: (0.05 * train_us).max(0.001 * rtt_us), max_us: (0.02 * rtt_us).max(1000.0) }
}
