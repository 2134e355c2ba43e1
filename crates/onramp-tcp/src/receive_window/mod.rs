//! The receive window that a receiver advertises.

mod fixed;
mod linux;

pub use fixed::Fixed;
pub use linux::{Linux, Tuning};

use crate::{ReceiveBuffer, Stack};
use enum_dispatch::enum_dispatch;

/// Contents of the receive buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Received in order and not read.
    pub unread_bytes: u64,
    /// Received above a gap.
    pub out_of_order_bytes: u64,
    /// From the next expected byte to the last one received above a gap; 0 without a gap.
    pub span_bytes: u64,
}

/// The receive buffer. Sizes are bytes of payload.
#[enum_dispatch]
pub trait ReceiveWindow: std::fmt::Debug + Send {
    /// Reports the contents of the buffer, before the segment or read that changed them is
    /// reported.
    fn set_contents(&mut self, _contents: Contents) {}

    /// Reports a segment that was stored in the buffer, in order or above a gap. Returns whether
    /// the advertised window will grow because of it, which
    /// [`AckPolicy::window`](crate::acks::AckPolicy::window) needs.
    fn arrived(&mut self, now_ns: u64, payload_bytes: u32, mss_bytes: u32, in_order: bool) -> bool {
        let _ = (now_ns, payload_bytes, mss_bytes, in_order);
        false
    }

    /// Reports that the application read `bytes`.
    fn read(&mut self, _now_ns: u64, _bytes: u64) {}

    /// Reports a receiver-side RTT sample, from echoed timestamps or from the time that it takes to
    /// receive a window.
    fn rtt(&mut self, _now_ns: u64, _rtt_ns: u64) {}

    /// The window above the data received in order, when `unread_bytes` wait for the reader. The
    /// connection itself never moves the right edge back, fits the window into the scaled 16-bit
    /// field, and avoids silly windows.
    fn window_bytes(&self, unread_bytes: u64) -> u64;

    /// Must the window field be rounded down, so that it never exceeds the free space?
    fn is_exact(&self) -> bool {
        false
    }

    /// The largest window that can ever be advertised. The window scale is chosen from it.
    fn max_bytes(&self) -> u64;
}

/// One of the receive buffers.
#[enum_dispatch(ReceiveWindow)]
#[derive(Clone, Debug)]
pub enum AnyReceiveWindow {
    /// A fixed size.
    Fixed,
    /// Auto-tuned as in Linux.
    Linux,
}

/// The configured buffer as the hosts of this stack implement it, for segments of at most
/// `mss_bytes`.
pub fn new(buffer: ReceiveBuffer, stack: Stack, mss_bytes: u32) -> AnyReceiveWindow {
    match (buffer, stack) {
        (ReceiveBuffer::LinuxDefault, _) => Linux::new(Tuning::LINUX_6_18, mss_bytes).into(),
        (ReceiveBuffer::Exactly(bytes), _) => Fixed::exactly(bytes).into(),
        (ReceiveBuffer::Bytes(bytes), Stack::Linux) => Fixed::linux(bytes).into(),
        (ReceiveBuffer::Bytes(bytes), Stack::Lite) => Fixed::new(bytes).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn windows_stay_below_the_largest(
            buffer in prop_oneof![
                Just(ReceiveBuffer::LinuxDefault),
                any::<u64>().prop_map(ReceiveBuffer::Bytes),
                any::<u64>().prop_map(ReceiveBuffer::Exactly),
            ],
            stack in prop::sample::select(Stack::ALL),
            mss_bytes in any::<u32>(),
            steps in prop::collection::vec(
                (0..6, 0..=1u64 << 62, any::<u64>(), any::<u64>(), any::<bool>()),
                0..100,
            ),
        ) {
            let mut window = new(buffer, stack, mss_bytes);
            let max_bytes = window.max_bytes();
            for (step, time_ns, bytes, span_bytes, flag) in steps {
                match step {
                    0 | 1 => { window.arrived(time_ns, bytes as u32, mss_bytes, flag); }
                    2 => window.read(time_ns, bytes),
                    3 => window.rtt(time_ns, if flag { time_ns } else { bytes }),
                    4 => window.set_contents(Contents {
                        unread_bytes: bytes % 100_000,
                        out_of_order_bytes: span_bytes / 2,
                        span_bytes,
                    }),
                    _ => window.set_contents(Contents::default()),
                }
                prop_assert!(window.window_bytes(0) <= max_bytes);
                prop_assert!(window.window_bytes(bytes) <= window.window_bytes(0));
                prop_assert_eq!(window.max_bytes(), max_bytes);
            }
        }
    }
}
