//! noq's CUBIC, begun with a given cwnd and ssthresh.
//!
//! noq's CUBIC has no function that sets them, so it gets events after which it has them.

use noq_proto::congestion::{Controller, Cubic, CubicConfig};
use noq_proto::RttEstimator;
use onramp_core::UNLIMITED;
use std::sync::Arc;
use std::time::Instant;

/// The factor by which noq's CUBIC reduces cwnd, in tenths (RFC 9438, section 4.6).
const BETA_TENTHS: u64 = 7;

/// CUBIC in slow start, with this window.
pub(super) fn in_slow_start(now: Instant, mtu: u16, cwnd_bytes: u64) -> Cubic {
    let mut config = CubicConfig::default();
    config.initial_window(cwnd_bytes);
    Cubic::new(Arc::new(config), now, mtu)
}

/// CUBIC at the beginning of congestion avoidance, without a loss (RFC 9438, section 4.10): cwnd is
/// the maximum from which it grows. With an ssthresh above cwnd, it is in slow start.
pub(super) fn without_loss(
    now: Instant,
    mtu: u16,
    cwnd_bytes: u64,
    ssthresh_bytes: u64,
    rtt: &RttEstimator,
) -> Cubic {
    if ssthresh_bytes == UNLIMITED {
        return in_slow_start(now, mtu, cwnd_bytes);
    }
    // Persistent congestion reduces ssthresh twice and leaves no time of a loss. The ACK then lifts
    // cwnd from two datagrams in one step, because cwnd is below ssthresh. As a mark, the event
    // keeps nothing that a spurious loss would restore.
    let mut cubic = in_slow_start(now, mtu, raised(raised(ssthresh_bytes)));
    cubic.on_congestion_event(now, now, true, true, 0, 0);
    let missing_bytes = cwnd_bytes.saturating_sub(cubic.window());
    cubic.on_ack(now, now, missing_bytes, 0, false, rtt);
    cubic
}

/// CUBIC after a loss that has reduced cwnd to this window.
pub(super) fn after_loss(now: Instant, mtu: u16, cwnd_bytes: u64) -> Cubic {
    let mut cubic = in_slow_start(now, mtu, raised(cwnd_bytes));
    cubic.on_congestion_event(now, now, false, true, 0, 0);
    cubic
}

/// The window that one reduction leads to these bytes.
fn raised(bytes: u64) -> u64 {
    (bytes * 10).div_ceil(BETA_TENTHS)
}
