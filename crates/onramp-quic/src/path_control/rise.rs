//! CUBIC from the cwnd that a start-up leaves behind after a loss.
//!
//! After a loss CUBIC's curve begins at cwnd and leads to W_max, the cwnd before the loss (RFC
//! 9438, section 4.2). The CUBIC of the libraries can begin nowhere but at 0.7 W_max. A start-up
//! that has overfilled the queue reduces cwnd further. So cwnd follows the curve here up to
//! 0.7 W_max, where the library's CUBIC goes on.

use super::avoidance::{after_loss, AckedPacket, Avoidance, CongestionEvent, BETA_TENTHS};
use onramp_core::CubicCurve;
use std::time::Instant;

/// CUBIC's curve below 0.7 W_max.
#[derive(Clone, Debug)]
pub(super) struct Rise {
    curve: CubicCurve,
    start: Instant,
    mtu: u64,
    w_max_bytes: u64,
    ssthresh_bytes: u64,
    cwnd_bytes: u64,
    /// The cwnd of Reno, a minimum (RFC 9438, section 4.3).
    reno_bytes: u64,
    /// Acknowledged bytes that have not yet made Reno's cwnd grow.
    reno_credit_bytes: u64,
}

impl Rise {
    pub fn new(now: Instant, mtu: u16, cwnd_bytes: u64, w_max_bytes: u64) -> Rise {
        let mtu = u64::from(mtu);
        Rise {
            curve: CubicCurve::new(w_max_bytes / mtu, cwnd_bytes / mtu),
            start: now,
            mtu,
            w_max_bytes,
            ssthresh_bytes: cwnd_bytes,
            cwnd_bytes,
            reno_bytes: cwnd_bytes,
            reno_credit_bytes: 0,
        }
    }

    pub fn cwnd_bytes(&self) -> u64 {
        self.cwnd_bytes
    }

    pub fn ssthresh_bytes(&self) -> u64 {
        self.ssthresh_bytes
    }

    pub fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu.into();
    }

    /// A packet is acknowledged. Returns the library's CUBIC where it goes on.
    pub fn on_ack<A: Avoidance>(&mut self, packet: &AckedPacket, rtt: &A::Rtt) -> Option<A> {
        if packet.is_app_limited || packet.sent <= self.start {
            return None;
        }
        let srtt = A::srtt(rtt);
        let ahead = packet.now.duration_since(self.start) + srtt;
        let segments = self
            .curve
            .segments_at((ahead.as_millis() * 1024 / 1000) as u64);
        // Section 4.2 limits the target to 1.5 cwnd.
        let target_bytes = (segments * self.mtu).min(self.cwnd_bytes + self.cwnd_bytes / 2);
        let missing_bytes = target_bytes.saturating_sub(self.cwnd_bytes);
        self.cwnd_bytes += missing_bytes * packet.bytes / self.cwnd_bytes;
        self.grow_reno(packet.bytes);
        self.cwnd_bytes = self.cwnd_bytes.max(self.reno_bytes);
        if self.cwnd_bytes * 10 < self.w_max_bytes * BETA_TENTHS {
            return None;
        }
        // A loss among the packets of the last round trip belongs to no earlier recovery.
        let joined = packet.now.checked_sub(srtt).unwrap_or(packet.now);
        Some(after_loss(joined, self.mtu as u16, self.cwnd_bytes))
    }

    /// Returns the library's CUBIC after a loss, unless the packets left before the start: those
    /// belong to the loss that the start-up has answered.
    pub fn on_congestion<A: Avoidance>(&self, event: &CongestionEvent) -> Option<A> {
        if event.sent <= self.start && !event.is_persistent {
            return None;
        }
        let mut library: A = after_loss(self.start, self.mtu as u16, self.cwnd_bytes);
        library.on_congestion(event);
        Some(library)
    }

    /// One datagram for 15/8 of cwnd: 3 (1 - 0.7) / (1 + 0.7) of a datagram in a round trip.
    fn grow_reno(&mut self, acked_bytes: u64) {
        self.reno_credit_bytes += acked_bytes;
        let each_bytes = self.reno_bytes * 15 / 8;
        if self.reno_credit_bytes >= each_bytes {
            self.reno_credit_bytes -= each_bytes;
            self.reno_bytes += self.mtu;
        }
    }
}
