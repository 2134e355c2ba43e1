//! The part of a flow that differs if the flow is one of QUIC.

use super::super::flow_params::randomised_config;
use super::super::net::Net;
use super::super::startup::StartupLog;
use super::{way, Flow, Side};
use crate::observe::Observer;
use crate::plan::{Group, Path};
use crate::pool::{Content, NO_BYTES};
use crate::quic::{ConnectionParams, Progress, Quic};
use onramp_scenario::{udp_payload_bytes, UDP_HEADER_BYTES};
use onramp_tcp::{EcnField, IpVersion, Segment};

/// The connection of a flow of QUIC; empty for TCP. It is in a box, because TCP needs no room for
/// it.
pub(super) struct QuicConnection {
    quic: Option<Box<Quic>>,
    ip: IpVersion,
    /// UDP payload of its full packets; 0 for TCP.
    datagram_bytes: u16,
}

impl QuicConnection {
    /// The client of a new flow connects, if the group's flows are of QUIC.
    pub fn of(
        group: &Group,
        path: &Path,
        random_bits: u64,
        now_ns: u64,
        size_bytes: u64,
    ) -> QuicConnection {
        let mss_bytes = || randomised_config(&group.sender, path, 0).mss_bytes;
        let datagram_bytes = match group.quic {
            Some(_) => udp_payload_bytes(mss_bytes()),
            None => 0,
        };
        let connect = |plan| {
            let params = ConnectionParams {
                datagram_bytes,
                memory_key: path.memory_key(),
            };
            let application = group.application;
            Box::new(Quic::connect(
                plan,
                &params,
                random_bits,
                now_ns,
                size_bytes,
                application,
            ))
        };
        QuicConnection {
            quic: group.quic.as_ref().map(connect),
            ip: group.sender.ip,
            datagram_bytes,
        }
    }

    /// Whether the flow is one of TCP.
    pub fn is_none(&self) -> bool {
        self.quic.is_none()
    }

    /// The log of the flow's start-up.
    pub fn startup_log(&self, now_ns: u64) -> StartupLog {
        match self.is_none() {
            true => StartupLog::new(now_ns),
            false => StartupLog::of_quic(now_ns, self.datagram_bytes),
        }
    }

    /// The connection of QUIC.
    pub fn get(&mut self) -> Option<&mut Quic> {
        self.quic.as_deref_mut()
    }

    /// The same, to read.
    pub fn peek(&self) -> Option<&Quic> {
        self.quic.as_deref()
    }
}

impl Clone for QuicConnection {
    /// Runs branch before their transfer starts, and only transfers are over QUIC.
    fn clone(&self) -> QuicConnection {
        assert!(self.is_none(), "a flow of QUIC is in one run only");
        QuicConnection {
            quic: None,
            ip: self.ip,
            datagram_bytes: self.datagram_bytes,
        }
    }
}

impl Flow {
    /// Runs the application of an end of QUIC and transmits its packets. Returns the payload bytes
    /// that the client has read.
    pub(super) fn drive_quic<O: Observer>(&mut self, side: Side, net: &mut Net<O>) -> u64 {
        let mut progress = self.act_and_transmit(side, net);
        let read_bytes = progress.read_bytes;
        if read_bytes > 0 {
            self.received_bytes += read_bytes;
            if self.is_complete() {
                if let Some(quic) = self.quic.get() {
                    quic.close(net.now_ns);
                }
                progress = self.act_and_transmit(side, net);
            }
        }
        // noq's pacer rounds a delay of less than a nanosecond to none. It waits for time to pass.
        let next_ns = progress.next_ns.max(net.now_ns.saturating_add(1));
        self.ends[side as usize].schedule(next_ns, net);
        read_bytes
    }

    fn act_and_transmit<O: Observer>(&mut self, side: Side, net: &mut Net<O>) -> Progress {
        let (direction, route, dscp) = way(side, &self.path, self.dscp);
        let (flow, flow_slot, ip) = (self.number, self.slot, self.quic.ip);
        let Some(quic) = self.quic.get() else {
            unreachable!("the flow is one of QUIC");
        };
        let now_ns = net.now_ns;
        quic.drive(
            side == Side::Sender,
            now_ns,
            |bytes: &[u8], ecn: EcnField| {
                let payload_bytes = bytes.len() as u32;
                let content = Content {
                    segment: Segment {
                        payload_bytes,
                        ecn,
                        ..Segment::default()
                    },
                    stream_start: 0,
                    retransmission: false,
                    flow,
                    flow_slot,
                    direction,
                    dscp,
                    bytes: NO_BYTES,
                };
                let wire_bytes = ip.header_bytes() + UDP_HEADER_BYTES + payload_bytes;
                net.send_bytes(route, wire_bytes, content, bytes);
            },
        )
    }
}
