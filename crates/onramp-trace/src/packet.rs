//! An observed packet as bytes on the wire.

use onramp_scenario::Dscp;
use onramp_sim::observe::{Direction, PacketEvent};
use onramp_tcp::wire::{self, Endpoints, WriteError};
use std::net::{IpAddr, SocketAddr};

const IPV4_BYTES: usize = 20;
const UDP_BYTES: usize = 8;
const PROTOCOL_UDP: u8 = 17;
/// The ECN field, beside the code point in the second byte of the IPv4 header and in the traffic
/// class of IPv6 (RFC 3168).
const ECN_BITS: u8 = 3;
/// Bytes of a line of payload, which is text.
const LINE_BYTES: usize = 32;
const LINE_END: &[u8; 16] = b" onramp payload\n";

/// Appends the packet to `out`. `data` has the addresses of the flow in the direction of its data.
///
/// The IP identification is always 0: it has no meaning in packets that must not be fragmented
/// (RFC 6864, section 4.1).
///
/// # Errors
/// The packet is longer than an IP packet can be. Nothing is appended.
pub(crate) fn write(
    packet: &PacketEvent<'_>,
    data: &Endpoints,
    out: &mut Vec<u8>,
) -> Result<(), WriteError> {
    let fill = |bytes: &mut [u8]| fill(packet.stream_start, bytes);
    let start = out.len();
    match packet.direction {
        Direction::Data => wire::write(packet.segment, data, 0, fill, out),
        Direction::Ack => wire::write(packet.segment, &data.reversed(), 0, fill, out),
        Direction::Datagram => datagram(packet, data, out),
    }?;
    if packet.dscp != Dscp::BestEffort {
        mark(packet.dscp, &mut out[start..]);
    }
    Ok(())
}

/// Sets the code point of a packet. A packet without a whole IP header stays as it is.
fn mark(dscp: Dscp, packet: &mut [u8]) {
    let Some(header) = packet.get_mut(..IPV4_BYTES) else {
        return;
    };
    if header[0] >> 4 == 6 {
        // The traffic class lies across the first two bytes (RFC 8200, section 3).
        let class = dscp.tos() | header[1] >> 4 & ECN_BITS;
        header[0] = header[0] & 0xf0 | class >> 4;
        header[1] = class << 4 | header[1] & 0x0f;
        return;
    }
    header[1] = dscp.tos() | header[1] & ECN_BITS;
    header[10..12].fill(0);
    let checksum = checksum(0, header);
    header[10..12].copy_from_slice(&checksum.to_be_bytes());
}

/// Fills in the payload from this offset of the stream. Every 32 bytes are a line of text with
/// their offset, so that a reader sees which part of the stream a packet carries.
fn fill(start: u64, mut bytes: &mut [u8]) {
    let mut offset = start;
    while !bytes.is_empty() {
        let within = (offset % LINE_BYTES as u64) as usize;
        let length = bytes.len().min(LINE_BYTES - within);
        let (head, rest) = bytes.split_at_mut(length);
        head.copy_from_slice(&line(offset - within as u64)[within..within + length]);
        bytes = rest;
        offset += length as u64;
    }
}

/// The line at this offset, a multiple of 32.
fn line(mut offset: u64) -> [u8; LINE_BYTES] {
    let mut line = [0; LINE_BYTES];
    let (digits, end) = line.split_at_mut(LINE_BYTES - LINE_END.len());
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (offset % 10) as u8;
        offset /= 10;
    }
    end.copy_from_slice(LINE_END);
    line
}

/// Appends a UDP datagram (RFC 768). A packet that is smaller than its headers is cut off, and its
/// length field keeps the length of the headers.
fn datagram(
    packet: &PacketEvent<'_>,
    ends: &Endpoints,
    out: &mut Vec<u8>,
) -> Result<(), WriteError> {
    let found_bytes = u64::from(packet.wire_bytes);
    let total_bytes = u16::try_from(found_bytes.max((IPV4_BYTES + UDP_BYTES) as u64))
        .map_err(|_| WriteError::PacketTooLong { found_bytes })?;
    let start = out.len();
    out.extend([0x45, 0]);
    out.extend(total_bytes.to_be_bytes());
    out.extend([0, 0, 0x40, 0, wire::TIME_TO_LIVE, PROTOCOL_UDP, 0, 0]);
    out.extend(v4_octets(ends.source));
    out.extend(v4_octets(ends.destination));
    let udp_bytes = total_bytes - IPV4_BYTES as u16;
    out.extend(ends.source.port().to_be_bytes());
    out.extend(ends.destination.port().to_be_bytes());
    out.extend(udp_bytes.to_be_bytes());
    out.extend([0, 0]);
    let payload = out.len();
    out.resize(start + usize::from(total_bytes), 0);
    // The start of a datagram is its number. Its payload begins at the line with this number.
    fill(packet.stream_start * LINE_BYTES as u64, &mut out[payload..]);

    let header = checksum(0, &out[start..start + IPV4_BYTES]);
    out[start + 10..start + 12].copy_from_slice(&header.to_be_bytes());
    let pseudo_header =
        u32::from(PROTOCOL_UDP) + u32::from(udp_bytes) + sum(&out[start + 12..start + IPV4_BYTES]);
    // 0 would mean that there is no checksum (RFC 768).
    let udp = match checksum(pseudo_header, &out[start + IPV4_BYTES..]) {
        0 => 0xffff,
        checksum => checksum,
    };
    out[start + 26..start + 28].copy_from_slice(&udp.to_be_bytes());
    out.truncate(start + packet.wire_bytes as usize);
    Ok(())
}

/// The octets of an IPv4 address. Traffic without TCP is IPv4.
fn v4_octets(end: SocketAddr) -> [u8; 4] {
    match end.ip() {
        IpAddr::V4(address) => address.octets(),
        IpAddr::V6(_) => unreachable!("traffic without TCP is IPv4"),
    }
}

fn sum(bytes: &[u8]) -> u32 {
    // 2^16 bytes are 2^15 words, so their sum fits into 32 bits.
    bytes
        .chunks(2)
        .map(|pair| u32::from(pair[0]) << 8 | u32::from(pair.get(1).copied().unwrap_or(0)))
        .sum()
}

/// The internet checksum (RFC 1071); `started` is the sum of words outside of `bytes`.
fn checksum(started: u32, bytes: &[u8]) -> u16 {
    let sum = started + sum(bytes);
    let folded = (sum & 0xffff) + (sum >> 16);
    !((folded & 0xffff) + (folded >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::endpoints;
    use onramp_tcp::{EcnField, Flags, IpVersion, Segment};

    fn packet_event(
        segment: &Segment,
        direction: Direction,
        stream_start: u64,
        wire_bytes: u32,
    ) -> PacketEvent<'_> {
        let (time_ns, flow, retransmission, dscp) = (0, 0, false, Dscp::BestEffort);
        PacketEvent {
            time_ns,
            flow,
            direction,
            segment,
            stream_start,
            retransmission,
            dscp,
            wire_bytes,
            slot: 0,
        }
    }

    #[test]
    fn payload_contains_its_offset_in_every_segment() {
        let mut whole = [0; 100];
        fill(64, &mut whole);
        assert_eq!(&whole[..33], b"0000000000000064 onramp payload\n0");
        let mut part = [0; 40];
        fill(64 + 7, &mut part);
        assert_eq!(part, whole[7..47]);
    }

    #[test]
    fn a_segment_of_the_receiver_has_reversed_addresses() {
        let segment = Segment {
            payload_bytes: 8,
            flags: Flags::ACK,
            ..Segment::default()
        };
        let mut bytes = Vec::new();
        write(
            &packet_event(&segment, Direction::Ack, 0, 48),
            &endpoints(IpVersion::V4, 3, 0, 1),
            &mut bytes,
        )
        .unwrap();
        let parsed = wire::parse(&bytes).unwrap();
        assert_eq!(parsed.endpoints.source.to_string(), "10.0.0.2:32771");
        assert_eq!(parsed.payload, b"00000000");
    }

    #[test]
    fn a_marked_packet_has_its_code_point_and_a_correct_checksum() {
        let segment = Segment {
            payload_bytes: 8,
            flags: Flags::ACK,
            ecn: EcnField::Ce,
            ..Segment::default()
        };
        for (direction, wire_bytes) in [
            (Direction::Data, 48),
            (Direction::Datagram, 61),
            (Direction::Datagram, 10),
        ] {
            let packet = PacketEvent {
                dscp: Dscp::Ef,
                ..packet_event(&segment, direction, 0, wire_bytes)
            };
            let mut bytes = vec![9];
            write(&packet, &endpoints(IpVersion::V4, 3, 0, 1), &mut bytes).unwrap();
            let is_whole = wire_bytes > 20;
            assert_eq!(
                (bytes.len() as u32, bytes[2] >> 2),
                (1 + wire_bytes, if is_whole { 46 } else { 0 })
            );
            assert!(!is_whole || checksum(0, &bytes[1..21]) == 0);
            // The ECN field is beside it.
            assert!(direction != Direction::Data || bytes[2] & 3 == EcnField::Ce as u8);
        }
    }

    #[test]
    fn a_marked_ipv6_packet_has_its_code_point_in_the_traffic_class() {
        let segment = Segment {
            payload_bytes: 8,
            flags: Flags::ACK,
            ecn: EcnField::Ect0,
            ..Segment::default()
        };
        let packet = PacketEvent {
            dscp: Dscp::Ef,
            ..packet_event(&segment, Direction::Data, 0, 68)
        };
        let mut bytes = Vec::new();
        write(&packet, &endpoints(IpVersion::V6, 3, 0, 1), &mut bytes).unwrap();
        assert_eq!((bytes.len(), &bytes[..2]), (68, &[0x6b, 0xa0][..]));
        let parsed = wire::parse(&bytes).unwrap();
        assert_eq!(parsed.segment, segment);
        assert_eq!(parsed.endpoints.source.to_string(), "[fd00::1]:8400");
    }

    #[test]
    fn a_datagram_is_udp_of_its_size() {
        let segment = Segment {
            payload_bytes: 5,
            ..Segment::default()
        };
        let mut bytes = vec![9];
        write(
            &packet_event(&segment, Direction::Datagram, 2, 61),
            &endpoints(IpVersion::V4, 3, 0, 1),
            &mut bytes,
        )
        .unwrap();
        let packet = &bytes[1..];
        assert_eq!(
            (packet.len(), packet[9], &packet[28..44]),
            (61, 17, &b"0000000000000064"[..])
        );
        let ones = |started, bytes: &[u8]| checksum(started, bytes);
        assert_eq!(ones(0, &packet[..20]), 0);
        assert_eq!(ones(17 + 41 + sum(&packet[12..20]), &packet[20..]), 0);
    }

    #[test]
    fn a_datagram_smaller_than_its_headers_is_cut_off() {
        let segment = Segment::default();
        let mut bytes = Vec::new();
        write(
            &packet_event(&segment, Direction::Datagram, 0, 10),
            &endpoints(IpVersion::V4, 0, 0, 1),
            &mut bytes,
        )
        .unwrap();
        assert_eq!((bytes.len(), bytes[3]), (10, 28));
    }
}
