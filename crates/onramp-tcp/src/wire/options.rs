//! The options of a TCP header: maximum segment size, window scale, SACK permitted, SACK,
//! timestamps and packet pairs.

use super::{OptionError, OptionKind};
use crate::{Options, PairOptions, SackBlocks};
use onramp_core::pairs::{Form, PairOption, Reading, REPLY};

/// Maximum bytes of options in a TCP header (RFC 9293, section 3.1).
pub const MAX_BYTES: usize = 40;
/// Maximum window scale (RFC 7323, section 2.3).
pub const MAX_WINDOW_SCALE: u8 = 14;

const END: u8 = 0;
const NO_OPERATION: u8 = 1;

impl OptionKind {
    /// Maximum segment size (RFC 9293, section 3.2).
    pub const MSS: OptionKind = OptionKind(2);
    /// Window scale (RFC 7323, section 2.2).
    pub const WINDOW_SCALE: OptionKind = OptionKind(3);
    /// SACK permitted (RFC 2018, section 2).
    pub const SACK_PERMITTED: OptionKind = OptionKind(4);
    /// Selective acknowledgements (RFC 2018, section 3).
    pub const SACK: OptionKind = OptionKind(5);
    /// Timestamps (RFC 7323, section 3.2).
    pub const TIMESTAMPS: OptionKind = OptionKind(8);
}

/// Reads the options that follow the fixed part of a TCP header. Also returns the number of unknown
/// options.
///
/// If an option is repeated, the first one counts. A window scale above 14 is read as 14 (RFC 7323,
/// section 2.3). Options that belong on SYN segments are read from any segment; the connection uses
/// them only on SYNs.
///
/// # Errors The first option whose length is wrong, or that exceeds the end.
pub fn parse(bytes: &[u8]) -> Result<(Options, u8), OptionError> {
    let mut options = Options::default();
    let mut unknown: u8 = 0;
    let mut at = 0;
    while let Some(&kind) = bytes.get(at) {
        match kind {
            END => break,
            NO_OPERATION => at += 1,
            _ => {
                let value = value(bytes, at)?;
                let end = at + 2 + value.len();
                let is_known = take(&mut options, OptionKind(kind), value);
                if !is_known && !take_pair(&mut options.pairs, &bytes[at..end]) {
                    unknown = unknown.saturating_add(1);
                }
                at = end;
            }
        }
    }
    Ok((options, unknown))
}

/// The value of the option at `at`, after its length has been checked.
fn value(bytes: &[u8], at: usize) -> Result<&[u8], OptionError> {
    let rest = &bytes[at..];
    let kind = OptionKind(rest[0]);
    let &length = rest.get(1).ok_or(OptionError::NoLength { kind, at })?;
    let (right, expected) = match kind {
        OptionKind::MSS => (length == 4, "4"),
        OptionKind::WINDOW_SCALE => (length == 3, "3"),
        OptionKind::SACK_PERMITTED => (length == 2, "2"),
        OptionKind::SACK => (matches!(length, 10 | 18 | 26 | 34), "10, 18, 26 or 34"),
        OptionKind::TIMESTAMPS => (length == 10, "10"),
        _ => (length >= 2, "at least 2"),
    };
    if !right {
        return Err(OptionError::Length {
            kind,
            at,
            expected,
            found_bytes: length,
        });
    }
    rest.get(2..usize::from(length))
        .ok_or(OptionError::Truncated {
            kind,
            at,
            expected_bytes: length,
            found_bytes: rest.len(),
        })
}

/// Sets the option unless it was set before. Returns `false` if the kind is unknown.
fn take(options: &mut Options, kind: OptionKind, value: &[u8]) -> bool {
    let word =
        |at: usize| u32::from_be_bytes([value[at], value[at + 1], value[at + 2], value[at + 3]]);
    match kind {
        OptionKind::MSS => {
            options
                .mss
                .get_or_insert(u16::from_be_bytes([value[0], value[1]]));
        }
        OptionKind::WINDOW_SCALE => {
            options
                .window_scale
                .get_or_insert(value[0].min(MAX_WINDOW_SCALE));
        }
        OptionKind::SACK_PERMITTED => options.sack_permitted = true,
        OptionKind::TIMESTAMPS => {
            options.timestamps.get_or_insert((word(0), word(4)));
        }
        OptionKind::SACK if options.sack.is_empty() => {
            let mut blocks = SackBlocks::default();
            for at in (0..value.len()).step_by(8) {
                blocks.push(word(at), word(at + 4));
            }
            options.sack = blocks;
        }
        OptionKind::SACK => {}
        _ => return false,
    }
    true
}

/// Sets a packet-pair option unless one of its kind was set before. Returns `false` if it is none.
/// An option that cannot be read is counted, because another experiment's option is no reason to
/// reject a segment. All must have the form of the first one.
fn take_pair(pairs: &mut PairOptions, option: &[u8]) -> bool {
    let forms = Form::ALL
        .into_iter()
        .filter(|form| pairs.form.is_none_or(|first| first == *form));
    for form in forms {
        match PairOption::read(option, form) {
            Reading::Other => continue,
            Reading::Malformed => pairs.malformed = pairs.malformed.saturating_add(1),
            Reading::Read(read) if read.kind == REPLY => {
                pairs.reply.get_or_insert(read);
            }
            Reading::Read(read) => {
                pairs.mark.get_or_insert(read);
            }
        }
        pairs.form = Some(form);
        return true;
    }
    false
}

/// Appends the options in Linux's layout (`tcp_options_write`): each at a multiple of four bytes,
/// with no-operations before it, except that SACK permitted replaces those before timestamps.
/// Packet pairs come last, with no-operations after them, as Linux pads options of BPF programs.
/// Appends [`Options::wire_bytes`] bytes.
pub fn write(options: &Options, out: &mut Vec<u8>) {
    let start = out.len();
    if let Some(mss) = options.mss {
        out.extend([OptionKind::MSS.0, 4]);
        out.extend(mss.to_be_bytes());
    }
    if options.sack_permitted {
        if options.timestamps.is_none() {
            out.extend([NO_OPERATION; 2]);
        }
        out.extend([OptionKind::SACK_PERMITTED.0, 2]);
    }
    if let Some((value, echo)) = options.timestamps {
        if !options.sack_permitted {
            out.extend([NO_OPERATION; 2]);
        }
        out.extend([OptionKind::TIMESTAMPS.0, 10]);
        out.extend(value.to_be_bytes());
        out.extend(echo.to_be_bytes());
    }
    if let Some(scale) = options.window_scale {
        out.extend([NO_OPERATION, OptionKind::WINDOW_SCALE.0, 3, scale]);
    }
    let blocks = options.sack.as_slice();
    if !blocks.is_empty() {
        out.extend([
            NO_OPERATION,
            NO_OPERATION,
            OptionKind::SACK.0,
            2 + 8 * blocks.len() as u8,
        ]);
        for (left, right) in blocks {
            out.extend(left.to_be_bytes());
            out.extend(right.to_be_bytes());
        }
    }
    if let Some(form) = options.pairs.form {
        options
            .pairs
            .iter()
            .for_each(|option| option.write(form, out));
        out.resize(
            start + (out.len() - start).next_multiple_of(4),
            NO_OPERATION,
        );
    }
    debug_assert_eq!(out.len() - start, options.wire_bytes() as usize);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(bytes: &[u8]) -> Options {
        let (options, unknown) = parse(bytes).unwrap();
        assert_eq!(unknown, 0);
        options
    }

    #[test]
    fn end_of_options_and_no_operation_as_in_rfc_9293_section_3_1() {
        let mss = Options {
            mss: Some(1460),
            ..Options::default()
        };
        assert_eq!(known(&[1, 1, 2, 4, 5, 0xb4, 1, 0]), mss);
        // Everything after the end of options is padding.
        assert_eq!(known(&[2, 4, 5, 0xb4, 0, 3, 3, 7]), mss);
        assert_eq!(known(&[]), Options::default());
    }

    #[test]
    fn a_window_scale_above_14_is_14_as_in_rfc_7323_section_2_3() {
        assert_eq!(known(&[3, 3, 14]).window_scale, Some(14));
        assert_eq!(known(&[3, 3, 15]).window_scale, Some(14));
        assert_eq!(known(&[3, 3, 255]).window_scale, Some(14));
    }

    #[test]
    fn the_window_scale_option_as_in_rfc_7323_section_2_2() {
        let options = Options {
            window_scale: Some(7),
            ..Options::default()
        };
        let mut bytes = Vec::new();
        write(&options, &mut bytes);
        assert_eq!(bytes, [1, 3, 3, 7]);
        assert_eq!(known(&bytes), options);
    }

    #[test]
    fn the_timestamps_option_as_in_rfc_7323_section_3_2() {
        let options = Options {
            timestamps: Some((0x0102_0304, 0x0506_0708)),
            ..Options::default()
        };
        let mut bytes = Vec::new();
        write(&options, &mut bytes);
        // The layout recommended in appendix A of RFC 7323.
        assert_eq!(bytes, [1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(known(&bytes), options);
    }

    #[test]
    fn sack_has_one_to_four_blocks_as_in_rfc_2018_section_3() {
        for count in 0..=5u8 {
            let mut bytes = vec![5, 2 + 8 * count];
            bytes.extend((0..8 * count).collect::<Vec<u8>>());
            match parse(&bytes) {
                Ok((options, _)) => {
                    assert!((1..=4).contains(&count));
                    assert_eq!(options.sack.as_slice().len(), usize::from(count));
                    assert_eq!(options.sack.as_slice()[0], (0x0001_0203, 0x0405_0607));
                }
                Err(error) => {
                    assert!(count == 0 || count == 5, "{count} blocks: {error}");
                    let expected = "10, 18, 26 or 34";
                    let kind = OptionKind::SACK;
                    assert_eq!(
                        error,
                        OptionError::Length {
                            kind,
                            at: 0,
                            expected,
                            found_bytes: 2 + 8 * count
                        }
                    );
                }
            }
        }
    }

    #[test]
    fn the_first_option_of_its_kind_counts() {
        let mut twice = vec![2, 4, 5, 0xb4, 3, 3, 7, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2];
        let once = known(&twice);
        twice.extend([2, 4, 1, 1, 3, 3, 1, 4, 2, 8, 10, 9, 9, 9, 9, 9, 9, 9, 9]);
        assert_eq!(known(&twice), once);
        let sacks = [5, 10, 0, 0, 0, 1, 0, 0, 0, 2, 5, 10, 0, 0, 0, 3, 0, 0, 0, 4];
        assert_eq!(known(&sacks).sack.as_slice(), [(1, 2)]);
    }

    #[test]
    fn unknown_options_are_skipped_and_counted() {
        // Fast open (RFC 7413) and an experiment (RFC 6994) around a window scale.
        let bytes = [34, 2, 3, 3, 7, 253, 4, 0x4f, 0x53, 0];
        assert_eq!(
            parse(&bytes),
            Ok((
                Options {
                    window_scale: Some(7),
                    ..Options::default()
                },
                2
            ))
        );
    }

    #[test]
    fn packet_pairs_of_both_forms() {
        let first = PairOption::of(onramp_core::pairs::FIRST, 9);
        let reply = PairOption::reply(8, 40_000_000);
        for (form, expected) in [
            (Form::Paper, vec![6, 6, 3, 8, 0, 4, 6, 4, 1, 9, 1, 1]),
            (
                Form::Experiment,
                vec![
                    253, 10, 0x4f, 0x52, 3, 8, 2, 98, 90, 0, 253, 6, 0x4f, 0x52, 1, 9,
                ],
            ),
        ] {
            let pairs = PairOptions {
                form: Some(form),
                mark: Some(first),
                reply: Some(reply),
                malformed: 0,
            };
            let options = Options {
                pairs,
                ..Options::default()
            };
            let mut bytes = Vec::new();
            write(&options, &mut bytes);
            assert_eq!(bytes, expected);
            assert_eq!(known(&bytes), options);
        }
    }

    #[test]
    fn a_malformed_packet_pair_is_counted_and_the_segment_is_read() {
        // A reply with the length of a mark, an unknown type, and a valid mark.
        let bytes = [
            253, 6, 0x4f, 0x52, 3, 1, 253, 6, 0x4f, 0x52, 7, 1, 253, 6, 0x4f, 0x52, 2, 1, 3, 3, 7,
            0,
        ];
        let options = known(&bytes);
        assert_eq!(
            (options.pairs.malformed, options.window_scale),
            (2, Some(7))
        );
        assert_eq!(
            options.pairs.mark,
            Some(PairOption::of(onramp_core::pairs::SECOND, 1))
        );
        assert_eq!(options.pairs.reply, None);
    }

    #[test]
    fn an_error_names_the_option_its_position_and_the_expected_length() {
        let message = |bytes: &[u8]| parse(bytes).unwrap_err().to_string();
        assert_eq!(
            message(&[1, 8]),
            "TCP option timestamps at byte 1 has no length: the options end there"
        );
        assert_eq!(
            message(&[2, 3, 5]),
            "TCP option maximum segment size at byte 0 has a length of 3 bytes, expected 4"
        );
        assert_eq!(
            message(&[1, 1, 8, 10, 0]),
            "TCP option timestamps at byte 2 is truncated: expected 10 bytes, found 3"
        );
        assert_eq!(
            message(&[77, 1]),
            "TCP option kind 77 at byte 0 has a length of 1 bytes, expected at least 2"
        );
        assert_eq!(
            message(&[77, 0]),
            "TCP option kind 77 at byte 0 has a length of 0 bytes, expected at least 2"
        );
    }
}
