//! The packet of the unit tests.

use crate::Packet;

/// A packet with a number, so that a test can identify it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Numbered {
    pub number: u32,
    pub bytes: u32,
    pub flow: u32,
    pub expedited: bool,
    pub ecn_capable: bool,
    pub l4s: bool,
    pub marked: bool,
}

impl Packet for Numbered {
    fn wire_bytes(&self) -> u32 {
        self.bytes
    }

    fn flow_hash(&self) -> u32 {
        self.flow
    }

    fn is_expedited(&self) -> bool {
        self.expedited
    }

    fn is_ecn_capable(&self) -> bool {
        self.ecn_capable
    }

    fn is_l4s(&self) -> bool {
        self.l4s || self.marked
    }

    fn mark_ce(&mut self) {
        self.marked = true;
    }
}
