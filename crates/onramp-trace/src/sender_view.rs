//! A connection as its sender's host sees it, from the packets alone: offsets in the stream instead
//! of TCP's 32-bit sequence numbers, and windows in bytes.

use onramp_sim::observe::PacketEvent;
use onramp_tcp::{Flags, Segment};

/// The maximum window shift (RFC 7323, section 2.3).
const MAX_SHIFT: u8 = 14;

/// One connection.
#[derive(Debug, Default)]
pub(crate) struct SenderView {
    /// Sequence number of the first byte; `None` until the SYN was sent.
    first_seq: Option<u32>,
    /// The highest acknowledged offset so far.
    acked: u64,
    /// The window shift in the receiver's SYN.
    offered_shift: Option<u8>,
    /// The window shift in use.
    shift: u8,
}

/// An ACK, with offsets in bytes from the start of the stream. The FIN takes one byte.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ack {
    /// All bytes before this offset are acknowledged.
    pub acked: u64,
    /// First byte that the receiver does not allow yet.
    pub window_end: u64,
    /// SACK blocks: first byte, and the first byte after them.
    pub sack: Vec<(u64, u64)>,
}

impl SenderView {
    /// The sender sends a segment. Returns the first byte, the first byte after it, and whether the
    /// segment is the SYN, which has no bytes.
    pub fn sent(&mut self, packet: &PacketEvent<'_>) -> (u64, u64, bool) {
        let segment = packet.segment;
        if segment.flags.has(Flags::SYN) {
            self.first_seq = Some(segment.seq.wrapping_add(1));
            if let (Some(shift), Some(_)) = (self.offered_shift, segment.options.window_scale) {
                self.shift = shift.min(MAX_SHIFT);
            }
            return (0, 0, true);
        }
        let end = packet.stream_start + u64::from(segment.sequence_bytes());
        (packet.stream_start, end, false)
    }

    /// A segment of the receiver arrives. Returns `None` if it acknowledges nothing.
    pub fn received(&mut self, segment: &Segment) -> Option<Ack> {
        if segment.flags.has(Flags::SYN) {
            self.offered_shift = segment.options.window_scale;
        }
        if !segment.flags.has(Flags::ACK) || segment.flags.has(Flags::RST) {
            return None;
        }
        let acked = self.offset(segment.ack)?;
        self.acked = self.acked.max(acked);
        let blocks = segment.options.sack.as_slice().iter();
        let sack = blocks
            .filter_map(|(left, right)| Some((self.offset(*left)?, self.offset(*right)?)))
            .collect();
        Some(Ack {
            acked,
            window_end: acked + (u64::from(segment.window) << self.shift),
            sack,
        })
    }

    /// The offset of a sequence number: the possible one nearest to the acknowledged offset,
    /// because sequence numbers wrap. `None` if it is before the stream.
    fn offset(&self, number: u32) -> Option<u64> {
        let acked_number = self.first_seq?.wrapping_add(self.acked as u32);
        self.acked
            .checked_add_signed(i64::from(number.wrapping_sub(acked_number) as i32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_sim::observe::Direction;
    use onramp_tcp::{Options, SackBlocks};

    fn packet_event(segment: &Segment) -> PacketEvent<'_> {
        PacketEvent {
            time_ns: 0,
            flow: 0,
            direction: Direction::Data,
            segment,
            stream_start: 0,
            retransmission: false,
            dscp: Default::default(),
            wire_bytes: 40,
            slot: 0,
        }
    }

    #[test]
    fn offsets_continue_where_sequence_numbers_wrap() {
        let mut view = SenderView::default();
        let options = Options {
            window_scale: Some(7),
            ..Options::default()
        };
        assert_eq!(
            view.received(&Segment {
                flags: Flags::SYN,
                options,
                ..Segment::default()
            }),
            None
        );
        let answer = Segment {
            seq: u32::MAX - 10,
            flags: Flags::SYN.with(Flags::ACK),
            options,
            ..Segment::default()
        };
        assert_eq!(view.sent(&packet_event(&answer)), (0, 0, true));
        let mut sack = SackBlocks::default();
        sack.push(200, 300);
        let ack = |ack| Segment {
            ack,
            window: 2,
            flags: Flags::ACK,
            ..Segment::default()
        };
        let options = Options {
            sack,
            ..Options::default()
        };
        let received = view.received(&Segment {
            options,
            ..ack(100)
        });
        assert_eq!(
            received,
            Some(Ack {
                acked: 110,
                window_end: 110 + 256,
                sack: vec![(210, 310)]
            })
        );
        assert_eq!(view.received(&ack(u32::MAX - 9)).unwrap().acked, 0);
        assert_eq!(view.received(&ack(u32::MAX - 10)), None);
        assert_eq!(view.received(&ack(1 << 30)).unwrap().acked, (1 << 30) + 10);
    }
}
