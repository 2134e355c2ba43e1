//! A library's CUBIC, begun with a given cwnd and ssthresh.
//!
//! The libraries' CUBIC has no function that sets them, so it gets events after which it has them.

use onramp_core::UNLIMITED;
use std::fmt;
use std::time::{Duration, Instant};

/// The factor by which CUBIC reduces cwnd, in tenths (RFC 9438, section 4.6).
pub(super) const BETA_TENTHS: u64 = 7;

/// A packet is acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckedPacket {
    pub now: Instant,
    pub sent: Instant,
    pub bytes: u64,
    /// The packet number, or another number that rises in the order of sending.
    pub number: u64,
    pub is_app_limited: bool,
}

/// Packets were lost, or marked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CongestionEvent {
    pub now: Instant,
    /// When the newest of the packets was sent.
    pub sent: Instant,
    pub is_persistent: bool,
    /// A mark, not a loss.
    pub is_ecn: bool,
    pub lost_bytes: u64,
    /// The number of the newest of the packets, as [`AckedPacket::number`].
    #[cfg_attr(not(feature = "noq"), allow(dead_code))] // quinn's CUBIC takes no number.
    pub number: u64,
}

/// The CUBIC of a QUIC library.
pub(crate) trait Avoidance: Clone + fmt::Debug {
    /// The library's RTT estimator.
    type Rtt: Copy;

    /// The smoothed RTT.
    fn srtt(rtt: &Self::Rtt) -> Duration;

    /// CUBIC in slow start, with this window.
    fn in_slow_start(now: Instant, mtu: u16, cwnd_bytes: u64) -> Self;

    fn cwnd_bytes(&self) -> u64;

    /// [`UNLIMITED`] if there is none.
    fn ssthresh_bytes(&self) -> u64;

    fn on_ack(&mut self, packet: &AckedPacket, rtt: &Self::Rtt);

    fn on_congestion(&mut self, event: &CongestionEvent);

    /// The library may not report spurious losses.
    #[cfg(feature = "noq")]
    fn on_spurious_congestion(&mut self) {}

    fn set_mtu(&mut self, mtu: u16);
}

/// The methods of [`Avoidance`] that are the same for noq's and quinn's CUBIC: the types of both
/// libraries have the same names.
macro_rules! methods_of_both_libraries {
    () => {
        type Rtt = RttEstimator;

        fn srtt(rtt: &RttEstimator) -> Duration {
            rtt.get()
        }

        fn in_slow_start(now: Instant, mtu: u16, cwnd_bytes: u64) -> Cubic {
            let mut config = CubicConfig::default();
            config.initial_window(cwnd_bytes);
            Cubic::new(Arc::new(config), now, mtu)
        }

        fn cwnd_bytes(&self) -> u64 {
            self.window()
        }

        fn ssthresh_bytes(&self) -> u64 {
            self.metrics().ssthresh.unwrap_or(UNLIMITED)
        }

        fn set_mtu(&mut self, mtu: u16) {
            self.on_mtu_update(mtu);
        }
    };
}
pub(crate) use methods_of_both_libraries;

/// CUBIC at the beginning of congestion avoidance, without a loss (RFC 9438, section 4.10): cwnd is
/// the maximum from which it grows. With an ssthresh above cwnd, it is in slow start.
pub(super) fn without_loss<A: Avoidance>(
    now: Instant,
    mtu: u16,
    cwnd_bytes: u64,
    ssthresh_bytes: u64,
    rtt: &A::Rtt,
) -> A {
    if ssthresh_bytes == UNLIMITED {
        return A::in_slow_start(now, mtu, cwnd_bytes);
    }
    // Persistent congestion reduces ssthresh twice and leaves no time of a loss. The ACK then lifts
    // cwnd from two datagrams in one step, because cwnd is below ssthresh. As a mark, the event
    // keeps nothing that a spurious loss would restore.
    let mut cubic = A::in_slow_start(now, mtu, raised(raised(ssthresh_bytes)));
    cubic.on_congestion(&CongestionEvent {
        is_persistent: true,
        ..mark(now)
    });
    let lift = AckedPacket {
        now,
        sent: now,
        bytes: cwnd_bytes.saturating_sub(cubic.cwnd_bytes()),
        number: 0,
        is_app_limited: false,
    };
    cubic.on_ack(&lift, rtt);
    cubic
}

/// CUBIC after a loss that has reduced cwnd to this window.
pub(super) fn after_loss<A: Avoidance>(now: Instant, mtu: u16, cwnd_bytes: u64) -> A {
    let mut cubic = A::in_slow_start(now, mtu, raised(cwnd_bytes));
    cubic.on_congestion(&mark(now));
    cubic
}

/// A mark of a packet that left at this moment.
fn mark(now: Instant) -> CongestionEvent {
    CongestionEvent {
        now,
        sent: now,
        is_persistent: false,
        is_ecn: true,
        lost_bytes: 0,
        number: 0,
    }
}

/// The window that one reduction leads to these bytes.
fn raised(bytes: u64) -> u64 {
    (bytes * 10).div_ceil(BETA_TENTHS)
}
