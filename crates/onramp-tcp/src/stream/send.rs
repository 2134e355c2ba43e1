//! Bytes that were written and are not acknowledged yet.

use super::pieces;
use std::collections::VecDeque;
use std::ops::Range;

/// The bytes of a stream from the first unacknowledged one on. The buffer grows to what is written
/// and keeps its capacity.
#[derive(Clone, Debug, Default)]
pub struct SendBuffer {
    /// Stream offset of the first byte in the buffer.
    start: u64,
    bytes: VecDeque<u8>,
}

impl SendBuffer {
    /// Stream offsets of the bytes in the buffer.
    pub fn range(&self) -> Range<u64> {
        self.start..self.start + self.bytes.len() as u64
    }

    /// Appends bytes to the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// The bytes of a range of stream offsets, as two slices of which the second may be empty;
    /// `None` unless the buffer holds all of them.
    pub fn get(&self, offsets: Range<u64>) -> Option<(&[u8], &[u8])> {
        let range = self.range();
        if offsets.start > offsets.end || offsets.start < range.start || offsets.end > range.end {
            return None;
        }
        Some(pieces(
            &self.bytes,
            (offsets.start - range.start) as usize..(offsets.end - range.start) as usize,
        ))
    }

    /// Copies the bytes from offset `start` on until `out` is full. Returns `false`, and copies
    /// nothing, unless the buffer holds all of them.
    #[must_use]
    pub fn copy(&self, start: u64, out: &mut [u8]) -> bool {
        let end = start.saturating_add(out.len() as u64);
        let Some((front, back)) = self.get(start..end) else {
            return false;
        };
        out[..front.len()].copy_from_slice(front);
        out[front.len()..].copy_from_slice(back);
        true
    }

    /// Drops the bytes below this offset, which have been acknowledged.
    pub fn release(&mut self, below: u64) {
        let range = self.range();
        let released = below.clamp(range.start, range.end) - range.start;
        self.bytes.drain(..released as usize);
        self.start += released;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_outside_the_buffer_are_not_returned() {
        let mut buffer = SendBuffer::default();
        buffer.push(b"0123456789");
        buffer.release(4);
        assert_eq!(buffer.range(), 4..10);
        assert_eq!(buffer.get(3..5), None);
        assert_eq!(buffer.get(9..11), None);
        assert_eq!(buffer.get(u64::MAX..u64::MAX), None);
        let mut out = [b'-'; 7];
        assert!(!buffer.copy(4, &mut out) && !buffer.copy(u64::MAX, &mut out));
        assert_eq!(out, [b'-'; 7]);
        assert!(buffer.copy(4, &mut out[..6]));
        assert_eq!(&out, b"456789-");
    }

    #[test]
    fn release_neither_goes_back_nor_beyond_the_end() {
        let mut buffer = SendBuffer::default();
        buffer.push(b"abc");
        buffer.release(2);
        buffer.release(1);
        assert_eq!(buffer.range(), 2..3);
        buffer.release(100);
        assert_eq!(buffer.range(), 3..3);
    }

    #[derive(Clone, Debug)]
    enum Step {
        Push(Vec<u8>),
        Release(prop::sample::Index),
        Get(prop::sample::Index, prop::sample::Index),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            prop::collection::vec(any::<u8>(), 0..40).prop_map(Step::Push),
            any::<prop::sample::Index>().prop_map(Step::Release),
            any::<(prop::sample::Index, prop::sample::Index)>().prop_map(|(a, b)| Step::Get(a, b)),
        ];
        prop::collection::vec(step, 0..60)
    }

    proptest! {
        #[test]
        fn the_buffer_agrees_with_a_whole_stream(steps in steps()) {
            let (mut buffer, mut stream, mut released) = (SendBuffer::default(), Vec::new(), 0);
            for step in steps {
                match step {
                    Step::Push(bytes) => {
                        buffer.push(&bytes);
                        stream.extend(bytes);
                    }
                    Step::Release(below) => {
                        let below = below.index(stream.len() + 1);
                        buffer.release(below as u64);
                        released = below.max(released);
                    }
                    Step::Get(a, b) => {
                        let (a, b) = (a.index(stream.len() + 1), b.index(stream.len() + 1));
                        let got = buffer.get(a as u64..b as u64);
                        let got = got.map(|(front, back)| [front, back].concat());
                        let expected = (released <= a && a <= b).then(|| stream[a..b].to_vec());
                        prop_assert_eq!(&got, &expected);
                        let mut out = vec![0; b.saturating_sub(a)];
                        if a <= b {
                            prop_assert_eq!(buffer.copy(a as u64, &mut out), expected.is_some());
                            prop_assert!(expected.is_none_or(|bytes| bytes == out));
                        }
                    }
                }
                prop_assert_eq!(buffer.range(), released as u64..stream.len() as u64);
            }
        }
    }
}
