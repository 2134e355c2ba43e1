//! Reads packets as segments.

use super::{checksum, options, Endpoints, Error, Header, PROTOCOL_TCP};
use crate::{EcnField, Flags, Segment, IPV4_HEADER_BYTES, IPV6_HEADER_BYTES, TCP_HEADER_BYTES};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// A parsed packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parsed<'a> {
    /// Source and destination.
    pub endpoints: Endpoints,
    /// The segment, without reserved control bits and urgent pointer.
    pub segment: Segment,
    /// The bytes of the payload.
    pub payload: &'a [u8],
    /// The packet's identification field; 0 in IPv6.
    pub identification: u16,
    /// The packet's remaining time to live, or hop limit.
    pub time_to_live: u8,
    /// Number of unknown TCP options, which were skipped.
    pub unknown_options: u8,
}

/// Reads an IPv4 or IPv6 packet with a TCP segment. Bytes after the packet's own length are
/// ignored.
///
/// # Errors The first error in the packet, in the order of its bytes.
pub fn parse(packet: &[u8]) -> Result<Parsed<'_>, Error> {
    read(packet, true)
}

/// [`parse`] without verification of the checksums, for packets that were captured before the
/// network device filled them in.
///
/// # Errors
/// Those of [`parse`] but [`Error::Checksum`].
pub fn parse_unverified(packet: &[u8]) -> Result<Parsed<'_>, Error> {
    read(packet, false)
}

fn read(buffer: &[u8], verify: bool) -> Result<Parsed<'_>, Error> {
    let ip = Ip::read(buffer, verify)?;
    let tcp = ip.payload;
    let header_bytes = header_length(Header::Tcp, tcp, TCP_HEADER_BYTES, |fixed| fixed[12] >> 4)?;
    if verify {
        let sum =
            checksum::pseudo_header(&ip.source, &ip.destination, tcp.len()) + checksum::sum(tcp);
        verify_sum(Header::Tcp, sum, u16_at(tcp, 16))?;
    }
    let (header, payload) = tcp.split_at(header_bytes);
    let (options, unknown_options) = options::parse(&header[TCP_HEADER_BYTES as usize..])?;
    let segment = Segment {
        seq: u32_at(header, 4),
        ack: u32_at(header, 8),
        payload_bytes: payload.len() as u32,
        window: u16_at(header, 14),
        flags: Flags(header[13]),
        ecn: ip.ecn,
        options,
    };
    let endpoints = Endpoints {
        source: SocketAddr::new(ip.source, u16_at(header, 0)),
        destination: SocketAddr::new(ip.destination, u16_at(header, 2)),
    };
    Ok(Parsed {
        endpoints,
        segment,
        payload,
        identification: ip.identification,
        time_to_live: ip.time_to_live,
        unknown_options,
    })
}

/// The required fields of an IP header.
struct Ip<'a> {
    source: IpAddr,
    destination: IpAddr,
    identification: u16,
    time_to_live: u8,
    ecn: EcnField,
    payload: &'a [u8],
}

impl Ip<'_> {
    fn read(buffer: &[u8], verify: bool) -> Result<Ip<'_>, Error> {
        match buffer.first().map(|first| first >> 4) {
            None | Some(4) => Ip::read_v4(buffer, verify),
            Some(6) => Ip::read_v6(buffer),
            Some(found) => Err(Error::Version { found }),
        }
    }

    /// Reads an IPv4 header (RFC 791, section 3.1).
    fn read_v4(buffer: &[u8], verify: bool) -> Result<Ip<'_>, Error> {
        let header_bytes = header_length(Header::Ipv4, buffer, IPV4_HEADER_BYTES, |fixed| {
            fixed[0] & 15
        })?;
        let header = &buffer[..header_bytes];
        let total_bytes = usize::from(u16_at(header, 2));
        if total_bytes < header_bytes {
            return Err(Error::TotalLength {
                expected_bytes: header_bytes,
                found_bytes: total_bytes,
            });
        }
        let payload = buffer
            .get(header_bytes..total_bytes)
            .ok_or(Error::BeyondBuffer {
                header: Header::Ipv4,
                expected_bytes: total_bytes,
                found_bytes: buffer.len(),
            })?;
        if verify {
            verify_sum(Header::Ipv4, checksum::sum(header), u16_at(header, 10))?;
        }
        let fragment = u16_at(header, 6);
        let (more, offset) = (fragment & 0x2000 != 0, fragment & 0x1fff);
        if more || offset != 0 {
            return Err(Error::Fragment {
                offset_bytes: u32::from(offset) * 8,
                more,
            });
        }
        if header[9] != PROTOCOL_TCP {
            return Err(Error::Protocol { found: header[9] });
        }
        Ok(Ip {
            source: Ipv4Addr::from(u32_at(header, 12)).into(),
            destination: Ipv4Addr::from(u32_at(header, 16)).into(),
            identification: u16_at(header, 4),
            time_to_live: header[8],
            ecn: EcnField::of_tos(header[1]),
            payload,
        })
    }

    /// Reads an IPv6 header (RFC 8200, section 3). It has no checksum.
    fn read_v6(buffer: &[u8]) -> Result<Ip<'_>, Error> {
        const HEADER_BYTES: usize = IPV6_HEADER_BYTES as usize;
        let (header, rest) =
            buffer
                .split_first_chunk::<HEADER_BYTES>()
                .ok_or(Error::Truncated {
                    header: Header::Ipv6,
                    expected_bytes: HEADER_BYTES,
                    found_bytes: buffer.len(),
                })?;
        let payload_bytes = usize::from(u16_at(header, 4));
        let payload = rest.get(..payload_bytes).ok_or(Error::BeyondBuffer {
            header: Header::Ipv6,
            expected_bytes: HEADER_BYTES + payload_bytes,
            found_bytes: buffer.len(),
        })?;
        if header[6] != PROTOCOL_TCP {
            return Err(Error::Protocol { found: header[6] });
        }
        let address = |at: usize| Ipv6Addr::from(std::array::from_fn(|byte| header[at + byte]));
        Ok(Ip {
            source: address(8).into(),
            destination: address(24).into(),
            identification: 0,
            time_to_live: header[7],
            ecn: EcnField::of_tos(header[0] << 4 | header[1] >> 4),
            payload,
        })
    }
}

/// A header's length by its own field, which counts 32-bit words. Checks that `bytes` contains it.
fn header_length(
    header: Header,
    bytes: &[u8],
    fixed_bytes: u32,
    words: fn(&[u8]) -> u8,
) -> Result<usize, Error> {
    let truncated = |expected_bytes| Error::Truncated {
        header,
        expected_bytes,
        found_bytes: bytes.len(),
    };
    let fixed_bytes = fixed_bytes as usize;
    let fixed = bytes.get(..fixed_bytes).ok_or(truncated(fixed_bytes))?;
    let found_bytes = 4 * usize::from(words(fixed));
    if found_bytes < fixed_bytes {
        return Err(Error::HeaderLength {
            header,
            found_bytes,
        });
    }
    if found_bytes > bytes.len() {
        return Err(truncated(found_bytes));
    }
    Ok(found_bytes)
}

fn verify_sum(header: Header, sum: u64, found: u16) -> Result<(), Error> {
    match checksum::of(sum) {
        0 => Ok(()),
        _ => Err(Error::Checksum {
            header,
            expected: checksum::instead(sum, found),
            found,
        }),
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::super::{captured, write::set_checksum, OptionError, OptionKind};
    use super::*;

    /// Applies a change to Linux's data packet, corrects the checksums if there is room for them,
    /// and parses it.
    fn changed(change: impl FnOnce(&mut Vec<u8>)) -> Result<(), Error> {
        let mut packet = captured::data();
        change(&mut packet);
        let header_bytes = 4 * usize::from(packet[0] & 15);
        if let Some((header, tcp)) = packet.split_at_mut_checked(header_bytes.max(20)) {
            let addresses = [u32_at(header, 12), u32_at(header, 16)]
                .map(|address| IpAddr::from(Ipv4Addr::from(address)));
            let pseudo_header = checksum::pseudo_header(&addresses[0], &addresses[1], tcp.len());
            for (bytes, at, summed) in [(header, 10, 0), (tcp, 16, pseudo_header)] {
                if bytes.len() >= 20 {
                    bytes[at..at + 2].fill(0);
                    set_checksum(bytes, at, summed);
                }
            }
        }
        parse(&packet).map(|_| ())
    }

    fn resized(bytes: usize) -> impl FnOnce(&mut Vec<u8>) {
        move |packet| {
            packet.truncate(bytes);
            packet[2..4].copy_from_slice(&(bytes as u16).to_be_bytes());
        }
    }

    #[test]
    fn an_empty_packet_is_refused() {
        let found = Err(Error::Truncated {
            header: Header::Ipv4,
            expected_bytes: 20,
            found_bytes: 0,
        });
        assert_eq!(parse(&[]).map(|_| ()), found);
    }

    #[test]
    fn other_versions_than_4_and_6_are_refused() {
        assert_eq!(
            changed(|packet| packet[0] = 0x55),
            Err(Error::Version { found: 5 })
        );
    }

    #[test]
    fn a_truncated_ipv6_packet_is_refused() {
        let whole = captured::data_over_ipv6();
        assert!(parse(&whole).is_ok());
        assert_eq!(
            parse(&whole[..39]).map(|_| ()),
            Err(Error::Truncated {
                header: Header::Ipv6,
                expected_bytes: 40,
                found_bytes: 39
            })
        );
        assert_eq!(
            parse(&whole[..whole.len() - 1]).map(|_| ()),
            Err(Error::BeyondBuffer {
                header: Header::Ipv6,
                expected_bytes: whole.len(),
                found_bytes: whole.len() - 1
            })
        );
    }

    #[test]
    fn an_ipv6_packet_with_an_extension_header_is_refused() {
        let mut packet = captured::data_over_ipv6();
        packet[6] = 44;
        assert_eq!(
            parse(&packet).map(|_| ()),
            Err(Error::Protocol { found: 44 })
        );
    }

    #[test]
    fn headers_shorter_than_their_fixed_part_are_refused() {
        let wrong = |header| {
            Err(Error::HeaderLength {
                header,
                found_bytes: 16,
            })
        };
        assert_eq!(changed(|packet| packet[0] = 0x44), wrong(Header::Ipv4));
        assert_eq!(changed(|packet| packet[32] = 0x40), wrong(Header::Tcp));
    }

    #[test]
    fn truncated_headers_are_refused() {
        let cut = |header, expected_bytes, found_bytes| {
            Err(Error::Truncated {
                header,
                expected_bytes,
                found_bytes,
            })
        };
        assert_eq!(
            changed(|packet| packet.truncate(19)),
            cut(Header::Ipv4, 20, 19)
        );
        assert_eq!(changed(resized(20 + 19)), cut(Header::Tcp, 20, 19));
        assert_eq!(changed(resized(20 + 31)), cut(Header::Tcp, 32, 31));
        let mut short = captured::data();
        short.truncate(22);
        short[0] = 0x46;
        assert_eq!(parse(&short).map(|_| ()), cut(Header::Ipv4, 24, 22));
    }

    #[test]
    fn a_total_length_below_the_header_is_refused() {
        let wrong = Err(Error::TotalLength {
            expected_bytes: 20,
            found_bytes: 19,
        });
        assert_eq!(
            changed(|packet| packet[2..4].copy_from_slice(&[0, 19])),
            wrong
        );
    }

    #[test]
    fn a_total_length_above_the_buffer_is_refused() {
        let whole = captured::data().len();
        let wrong = Err(Error::BeyondBuffer {
            header: Header::Ipv4,
            expected_bytes: whole,
            found_bytes: whole - 1,
        });
        assert_eq!(changed(|packet| packet.truncate(whole - 1)), wrong);
    }

    #[test]
    fn bytes_after_the_packet_are_ignored() {
        // Ethernet pads short frames to 60 bytes.
        let mut padded = captured::data();
        let payload = parse(&padded).unwrap().payload.to_vec();
        padded.extend([0xee; 6]);
        assert_eq!(parse(&padded).unwrap().payload, payload);
    }

    #[test]
    fn fragments_are_refused() {
        let first = Error::Fragment {
            offset_bytes: 0,
            more: true,
        };
        let last = Error::Fragment {
            offset_bytes: 1480,
            more: false,
        };
        assert_eq!(
            changed(|packet| packet[6..8].copy_from_slice(&[0x20, 0])),
            Err(first)
        );
        assert_eq!(
            changed(|packet| packet[6..8].copy_from_slice(&[0, 185])),
            Err(last)
        );
        assert_eq!(
            first.to_string(),
            "the packet is a fragment (offset 0 bytes, more follow), expected a whole one"
        );
    }

    #[test]
    fn other_protocols_are_refused() {
        assert_eq!(
            changed(|packet| packet[9] = 17),
            Err(Error::Protocol { found: 17 })
        );
    }

    #[test]
    fn a_wrong_checksum_is_reported_with_the_correct_one() {
        for (header, at) in [(Header::Ipv4, 10), (Header::Tcp, 20 + 16)] {
            let mut packet = captured::data();
            let expected = u16_at(&packet, at);
            packet[at] ^= 0x40;
            let found = expected ^ 0x4000;
            let error = parse(&packet).unwrap_err();
            assert_eq!(
                error,
                Error::Checksum {
                    header,
                    expected,
                    found
                }
            );
            assert_eq!(
                error.to_string(),
                format!("the {header} checksum is {found:#06x}, expected {expected:#06x}")
            );
            assert!(parse_unverified(&packet).is_ok());
        }
    }

    #[test]
    fn ip_options_are_skipped() {
        let whole = captured::data();
        let with_router_alert = |packet: &mut Vec<u8>| {
            packet.splice(20..20, [0x94, 4, 0, 0]);
            packet[0] = 0x46;
            let bytes = packet.len() as u16;
            packet[2..4].copy_from_slice(&bytes.to_be_bytes());
        };
        assert_eq!(changed(with_router_alert), Ok(()));
        let mut packet = whole.clone();
        with_router_alert(&mut packet);
        let (with, without) = (parse_unverified(&packet).unwrap(), parse(&whole).unwrap());
        assert_eq!(
            (with.segment, with.payload),
            (without.segment, without.payload)
        );
    }

    #[test]
    fn an_option_error_is_passed_on() {
        let wrong = OptionError::Length {
            kind: OptionKind::TIMESTAMPS,
            at: 2,
            expected: "10",
            found_bytes: 9,
        };
        assert_eq!(
            changed(|packet| packet[20 + 20 + 3] = 9),
            Err(Error::Option(wrong))
        );
    }
}
