//! The congestion window and its threshold, which start-up, avoidance and recovery share.

/// No threshold is set.
pub const UNLIMITED: u64 = onramp_core::UNLIMITED;

/// What congestion control lets a sender have outstanding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Congestion window.
    pub cwnd_bytes: u64,
    /// Slow-start threshold; `u64::MAX` is none.
    pub ssthresh_bytes: u64,
    /// Payload of a full segment.
    pub mss_bytes: u32,
}

impl Window {
    /// Is the window below its threshold?
    pub fn in_slow_start(&self) -> bool {
        self.cwnd_bytes < self.ssthresh_bytes
    }

    /// The window in whole segments, at least 1.
    pub fn segments(&self) -> u64 {
        (self.cwnd_bytes / u64::from(self.mss_bytes)).max(1)
    }

    /// Grows by what was acknowledged up to the threshold; what is left of it is for congestion
    /// avoidance (RFC 5681, section 3.1, with byte counting as in RFC 3465 without a limit).
    pub fn slow_start(&mut self, acked_bytes: u64) -> u64 {
        let room = self.ssthresh_bytes.saturating_sub(self.cwnd_bytes);
        let growth = acked_bytes.min(room);
        self.cwnd_bytes += growth;
        acked_bytes - growth
    }
}
