//! The bytes of a connection's streams, for drivers that carry real ones.
//!
//! A [`Connection`](crate::Connection) counts bytes; a [`SendBuffer`] and a [`ReceiveBuffer`] hold
//! them by their place in the stream, and a [`Socket`] is all three: bytes in, packets out, and
//! back.

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

/// The two pieces in which a part of a ring lies; the second may be empty. The part is within the
/// ring.
fn pieces(ring: &VecDeque<u8>, part: Range<usize>) -> (&[u8], &[u8]) {
    let (front, back) = ring.as_slices();
    let (from, to) = split(&part, front.len());
    (&front[from], &back[to])
}

/// [`pieces`] to write to.
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
