//! The peer of a connection of the kernel, behind a TUN device. Tests send each of its segments.

use onramp_host::{ip, Namespace, Tun};
use onramp_testing::wait_for;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::Duration;

pub const OURS: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 2);
const KERNEL: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 1);
pub const PORT: u16 = 8000;
const TCP: u8 = 6;
const SYN: u8 = 0x02;
const RST: u8 = 0x04;
const ACK: u8 = 0x10;
/// The initial sequence number of the peer.
const INITIAL_SEQ: u32 = 1_000_000;
const MSS: [u8; 4] = [2, 4, 0x05, 0xb4];

/// A segment from the kernel.
pub struct Segment {
    pub seq: u32,
    flags: u8,
    pub options: Vec<u8>,
    pub payload: Vec<u8>,
}

/// A connection that the kernel opened.
pub struct Peer {
    pub namespace: Namespace,
    tun: Tun,
    kernel_port: u16,
    /// The next byte of the peer, and of the kernel.
    pub seq: u32,
    pub ack: u32,
}

impl Peer {
    pub fn new() -> Peer {
        let namespace = Namespace::new().unwrap();
        let tun = namespace
            .run(|| {
                let tun = Tun::create("tun0").unwrap();
                ip(&format!(
                    "address add {KERNEL} peer {OURS} dev tun0\nlink set dev tun0 up\n"
                ))
                .unwrap();
                tun
            })
            .unwrap();
        Peer {
            namespace,
            tun,
            kernel_port: 0,
            seq: INITIAL_SEQ,
            ack: 0,
        }
    }

    /// The address and port of the kernel's end.
    pub fn kernel(&self) -> SocketAddrV4 {
        SocketAddrV4::new(KERNEL, self.kernel_port)
    }

    /// A TCP segment of the kernel that is there, with its source port; `None`: no packet, or
    /// another one.
    fn next_tcp(&self) -> Option<(u16, Segment)> {
        let mut packet = [0; 2000];
        let bytes = self.tun.read(&mut packet).unwrap()?;
        if bytes < 40 || packet[0] != 0x45 || packet[9] != TCP {
            return None;
        }
        let header = usize::from(packet[32] >> 4) * 4;
        let segment = Segment {
            seq: u32::from_be_bytes(packet[24..28].try_into().unwrap()),
            flags: packet[33],
            options: packet[40..20 + header].to_vec(),
            payload: packet[20 + header..bytes].to_vec(),
        };
        Some((u16::from_be_bytes([packet[20], packet[21]]), segment))
    }

    /// The next TCP segment that the kernel sends.
    pub fn receive(&self) -> Segment {
        wait_for("the kernel sends a segment", || {
            self.next_tcp().map(|(_, segment)| segment)
        })
    }

    /// Waits for the kernel's SYN, and answers it with these options.
    pub fn accept(&mut self, options: &[u8], round_trip: Duration) -> Segment {
        let (port, syn) = wait_for("the kernel connects", || {
            self.next_tcp().filter(|(_, segment)| segment.flags == SYN)
        });
        self.kernel_port = port;
        self.ack = syn.seq.wrapping_add(1);
        std::thread::sleep(round_trip);
        self.send_flags(
            SYN | ACK,
            self.seq,
            self.ack,
            &[&MSS[..], options].concat(),
            &[],
        );
        self.seq += 1;
        syn
    }

    /// Sends the next bytes with these options.
    pub fn send(&mut self, options: &[u8], payload: &[u8]) {
        self.send_at(self.seq, self.ack, options, payload);
        self.seq += payload.len() as u32;
    }

    /// Sends a segment with these numbers, options and bytes.
    pub fn send_at(&self, seq: u32, ack: u32, options: &[u8], payload: &[u8]) {
        self.send_flags(ACK, seq, ack, options, payload);
    }

    fn send_flags(&self, flags: u8, seq: u32, ack: u32, options: &[u8], payload: &[u8]) {
        let mut options = options.to_vec();
        options.resize(options.len().next_multiple_of(4), 1);
        let mut segment = Vec::new();
        segment.extend(PORT.to_be_bytes());
        segment.extend(self.kernel_port.to_be_bytes());
        segment.extend(seq.to_be_bytes());
        segment.extend(ack.to_be_bytes());
        segment.extend([
            ((20 + options.len()) as u8 / 4) << 4,
            flags,
            0xff,
            0xff,
            0,
            0,
            0,
            0,
        ]);
        segment.extend(options);
        segment.extend(payload);
        let length = segment.len() as u16;
        let pseudo_header = [
            &OURS.octets()[..],
            &KERNEL.octets(),
            &[0, TCP],
            &length.to_be_bytes(),
        ]
        .concat();
        let sum = checksum(&[&pseudo_header[..], &segment].concat());
        segment[16..18].copy_from_slice(&sum.to_be_bytes());

        let mut packet = vec![0x45, 0];
        packet.extend((20 + length).to_be_bytes());
        packet.extend([0, 0, 0x40, 0, 64, TCP, 0, 0]);
        packet.extend(OURS.octets());
        packet.extend(KERNEL.octets());
        let sum = checksum(&packet);
        packet[10..12].copy_from_slice(&sum.to_be_bytes());
        packet.extend(segment);
        self.tun.write(&packet).unwrap();
    }
}

/// Resets the connection, so that the kernel's end does not wait for an answer.
impl Drop for Peer {
    fn drop(&mut self) {
        self.send_flags(RST | ACK, self.seq, self.ack, &[], &[]);
    }
}

/// The Internet checksum (RFC 1071).
fn checksum(bytes: &[u8]) -> u16 {
    let word =
        |bytes: &[u8]| u32::from(bytes[0]) << 8 | u32::from(bytes.get(1).copied().unwrap_or(0));
    let mut sum: u32 = bytes.chunks(2).map(word).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}
