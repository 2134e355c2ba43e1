//! The ECN field of packets as bytes, for links that mark packets (RFC 3168, section 5).

use super::checksum;
use crate::{EcnField, IPV4_HEADER_BYTES};

/// The ECN field of an IPv4 or IPv6 packet. Anything else is not capable of ECN.
pub fn ecn_of(packet: &[u8]) -> EcnField {
    match *packet {
        [first, tos, ..] if first >> 4 == 4 && packet.len() >= IPV4_HEADER_BYTES as usize => {
            EcnField::of_tos(tos)
        }
        // The traffic class lies across the first two bytes (RFC 8200, section 3).
        [first, second, ..] if first >> 4 == 6 => EcnField::of_tos(second >> 4),
        _ => EcnField::NotEct,
    }
}

/// Marks a packet that is capable of ECN: congestion experienced. The header's checksum follows;
/// that of TCP does not contain the field. Another packet stays as it is.
pub fn mark_ce(packet: &mut [u8]) {
    if !ecn_of(packet).is_capable() {
        return;
    }
    if packet[0] >> 4 == 6 {
        packet[1] |= (EcnField::Ce as u8) << 4;
        return;
    }
    let old = u16::from_be_bytes([packet[0], packet[1]]);
    packet[1] |= EcnField::Ce as u8;
    let new = u16::from_be_bytes([packet[0], packet[1]]);
    let found = u16::from_be_bytes([packet[10], packet[11]]);
    packet[10..12].copy_from_slice(&checksum::after_change(found, old, new).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{self, Endpoints};
    use crate::{Flags, Segment};
    use proptest::prelude::*;

    fn packet(segment: &Segment) -> Vec<u8> {
        let endpoints = Endpoints {
            source: "192.0.2.1:258".parse().unwrap(),
            destination: "198.51.100.2:772".parse().unwrap(),
        };
        let mut packet = Vec::new();
        wire::write(
            segment,
            &endpoints,
            7,
            |payload| payload.fill(1),
            &mut packet,
        )
        .unwrap();
        packet
    }

    proptest! {
        /// The marked packet is valid, checksums included, and only its field has changed.
        #[test]
        fn a_mark_changes_the_field_and_keeps_the_checksum_right(
            (seq, tos, payload_bytes) in (any::<u32>(), 0u8..4, 0u32..1460),
        ) {
            let ecn = EcnField::of_tos(tos);
            let flags = Flags::ACK;
            let segment = Segment { seq, payload_bytes, flags, ecn, ..Segment::default() };
            let mut packet = packet(&segment);
            mark_ce(&mut packet);
            let expected = match ecn {
                EcnField::NotEct => segment,
                _ => Segment { ecn: EcnField::Ce, ..segment },
            };
            prop_assert_eq!(ecn_of(&packet), expected.ecn);
            prop_assert_eq!(wire::parse(&packet).unwrap().segment, expected);
        }

        #[test]
        fn any_bytes_are_survived(mut bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let before = bytes.clone();
            mark_ce(&mut bytes);
            let expected = match ecn_of(&before) {
                EcnField::NotEct => EcnField::NotEct,
                _ => EcnField::Ce,
            };
            prop_assert_eq!(ecn_of(&bytes), expected);
            prop_assert!(expected == EcnField::Ce || bytes == before);
        }
    }

    /// RFC 8200, section 3: version, traffic class and flow label share the first four bytes.
    #[test]
    fn an_ipv6_packet_is_marked_in_its_traffic_class() {
        let mut packet = [0u8; 60];
        packet[..4].copy_from_slice(&[0x6b, 0xa5, 0x43, 0x21]); // DSCP 46, ECT(0)
        assert_eq!(ecn_of(&packet), EcnField::Ect0);
        mark_ce(&mut packet);
        assert_eq!(packet[..4], [0x6b, 0xb5, 0x43, 0x21]);
        assert_eq!(ecn_of(&packet), EcnField::Ce);
    }
}
