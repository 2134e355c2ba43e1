//! What a sender's host can tell from the packets that it sends and receives: places in the stream
//! instead of TCP's 32-bit numbers, and windows in bytes.

use onramp_sim::observe::PacketEvent;
use onramp_tcp::{Flags, Segment};

/// The largest shift of RFC 7323, section 2.3.
const MOST_SHIFT: u8 = 14;

/// One connection.
#[derive(Debug, Default)]
pub(crate) struct SenderView {
    /// Number of the first byte, once the SYN was sent.
    first: Option<u32>,
    /// The largest acknowledgement so far.
    acked: u64,
    /// What the receiver's SYN offered.
    offered_shift: Option<u8>,
    /// What is in force.
    shift: u8,
}

/// An acknowledgement. Places are bytes from the start of the stream; the FIN has a place too.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Heard {
    pub acked: u64,
    /// First byte that must not be sent yet.
    pub window_end: u64,
    pub sack: Vec<(u64, u64)>,
}

impl SenderView {
    /// The sender sends a segment: the places that it takes, and whether it is the SYN, which comes
    /// before them.
    pub fn sent(&mut self, packet: &PacketEvent<'_>) -> (u64, u64, bool) {
        let segment = packet.segment;
        if segment.flags.has(Flags::SYN) {
            self.first = Some(segment.seq.wrapping_add(1));
            if let (Some(shift), Some(_)) = (self.offered_shift, segment.options.window_scale) {
                self.shift = shift.min(MOST_SHIFT);
            }
            return (0, 0, true);
        }
        let end = packet.stream_start + u64::from(segment.sequence_bytes());
        (packet.stream_start, end, false)
    }

    /// A segment of the receiver arrives; `None`: it acknowledges nothing.
    pub fn heard(&mut self, segment: &Segment) -> Option<Heard> {
        if segment.flags.has(Flags::SYN) {
            self.offered_shift = segment.options.window_scale;
        }
        if !segment.flags.has(Flags::ACK) || segment.flags.has(Flags::RST) {
            return None;
        }
        let acked = self.place(segment.ack)?;
        self.acked = self.acked.max(acked);
        let blocks = segment.options.sack.as_slice().iter();
        let sack = blocks
            .filter_map(|(left, right)| Some((self.place(*left)?, self.place(*right)?)))
            .collect();
        Some(Heard {
            acked,
            window_end: acked + (u64::from(segment.window) << self.shift),
            sack,
        })
    }

    /// The place nearest to what is acknowledged; `None` for one before the stream.
    fn place(&self, number: u32) -> Option<u64> {
        let acked_number = self.first?.wrapping_add(self.acked as u32);
        self.acked
            .checked_add_signed(i64::from(number.wrapping_sub(acked_number) as i32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_sim::observe::Direction;
    use onramp_tcp::{Options, SackBlocks};

    fn sight(segment: &Segment) -> PacketEvent<'_> {
        PacketEvent {
            time_ns: 0,
            flow: 0,
            direction: Direction::Data,
            segment,
            stream_start: 0,
            retransmission: false,
            dscp: Default::default(),
            wire_bytes: 40,
        }
    }

    #[test]
    fn places_go_on_where_numbers_wrap() {
        let mut view = SenderView::default();
        let options = Options {
            window_scale: Some(7),
            ..Options::default()
        };
        assert_eq!(
            view.heard(&Segment {
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
        assert_eq!(view.sent(&sight(&answer)), (0, 0, true));
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
        let heard = view.heard(&Segment {
            options,
            ..ack(100)
        });
        assert_eq!(
            heard,
            Some(Heard {
                acked: 110,
                window_end: 110 + 256,
                sack: vec![(210, 310)]
            })
        );
        assert_eq!(view.heard(&ack(u32::MAX - 9)).unwrap().acked, 0);
        assert_eq!(view.heard(&ack(u32::MAX - 10)), None);
        assert_eq!(view.heard(&ack(1 << 30)).unwrap().acked, (1 << 30) + 10);
    }
}
