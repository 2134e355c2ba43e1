//! A flow of QUIC.

use super::super::flow_params::{randomised_config, FlowParams};
use super::super::net::Net;
use super::super::startup::StartupLog;
use super::hosts::{Hosts, Side};
use crate::observe::Observer;
use crate::pool::Content;
use crate::quic::{ConnectionParams, Progress, Quic, QuicPlan};
use onramp_scenario::{udp_payload_bytes, UDP_HEADER_BYTES};
use onramp_tcp::{EcnField, IpVersion, Segment};

/// The connection of a flow of QUIC, with the packets that its datagrams are in.
pub(super) struct QuicFlow {
    pub connection: Quic,
    ip: IpVersion,
    /// UDP payload of its full packets.
    pub datagram_bytes: u16,
}

impl QuicFlow {
    /// The client of a new flow connects.
    pub fn connect(
        plan: &QuicPlan,
        flow: &FlowParams<'_>,
        random_bits: u64,
        now_ns: u64,
    ) -> QuicFlow {
        let (group, path, size_bytes) = (flow.group, &flow.path, flow.size_bytes);
        let mss_bytes = randomised_config(&group.sender, path, 0).mss_bytes;
        let params = ConnectionParams {
            datagram_bytes: udp_payload_bytes(mss_bytes),
            memory_key: path.memory_key(),
        };
        let app = group.application.clone();
        QuicFlow {
            connection: Quic::connect(plan, &params, random_bits, now_ns, size_bytes, app),
            ip: group.sender.ip,
            datagram_bytes: params.datagram_bytes,
        }
    }

    /// Runs the application of an end and transmits its packets. The client closes after
    /// `left_bytes` more. Returns the payload bytes that it has read.
    pub fn drive(
        &mut self,
        side: Side,
        left_bytes: u64,
        hosts: &mut Hosts,
        net: &mut Net<impl Observer>,
    ) -> u64 {
        let mut progress = self.act_and_transmit(side, hosts, net);
        let read_bytes = progress.read_bytes;
        if read_bytes > 0 && read_bytes == left_bytes {
            self.connection.close(net.now_ns);
            progress = self.act_and_transmit(side, hosts, net);
        }
        // noq's pacer rounds a delay of less than a nanosecond to none. It waits for time to pass.
        let next_ns = progress.next_ns.max(net.now_ns.saturating_add(1));
        hosts.schedule(side, next_ns, net);
        read_bytes
    }

    fn act_and_transmit(
        &mut self,
        side: Side,
        hosts: &Hosts,
        net: &mut Net<impl Observer>,
    ) -> Progress {
        let now_ns = net.now_ns;
        let (route, packet) = hosts.packet(side);
        let header_bytes = self.ip.header_bytes() + UDP_HEADER_BYTES;
        let send = |bytes: &[u8], ecn: EcnField| {
            let payload_bytes = bytes.len() as u32;
            let segment = Segment {
                payload_bytes,
                ecn,
                ..Segment::default()
            };
            let content = Content { segment, ..packet };
            net.send_bytes(route, header_bytes + payload_bytes, content, bytes);
        };
        self.connection.drive(side == Side::Sender, now_ns, send)
    }

    /// Logs new decisions of the start-up.
    pub fn log_startup(&mut self, startup_log: &mut StartupLog) {
        let (decisions, remembered_bytes) = self.connection.take_decisions();
        for (time_ns, decision) in decisions {
            startup_log.record_decision(time_ns, &decision, remembered_bytes);
        }
    }
}

impl Clone for QuicFlow {
    /// Runs branch before their transfer starts, and only transfers are over QUIC.
    fn clone(&self) -> QuicFlow {
        unreachable!("a flow of QUIC is in one run only")
    }
}
