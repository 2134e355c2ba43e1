//! Packet buffers that are reused, so that the link thread does not allocate while packets are in
//! flight.

use onramp_net::{Packet, PureAck};
use onramp_scenario::{pure_ack, Dscp};
use onramp_tcp::{wire, IPV6_HEADER_BYTES};
use std::cell::RefCell;
use std::rc::Rc;

/// A pool of buffers of one size.
#[derive(Clone)]
pub struct Pool {
    free: Rc<RefCell<Vec<Box<[u8]>>>>,
    buffer_bytes: usize,
}

impl Pool {
    /// A pool with this number of buffers, whose memory has been written. More are allocated when
    /// they are needed.
    pub fn new(buffer_bytes: usize, buffers: usize) -> Pool {
        // The buffers are filled with ones, not zeroes: the kernel provides zeroed memory only at
        // the first write, which would delay a packet.
        let free = (0..buffers)
            .map(|_| vec![1; buffer_bytes].into_boxed_slice())
            .collect();
        Pool {
            free: Rc::new(RefCell::new(free)),
            buffer_bytes,
        }
    }

    /// Takes a buffer of full length. Its content is arbitrary.
    pub fn take(&self) -> Buffer {
        let spare = self.free.borrow_mut().pop();
        let bytes = spare.unwrap_or_else(|| vec![1; self.buffer_bytes].into_boxed_slice());
        Buffer {
            length: bytes.len() as u32,
            bytes,
            pool: self.clone(),
        }
    }
}

/// The bytes of a packet. They return to the pool when the buffer is dropped.
pub struct Buffer {
    bytes: Box<[u8]>,
    length: u32,
    pool: Pool,
}

impl Buffer {
    /// The whole buffer, to be filled.
    pub fn room(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Sets the packet's length.
    pub fn truncate(&mut self, length: usize) {
        debug_assert!(length <= self.bytes.len());
        self.length = length as u32;
    }

    /// The packet.
    pub fn packet(&self) -> &[u8] {
        &self.bytes[..self.length as usize]
    }

    /// The packet as a pure ACK; `None` if it is none.
    pub fn pure_ack(&self) -> Option<PureAck> {
        // A packet longer than this carries data and is not parsed. Checksums are not verified: the
        // device of the host fills them in, and a link does not use them.
        let max_bytes = usize::from(u8::MAX);
        let parsed =
            wire::parse_unverified(self.packet().get(..self.packet().len().min(max_bytes))?)
                .ok()?;
        pure_ack(&parsed.segment).filter(|_| parsed.unknown_options == 0)
    }
}

impl Packet for Buffer {
    fn wire_bytes(&self) -> u32 {
        self.length
    }

    /// FNV-1a of the addresses, the protocol and the ports; 0 if the packet has none.
    fn flow_hash(&self) -> u32 {
        let packet = self.packet();
        let (addresses, protocol, header_bytes) = match packet.first().map(|first| first >> 4) {
            Some(6) => (8..40, 6, IPV6_HEADER_BYTES as usize),
            Some(_) => (12..20, 9, usize::from(packet[0] & 0x0f) * 4),
            None => return 0,
        };
        let (Some(addresses), Some(ports)) = (
            packet.get(addresses),
            packet.get(header_bytes..header_bytes + 4),
        ) else {
            return 0;
        };
        let tuple = addresses
            .iter()
            .chain(&packet[protocol..=protocol])
            .chain(ports);
        tuple.fold(0x811c_9dc5, |hash: u32, byte| {
            (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
        })
    }

    /// Whether the DSCP is EF: in the second byte of IPv4, in the traffic class of IPv6.
    fn is_expedited(&self) -> bool {
        let tos = match *self.packet() {
            [first, second, ..] if first >> 4 == 6 => first << 4 | second >> 4,
            [_, second, ..] => second,
            _ => return false,
        };
        Dscp::of_tos(tos) == Dscp::Ef
    }

    fn is_ecn_capable(&self) -> bool {
        wire::ecn_of(self.packet()).is_capable()
    }

    fn is_l4s(&self) -> bool {
        wire::ecn_of(self.packet()).is_l4s()
    }

    fn mark_ce(&mut self) {
        let length = self.length as usize;
        wire::mark_ce(&mut self.bytes[..length]);
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Buffer {
        let mut copy = self.pool.take();
        copy.room()[..self.packet().len()].copy_from_slice(self.packet());
        copy.truncate(self.packet().len());
        copy
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.pool
            .free
            .borrow_mut()
            .push(std::mem::take(&mut self.bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_tcp::{Flags, Options, Segment};

    #[test]
    fn a_dropped_packet_returns_its_buffer() {
        let pool = Pool::new(1500, 1);
        let mut buffer = pool.take();
        buffer.truncate(40);
        assert_eq!((buffer.packet().len(), pool.free.borrow().len()), (40, 0));
        drop(buffer);
        assert_eq!(pool.free.borrow().len(), 1);
        assert_eq!(pool.take().packet().len(), 1500);
    }

    #[test]
    fn a_clone_has_its_own_buffer_with_the_same_packet() {
        let mut buffer = Pool::new(1500, 1).take();
        buffer.room()[..3].copy_from_slice(b"abc");
        buffer.truncate(3);
        let copy = buffer.clone();
        buffer.room()[0] = b'x';
        assert_eq!(copy.packet(), b"abc");
    }

    #[test]
    fn the_hash_differs_between_flows_and_not_within_a_flow() {
        let packet = |source_port: u8, payload: u8| {
            let mut buffer = Pool::new(1500, 1).take();
            buffer.room()[..41].fill(0);
            (buffer.room()[0], buffer.room()[21], buffer.room()[40]) = (0x45, source_port, payload);
            buffer.truncate(41);
            buffer.flow_hash()
        };
        assert_eq!(packet(1, 7), packet(1, 8));
        assert_ne!(packet(1, 7), packet(2, 7));
    }

    /// RFC 2474, section 3: the six upper bits are the code point. The two others are for ECN.
    #[test]
    fn code_point_46_is_expedited() {
        let expedited = |tos: u8| {
            let mut buffer = Pool::new(1500, 1).take();
            (buffer.room()[0], buffer.room()[1]) = (0x45, tos);
            buffer.truncate(40);
            buffer.is_expedited()
        };
        assert!(expedited(46 << 2) && expedited(46 << 2 | 2) && expedited(Dscp::Ef.tos()));
        assert!(!expedited(0) && !expedited(3) && !expedited(40 << 2));
    }

    #[test]
    fn an_ipv6_packet_has_its_code_point_in_the_traffic_class_and_a_flow() {
        let buffer = |class: u8, destination: u8, payload: u8| {
            let mut buffer = Pool::new(1500, 1).take();
            buffer.room()[..61].fill(0);
            buffer.room()[..2].copy_from_slice(&[0x60 | class >> 4, class << 4]);
            (buffer.room()[39], buffer.room()[60]) = (destination, payload);
            buffer.truncate(61);
            buffer
        };
        assert!(buffer(46 << 2, 1, 0).is_expedited() && buffer(46 << 2 | 1, 1, 0).is_expedited());
        assert!(!buffer(0, 1, 0).is_expedited() && !buffer(40 << 2, 1, 0).is_expedited());
        let hash = |destination, payload| buffer(0, destination, payload).flow_hash();
        assert_eq!(hash(1, 7), hash(1, 8));
        assert_ne!(hash(1, 7), hash(2, 7));
    }

    #[test]
    fn a_pure_ack_is_parsed_from_its_bytes() {
        let buffer = |segment: Segment, change: fn(&mut Vec<u8>)| {
            let ends = ["198.18.0.2:40000", "198.18.0.1:80"].map(|end| end.parse().unwrap());
            let endpoints = wire::Endpoints {
                source: ends[0],
                destination: ends[1],
            };
            let mut packet = Vec::new();
            wire::write(
                &segment,
                &endpoints,
                1,
                |payload| payload.fill(7),
                &mut packet,
            )
            .unwrap();
            change(&mut packet);
            let mut buffer = Pool::new(1500, 1).take();
            buffer.room()[..packet.len()].copy_from_slice(&packet);
            buffer.truncate(packet.len());
            buffer
        };
        let options = Options {
            timestamps: Some((3, 4)),
            ..Options::default()
        };
        let segment = Segment {
            ack: 9,
            flags: Flags::ACK,
            options,
            ..Segment::default()
        };
        assert_eq!(buffer(segment, |_| ()).pure_ack(), pure_ack(&segment));
        assert!(pure_ack(&segment).is_some());
        for payload_bytes in [1, 1000] {
            assert_eq!(
                buffer(
                    Segment {
                        payload_bytes,
                        ..segment
                    },
                    |_| ()
                )
                .pure_ack(),
                None
            );
        }
        // An unknown option replaces the two no-operations before the timestamps.
        assert_eq!(
            buffer(segment, |packet| packet[40..42].copy_from_slice(&[200, 2])).pure_ack(),
            None
        );
        assert_eq!(buffer(segment, |packet| packet[9] = 17).pure_ack(), None);
        assert_eq!(
            buffer(segment, |packet| packet.truncate(30)).pure_ack(),
            None
        );
    }

    #[test]
    fn a_packet_without_ports_has_flow_hash_zero() {
        let mut buffer = Pool::new(1500, 1).take();
        buffer.truncate(0);
        assert_eq!(buffer.flow_hash(), 0);
    }
}
