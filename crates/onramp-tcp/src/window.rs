//! Congestion window and ssthresh, which start-up, congestion avoidance and recovery share.

/// No ssthresh is set.
pub const UNLIMITED: u64 = onramp_core::UNLIMITED;

/// The congestion window of a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Congestion window (cwnd).
    pub cwnd_bytes: u64,
    /// Slow-start threshold (ssthresh); `u64::MAX`: unlimited.
    pub ssthresh_bytes: u64,
    /// Payload of a full segment (sender MSS).
    pub mss_bytes: u32,
}

impl Window {
    /// Is cwnd below ssthresh?
    pub fn in_slow_start(&self) -> bool {
        self.cwnd_bytes < self.ssthresh_bytes
    }

    /// cwnd in whole segments, at least 1.
    pub fn segments(&self) -> u64 {
        (self.cwnd_bytes / u64::from(self.mss_bytes)).max(1)
    }

    /// ssthresh, but at least 3/4 of cwnd: `tcp_current_ssthresh()` of Linux, in whole segments.
    pub fn current_ssthresh_bytes(&self) -> u64 {
        let segments = self.segments();
        let part = (segments / 2 + segments / 4) * u64::from(self.mss_bytes);
        self.ssthresh_bytes.max(part)
    }

    /// Grows cwnd by the acknowledged bytes, up to ssthresh. Returns the bytes that remain for
    /// congestion avoidance (RFC 5681, section 3.1, with byte counting as in RFC 3465 without a
    /// limit).
    pub fn slow_start(&mut self, acked_bytes: u64) -> u64 {
        let room = self.ssthresh_bytes.saturating_sub(self.cwnd_bytes);
        let growth = acked_bytes.min(room);
        self.cwnd_bytes += growth;
        acked_bytes - growth
    }
}
