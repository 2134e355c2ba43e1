//! A packet for unit tests.

use crate::Packet;

/// A packet that can be told from others.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbered {
    pub number: u32,
    pub bytes: u32,
    pub flow: u32,
    pub expedited: bool,
}

impl Packet for Numbered {
    fn wire_bytes(&self) -> u32 {
        self.bytes
    }

    fn flow_hash(&self) -> u32 {
        self.flow
    }

    fn expedited(&self) -> bool {
        self.expedited
    }
}
