//! A segment that has been sent, and what is known of it.

/// The peer reported it received.
pub(super) const SACKED: u8 = 1;
/// Taken for lost.
pub(super) const LOST: u8 = 2;
/// Sent again since it was marked lost, or without having been.
pub(super) const RESENT: u8 = 4;
/// Sent more than once, ever: no measure of the round trip (Karn).
pub(super) const REPEATED: u8 = 8;

/// A segment that has been sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Place of its first byte.
    pub start: u64,
    /// When it was sent last.
    pub sent_ns: u64,
    /// What it takes of the stream; a FIN counts one.
    pub len: u32,
    pub(super) marks: u8,
}

impl Sent {
    /// Place behind its last byte.
    pub fn end(&self) -> u64 {
        self.start + u64::from(self.len)
    }

    /// The peer reported it received.
    pub fn is_sacked(&self) -> bool {
        self.marks & SACKED != 0
    }

    /// It is taken for lost.
    pub fn is_lost(&self) -> bool {
        self.marks & LOST != 0
    }

    /// It was sent again, since it was taken for lost if it is.
    pub fn is_resent(&self) -> bool {
        self.marks & RESENT != 0
    }

    /// It is to be sent again.
    pub fn waits(&self) -> bool {
        self.is_lost() && !self.is_resent()
    }

    /// It was sent more than once.
    pub fn is_repeated(&self) -> bool {
        self.marks & REPEATED != 0
    }
}
