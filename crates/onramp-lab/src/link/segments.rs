//! Logs of the data segments of the measured connections when they enter their bottlenecks, parsed
//! from their headers.

use onramp_net::Verdict;
use std::collections::HashMap;
use std::net::SocketAddrV4;

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
    senders: HashMap<([u8; 4], u16), (usize, u32)>,
}

impl SegmentLogs {
    /// Empty logs for transfers of this size. Each is given by its sender and the number of its
    /// bottleneck.
    pub fn new(senders: &[(SocketAddrV4, u32)], size_bytes: u64, mss_bytes: u64) -> SegmentLogs {
        let max_segments = MAX_SEGMENTS / senders.len().max(1);
        let entry = |(index, (sender, link)): (usize, &(SocketAddrV4, u32))| {
            ((sender.ip().octets(), sender.port()), (index, *link))
        };
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
        match self.senders.get(&(packet.source, packet.source_port)) {
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

/// The fields of an IPv4/TCP packet that the log needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// IPv4 source.
    pub source: [u8; 4],
    /// TCP source port.
    pub source_port: u16,
    /// TCP sequence number.
    pub sequence: u32,
    /// The SYN flag.
    pub syn: bool,
    /// Bytes after the TCP header.
    pub payload_bytes: u32,
}

/// Parses the headers of an IPv4/TCP packet; `None` for any other packet.
pub fn header(packet: &[u8]) -> Option<Header> {
    let (ip, tcp_and_payload) = packet.split_at_checked(usize::from(packet.first()? & 0x0f) * 4)?;
    if ip.len() < 20 || ip[0] >> 4 != 4 || ip[9] != 6 || tcp_and_payload.len() < 20 {
        return None;
    }
    let tcp = tcp_and_payload;
    let total = u32::from(u16::from_be_bytes([ip[2], ip[3]]));
    let headers = ip.len() as u32 + u32::from(tcp[12] >> 4) * 4;
    Some(Header {
        source: [ip[12], ip[13], ip[14], ip[15]],
        source_port: u16::from_be_bytes([tcp[0], tcp[1]]),
        sequence: u32::from_be_bytes([tcp[4], tcp[5], tcp[6], tcp[7]]),
        syn: tcp[13] & 0x02 != 0,
        payload_bytes: total.saturating_sub(headers),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    const SENDER: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(198, 18, 0, 1), 5000);
    const LINK: u32 = 4;

    fn packet(sequence: u32, flags: u8, payload: usize) -> Vec<u8> {
        let mut bytes = vec![0; 40 + payload];
        bytes[0] = 0x45;
        bytes[2..4].copy_from_slice(&(40 + payload as u16).to_be_bytes());
        bytes[9] = 6;
        bytes[12..16].copy_from_slice(&SENDER.ip().octets());
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
    fn pure_acks_and_other_packets_are_ignored() {
        assert!(observed(&[(99, 0x12, 0), (100, 0x10, 0)]).is_empty());
        assert!(observed_at(LINK + 1, &[(99, 0x12, 0), (100, 0x10, 1000)]).is_empty());
        assert_eq!(header(&[0x60; 60]), None);
        assert_eq!(header(&[0x45; 10]), None);
        assert_eq!(header(&[]), None);
    }
}
