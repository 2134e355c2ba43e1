//! Recognises pure ACKs, for links that filter them, in simulator and lab.

use onramp_net::PureAck;
use onramp_tcp::{Flags, Segment};

/// The control bits of explicit congestion notification (RFC 3168): CWR and ECE.
const ECN: u8 = 0xc0;

/// The pure ACK that a segment is; `None` for other segments. A pure ACK has no payload, no control
/// bits but ACK and those of ECN, and no options but timestamps and SACK. The caller checks for
/// options that a [`Segment`] does not have.
pub fn pure_ack(segment: &Segment) -> Option<PureAck> {
    let Segment {
        ack,
        payload_bytes,
        flags: Flags(bits),
        options,
        ..
    } = segment;
    let has_others = options.mss.is_some()
        || options.window_scale.is_some()
        || options.sack_permitted
        || options.pairs.form.is_some();
    let is_pure = bits & !ECN == Flags::ACK.0 && *payload_bytes == 0 && !has_others;
    is_pure.then(|| {
        PureAck::new(
            *ack,
            bits & ECN,
            options.timestamps,
            options.sack.as_slice(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_core::pairs::Form;
    use onramp_tcp::{Options, PairOptions, SackBlocks};

    #[test]
    fn a_segment_that_only_acknowledges_is_a_pure_ack() {
        let mut sack = SackBlocks::default();
        sack.push(20, 30);
        let options = Options {
            timestamps: Some((1, 2)),
            sack,
            ..Options::default()
        };
        let segment = Segment {
            ack: 10,
            flags: Flags::ACK,
            options,
            ..Segment::default()
        };
        assert_eq!(
            pure_ack(&segment),
            Some(PureAck::new(10, 0, Some((1, 2)), &[(20, 30)]))
        );
        let congested = Segment {
            flags: Flags(Flags::ACK.0 | 0x40),
            ..segment
        };
        assert_eq!(
            pure_ack(&congested),
            Some(PureAck::new(10, 0x40, Some((1, 2)), &[(20, 30)]))
        );
    }

    #[test]
    fn a_segment_that_does_more_is_no_pure_ack() {
        let segment = Segment {
            ack: 10,
            flags: Flags::ACK,
            ..Segment::default()
        };
        for flag in [Flags::SYN, Flags::FIN, Flags::RST, Flags::PSH] {
            assert_eq!(
                pure_ack(&Segment {
                    flags: Flags::ACK.with(flag),
                    ..segment
                }),
                None
            );
        }
        assert_eq!(
            pure_ack(&Segment {
                flags: Flags::default(),
                ..segment
            }),
            None
        );
        assert_eq!(
            pure_ack(&Segment {
                payload_bytes: 1,
                ..segment
            }),
            None
        );
        let pairs = PairOptions {
            form: Some(Form::Experiment),
            ..PairOptions::default()
        };
        assert_eq!(
            pure_ack(&Segment {
                options: Options {
                    pairs,
                    ..Options::default()
                },
                ..segment
            }),
            None
        );
    }
}
