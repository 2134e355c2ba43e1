//! Traffic without TCP. The link thread sends it by itself, and takes it where a host would receive
//! it, so that no host spends time on it.

use crate::layout::{self, Ends};
use crate::work::FlowState;
use onramp_host::Buffer;
use onramp_scenario::{Datagrams, Dscp, DATAGRAM_HEADER_BYTES};
use std::net::IpAddr;
use std::sync::Arc;

const HEADER_BYTES: usize = DATAGRAM_HEADER_BYTES as usize;
const PROTOCOL_UDP: u8 = 17;
/// The port of the first traffic. Ports tell the flows of a node apart.
const FIRST_PORT: u16 = 49_152;

/// Traffic without TCP that runs.
pub struct Source {
    datagrams: Datagrams,
    /// The first position of the route.
    pub position: u32,
    /// What a link reads of a datagram: addresses, ports, DSCP.
    header: [u8; HEADER_BYTES],
    begin_ns: u64,
    /// Minimum time between two records of the progress.
    note_ns: u64,
    noted_ns: u64,
    arrived_bytes: u64,
    state: Arc<FlowState>,
}

impl Source {
    /// The traffic of a run that began at `begin_ns`. What arrives is counted in the state.
    pub fn new(plan: layout::Source, begin_ns: u64, note_ns: u64, state: Arc<FlowState>) -> Source {
        Source {
            header: header(&plan.ends, plan.dscp, plan.traffic),
            datagrams: plan.datagrams,
            position: plan.position,
            begin_ns,
            note_ns,
            noted_ns: 0,
            arrived_bytes: 0,
            state,
        }
    }

    /// The time of the next datagram, by CLOCK_MONOTONIC; `None`: there is none.
    pub fn next_ns(&self) -> Option<u64> {
        let next_ns = self.datagrams.next_ns()?;
        Some(self.begin_ns.saturating_add(next_ns))
    }

    /// Writes the next datagram, and goes on to the one after it.
    pub fn send(&mut self, buffer: &mut Buffer) {
        let bytes = self.datagrams.packet_bytes() as usize;
        let header = &self.header[..bytes.min(HEADER_BYTES)];
        buffer.room()[..header.len()].copy_from_slice(header);
        buffer.truncate(bytes);
        self.datagrams.advance();
    }

    /// Counts the payload of a datagram that has arrived.
    pub fn arrived(&mut self, at_ns: u64) {
        self.arrived_bytes += u64::from(self.datagrams.payload_bytes());
        if at_ns >= self.noted_ns.saturating_add(self.note_ns) {
            self.noted_ns = at_ns;
            self.state.note(at_ns, self.arrived_bytes);
        }
    }
}

/// The headers of the datagrams of a traffic. Lengths and checksums are left out: no link reads
/// them, and no host gets the packet.
fn header(ends: &Ends, dscp: Dscp, traffic: usize) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[0] = 0x45;
    header[1] = dscp.tos();
    header[9] = PROTOCOL_UDP;
    for (place, address) in [(12, ends.sender), (16, ends.receiver)] {
        if let IpAddr::V4(address) = address {
            header[place..place + 4].copy_from_slice(&address.octets());
        }
    }
    let port = FIRST_PORT.wrapping_add(traffic as u16).to_be_bytes();
    header[20..22].copy_from_slice(&port);
    header[22..24].copy_from_slice(&port);
    header
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_host::Pool;
    use onramp_net::Packet;
    use onramp_scenario::{Packets, TrafficKind};

    fn source(traffic: usize, packet_bytes: u32) -> Source {
        let packets = Packets {
            rate_bits_per_s: 8_000_000,
            packet_bytes,
        };
        let random = onramp_scenario::random::Stream::new(1);
        let kind = TrafficKind::Constant(packets);
        let plan = layout::Source {
            traffic,
            datagrams: Datagrams::new(&kind, 0..u64::MAX, random).unwrap(),
            position: 0,
            ends: Ends {
                sender: [198, 18, 0, 1].into(),
                receiver: [198, 18, 0, 2].into(),
            },
            dscp: Dscp::Ef,
        };
        Source::new(plan, 1000, 0, Arc::default())
    }

    fn sent(traffic: usize, packet_bytes: u32) -> Buffer {
        let mut buffer = Pool::new(1500, 1).take();
        source(traffic, packet_bytes).send(&mut buffer);
        buffer
    }

    #[test]
    fn a_link_sees_the_length_the_class_and_the_flow_of_a_datagram() {
        let (one, other) = (sent(0, 1000), sent(1, 1000));
        assert_eq!((one.wire_bytes(), one.is_expedited()), (1000, true));
        assert_eq!(one.flow_hash(), sent(0, 500).flow_hash());
        assert_ne!(one.flow_hash(), other.flow_hash());
        assert!(!one.is_ecn_capable() && one.pure_ack().is_none());
        assert_eq!(sent(0, 5).wire_bytes(), 5);
    }

    #[test]
    fn datagrams_leave_at_their_rate_and_their_payload_is_counted() {
        let (mut source, mut buffer) = (source(0, 1000), Pool::new(1500, 1).take());
        assert_eq!(source.next_ns(), Some(1000));
        source.send(&mut buffer);
        assert_eq!(source.next_ns(), Some(1_001_000));
        source.arrived(5000);
        source.arrived(9000);
        assert_eq!(source.state.received_between(5000, 9000), 972.0);
    }
}
