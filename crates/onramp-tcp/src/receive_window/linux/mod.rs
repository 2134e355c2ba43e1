//! Linux's auto-tuned receive buffer (`tcp_moderate_rcvbuf`).
//!
//! Three bounds, the least of which is offered:
//!
//! - *Room.* The buffer counts memory, of which payload is a share; what waits to be read, or lies
//!   beyond a gap, takes it up.
//! - *Clamp.* The payload that fits the whole buffer.
//! - *Threshold.* A slow start of the window: it begins at what the SYN offered and rises by two
//!   segments for every full one that arrives. So a buffer that has grown shows in the offer only
//!   as segments come in.
//!
//! The buffer grows by Dynamic Right-Sizing (Fisk & Feng, "Dynamic Right-Sizing in TCP", LACSI
//! 2001): once a round trip, the receiver's own, what the application copied is compared with the
//! most that it copied before in one. If it was more, the buffer must hold twice as much, for the
//! measure is a round trip old; and because the sender may be in slow start, the growth goes on
//! top, twice:
//!
//! ```text
//! window = 2 copied + 2 (2 copied) (copied - before) / before + what lies beyond a gap
//! ```
//!
//! Described by the kernel's documentation (`ip-sysctl`: `tcp_moderate_rcvbuf`, `tcp_rmem`, and
//! `tcp_adv_win_scale`, which the measured share has replaced). The constants and the formula
//! reproduce a download over the lab's path of 50 Mbit/s and 600 ms on Linux 6.18: see the tests.
//! NOTE: Linux takes the share from each new size of segment, which depends on the device; here it
//! is one number.

use super::{Held, ReceiveWindow};

/// What differs between kernels and devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Memory of a new socket: `tcp_rmem[1]`.
    pub initial_buffer_bytes: u64,
    /// Bound of the memory: `tcp_rmem[2]`.
    pub most_buffer_bytes: u64,
    /// Payload in 256 bytes of memory, before a full segment was seen.
    pub initial_share_256: u64,
    /// The same, of full segments.
    pub share_256: u64,
    /// Segments beyond twice what was copied. Kernels before 6.16 have 16.
    pub slack_segments: u64,
}

impl Tuning {
    /// Linux 6.18: `tcp_rmem` is 4096 131072 33554432; a payload of 1448 bytes takes 2304 of memory
    /// on the lab's devices, a share of 160/256.
    pub const LINUX_6_18: Tuning = Tuning {
        initial_buffer_bytes: 131_072,
        most_buffer_bytes: 33_554_432,
        initial_share_256: 128,
        share_256: 160,
        slack_segments: 0,
    };
}

/// The window field of a SYN holds no more.
const MOST_SYN_WINDOW_BYTES: u64 = 65_535;
/// What is taken to have been copied per round trip before the first measurement: an initial window
/// (RFC 6928).
const INITIAL_COPIED_SEGMENTS: u64 = 10;
/// The threshold does not rise for smaller segments.
const LEAST_GROWING_BYTES: u32 = 128;
/// Full segments are taken to be at least this large, or the MSS (RFC 9293, section 3.7.1: the
/// default MSS).
const DEFAULT_SEGMENT_BYTES: u32 = 536;

/// Linux's receive buffer.
#[derive(Clone, Copy, Debug)]
pub struct Linux {
    tuning: Tuning,
    /// Memory.
    buffer_bytes: u64,
    /// Payload in 256 bytes of it.
    share_256: u64,
    /// Slow start's bound of the window.
    threshold_bytes: u64,
    /// Largest payload seen.
    segment_bytes: u32,
    held: Held,
    /// Eight times the receiver's round trip; 0 before the first measurement.
    rtt_8_ns: u64,
    /// When the present round of copying began, and what was copied in it.
    round_start_ns: u64,
    copied_bytes: u64,
    /// The most that was copied in a round.
    most_copied_bytes: Option<u64>,
}

impl Linux {
    /// For segments of so much payload at most.
    pub fn new(tuning: Tuning, mss_bytes: u32) -> Linux {
        let initial_bytes = payload_in(tuning.initial_buffer_bytes, tuning.initial_share_256);
        let syn_bytes = initial_bytes.min(MOST_SYN_WINDOW_BYTES);
        let partial_bytes = syn_bytes % u64::from(mss_bytes.max(1));
        Linux {
            tuning,
            buffer_bytes: tuning.initial_buffer_bytes,
            share_256: tuning.initial_share_256,
            // Whole segments, if there is room for one.
            threshold_bytes: if partial_bytes < syn_bytes {
                syn_bytes - partial_bytes
            } else {
                syn_bytes
            },
            segment_bytes: 0,
            held: Held::default(),
            rtt_8_ns: 0,
            round_start_ns: 0,
            copied_bytes: 0,
            most_copied_bytes: None,
        }
    }

    /// Payload for which there is room besides what waits.
    fn room_bytes(&self, waiting_bytes: u64) -> u64 {
        let taken_bytes = waiting_bytes.saturating_add(self.held.beyond_bytes);
        payload_in(self.buffer_bytes, self.share_256).saturating_sub(taken_bytes)
    }

    /// So much was copied in a round, or lies beyond a gap: make room.
    fn make_room(&mut self, copied_bytes: u64, before_bytes: u64) {
        // More than the largest buffer holds would not make it larger.
        let copied_bytes = copied_bytes.min(self.tuning.most_buffer_bytes);
        let wanted = 2 * u128::from(copied_bytes);
        let growth = wanted * u128::from(copied_bytes.saturating_sub(before_bytes))
            / u128::from(before_bytes.max(1));
        let slack = u128::from(self.tuning.slack_segments * u64::from(self.segment_bytes));
        let window = wanted + slack + 2 * growth + u128::from(self.held.span_bytes);
        let memory = window * 256 / u128::from(self.share_256.max(1));
        let memory = memory.min(u128::from(self.tuning.most_buffer_bytes)) as u64;
        self.buffer_bytes = self.buffer_bytes.max(memory);
    }

    fn most_copied_bytes(&self) -> u64 {
        self.most_copied_bytes
            .unwrap_or(INITIAL_COPIED_SEGMENTS * u64::from(self.segment_bytes))
    }
}

impl ReceiveWindow for Linux {
    fn holds(&mut self, held: Held) {
        self.held = held;
    }

    fn arrived(
        &mut self,
        _now_ns: u64,
        payload_bytes: u32,
        mss_bytes: u32,
        _in_order: bool,
    ) -> bool {
        self.segment_bytes = self.segment_bytes.max(DEFAULT_SEGMENT_BYTES.min(mss_bytes));
        let full = payload_bytes >= self.segment_bytes;
        self.segment_bytes = self.segment_bytes.max(payload_bytes.min(mss_bytes));
        if full {
            self.share_256 = self.tuning.share_256;
        }
        if self.held.span_bytes > 0 {
            let most_copied_bytes = self.most_copied_bytes();
            self.make_room(most_copied_bytes, most_copied_bytes);
        }
        let room_bytes = self
            .room_bytes(self.held.waiting_bytes)
            .saturating_sub(self.threshold_bytes);
        if !full || payload_bytes < LEAST_GROWING_BYTES || room_bytes == 0 {
            return false;
        }
        self.threshold_bytes += room_bytes.min(2 * u64::from(self.segment_bytes));
        true
    }

    fn read(&mut self, now_ns: u64, bytes: u64) {
        self.copied_bytes = self.copied_bytes.saturating_add(bytes);
        let elapsed_ns = now_ns.saturating_sub(self.round_start_ns);
        if self.rtt_8_ns == 0 || elapsed_ns < self.rtt_8_ns / 8 {
            return;
        }
        // A reader that lags has not copied at the sender's rate.
        let copied_bytes = self.copied_bytes.saturating_sub(self.held.waiting_bytes);
        let before_bytes = self.most_copied_bytes();
        if copied_bytes > before_bytes {
            self.make_room(copied_bytes, before_bytes);
            self.most_copied_bytes = Some(copied_bytes);
        }
        self.copied_bytes = 0;
        self.round_start_ns = now_ns;
    }

    /// The least counts at once; longer ones move the mean by an eighth, where the reader keeps up.
    fn rtt(&mut self, _now_ns: u64, rtt_ns: u64) {
        let rtt_ns = rtt_ns.clamp(1, u64::MAX / 16);
        if self.rtt_8_ns == 0 || 8 * rtt_ns < self.rtt_8_ns {
            self.rtt_8_ns = 8 * rtt_ns;
        } else if self.held.waiting_bytes == 0 {
            self.rtt_8_ns = self.rtt_8_ns - self.rtt_8_ns / 8 + rtt_ns;
        }
    }

    fn window_bytes(&self, waiting_bytes: u64) -> u64 {
        self.room_bytes(waiting_bytes).min(self.threshold_bytes)
    }

    /// The bound of the memory, from which Linux takes the scale.
    fn most_bytes(&self) -> u64 {
        self.tuning.most_buffer_bytes
    }
}

/// Payload that so much memory holds.
fn payload_in(memory_bytes: u64, share_256: u64) -> u64 {
    memory_bytes * share_256 / 256
}

#[cfg(test)]
mod tests;
