//! What window a receiver offers.

mod fixed;
mod linux;

pub use fixed::Fixed;
pub use linux::{Linux, Tuning};

use crate::{ReceiveBuffer, Stack};

/// What the receive buffer holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Received in order, and not read.
    pub waiting_bytes: u64,
    /// Received beyond a gap.
    pub beyond_bytes: u64,
    /// From the next byte expected to the last one received beyond a gap; 0 where there is none.
    pub span_bytes: u64,
}

/// The receive side's buffer. Sizes are bytes of payload.
pub trait ReceiveWindow: std::fmt::Debug + Send {
    /// What the buffer holds after a segment or a read that is reported next.
    fn holds(&mut self, held: Held) {
        let _ = held;
    }

    /// A segment was taken into the buffer, in order or beyond a gap. Whether more will be offered
    /// because of it, on which [`AckPolicy::window`](crate::acks::AckPolicy::window) depends.
    fn arrived(&mut self, now_ns: u64, payload_bytes: u32, mss_bytes: u32, in_order: bool) -> bool {
        let _ = (now_ns, payload_bytes, mss_bytes, in_order);
        false
    }

    /// The application took bytes out.
    fn read(&mut self, now_ns: u64, bytes: u64) {
        let _ = (now_ns, bytes);
    }

    /// The receiver's own measurement of the round trip, from echoed timestamps or from how long it
    /// takes to receive a window.
    fn rtt(&mut self, now_ns: u64, rtt_ns: u64) {
        let _ = (now_ns, rtt_ns);
    }

    /// The window to offer beyond what has been received in order, when so much waits to be read.
    /// The connection sees to it that a right edge once offered is not taken back, that the field's
    /// 16 bits and the scale are honoured, and that silly windows are avoided.
    fn window_bytes(&self, waiting_bytes: u64) -> u64;

    /// Not a byte more than what is free may be offered, where the window field would need to be
    /// rounded up.
    fn is_exact(&self) -> bool {
        false
    }

    /// The largest window that it may ever offer, from which the window scale is chosen.
    fn most_bytes(&self) -> u64;
}

/// The chosen buffer as the stack's hosts have it, for segments of so much payload at most.
pub fn new(buffer: ReceiveBuffer, stack: Stack, mss_bytes: u32) -> Box<dyn ReceiveWindow> {
    match (buffer, stack) {
        (ReceiveBuffer::LinuxDefault, _) => Box::new(Linux::new(Tuning::LINUX_6_18, mss_bytes)),
        (ReceiveBuffer::Exactly(bytes), _) => Box::new(Fixed::exactly(bytes)),
        (ReceiveBuffer::Bytes(bytes), Stack::Linux) => Box::new(Fixed::linux(bytes)),
        (ReceiveBuffer::Bytes(bytes), Stack::Lite) => Box::new(Fixed::new(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn windows_stay_below_the_largest(
            buffer in prop_oneof![Just(ReceiveBuffer::LinuxDefault), any::<u64>().prop_map(ReceiveBuffer::Bytes), any::<u64>().prop_map(ReceiveBuffer::Exactly)],
            stack in prop::sample::select(Stack::ALL),
            mss_bytes in any::<u32>(),
            steps in prop::collection::vec((0..6, 0..=1u64 << 62, any::<u64>(), any::<u64>(), any::<bool>()), 0..100),
        ) {
            let mut window = new(buffer, stack, mss_bytes);
            let most_bytes = window.most_bytes();
            for (step, time_ns, bytes, span_bytes, flag) in steps {
                match step {
                    0 | 1 => { window.arrived(time_ns, bytes as u32, mss_bytes, flag); }
                    2 => window.read(time_ns, bytes),
                    3 => window.rtt(time_ns, if flag { time_ns } else { bytes }),
                    4 => window.holds(Held { waiting_bytes: bytes % 100_000, beyond_bytes: span_bytes / 2, span_bytes }),
                    _ => window.holds(Held::default()),
                }
                prop_assert!(window.window_bytes(0) <= most_bytes);
                prop_assert!(window.window_bytes(bytes) <= window.window_bytes(0));
                prop_assert_eq!(window.most_bytes(), most_bytes);
            }
        }
    }
}
