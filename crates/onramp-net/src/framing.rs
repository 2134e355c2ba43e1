//! How many bytes of a link an IP packet occupies.

/// The frames in which a link carries IP packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// None: a packet occupies as many bytes as it has. The rate of a link counts IP packets.
    #[default]
    Packets,
    /// ATM cells of 53 bytes with AAL5 (ITU-T I.363.5), as RFC 1483 carries IP in a virtual channel
    /// of its own: the packet, padding and a trailer of 8 bytes fill whole cells. The rate of a
    /// link counts cells.
    Aal5,
    /// The same with an LLC/SNAP header of 8 bytes before each packet, the encapsulation of RFC
    /// 1577 (classical IP over ATM).
    Aal5Snap,
}

/// A cell of ATM, and the part of it that carries data.
const CELL_BYTES: u64 = 53;
const CELL_PAYLOAD_BYTES: u64 = 48;
const AAL5_TRAILER_BYTES: u64 = 8;
const SNAP_HEADER_BYTES: u64 = 8;

impl Framing {
    /// The bytes of the link that a packet of this size occupies.
    #[inline]
    pub fn link_bytes(self, packet_bytes: u32) -> u64 {
        let overhead_bytes = match self {
            Framing::Packets => return packet_bytes.into(),
            Framing::Aal5 => AAL5_TRAILER_BYTES,
            Framing::Aal5Snap => AAL5_TRAILER_BYTES + SNAP_HEADER_BYTES,
        };
        (u64::from(packet_bytes) + overhead_bytes).div_ceil(CELL_PAYLOAD_BYTES) * CELL_BYTES
    }

    /// The part of a link's rate that is left for the payload of its frames. It is an upper bound
    /// of the rate of IP packets: padding, trailers and headers take more.
    pub fn payload_bits_per_s(self, rate_bits_per_s: u64) -> u64 {
        match self {
            Framing::Packets => rate_bits_per_s,
            Framing::Aal5 | Framing::Aal5Snap => {
                let payload = u128::from(rate_bits_per_s) * u128::from(CELL_PAYLOAD_BYTES);
                (payload / u128::from(CELL_BYTES)) as u64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_fills_whole_cells() {
        let cells = |framing: Framing, bytes| framing.link_bytes(bytes) / CELL_BYTES;
        // 40 bytes and the trailer are exactly one cell.
        assert_eq!(
            [40, 41, 88, 89].map(|n| cells(Framing::Aal5, n)),
            [1, 2, 2, 3]
        );
        assert_eq!([32, 33, 40].map(|n| cells(Framing::Aal5Snap, n)), [1, 2, 2]);
        assert_eq!(cells(Framing::Aal5, 1500), 32);
        assert_eq!(cells(Framing::Aal5Snap, 1500), 32);
        assert_eq!(Framing::Aal5.link_bytes(1500), 1696);
        assert_eq!(Framing::Packets.link_bytes(1500), 1500);
    }

    #[test]
    fn the_largest_packet_has_a_size_on_the_link() {
        let bytes = (1 << 30) - 1;
        assert!(Framing::Aal5Snap.link_bytes(bytes) > u64::from(bytes));
    }

    #[test]
    fn an_oc_3_leaves_140_85_mbit_per_s_for_payload() {
        assert_eq!(Framing::Aal5.payload_bits_per_s(155_520_000), 140_848_301);
        assert_eq!(
            Framing::Packets.payload_bits_per_s(155_520_000),
            155_520_000
        );
    }
}
