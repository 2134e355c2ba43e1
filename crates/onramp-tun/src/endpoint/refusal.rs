//! The reset that answers a segment of no connection (RFC 9293, section 3.10.7.1).

use onramp_tcp::wire::{self, Parsed};
use onramp_tcp::{Flags, Segment};

/// The reset that answers a segment. A reset is not answered.
pub fn refusal(segment: &Segment) -> Option<Segment> {
    if segment.flags.has(Flags::RST) {
        return None;
    }
    Some(if segment.flags.has(Flags::ACK) {
        Segment {
            seq: segment.ack,
            flags: Flags::RST,
            ..Segment::default()
        }
    } else {
        let ack = segment.seq.wrapping_add(segment.sequence_bytes());
        Segment {
            ack,
            flags: Flags::RST.with(Flags::ACK),
            ..Segment::default()
        }
    })
}

/// The answer as a packet.
pub fn packet(parsed: &Parsed<'_>) -> Option<Vec<u8>> {
    let mut packet = Vec::new();
    wire::write(
        &refusal(&parsed.segment)?,
        &parsed.endpoints.reversed(),
        0,
        |_| (),
        &mut packet,
    )
    .expect("a segment without payload fits");
    Some(packet)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reset_for_a_segment_with_ack_has_its_ack_as_sequence_number() {
        let stray = Segment {
            seq: 1,
            ack: 77,
            payload_bytes: 9,
            flags: Flags::ACK,
            ..Segment::default()
        };
        assert_eq!(
            refusal(&stray),
            Some(Segment {
                seq: 77,
                flags: Flags::RST,
                ..Segment::default()
            })
        );
    }

    #[test]
    fn the_reset_for_a_segment_without_ack_acknowledges_all_its_sequence_space() {
        let flags = Flags::RST.with(Flags::ACK);
        let syn = Segment {
            seq: u32::MAX,
            payload_bytes: 9,
            flags: Flags::SYN,
            ..Segment::default()
        };
        assert_eq!(
            refusal(&syn),
            Some(Segment {
                ack: 9,
                flags,
                ..Segment::default()
            })
        );
    }

    #[test]
    fn a_reset_is_not_answered() {
        assert_eq!(
            refusal(&Segment {
                flags: Flags::RST.with(Flags::ACK),
                ..Segment::default()
            }),
            None
        );
    }
}
