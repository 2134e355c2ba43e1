//! The congestion avoidance behind a start-up: CUBIC of the library, or up to it.

use super::avoidance::{
    after_loss, without_loss, AckedPacket, Avoidance, CongestionEvent, BETA_TENTHS,
};
use super::rise::Rise;
use std::time::Instant;

/// CUBIC.
#[derive(Clone, Debug)]
pub(super) enum Cubic<A> {
    Library(A),
    Rise(Rise),
}

impl<A: Avoidance> Cubic<A> {
    /// In slow start, with this window.
    pub fn in_slow_start(now: Instant, mtu: u16, cwnd_bytes: u64) -> Cubic<A> {
        Cubic::Library(A::in_slow_start(now, mtu, cwnd_bytes))
    }

    /// At the beginning of congestion avoidance, without a loss.
    pub fn without_loss(
        now: Instant,
        mtu: u16,
        cwnd_bytes: u64,
        ssthresh_bytes: u64,
        rtt: &A::Rtt,
    ) -> Cubic<A> {
        Cubic::Library(without_loss(now, mtu, cwnd_bytes, ssthresh_bytes, rtt))
    }

    /// After losses that have reduced cwnd from W_max to this window.
    pub fn after_loss(now: Instant, mtu: u16, cwnd_bytes: u64, w_max_bytes: u64) -> Cubic<A> {
        if cwnd_bytes * 10 < w_max_bytes * BETA_TENTHS {
            Cubic::Rise(Rise::new(now, mtu, cwnd_bytes, w_max_bytes))
        } else {
            Cubic::Library(after_loss(now, mtu, cwnd_bytes))
        }
    }

    pub fn cwnd_bytes(&self) -> u64 {
        match self {
            Cubic::Library(library) => library.cwnd_bytes(),
            Cubic::Rise(rise) => rise.cwnd_bytes(),
        }
    }

    pub fn ssthresh_bytes(&self) -> u64 {
        match self {
            Cubic::Library(library) => library.ssthresh_bytes(),
            Cubic::Rise(rise) => rise.ssthresh_bytes(),
        }
    }

    #[inline]
    pub fn on_ack(&mut self, packet: &AckedPacket, rtt: &A::Rtt) {
        let end_of_rise = match self {
            Cubic::Library(library) => return library.on_ack(packet, rtt),
            Cubic::Rise(rise) => rise.on_ack(packet, rtt),
        };
        if let Some(library) = end_of_rise {
            *self = Cubic::Library(library);
        }
    }

    pub fn on_congestion(&mut self, event: &CongestionEvent) {
        let end_of_rise = match self {
            Cubic::Library(library) => return library.on_congestion(event),
            Cubic::Rise(rise) => rise.on_congestion(event),
        };
        if let Some(library) = end_of_rise {
            *self = Cubic::Library(library);
        }
    }

    #[cfg(feature = "noq")]
    pub fn on_spurious_congestion(&mut self) {
        if let Cubic::Library(library) = self {
            library.on_spurious_congestion();
        }
    }

    pub fn set_mtu(&mut self, mtu: u16) {
        match self {
            Cubic::Library(library) => library.set_mtu(mtu),
            Cubic::Rise(rise) => rise.set_mtu(mtu),
        }
    }
}
