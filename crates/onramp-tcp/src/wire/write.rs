//! Writes segments as packets.

use super::{checksum, options, Endpoints, WriteError, DONT_FRAGMENT, PROTOCOL_TCP};
use crate::{Segment, IPV6_HEADER_BYTES};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Time to live, or hop limit, of written packets: Linux's default.
pub const TIME_TO_LIVE: u8 = 64;

/// Appends the packet that carries a segment between these endpoints, over their IP version. `fill`
/// writes the bytes of the payload.
///
/// An IPv4 packet has the "don't fragment" bit. An IPv6 packet has no identification, and its flow
/// label is 0. The urgent pointer is 0. The length is [`Segment::wire_bytes`].
///
/// # Errors The segment does not fit into a packet; nothing is appended.
pub fn write(
    segment: &Segment,
    endpoints: &Endpoints,
    identification: u16,
    fill: impl FnOnce(&mut [u8]),
    out: &mut Vec<u8>,
) -> Result<(), WriteError> {
    let options_bytes = segment.options.wire_bytes();
    if options_bytes as usize > options::MAX_BYTES {
        return Err(WriteError::OptionsTooLong {
            found_bytes: options_bytes,
        });
    }
    let ip_bytes = endpoints.ip().header_bytes();
    let found_bytes =
        u64::from(ip_bytes + segment.header_bytes()) + u64::from(segment.payload_bytes);
    let total_bytes =
        u16::try_from(found_bytes).map_err(|_| WriteError::PacketTooLong { found_bytes })?;

    let start = out.len();
    let end = start + usize::from(total_bytes);
    out.reserve(usize::from(total_bytes));
    match (endpoints.source.ip(), endpoints.destination.ip()) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            out.extend([0x45, segment.ecn as u8]);
            ipv4_header(source, destination, identification, total_bytes, out);
        }
        (IpAddr::V6(source), IpAddr::V6(destination)) => {
            // Version, traffic class and flow label share the first four bytes.
            out.extend([0x60, (segment.ecn as u8) << 4, 0, 0]);
            ipv6_header(source, destination, total_bytes, out);
        }
        _ => {
            return Err(WriteError::MixedVersions {
                from: endpoints.source,
                to: endpoints.destination,
            })
        }
    }
    tcp_header(segment, endpoints, out);
    let payload = out.len();
    out.resize(end, 0);
    fill(&mut out[payload..]);

    let tcp = start + ip_bytes as usize;
    let (source, destination) = (endpoints.source.ip(), endpoints.destination.ip());
    let pseudo_header = checksum::pseudo_header(&source, &destination, end - tcp);
    if source.is_ipv4() {
        set_checksum(&mut out[start..tcp], 10, 0);
    }
    set_checksum(&mut out[tcp..], 16, pseudo_header);
    Ok(())
}

/// The IPv4 header (RFC 791, section 3.1) after its first two bytes, with a checksum of 0.
fn ipv4_header(
    source: Ipv4Addr,
    destination: Ipv4Addr,
    identification: u16,
    total_bytes: u16,
    out: &mut Vec<u8>,
) {
    out.extend(total_bytes.to_be_bytes());
    out.extend(identification.to_be_bytes());
    out.extend(DONT_FRAGMENT.to_be_bytes());
    out.extend([TIME_TO_LIVE, PROTOCOL_TCP, 0, 0]);
    out.extend(source.octets());
    out.extend(destination.octets());
}

/// The IPv6 header (RFC 8200, section 3) after its first four bytes.
fn ipv6_header(source: Ipv6Addr, destination: Ipv6Addr, total_bytes: u16, out: &mut Vec<u8>) {
    let payload_bytes = total_bytes - IPV6_HEADER_BYTES as u16;
    out.extend(payload_bytes.to_be_bytes());
    out.extend([PROTOCOL_TCP, TIME_TO_LIVE]);
    out.extend(source.octets());
    out.extend(destination.octets());
}

/// The TCP header (RFC 9293, section 3.1), with a checksum of 0.
fn tcp_header(segment: &Segment, endpoints: &Endpoints, out: &mut Vec<u8>) {
    out.extend(endpoints.source.port().to_be_bytes());
    out.extend(endpoints.destination.port().to_be_bytes());
    out.extend(segment.seq.to_be_bytes());
    out.extend(segment.ack.to_be_bytes());
    out.extend([(segment.header_bytes() as u8 / 4) << 4, segment.flags.0]);
    out.extend(segment.window.to_be_bytes());
    out.extend([0; 4]);
    options::write(&segment.options, out);
}

/// Writes the checksum of `bytes` and of the sum `summed` at `at`, where the bytes are 0.
pub(super) fn set_checksum(bytes: &mut [u8], at: usize, summed: u64) {
    let checksum = checksum::of(summed + checksum::sum(bytes));
    bytes[at..at + 2].copy_from_slice(&checksum.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EcnField, Flags, Options, SackBlocks};

    const ENDPOINTS: &str = "192.0.2.1:258";

    fn written(segment: &Segment) -> Result<Vec<u8>, WriteError> {
        let endpoints = Endpoints {
            source: ENDPOINTS.parse().unwrap(),
            destination: "198.51.100.2:772".parse().unwrap(),
        };
        let mut packet = vec![0xaa];
        let result = write(
            segment,
            &endpoints,
            0x1234,
            |payload| payload.fill(b'x'),
            &mut packet,
        );
        assert_eq!(packet.remove(0), 0xaa);
        assert!(result.is_ok() || packet.is_empty());
        result.map(|()| packet)
    }

    #[test]
    fn fields_are_where_rfc_9293_section_3_1_puts_them() {
        let segment = Segment {
            seq: 0x0506_0708,
            ack: 0x090a_0b0c,
            payload_bytes: 3,
            window: 0x0e0f,
            flags: Flags::ACK.with(Flags::PSH),
            options: Options {
                mss: Some(1460),
                ..Options::default()
            },
            ecn: EcnField::Ce,
        };
        let packet = written(&segment).unwrap();
        assert_eq!(packet[..10], [0x45, 3, 0, 47, 0x12, 0x34, 0x40, 0, 64, 6]);
        assert_eq!(packet[12..20], [192, 0, 2, 1, 198, 51, 100, 2]);
        assert_eq!(
            packet[20..36],
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x60, 0x18, 14, 15]
        );
        assert_eq!(packet[38..], [0, 0, 2, 4, 5, 0xb4, b'x', b'x', b'x']);
    }

    #[test]
    fn ipv6_fields_are_where_rfc_8200_section_3_puts_them() {
        let endpoints = Endpoints {
            source: "[2001:db8::1]:258".parse().unwrap(),
            destination: "[2001:db8::2]:772".parse().unwrap(),
        };
        let segment = Segment {
            payload_bytes: 3,
            ecn: EcnField::Ect0,
            ..Segment::default()
        };
        let mut packet = Vec::new();
        write(&segment, &endpoints, 7, |_| (), &mut packet).unwrap();
        assert_eq!(packet[..8], [0x60, 0x20, 0, 0, 0, 23, 6, 64]);
        assert_eq!(packet[8..10], [0x20, 0x01]);
        assert_eq!((packet[23], packet[39]), (1, 2));
        assert_eq!(packet[40..44], [1, 2, 3, 4]);
        let parsed = super::super::parse(&packet).unwrap();
        assert_eq!((parsed.segment, parsed.endpoints), (segment, endpoints));
        assert_eq!((parsed.identification, parsed.time_to_live), (0, 64));
    }

    #[test]
    fn a_packet_has_one_ip_version() {
        let endpoints = Endpoints {
            source: ENDPOINTS.parse().unwrap(),
            destination: "[2001:db8::2]:772".parse().unwrap(),
        };
        let mut packet = Vec::new();
        let error = write(&Segment::default(), &endpoints, 0, |_| (), &mut packet).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the packet would go from 192.0.2.1:258 to [2001:db8::2]:772, which is another IP \
             version"
        );
        assert!(packet.is_empty());
    }

    #[test]
    fn options_above_40_bytes_do_not_fit() {
        let mut sack = SackBlocks::default();
        while sack.push(1, 2) {}
        let options = Options {
            sack,
            timestamps: Some((1, 2)),
            ..Options::default()
        };
        let error = written(&Segment {
            options,
            ..Segment::default()
        })
        .unwrap_err();
        assert_eq!(error, WriteError::OptionsTooLong { found_bytes: 48 });
        assert_eq!(
            error.to_string(),
            "the TCP options take 48 bytes, expected at most 40"
        );
    }

    #[test]
    fn a_packet_has_at_most_65535_bytes() {
        let of = |payload_bytes| {
            written(&Segment {
                payload_bytes,
                ..Segment::default()
            })
        };
        assert_eq!(of(65_495).unwrap().len(), 65_535);
        assert_eq!(
            of(65_496),
            Err(WriteError::PacketTooLong {
                found_bytes: 65_536
            })
        );
        assert_eq!(
            of(u32::MAX),
            Err(WriteError::PacketTooLong {
                found_bytes: (1 << 32) + 39
            })
        );
    }
}
