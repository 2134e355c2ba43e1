//! Logs of the data segments of the measured connections when they enter their bottlenecks, parsed
//! from their headers.

use onramp_net::Verdict;
use onramp_tcp::IPV6_HEADER_BYTES;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// Maximum number of segments in the traces of a run, shared by the connections. Later segments are
/// counted and left out.
const MAX_SEGMENTS: usize = 1 << 20;

/// A data segment. Times are by CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// When the segment was offered to the link.
    pub time_ns: u64,
    /// Position of the first payload byte in the stream, from 0.
    pub start_byte: u64,
    /// Length of the payload.
    pub length_bytes: u32,
    /// All or part of the payload had been sent before.
    pub retransmission: bool,
    /// The link dropped the segment.
    pub dropped: bool,
}

/// The logs of the senders of several TCP connections, each at one link.
pub struct SegmentLogs {
    logs: Vec<SegmentLog>,
    /// For the address and port of a sender: the index of its log, and the link at which it is
    /// logged.
    senders: HashMap<SocketAddr, (usize, u32)>,
}

impl SegmentLogs {
    /// Empty logs for transfers of this size. Each is given by its sender and the number of its
    /// bottleneck.
    pub fn new(senders: &[(SocketAddr, u32)], size_bytes: u64, mss_bytes: u64) -> SegmentLogs {
        let max_segments = MAX_SEGMENTS / senders.len().max(1);
        let entry =
            |(index, (sender, link)): (usize, &(SocketAddr, u32))| (*sender, (index, *link));
        SegmentLogs {
            logs: senders
                .iter()
                .map(|_| SegmentLog::new(size_bytes, mss_bytes, max_segments))
                .collect(),
            senders: senders.iter().enumerate().map(entry).collect(),
        }
    }

    /// Whether any connection is logged at this link.
    pub fn has_logs_at(&self, link: u32) -> bool {
        self.senders.values().any(|(_, watched)| *watched == link)
    }

    /// Logs a packet that a link has just accepted or dropped, if it is one of the logged senders'.
    pub fn observe(&mut self, link: u32, time_ns: u64, packet: Header, verdict: Verdict) {
        match self.senders.get(&packet.source) {
            Some(&(index, logged_at)) if logged_at == link => {
                self.logs[index].observe(time_ns, packet, verdict)
            }
            _ => {}
        }
    }

    /// The logs, in the order of their senders.
    pub fn into_logs(self) -> Vec<SegmentLog> {
        self.logs
    }
}

/// The log of one sender.
pub struct SegmentLog {
    max_segments: usize,
    /// Sequence number of the first payload byte; known after the SYN.
    first_sequence: Option<u32>,
    /// Payload bytes sent at least once.
    sent_bytes: u64,
    segments: Vec<Segment>,
    left_out: u64,
}

impl SegmentLog {
    fn new(size_bytes: u64, mss_bytes: u64, max_segments: usize) -> SegmentLog {
        let expected = (size_bytes / mss_bytes.max(1))
            .saturating_mul(2)
            .saturating_add(1000);
        let segments = Vec::with_capacity((expected as usize).min(max_segments));
        SegmentLog {
            max_segments,
            first_sequence: None,
            sent_bytes: 0,
            segments,
            left_out: 0,
        }
    }

    fn observe(&mut self, time_ns: u64, packet: Header, verdict: Verdict) {
        if packet.syn {
            self.first_sequence = Some(packet.sequence.wrapping_add(1));
            return;
        }
        let Some(first) = self.first_sequence.filter(|_| packet.payload_bytes > 0) else {
            return;
        };
        // A stream may be longer than 4 GiB. Of the possible positions, take the one nearest to the
        // highest that was sent.
        let ahead = packet
            .sequence
            .wrapping_sub(first)
            .wrapping_sub(self.sent_bytes as u32) as i32;
        let start_byte = self.sent_bytes.saturating_add_signed(i64::from(ahead));
        let end_byte = start_byte + u64::from(packet.payload_bytes);
        let retransmission = start_byte < self.sent_bytes;
        self.sent_bytes = self.sent_bytes.max(end_byte);
        if self.segments.len() == self.max_segments {
            self.left_out += 1;
            return;
        }
        self.segments.push(Segment {
            time_ns,
            start_byte,
            length_bytes: packet.payload_bytes,
            retransmission,
            dropped: verdict != Verdict::Queued,
        });
    }

    /// The segments, and the number of segments that were left out.
    pub fn into_parts(self) -> (Vec<Segment>, u64) {
        (self.segments, self.left_out)
    }
}

/// The fields of a TCP packet that the log needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Source address and port.
    pub source: SocketAddr,
    /// TCP sequence number.
    pub sequence: u32,
    /// The SYN flag.
    pub syn: bool,
    /// Bytes after the TCP header.
    pub payload_bytes: u32,
}

/// Parses the headers of a TCP packet; `None` for any other packet.
pub fn header(packet: &[u8]) -> Option<Header> {
    let (source, packet_bytes, tcp) = match packet.first()? >> 4 {
        4 => {
            let (ip, tcp) = packet.split_at_checked(usize::from(packet[0] & 0x0f) * 4)?;
            if ip.len() < 20 || ip[9] != PROTOCOL_TCP {
                return None;
            }
            let source = IpAddr::from([ip[12], ip[13], ip[14], ip[15]]);
            (source, usize::from(u16::from_be_bytes([ip[2], ip[3]])), tcp)
        }
        6 => {
            let (ip, tcp) = packet.split_first_chunk::<IPV6_BYTES>()?;
            if ip[6] != PROTOCOL_TCP {
                return None;
            }
            let source = Ipv6Addr::from(std::array::from_fn(|byte| ip[8 + byte]));
            let payload_bytes = usize::from(u16::from_be_bytes([ip[4], ip[5]]));
            (source.into(), IPV6_BYTES + payload_bytes, tcp)
        }
        _ => return None,
    };
    if tcp.len() < 20 {
        return None;
    }
    let headers_bytes = packet.len() - tcp.len() + usize::from(tcp[12] >> 4) * 4;
    Some(Header {
        source: SocketAddr::new(source, u16::from_be_bytes([tcp[0], tcp[1]])),
        sequence: u32::from_be_bytes([tcp[4], tcp[5], tcp[6], tcp[7]]),
        syn: tcp[13] & 0x02 != 0,
        payload_bytes: packet_bytes.saturating_sub(headers_bytes) as u32,
    })
}

/// Bytes of an IPv6 header without extension headers.
const IPV6_BYTES: usize = IPV6_HEADER_BYTES as usize;
/// The protocol number of TCP.
const PROTOCOL_TCP: u8 = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    const ADDRESS: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
    const SENDER: SocketAddr = SocketAddr::new(IpAddr::V4(ADDRESS), 5000);
    const LINK: u32 = 4;

    fn packet(sequence: u32, flags: u8, payload: usize) -> Vec<u8> {
        let mut bytes = vec![0; 40 + payload];
        bytes[0] = 0x45;
        bytes[2..4].copy_from_slice(&(40 + payload as u16).to_be_bytes());
        bytes[9] = 6;
        bytes[12..16].copy_from_slice(&ADDRESS.octets());
        bytes[20..22].copy_from_slice(&SENDER.port().to_be_bytes());
        bytes[24..28].copy_from_slice(&sequence.to_be_bytes());
        bytes[32] = 5 << 4;
        bytes[33] = flags;
        bytes
    }

    fn observed(packets: &[(u32, u8, usize)]) -> Vec<(u64, u32, bool)> {
        observed_at(LINK, packets)
    }

    fn observed_at(link: u32, packets: &[(u32, u8, usize)]) -> Vec<(u64, u32, bool)> {
        let mut logs = SegmentLogs::new(&[(SENDER, LINK)], 10_000, 1000);
        assert_eq!(
            (logs.has_logs_at(LINK), logs.has_logs_at(LINK + 1)),
            (true, false)
        );
        for (sequence, flags, payload) in packets {
            logs.observe(
                link,
                0,
                header(&packet(*sequence, *flags, *payload)).unwrap(),
                Verdict::Queued,
            );
        }
        logs.into_logs()
            .remove(0)
            .into_parts()
            .0
            .iter()
            .map(|s| (s.start_byte, s.length_bytes, s.retransmission))
            .collect()
    }

    #[test]
    fn positions_count_from_the_first_payload_byte() {
        assert_eq!(
            observed(&[(99, 0x12, 0), (100, 0x10, 1000), (1100, 0x18, 500)]),
            [(0, 1000, false), (1000, 500, false)]
        );
    }

    #[test]
    fn payload_that_was_sent_before_is_a_retransmission() {
        let seen = observed(&[
            (99, 0x12, 0),
            (100, 0x10, 1000),
            (1100, 0x10, 1000),
            (100, 0x10, 1000),
        ]);
        assert_eq!(seen[2], (0, 1000, true));
    }

    #[test]
    fn sequence_numbers_wrap() {
        let seen = observed(&[
            (u32::MAX - 500, 0x12, 0),
            (u32::MAX - 499, 0x10, 1000),
            (500, 0x10, 1000),
        ]);
        assert_eq!(seen, [(0, 1000, false), (1000, 1000, false)]);
    }

    #[test]
    fn a_segment_over_ipv6_has_the_same_fields() {
        let plain = packet(7, 0x12, 0);
        let source: Ipv6Addr = "2001:2:0:5::1".parse().unwrap();
        let mut over_ipv6 = vec![0; 40];
        over_ipv6[0] = 0x60;
        over_ipv6[4..6].copy_from_slice(&1020_u16.to_be_bytes());
        over_ipv6[6] = PROTOCOL_TCP;
        over_ipv6[8..24].copy_from_slice(&source.octets());
        over_ipv6.extend(&plain[20..]);
        let expected = Header {
            source: SocketAddr::new(source.into(), SENDER.port()),
            payload_bytes: 1000,
            ..header(&plain).unwrap()
        };
        assert_eq!(header(&over_ipv6), Some(expected));
        over_ipv6[6] = 44;
        assert_eq!(header(&over_ipv6), None);
    }

    #[test]
    fn pure_acks_and_other_packets_are_ignored() {
        assert!(observed(&[(99, 0x12, 0), (100, 0x10, 0)]).is_empty());
        assert!(observed_at(LINK + 1, &[(99, 0x12, 0), (100, 0x10, 1000)]).is_empty());
        assert_eq!(header(&[0x60; 60]), None);
        assert_eq!(header(&[0x45; 10]), None);
        assert_eq!(header(&[]), None);
    }
}
