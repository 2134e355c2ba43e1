//! The bytes of a connection's streams, for drivers that carry real ones.
//!
//! A [`Connection`](crate::Connection) only counts bytes. A [`SendBuffer`] and a [`ReceiveBuffer`]
//! hold them by their stream offset. A [`Socket`] combines all three: application bytes on one
//! side, packets on the other.

mod receive;
mod send;
mod socket;
#[cfg(test)]
mod tests;

pub use receive::ReceiveBuffer;
pub use send::SendBuffer;
pub use socket::Socket;

use std::collections::VecDeque;
use std::ops::Range;

/// A range of a ring buffer as two slices; the second may be empty. The range must lie within the
/// buffer.
fn pieces(ring: &VecDeque<u8>, part: Range<usize>) -> (&[u8], &[u8]) {
    let (front, back) = ring.as_slices();
    let (from, to) = split(&part, front.len());
    (&front[from], &back[to])
}

/// Mutable variant of [`pieces`].
fn pieces_mut(ring: &mut VecDeque<u8>, part: Range<usize>) -> (&mut [u8], &mut [u8]) {
    let (front, back) = ring.as_mut_slices();
    let (from, to) = split(&part, front.len());
    (&mut front[from], &mut back[to])
}

fn split(part: &Range<usize>, at: usize) -> (Range<usize>, Range<usize>) {
    (
        part.start.min(at)..part.end.min(at),
        part.start.saturating_sub(at)..part.end.saturating_sub(at),
    )
}
