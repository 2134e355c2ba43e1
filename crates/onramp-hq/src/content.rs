//! Generated content: bytes that reveal a shift, a gap or a repetition.

use bytes::Bytes;
use std::sync::LazyLock;

/// Period of the pattern. It is a prime, so that no size of a packet, page or buffer divides it.
const PERIOD: usize = 65_521;

/// The content of a stream, as slices of one period.
#[derive(Clone, Debug)]
pub struct Content(Bytes);

/// A byte has another value than the generated content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {position} arrived as {found:#04x} and was sent as {expected:#04x}")]
pub struct WrongByte {
    /// Position in the stream.
    pub position: u64,
    /// The byte sent.
    pub expected: u8,
    /// The byte received.
    pub found: u8,
}

impl Default for Content {
    fn default() -> Content {
        Content::new()
    }
}

impl Content {
    /// The content. All values share one period, which is computed once.
    pub fn new() -> Content {
        static SHARED: LazyLock<Content> = LazyLock::new(Content::compute);
        SHARED.clone()
    }

    fn compute() -> Content {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        let period: Vec<u8> = std::iter::repeat_with(next).take(PERIOD).collect();
        Content(period.into())
    }

    /// At most `length` bytes from a position on. The slice is not empty if `length` is above 0.
    pub fn from(&self, position: u64, length: u64) -> &[u8] {
        &self.0[range(position, length)]
    }

    /// As [`from`](Content::from), as shared bytes, which are not copied.
    pub fn shared(&self, position: u64, length: u64) -> Bytes {
        self.0.slice(range(position, length))
    }

    /// Compares bytes that arrived at a position with the content.
    ///
    /// # Errors
    /// A byte differs.
    pub fn check(&self, mut position: u64, mut received: &[u8]) -> Result<(), WrongByte> {
        while !received.is_empty() {
            let expected = self.from(position, received.len() as u64);
            let (here, rest) = received.split_at(expected.len());
            if here != expected {
                let at = here
                    .iter()
                    .zip(expected)
                    .position(|(found, sent)| found != sent)
                    .unwrap_or(0);
                return Err(WrongByte {
                    position: position + at as u64,
                    expected: expected[at],
                    found: here[at],
                });
            }
            position += here.len() as u64;
            received = rest;
        }
        Ok(())
    }
}

/// The part of the period that begins at a position of the stream.
fn range(position: u64, length: u64) -> std::ops::Range<usize> {
    let start = (position % PERIOD as u64) as usize;
    let end = (start as u64).saturating_add(length).min(PERIOD as u64) as usize;
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(length: usize) -> Vec<u8> {
        let content = Content::new();
        let mut bytes = Vec::new();
        while bytes.len() < length {
            bytes
                .extend_from_slice(content.from(bytes.len() as u64, (length - bytes.len()) as u64));
        }
        bytes
    }

    #[test]
    fn the_content_is_accepted_in_pieces_of_any_size() {
        let (content, sent) = (Content::new(), stream(300_000));
        let mut position = 0;
        for piece in sent.chunks(8_191) {
            content.check(position, piece).unwrap();
            position += piece.len() as u64;
        }
    }

    #[test]
    fn the_position_of_a_wrong_byte_is_reported() {
        let mut sent = stream(200_000);
        sent[123_456] ^= 1;
        let error = Content::new().check(0, &sent).unwrap_err();
        assert_eq!(error.position, 123_456);
        assert_eq!(error.found, error.expected ^ 1);
    }

    #[test]
    fn a_shift_by_one_segment_is_detected() {
        let sent = stream(200_000);
        assert!(Content::new().check(0, &sent[1448..]).is_err());
    }
}
