//! Duplication of packets. A link layer duplicates a frame when it retransmits a frame that arrived
//! but whose link-layer ACK was lost.
//!
//! The copy leaves when the original is due, just before it. The original is then still in the
//! link. So where a packet is only a handle, the handle is still valid when the driver has to
//! create the second packet.

use crate::random::{happens, probability, stream, Element};
use rand_pcg::Pcg32;

/// Decides which packets are duplicated.
#[derive(Clone, Debug)]
pub(crate) struct Duplication {
    probability: u64,
    random: Pcg32,
    /// Whether a copy of the next packet was already sent.
    next_was_copied: bool,
}

impl Duplication {
    pub fn new(ppm: u32, seed: u64) -> Duplication {
        Duplication {
            probability: probability(ppm),
            random: stream(seed, Element::Duplication),
            next_was_copied: false,
        }
    }

    /// Whether a copy of the next packet leaves before it. The link asks this before each
    /// departure. After a copy, the next call returns false, and the original leaves.
    pub fn copy_first(&mut self) -> bool {
        self.next_was_copied = !self.next_was_copied && happens(self.probability, &mut self.random);
        self.next_was_copied
    }
}
