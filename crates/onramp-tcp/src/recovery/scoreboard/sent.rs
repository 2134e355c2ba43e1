//! A segment that has been sent, and its state.

/// The peer has reported it received.
pub(super) const SACKED: u8 = 1;
/// It is marked lost.
pub(super) const LOST: u8 = 2;
/// Retransmitted since it was marked lost, or retransmitted without being marked.
pub(super) const RETRANSMITTED: u8 = 4;
/// Sent more than once: it gives no RTT sample (Karn's algorithm).
pub(super) const EVER_RETRANSMITTED: u8 = 8;

/// A segment that has been sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Stream offset of the first byte.
    pub start: u64,
    /// When it was last sent.
    pub sent_ns: u64,
    /// Length in the stream; a FIN counts 1.
    pub len: u32,
    pub(super) marks: u8,
}

impl Sent {
    /// Offset after the last byte.
    pub fn end(&self) -> u64 {
        self.start + u64::from(self.len)
    }

    /// Has the peer reported it received?
    pub fn is_sacked(&self) -> bool {
        self.marks & SACKED != 0
    }

    /// Is it marked lost?
    pub fn is_lost(&self) -> bool {
        self.marks & LOST != 0
    }

    /// Was it retransmitted, and since then not marked lost?
    pub fn is_retransmitted(&self) -> bool {
        self.marks & RETRANSMITTED != 0
    }

    /// Does it wait for its retransmission?
    pub fn awaits_retransmission(&self) -> bool {
        self.is_lost() && !self.is_retransmitted()
    }

    /// Was it sent more than once?
    pub fn was_ever_retransmitted(&self) -> bool {
        self.marks & EVER_RETRANSMITTED != 0
    }
}
