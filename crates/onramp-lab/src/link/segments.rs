//! The data segments of the measured connections as they enter their bottlenecks, read from their
//! headers.

use onramp_net::Verdict;
use std::collections::HashMap;
use std::net::SocketAddrV4;

/// How many segments the traces of a run keep, each its share; later ones are counted and left out.
const KEPT_MAX: usize = 1 << 20;

/// A data segment; times are CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// When it was offered to the link.
    pub time_ns: u64,
    /// First payload byte, from 0.
    pub start_byte: u64,
    /// Payload.
    pub length_bytes: u32,
    /// All or part of it had been sent before.
    pub retransmission: bool,
    /// The link did not take it.
    pub dropped: bool,
}

/// Follows the senders of several TCP connections, each at one link.
pub struct SegmentLogs {
    logs: Vec<SegmentLog>,
    /// By address and port of the sender: its log, and the link at which it is followed.
    places: HashMap<([u8; 4], u16), (usize, u32)>,
}

impl SegmentLogs {
    /// Logs with room for the segments of transfers of this size, each given by its sender and its
    /// bottleneck.
    pub fn new(senders: &[(SocketAddrV4, u32)], size_bytes: u64, mss_bytes: u64) -> SegmentLogs {
        let kept_max = KEPT_MAX / senders.len().max(1);
        let place = |(place, (sender, link)): (usize, &(SocketAddrV4, u32))| {
            ((sender.ip().octets(), sender.port()), (place, *link))
        };
        SegmentLogs {
            logs: senders
                .iter()
                .map(|_| SegmentLog::new(size_bytes, mss_bytes, kept_max))
                .collect(),
            places: senders.iter().enumerate().map(place).collect(),
        }
    }

    /// Whether any connection is followed at this link.
    pub fn watch(&self, link: u32) -> bool {
        self.places.values().any(|(_, watched)| *watched == link)
    }

    /// Looks at a packet that a link has just judged.
    pub fn observe(&mut self, link: u32, time_ns: u64, packet: Header, verdict: Verdict) {
        match self.places.get(&(packet.source, packet.source_port)) {
            Some(&(place, watched)) if watched == link => {
                self.logs[place].observe(time_ns, packet, verdict)
            }
            _ => {}
        }
    }

    /// The logs, in the order of their senders.
    pub fn into_logs(self) -> Vec<SegmentLog> {
        self.logs
    }
}

/// Follows one sender.
pub struct SegmentLog {
    kept_max: usize,
    /// Sequence number of the first payload byte, once the SYN was seen.
    first_sequence: Option<u32>,
    /// Payload bytes sent at least once.
    sent_bytes: u64,
    segments: Vec<Segment>,
    left_out: u64,
}

impl SegmentLog {
    fn new(size_bytes: u64, mss_bytes: u64, kept_max: usize) -> SegmentLog {
        let expected = (size_bytes / mss_bytes.max(1))
            .saturating_mul(2)
            .saturating_add(1000);
        let segments = Vec::with_capacity((expected as usize).min(kept_max));
        SegmentLog {
            kept_max,
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
        // The stream may be longer than 4 GiB: the position nearest to the highest one sent.
        let ahead = packet
            .sequence
            .wrapping_sub(first)
            .wrapping_sub(self.sent_bytes as u32) as i32;
        let start_byte = self.sent_bytes.saturating_add_signed(i64::from(ahead));
        let end_byte = start_byte + u64::from(packet.payload_bytes);
        let retransmission = start_byte < self.sent_bytes;
        self.sent_bytes = self.sent_bytes.max(end_byte);
        if self.segments.len() == self.kept_max {
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

    /// The segments, and how many more there were than are kept.
    pub fn into_parts(self) -> (Vec<Segment>, u64) {
        (self.segments, self.left_out)
    }
}

/// What the log needs of an IPv4/TCP packet.
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

/// Reads the headers of an IPv4/TCP packet; `None` for anything else.
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
        assert_eq!((logs.watch(LINK), logs.watch(LINK + 1)), (true, false));
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
    fn what_was_sent_before_is_a_retransmission() {
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
    fn pure_acknowledgements_and_other_packets_are_passed_over() {
        assert!(observed(&[(99, 0x12, 0), (100, 0x10, 0)]).is_empty());
        assert!(observed_at(LINK + 1, &[(99, 0x12, 0), (100, 0x10, 1000)]).is_empty());
        assert_eq!(header(&[0x60; 60]), None);
        assert_eq!(header(&[0x45; 10]), None);
        assert_eq!(header(&[]), None);
    }
}
