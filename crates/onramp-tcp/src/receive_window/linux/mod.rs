//! Linux's auto-tuned receive buffer (`tcp_moderate_rcvbuf`).
//!
//! The window is the smallest of three limits:
//!
//! - *Room.* The buffer counts memory, of which payload is a share. Data that waits for the reader
//!   or lies above a gap uses the room.
//! - *Clamp.* The payload that fits into the whole buffer.
//! - *Threshold.* A slow start of the window (`rcv_ssthresh`). It starts at the window of the SYN
//!   and rises by two segments for every full segment that arrives. So a larger buffer shows in the
//!   advertised window only as segments arrive.
//!
//! The buffer grows by Dynamic Right-Sizing (Fisk & Feng, "Dynamic Right-Sizing in TCP", LACSI
//! 2001). Once per receiver-side RTT, the bytes that the application copied are compared with the
//! maximum of earlier RTTs. If it copied more, the buffer must hold twice as much, because the
//! measurement is one RTT old. Because the sender may be in slow start, the growth is added on top,
//! twice:
//!
//! ```text
//! window = 2 copied + 2 (2 copied) (copied - before) / before + span above a gap
//! ```
//!
//! Described in the kernel's documentation (`ip-sysctl`: `tcp_moderate_rcvbuf`, `tcp_rmem`, and
//! `tcp_adv_win_scale`, which the measured share has replaced). The constants and the formula
//! reproduce a download over the lab's path of 50 Mbit/s and 600 ms on Linux 6.18: see the tests.
//! NOTE: Linux measures the share for each new segment size, and the result depends on the device.
//! Here the share is a constant.

use super::{Contents, ReceiveWindow};

/// Parameters that differ between kernels and devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Memory of a new socket, in bytes: `tcp_rmem[1]`.
    pub initial_buffer_bytes: u64,
    /// Maximum memory, in bytes: `tcp_rmem[2]`.
    pub max_buffer_bytes: u64,
    /// Payload bytes in 256 bytes of memory, before a full segment was seen.
    pub initial_share_256: u64,
    /// Payload bytes in 256 bytes of memory, for full segments.
    pub share_256: u64,
    /// Segments added to twice the copied bytes. Kernels before 6.16 add 16.
    pub slack_segments: u64,
}

impl Tuning {
    /// Linux 6.18: `tcp_rmem` is 4096 131072 33554432. A payload of 1448 bytes takes 2304 bytes of
    /// memory on the lab's devices, which is a share of 160/256.
    pub const LINUX_6_18: Tuning = Tuning {
        initial_buffer_bytes: 131_072,
        max_buffer_bytes: 33_554_432,
        initial_share_256: 128,
        share_256: 160,
        slack_segments: 0,
    };
}

/// The maximum that the window field of a SYN can hold.
const MAX_SYN_WINDOW_BYTES: u64 = 65_535;
/// Bytes assumed to be copied per RTT before the first measurement, in segments: an initial window
/// (RFC 6928).
const INITIAL_COPIED_SEGMENTS: u64 = 10;
/// Smaller segments do not raise the threshold.
const MIN_GROWING_BYTES: u32 = 128;
/// Minimum size of a full segment, if the MSS is not smaller: the default MSS (RFC 9293, section
/// 3.7.1).
const DEFAULT_SEGMENT_BYTES: u32 = 536;

/// Linux's auto-tuned receive buffer.
#[derive(Clone, Copy, Debug)]
pub struct Linux {
    tuning: Tuning,
    /// Size of the buffer, in bytes of memory.
    buffer_bytes: u64,
    /// Payload bytes in 256 bytes of memory.
    share_256: u64,
    /// The window's slow-start limit (`rcv_ssthresh`).
    threshold_bytes: u64,
    /// Largest payload seen in a segment.
    segment_bytes: u32,
    contents: Contents,
    /// Eight times the receiver-side RTT; 0 before the first measurement.
    rtt_8_ns: u64,
    /// When the current RTT of copying began.
    round_start_ns: u64,
    /// Bytes copied since then.
    copied_bytes: u64,
    /// The maximum that was copied in one RTT.
    max_copied_bytes: Option<u64>,
}

impl Linux {
    /// A new buffer, for segments with at most `mss_bytes` of payload.
    pub fn new(tuning: Tuning, mss_bytes: u32) -> Linux {
        let initial_bytes = payload_in(tuning.initial_buffer_bytes, tuning.initial_share_256);
        let syn_bytes = initial_bytes.min(MAX_SYN_WINDOW_BYTES);
        let partial_bytes = syn_bytes % u64::from(mss_bytes.max(1));
        Linux {
            tuning,
            buffer_bytes: tuning.initial_buffer_bytes,
            share_256: tuning.initial_share_256,
            // Whole segments, if at least one fits.
            threshold_bytes: if partial_bytes < syn_bytes {
                syn_bytes - partial_bytes
            } else {
                syn_bytes
            },
            segment_bytes: 0,
            contents: Contents::default(),
            rtt_8_ns: 0,
            round_start_ns: 0,
            copied_bytes: 0,
            max_copied_bytes: None,
        }
    }

    /// Free room for payload, when `unread_bytes` wait for the reader.
    fn room_bytes(&self, unread_bytes: u64) -> u64 {
        let taken_bytes = unread_bytes.saturating_add(self.contents.out_of_order_bytes);
        payload_in(self.buffer_bytes, self.share_256).saturating_sub(taken_bytes)
    }

    /// Enlarges the buffer for the bytes copied in one RTT, or for data above a gap.
    fn make_room(&mut self, copied_bytes: u64, before_bytes: u64) {
        // Copying more than the maximum buffer cannot enlarge it.
        let copied_bytes = copied_bytes.min(self.tuning.max_buffer_bytes);
        let wanted = 2 * u128::from(copied_bytes);
        let growth = wanted * u128::from(copied_bytes.saturating_sub(before_bytes))
            / u128::from(before_bytes.max(1));
        let slack = u128::from(self.tuning.slack_segments * u64::from(self.segment_bytes));
        let window = wanted + slack + 2 * growth + u128::from(self.contents.span_bytes);
        let memory = window * 256 / u128::from(self.share_256.max(1));
        let memory = memory.min(u128::from(self.tuning.max_buffer_bytes)) as u64;
        self.buffer_bytes = self.buffer_bytes.max(memory);
    }

    fn max_copied_bytes(&self) -> u64 {
        self.max_copied_bytes
            .unwrap_or(INITIAL_COPIED_SEGMENTS * u64::from(self.segment_bytes))
    }
}

impl ReceiveWindow for Linux {
    fn set_contents(&mut self, contents: Contents) {
        self.contents = contents;
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
        if self.contents.span_bytes > 0 {
            let max_copied_bytes = self.max_copied_bytes();
            self.make_room(max_copied_bytes, max_copied_bytes);
        }
        let room_bytes = self
            .room_bytes(self.contents.unread_bytes)
            .saturating_sub(self.threshold_bytes);
        if !full || payload_bytes < MIN_GROWING_BYTES || room_bytes == 0 {
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
        // If the reader lags behind, it did not copy at the sender's rate.
        let copied_bytes = self.copied_bytes.saturating_sub(self.contents.unread_bytes);
        let before_bytes = self.max_copied_bytes();
        if copied_bytes > before_bytes {
            self.make_room(copied_bytes, before_bytes);
            self.max_copied_bytes = Some(copied_bytes);
        }
        self.copied_bytes = 0;
        self.round_start_ns = now_ns;
    }

    /// A new minimum is taken over immediately. Larger samples move the mean by 1/8, if the reader
    /// keeps up.
    fn rtt(&mut self, _now_ns: u64, rtt_ns: u64) {
        let rtt_ns = rtt_ns.clamp(1, u64::MAX / 16);
        if self.rtt_8_ns == 0 || 8 * rtt_ns < self.rtt_8_ns {
            self.rtt_8_ns = 8 * rtt_ns;
        } else if self.contents.unread_bytes == 0 {
            self.rtt_8_ns = self.rtt_8_ns - self.rtt_8_ns / 8 + rtt_ns;
        }
    }

    fn window_bytes(&self, unread_bytes: u64) -> u64 {
        self.room_bytes(unread_bytes).min(self.threshold_bytes)
    }

    /// The maximum memory, from which Linux computes the window scale.
    fn max_bytes(&self) -> u64 {
        self.tuning.max_buffer_bytes
    }
}

/// Payload bytes that fit into `memory_bytes` of memory.
fn payload_in(memory_bytes: u64, share_256: u64) -> u64 {
    memory_bytes * share_256 / 256
}

#[cfg(test)]
mod tests;
