//! How values compare with the least and the most that a key takes.

use super::Node;
use crate::{
    Acks, Avoidance, Buffer, ByteCounting, Connect, Connections, Distribution, Dscp, InitialWindow,
    Memory, PacketPair, PairForm, QueueLimit, Recovery, Stack, Timers, Train, Without,
};

/// A value's place in its range: which of the key's ranges, and how far along.
pub(crate) trait Measure {
    /// `None` where no range applies.
    fn measure(&self) -> Option<(u8, u64)>;
}

impl Measure for u64 {
    fn measure(&self) -> Option<(u8, u64)> {
        Some((0, *self))
    }
}

impl Measure for u32 {
    fn measure(&self) -> Option<(u8, u64)> {
        Some((0, u64::from(*self)))
    }
}

impl Measure for QueueLimit {
    fn measure(&self) -> Option<(u8, u64)> {
        Some(match *self {
            QueueLimit::Packets(packets) => (0, u64::from(packets)),
            QueueLimit::Bytes(bytes) => (1, bytes),
            QueueLimit::BdpPpm(ppm) => (2, ppm),
        })
    }
}

impl Measure for Buffer {
    fn measure(&self) -> Option<(u8, u64)> {
        match *self {
            Buffer::LinuxDefault => None,
            Buffer::Bytes(bytes) => Some((0, bytes)),
        }
    }
}

impl Measure for InitialWindow {
    fn measure(&self) -> Option<(u8, u64)> {
        match *self {
            InitialWindow::Host | InitialWindow::Paper => None,
            InitialWindow::Segments(segments) => Some((0, u64::from(segments))),
        }
    }
}

impl Measure for ByteCounting {
    fn measure(&self) -> Option<(u8, u64)> {
        match *self {
            ByteCounting::Unlimited => None,
            ByteCounting::Segments(segments) => Some((0, u64::from(segments.get()))),
        }
    }
}

impl Measure for Connections {
    fn measure(&self) -> Option<(u8, u64)> {
        match *self {
            Connections::Adaptive => None,
            Connections::Fixed(number) => Some((0, u64::from(number))),
        }
    }
}

/// Values that are not on a scale.
macro_rules! unmeasured {
    ($($type:ty),*) => {
        $(impl Measure for $type {
            fn measure(&self) -> Option<(u8, u64)> {
                None
            }
        })*
    };
}

unmeasured!(
    String,
    &str,
    bool,
    Node,
    Acks,
    Avoidance,
    Connect,
    Distribution,
    Dscp,
    PacketPair,
    PairForm,
    Recovery,
    Stack,
    Timers,
    Train,
    Memory,
    Without
);
