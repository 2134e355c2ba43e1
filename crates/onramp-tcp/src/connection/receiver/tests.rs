//! Reassembly against a flag for each byte.

use super::*;
use crate::{Acks, ReceiveBuffer, Stack};
use proptest::prelude::*;
use std::ops::Range;

const STREAM_BYTES: u64 = 300;

fn receiver() -> Receiver {
    let config = Config {
        acks: Acks::Every,
        receive_buffer: ReceiveBuffer::Bytes(1000),
        ..Config::of(Stack::Lite, 1040)
    };
    let mut receiver = Receiver::new(&config);
    receiver.numbering = Numbering::of_syn(u32::MAX - 100);
    receiver
}

/// Which bytes have arrived; the last is the FIN.
#[derive(Debug)]
struct Model([bool; STREAM_BYTES as usize + 1]);

impl Model {
    fn nxt(&self) -> u64 {
        self.0.iter().take_while(|&&there| there).count() as u64
    }

    /// Ranges beyond the first gap.
    fn ranges(&self) -> Vec<Range<u64>> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for place in (self.nxt()..)
            .zip(&self.0[self.nxt() as usize..])
            .filter(|(_, &there)| there)
            .map(|(place, _)| place)
        {
            match ranges.last_mut().filter(|range| range.end == place) {
                Some(range) => range.end += 1,
                None => ranges.push(place..place + 1),
            }
        }
        ranges
    }
}

fn blocks(receiver: &mut Receiver) -> Vec<Range<u64>> {
    let numbering = receiver.numbering;
    let near = receiver.nxt();
    let place = |number: u32| numbering.place(number, near) as u64;
    receiver
        .sack_blocks(4)
        .as_slice()
        .iter()
        .map(|&(left, right)| place(left)..place(right))
        .collect()
}

proptest! {
    #[test]
    fn segments_of_any_order_and_overlap_are_put_together(
        segments in prop::collection::vec((0..STREAM_BYTES, 1u64..60, 0u64..STREAM_BYTES), 1..100),
    ) {
        let (mut receiver, mut model) = (receiver(), Model([false; STREAM_BYTES as usize + 1]));
        let mut read = 0;
        for (start, bytes, reads) in segments {
            let end = (start + bytes).min(STREAM_BYTES);
            let fin = start + bytes > STREAM_BYTES;
            let range = start..end + u64::from(fin);
            let before = Model(model.0);
            model.0[range.start as usize..range.end as usize].fill(true);
            let fate = receiver.take(0, start as i64, (end - start) as u32, fin, false);
            prop_assert_eq!(fate == Fate::New, before.0 != model.0);
            prop_assert_eq!(receiver.nxt(), model.nxt());
            prop_assert_eq!(receiver.received_bytes(), model.nxt().min(STREAM_BYTES));
            prop_assert_eq!(receiver.has_finished(), model.nxt() > STREAM_BYTES);
            // RFC 5681, section 4.2: whatever leaves or meets a gap is acknowledged at once.
            prop_assert!(receiver.ack_now || model.ranges().is_empty() && before.ranges().is_empty());

            let told = blocks(&mut receiver);
            let twice = told.first().filter(|first| before.0[first.start as usize..first.end as usize].iter().all(|b| *b));
            // RFC 2883, section 4: the first block is of what this segment brought again.
            let payload = &before.0[start as usize..end as usize];
            if payload.iter().any(|there| *there) {
                let twice = twice.ok_or_else(|| TestCaseError::fail(format!("no D-SACK in {told:?}")))?;
                prop_assert!(range.start <= twice.start && twice.end <= range.end, "{told:?} for {range:?}");
            }
            // RFC 2018, section 4: the others are whole ranges, each once, that of this segment the
            // first.
            let others = &told[usize::from(twice.is_some())..];
            prop_assert!(others.iter().all(|block| model.ranges().contains(block)), "{told:?} of {:?}", model.ranges());
            prop_assert!((1..others.len()).all(|index| !others[..index].contains(&others[index])));
            let own = model.ranges().into_iter().find(|own| own.start <= range.start && range.end <= own.end);
            if own.is_some() && told.len() > usize::from(twice.is_some()) {
                prop_assert_eq!(others.first(), own.as_ref());
            }

            let readable = receiver.readable_bytes();
            prop_assert_eq!(receiver.read(0, reads), reads.min(readable));
            read += reads.min(readable);
            prop_assert_eq!(read + receiver.readable_bytes(), receiver.received_bytes());
        }
    }
}

/// Where the window is not scaled a large buffer has no more to offer than the field can say:
/// reading is no reason to acknowledge.
#[test]
fn a_window_that_cannot_grow_is_not_told_of() {
    for (scales, tells) in [(false, false), (true, true)] {
        let buffer = ReceiveBuffer::Bytes(1 << 20);
        let config = Config {
            acks: Acks::Delayed,
            receive_buffer: buffer,
            ..Config::of(Stack::Lite, 1040)
        };
        let mut receiver = Receiver::new(&config);
        receiver.numbering = Numbering::of_syn(0);
        if scales {
            receiver.scale();
        }
        receiver.take(0, 0, 1000, false, false);
        receiver.read(0, u64::MAX);
        assert_eq!(receiver.ack_now, tells, "scales: {scales}");
    }
}
