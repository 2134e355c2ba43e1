//! A TCP segment as a struct. Simulators pass it around, and [`wire`](crate::wire) reads and writes
//! it.

use crate::header::TCP_HEADER_BYTES;
use crate::IpVersion;
use onramp_core::pairs::{Form, PairOption};

/// The control bits (RFC 9293, section 3.1), as in the header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(pub u8);

impl Flags {
    /// No more data from the sender.
    pub const FIN: Flags = Flags(1);
    /// Synchronise sequence numbers.
    pub const SYN: Flags = Flags(2);
    /// Reset the connection.
    pub const RST: Flags = Flags(4);
    /// Push.
    pub const PSH: Flags = Flags(8);
    /// The acknowledgement number is valid.
    pub const ACK: Flags = Flags(16);
    /// A segment with a mark has arrived (RFC 3168). On a SYN: the sender has ECN.
    pub const ECE: Flags = Flags(64);
    /// cwnd was reduced (RFC 3168). On a SYN, with ECE: the sender asks for ECN.
    pub const CWR: Flags = Flags(128);

    /// Are all of `flags` set?
    pub const fn has(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// The union of both sets of flags.
    pub const fn with(self, flags: Flags) -> Flags {
        Flags(self.0 | flags.0)
    }
}

/// The ECN field of the IP header (RFC 3168, section 5), with the values of its codepoints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum EcnField {
    /// The ends do not use ECN.
    #[default]
    NotEct = 0,
    /// ECT(1): the ends use ECN. Only experiments send it (RFC 8311).
    Ect1 = 1,
    /// ECT(0): the ends use ECN.
    Ect0 = 2,
    /// CE: a queue marked the packet, because it was congested.
    Ce = 3,
}

impl EcnField {
    /// The field in the type of service of IPv4, or the traffic class of IPv6: its two lower bits.
    pub const fn of_tos(tos: u8) -> EcnField {
        match tos & 3 {
            0 => EcnField::NotEct,
            1 => EcnField::Ect1,
            2 => EcnField::Ect0,
            _ => EcnField::Ce,
        }
    }

    /// Do both ends understand marks, so that a queue may mark the packet?
    pub const fn is_capable(self) -> bool {
        !matches!(self, EcnField::NotEct)
    }

    /// Does the packet belong to the low-latency queue of L4S (RFC 9331, section 5.1)?
    pub const fn is_l4s(self) -> bool {
        matches!(self, EcnField::Ect1 | EcnField::Ce)
    }
}

/// The blocks of a SACK option (RFC 2018): up to four `(left, right)` edges as sequence numbers.
/// The right edge is exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    count: u8,
    blocks: [(u32, u32); 4],
}

impl SackBlocks {
    /// Adds a block. Returns `false` if there are four already.
    pub fn push(&mut self, left: u32, right: u32) -> bool {
        let Some(slot) = self.blocks.get_mut(usize::from(self.count)) else {
            return false;
        };
        *slot = (left, right);
        self.count += 1;
        true
    }

    /// The blocks in order.
    pub fn as_slice(&self) -> &[(u32, u32)] {
        &self.blocks[..usize::from(self.count)]
    }

    /// Are there no blocks?
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// The packet-pair options of a segment (Nishida et al., section 4.1.2): a mark, a reply, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairOptions {
    /// Wire format; `None` without options.
    pub form: Option<Form>,
    /// The mark: permitted (only on SYN), first or second.
    pub mark: Option<PairOption>,
    /// The reply: what was measured of the peer's pair.
    pub reply: Option<PairOption>,
    /// Number of received options that could not be read.
    pub malformed: u8,
}

impl PairOptions {
    /// Options that consist of this mark.
    pub fn marked(form: Form, mark: PairOption) -> PairOptions {
        PairOptions {
            form: Some(form),
            mark: Some(mark),
            ..PairOptions::default()
        }
    }

    /// The options without the malformed ones, as they are written again.
    pub fn readable(&self) -> PairOptions {
        let form = self.form.filter(|_| self.iter().next().is_some());
        PairOptions {
            form,
            malformed: 0,
            ..*self
        }
    }

    /// The options in wire order.
    pub fn iter(&self) -> impl Iterator<Item = &PairOption> {
        self.reply.iter().chain(&self.mark)
    }

    /// Length on the wire in bytes, padded to a multiple of four.
    pub fn wire_bytes(&self) -> u32 {
        self.form.map_or(0, |form| {
            self.iter()
                .map(|option| option.wire_bytes(form))
                .sum::<u32>()
                .next_multiple_of(4)
        })
    }
}

/// The options of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Maximum segment size (RFC 9293, section 3.7.1); on SYN only.
    pub mss: Option<u16>,
    /// Window scale (RFC 7323, section 2); on SYN only.
    pub window_scale: Option<u8>,
    /// SACK permitted (RFC 2018, section 2); on SYN only.
    pub sack_permitted: bool,
    /// Timestamps (RFC 7323, section 3): TSval and TSecr, in milliseconds.
    pub timestamps: Option<(u32, u32)>,
    /// SACK blocks (RFC 2018, section 3).
    pub sack: SackBlocks,
    /// Packet-pair options.
    pub pairs: PairOptions,
}

impl Options {
    /// Length of the options on the wire in bytes, padded, in Linux's layout.
    pub fn wire_bytes(&self) -> u32 {
        let mut bytes = 0;
        if self.mss.is_some() {
            bytes += 4;
        }
        if self.window_scale.is_some() {
            bytes += 4; // with a NOP
        }
        if self.timestamps.is_some() {
            // SACK permitted replaces the two NOPs.
            bytes += 12;
        } else if self.sack_permitted {
            bytes += 4;
        }
        if !self.sack.is_empty() {
            bytes += 4 + 8 * self.sack.as_slice().len() as u32;
        }
        bytes + self.pairs.wire_bytes()
    }
}

/// A segment without the bytes of its payload, which are known by their stream offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number of the first byte, or of the SYN.
    pub seq: u32,
    /// Next sequence number expected, if [`Flags::ACK`] is set.
    pub ack: u32,
    /// Payload bytes.
    pub payload_bytes: u32,
    /// The window field, not scaled.
    pub window: u16,
    /// Control bits.
    pub flags: Flags,
    /// ECN field of the IP header.
    pub ecn: EcnField,
    /// Options.
    pub options: Options,
}

impl Segment {
    /// Length of the TCP header in bytes.
    pub fn header_bytes(&self) -> u32 {
        TCP_HEADER_BYTES + self.options.wire_bytes()
    }

    /// Length of the packet that carries the segment over this IP version, in bytes.
    pub fn wire_bytes(&self, ip: IpVersion) -> u32 {
        ip.header_bytes() + self.header_bytes() + self.payload_bytes
    }

    /// Length in sequence space: payload, and one each for SYN and FIN.
    pub fn sequence_bytes(&self) -> u32 {
        self.payload_bytes
            + u32::from(self.flags.has(Flags::SYN))
            + u32::from(self.flags.has(Flags::FIN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_data_segment_with_timestamps_fills_1500_bytes() {
        let options = Options {
            timestamps: Some((1, 2)),
            ..Options::default()
        };
        let segment = Segment {
            payload_bytes: 1448,
            options,
            ..Segment::default()
        };
        assert_eq!(segment.header_bytes(), 32);
        assert_eq!(segment.wire_bytes(IpVersion::V4), 1500);
        assert_eq!(segment.wire_bytes(IpVersion::V6), 1520);
    }

    #[test]
    fn a_syn_has_the_length_of_linuxs() {
        let options = Options {
            mss: Some(1460),
            window_scale: Some(7),
            sack_permitted: true,
            timestamps: Some((1, 0)),
            ..Options::default()
        };
        let segment = Segment {
            flags: Flags::SYN,
            options,
            ..Segment::default()
        };
        assert_eq!(segment.wire_bytes(IpVersion::V4), 60);
        assert_eq!(segment.sequence_bytes(), 1);
    }

    #[test]
    fn three_blocks_fit_beside_timestamps() {
        let mut sack = SackBlocks::default();
        assert!(sack.push(1, 2) && sack.push(3, 4) && sack.push(5, 6));
        assert_eq!(sack.as_slice(), [(1, 2), (3, 4), (5, 6)]);
        let options = Options {
            timestamps: Some((1, 2)),
            sack,
            ..Options::default()
        };
        assert_eq!(options.wire_bytes(), 40);
        assert!(sack.push(7, 8) && !sack.push(9, 10));
    }
}
