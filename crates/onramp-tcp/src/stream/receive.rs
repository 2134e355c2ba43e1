//! Reassembly of bytes that arrive in any order.

use super::{pieces, pieces_mut};
use std::collections::{BTreeMap, VecDeque};

/// The bytes of a stream from the first unread one on, as far as they have arrived.
///
/// A byte that arrives twice keeps its first value. The buffer holds only bytes within a fixed
/// distance from the first unread one, and ignores others.
#[derive(Clone, Debug)]
pub struct ReceiveBuffer {
    max_bytes: u64,
    /// All bytes below have been read.
    read: u64,
    /// All bytes below have arrived.
    complete: u64,
    /// Ranges that arrived above a gap, not adjacent: from start to end.
    out_of_order: BTreeMap<u64, u64>,
    /// The bytes from `read` on. Bytes in gaps have no meaning.
    bytes: VecDeque<u8>,
}

impl ReceiveBuffer {
    /// An empty buffer, which holds only bytes less than `max_bytes` above the first unread one.
    pub fn new(max_bytes: u64) -> ReceiveBuffer {
        ReceiveBuffer {
            max_bytes,
            read: 0,
            complete: 0,
            out_of_order: BTreeMap::new(),
            bytes: VecDeque::new(),
        }
    }

    /// Bytes that can be read now.
    pub fn readable_bytes(&self) -> u64 {
        self.complete - self.read
    }

    /// Stores a payload that starts at this stream offset. Returns how many of its bytes were new.
    pub fn insert(&mut self, offset: u64, payload: &[u8]) -> u64 {
        let start = offset.max(self.complete);
        let end = offset
            .saturating_add(payload.len() as u64)
            .min(self.read.saturating_add(self.max_bytes));
        if start >= end {
            return 0;
        }
        let payload = &payload[(start - offset) as usize..(end - offset) as usize];
        let new_bytes = self.fill_gaps(start, payload);
        self.merge(start, end);
        new_bytes
    }

    /// Copies the missing bytes of a payload at `start`, which lies within the window.
    fn fill_gaps(&mut self, start: u64, payload: &[u8]) -> u64 {
        let end = start + payload.len() as u64;
        let needed = (end - self.read) as usize;
        if self.bytes.len() < needed {
            self.bytes.resize(needed, 0);
        }
        let mut new_bytes = 0;
        let mut copy = |from: u64, to: u64| {
            if from < to {
                let part = (from - self.read) as usize..(to - self.read) as usize;
                let missing = &payload[(from - start) as usize..(to - start) as usize];
                let (front, back) = pieces_mut(&mut self.bytes, part);
                front.copy_from_slice(&missing[..front.len()]);
                back.copy_from_slice(&missing[front.len()..]);
                new_bytes += to - from;
            }
        };
        let mut at = self
            .out_of_order
            .range(..start)
            .next_back()
            .map_or(start, |(_, &before)| before.max(start));
        for (&from, &to) in self.out_of_order.range(start..end) {
            copy(at, from);
            at = to;
        }
        copy(at, end);
        new_bytes
    }

    /// Records that a range has arrived.
    fn merge(&mut self, mut start: u64, mut end: u64) {
        if let Some((&before, &to)) = self.out_of_order.range(..start).next_back() {
            if to >= start {
                start = before;
            }
        }
        while let Some((&from, &to)) = self.out_of_order.range(start..=end).next() {
            self.out_of_order.remove(&from);
            end = end.max(to);
        }
        if start == self.complete {
            self.complete = end;
        } else {
            self.out_of_order.insert(start, end);
        }
    }

    /// Moves the next bytes in order into `out`. Returns how many there were.
    pub fn read(&mut self, out: &mut [u8]) -> usize {
        let count = self.readable_bytes().min(out.len() as u64) as usize;
        let (front, back) = pieces(&self.bytes, 0..count);
        out[..front.len()].copy_from_slice(front);
        out[front.len()..count].copy_from_slice(back);
        self.bytes.drain(..count);
        self.read += count as u64;
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read_all(buffer: &mut ReceiveBuffer) -> Vec<u8> {
        let mut out = vec![0; buffer.readable_bytes() as usize + 1];
        let count = buffer.read(&mut out);
        out.truncate(count);
        out
    }

    #[test]
    fn a_gap_holds_back_the_bytes_above_it() {
        let mut buffer = ReceiveBuffer::new(100);
        assert_eq!(buffer.insert(3, b"def"), 3);
        assert_eq!(read_all(&mut buffer), b"");
        assert_eq!(buffer.insert(0, b"abc"), 3);
        assert_eq!(read_all(&mut buffer), b"abcdef");
        assert_eq!(read_all(&mut buffer), b"");
    }

    #[test]
    fn a_byte_that_arrives_twice_keeps_its_first_value() {
        let mut buffer = ReceiveBuffer::new(100);
        assert_eq!(buffer.insert(2, b"CD"), 2);
        assert_eq!(buffer.insert(6, b"GH"), 2);
        assert_eq!(buffer.insert(0, b"abcdefghij"), 6);
        assert_eq!(buffer.insert(0, b"0123456789"), 0);
        assert_eq!(read_all(&mut buffer), b"abCDefGHij");
        assert_eq!(buffer.insert(0, b"0123456789k"), 1);
        assert_eq!(read_all(&mut buffer), b"k");
    }

    #[test]
    fn bytes_outside_the_window_are_ignored() {
        let mut buffer = ReceiveBuffer::new(4);
        assert_eq!(buffer.insert(4, b"e"), 0);
        assert_eq!(buffer.insert(u64::MAX, b"xy"), 0);
        assert_eq!(buffer.insert(1, b"bcde"), 3);
        assert_eq!(buffer.insert(0, b"a"), 1);
        assert_eq!(buffer.insert(4, b"e"), 0);
        assert_eq!(buffer.read(&mut [0; 1]), 1);
        assert_eq!(buffer.insert(0, b"abcdef"), 1);
        assert_eq!(read_all(&mut buffer), b"bcde");
    }

    /// A byte-by-byte model of the buffer.
    struct Model {
        max_bytes: u64,
        read: u64,
        bytes: BTreeMap<u64, u8>,
    }

    impl Model {
        fn insert(&mut self, offset: u64, payload: &[u8]) -> u64 {
            let before = self.bytes.len();
            for (offset, &byte) in (offset..).zip(payload) {
                if (self.read..self.read + self.max_bytes).contains(&offset) {
                    self.bytes.entry(offset).or_insert(byte);
                }
            }
            (self.bytes.len() - before) as u64
        }

        fn read(&mut self, max: usize) -> Vec<u8> {
            let mut out = Vec::new();
            while let Some(byte) = (out.len() < max)
                .then(|| self.bytes.remove(&self.read))
                .flatten()
            {
                out.push(byte);
                self.read += 1;
            }
            out
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// A step below -20 reads. Any other inserts at this distance from the next unread byte.
        #[test]
        fn the_buffer_agrees_with_the_model(
            max_bytes in 1u64..100,
            steps in prop::collection::vec(
        (-40i64..120, prop::collection::vec(any::<u8>(), 0..40)),
        0..80,
            ),
        ) {
            let mut buffer = ReceiveBuffer::new(max_bytes);
            let mut model = Model { max_bytes, read: 0, bytes: BTreeMap::new() };
            for (step, payload) in steps {
                if step < -20 {
                    let mut out = vec![0; (-step - 20) as usize];
                    let count = buffer.read(&mut out);
                    prop_assert_eq!(&out[..count], model.read(out.len()));
                } else {
                    let offset = model.read.saturating_add_signed(step);
                    let new_bytes = model.insert(offset, &payload);
                    prop_assert_eq!(buffer.insert(offset, &payload), new_bytes);
                }
                let is_there = |offset: &u64| model.bytes.contains_key(offset);
                let readable = (model.read..).take_while(is_there).count();
                prop_assert_eq!(buffer.readable_bytes(), readable as u64);
                prop_assert!(buffer.bytes.len() as u64 <= max_bytes);
            }
            prop_assert_eq!(read_all(&mut buffer), model.read(usize::MAX));
        }

        #[test]
        fn a_stream_in_pieces_of_any_order_comes_out_complete(
            pieces in prop::collection::vec((0usize..500, 1usize..60), 0..60).prop_shuffle(),
            stream in prop::collection::vec(any::<u8>(), 600),
        ) {
            let mut buffer = ReceiveBuffer::new(600);
            let mut out = Vec::new();
            let all = (0..600).step_by(20).map(|start| (start, 20));
            for (start, bytes) in pieces.into_iter().chain(all) {
                buffer.insert(start as u64, &stream[start..start + bytes]);
                out.extend(read_all(&mut buffer));
            }
            prop_assert_eq!(out, stream);
        }
    }
}
