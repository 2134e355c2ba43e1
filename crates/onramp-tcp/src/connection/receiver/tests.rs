//! Tests the reassembly against a model that has one flag for each byte.

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
    receiver.numbering = Numbering::from_isn(u32::MAX - 100);
    receiver
}

/// Which bytes have arrived. The last flag is the FIN.
#[derive(Debug)]
struct Model([bool; STREAM_BYTES as usize + 1]);

impl Model {
    fn nxt(&self) -> u64 {
        self.0.iter().take_while(|&&there| there).count() as u64
    }

    /// The ranges above the first gap.
    fn ranges(&self) -> Vec<Range<u64>> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        for offset in (self.nxt()..)
            .zip(&self.0[self.nxt() as usize..])
            .filter(|(_, &there)| there)
            .map(|(offset, _)| offset)
        {
            match ranges.last_mut().filter(|range| range.end == offset) {
                Some(range) => range.end += 1,
                None => ranges.push(offset..offset + 1),
            }
        }
        ranges
    }
}

fn blocks(receiver: &mut Receiver) -> Vec<Range<u64>> {
    let numbering = receiver.numbering;
    let near = receiver.nxt();
    let offset = |number: u32| numbering.offset(number, near) as u64;
    receiver
        .sack_blocks(4)
        .as_slice()
        .iter()
        .map(|&(left, right)| offset(left)..offset(right))
        .collect()
}

proptest! {
    #[test]
    fn segments_of_any_order_and_overlap_are_reassembled(
    segments in prop::collection::vec(
        (0..STREAM_BYTES, 1u64..60, 0u64..STREAM_BYTES),
        1..100,
            ),
    ) {
        let (mut receiver, mut model) = (receiver(), Model([false; STREAM_BYTES as usize + 1]));
        let mut read = 0;
        for (start, bytes, reads) in segments {
            let end = (start + bytes).min(STREAM_BYTES);
            let fin = start + bytes > STREAM_BYTES;
            let range = start..end + u64::from(fin);
            let before = Model(model.0);
            model.0[range.start as usize..range.end as usize].fill(true);
            let fate = receiver.accept(
                0,
                &Data {
                    start: start as i64,
                    payload_bytes: (end - start) as u32,
                    fin,
                    ..Data::default()
                },
            );
            prop_assert_eq!(fate == Fate::New, before.0 != model.0);
            prop_assert_eq!(receiver.nxt(), model.nxt());
            prop_assert_eq!(receiver.received_bytes(), model.nxt().min(STREAM_BYTES));
            prop_assert_eq!(receiver.has_finished(), model.nxt() > STREAM_BYTES);
            // RFC 5681, section 4.2: segments that leave a gap or fill one are acknowledged
            // immediately.
            let has_gap = |model: &Model| !model.ranges().is_empty();
            prop_assert!(receiver.ack_now || !has_gap(&model) && !has_gap(&before));

            let blocks = blocks(&mut receiver);
            let had = |range: &Range<u64>| {
                before.0[range.start as usize..range.end as usize].to_vec()
            };
            let dsack = blocks.first().filter(|first| had(first).iter().all(|there| *there));
            // RFC 2883, section 4: the first block reports what this segment repeated.
            if had(&(start..end)).iter().any(|there| *there) {
                let dsack = dsack
                    .ok_or_else(|| TestCaseError::fail(format!("no D-SACK in {blocks:?}")))?;
                prop_assert!(
                    range.start <= dsack.start && dsack.end <= range.end,
                    "{blocks:?} for {range:?}"
                );
            }
            // RFC 2018, section 4: the other blocks are complete ranges, each reported once. The
            // range of this segment comes first.
            let others = &blocks[usize::from(dsack.is_some())..];
            prop_assert!(
                others.iter().all(|block| model.ranges().contains(block)),
                "{blocks:?} of {:?}",
                model.ranges()
            );
            prop_assert!((1..others.len()).all(|i| !others[..i].contains(&others[i])));
            let own = model
                .ranges()
                .into_iter()
                .find(|own| own.start <= range.start && range.end <= own.end);
            if own.is_some() && blocks.len() > usize::from(dsack.is_some()) {
                prop_assert_eq!(others.first(), own.as_ref());
            }

            let readable = receiver.readable_bytes();
            prop_assert_eq!(receiver.read(0, reads), reads.min(readable));
            read += reads.min(readable);
            prop_assert_eq!(read + receiver.readable_bytes(), receiver.received_bytes());
        }
    }
}

/// Without window scaling, the window field limits the window of a large buffer. Then a read is no
/// reason to send an ACK.
#[test]
fn a_window_that_cannot_grow_needs_no_update() {
    for (scales, tells) in [(false, false), (true, true)] {
        let buffer = ReceiveBuffer::Bytes(1 << 20);
        let config = Config {
            acks: Acks::Delayed,
            receive_buffer: buffer,
            ..Config::of(Stack::Lite, 1040)
        };
        let mut receiver = Receiver::new(&config);
        receiver.numbering = Numbering::from_isn(0);
        if scales {
            receiver.scale();
        }
        let payload_bytes = 1000;
        receiver.accept(
            0,
            &Data {
                payload_bytes,
                ..Data::default()
            },
        );
        receiver.read(0, u64::MAX);
        assert_eq!(receiver.ack_now, tells, "scales: {scales}");
    }
}
