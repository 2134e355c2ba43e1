//! Packets that arrive twice, as when a link layer repeats a frame whose acknowledgement it lost.
//!
//! The copy is made when the original is due, and handed out just before it: so a packet that is
//! only a handle still names something when the driver is told that it needs another.

use crate::random::{happens, probability, stream, Element};
use rand_pcg::Pcg32;

/// Decides whom to copy.
#[derive(Debug)]
pub(crate) struct Duplication {
    probability: u64,
    random: Pcg32,
    /// The next packet has been copied already.
    copied: bool,
}

impl Duplication {
    pub fn new(ppm: u32, seed: u64) -> Duplication {
        Duplication {
            probability: probability(ppm),
            random: stream(seed, Element::Duplication),
            copied: false,
        }
    }

    /// Whether a copy of the packet that is about to leave goes first. Asked before each departure:
    /// a packet that has been copied leaves at the next question.
    pub fn copy_first(&mut self) -> bool {
        self.copied = !self.copied && happens(self.probability, &mut self.random);
        self.copied
    }
}
