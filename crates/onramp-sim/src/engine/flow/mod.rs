//! A flow: a transfer over one connection, with the applications at both ends. The receiver or the
//! sender connects. The sender sends the data and closes.

mod applications;
mod hosts;
#[cfg(feature = "quic")]
mod quic;
mod tcp;

pub(super) use hosts::Side;
pub(super) use tcp::Tcp;

use super::bundle::Member;
use super::finished::FinishedTransfer;
use super::flow_params::FlowParams;
use super::net::Net;
use super::startup::StartupLog;
use crate::event_queue::Entity;
use crate::observe::Observer;
use crate::payload::Payload;
use crate::plan::{Group, Protocol};
use crate::pool::Content;
use hosts::Hosts;
use onramp_scenario::random::{seed_of, Element};
use onramp_scenario::Answers;
use onramp_tcp::{Connection, Failure};
#[cfg(feature = "quic")]
use quic::QuicFlow;

/// An active flow.
#[derive(Clone)]
pub(super) struct Flow {
    /// Number of its group.
    pub group: u32,
    hosts: Hosts,
    transport: Transport,
    size_bytes: u64,
    received_bytes: u64,
    started_ns: u64,
    traffic: Option<u32>,
    /// Whether the flow has a record.
    pub is_measured: bool,
    /// Its place in a transfer with several connections.
    pub member: Option<Member>,
    /// Log of the start-up, for a measured flow that is a whole transfer, until the last byte has
    /// been read.
    startup_log: Option<StartupLog>,
}

/// Both ends of a connection, with their applications.
#[derive(Clone)]
#[cfg_attr(
    feature = "quic",
    expect(clippy::large_enum_variant, reason = "nearly all flows are of TCP")
)]
enum Transport {
    Tcp(Tcp),
    #[cfg(feature = "quic")]
    Quic(Box<QuicFlow>),
}

impl Flow {
    /// Starts a flow: one end connects now.
    pub fn start(params: &FlowParams<'_>, entities: [Entity; 2], now_ns: u64) -> Flow {
        let (group, member) = (params.group, params.member);
        let random_bits = seed_of(params.seed, Element::Flow, params.number);
        let (transport, startup_log) = match &group.protocol {
            Protocol::Tcp => {
                let tcp = Tcp::connect(params, random_bits, now_ns);
                (Transport::Tcp(tcp), StartupLog::new(now_ns))
            }
            #[cfg(feature = "quic")]
            Protocol::Quic(plan) => {
                let quic = QuicFlow::connect(plan, params, random_bits, now_ns);
                let startup_log = StartupLog::of_quic(now_ns, quic.datagram_bytes);
                (Transport::Quic(Box::new(quic)), startup_log)
            }
        };
        Flow {
            group: params.group_number,
            hosts: Hosts::new(params, entities),
            transport,
            size_bytes: params.size_bytes,
            received_bytes: 0,
            started_ns: now_ns,
            traffic: group.traffic,
            is_measured: group.measured,
            member,
            startup_log: (group.measured && member.is_none()).then_some(startup_log),
        }
    }

    /// Number of the flow, in the order of starts.
    pub fn number(&self) -> u32 {
        self.hosts.number
    }

    /// The ends of TCP. `None`: the flow is one of QUIC.
    pub fn tcp(&self) -> Option<&Tcp> {
        match &self.transport {
            Transport::Tcp(tcp) => Some(tcp),
            #[cfg(feature = "quic")]
            Transport::Quic(_) => None,
        }
    }

    /// The same, to change, with their hosts.
    pub fn tcp_mut(&mut self) -> Option<(&mut Tcp, &mut Hosts)> {
        match &mut self.transport {
            Transport::Tcp(tcp) => Some((tcp, &mut self.hosts)),
            #[cfg(feature = "quic")]
            Transport::Quic(_) => None,
        }
    }

    /// The sender's connection of TCP. It exists if the sender connects, or once a SYN has arrived.
    pub fn sender(&self) -> Option<&Connection> {
        self.tcp()?.sender()
    }

    /// An end's connection of TCP, if there is one.
    pub fn end(&mut self, side: Side) -> Option<&mut Connection> {
        self.tcp_mut()?.0.end(side)
    }

    /// Processes a packet that arrives at an end. A packet of QUIC has bytes.
    #[cfg_attr(not(feature = "quic"), expect(unused_variables))]
    pub fn on_packet(
        &mut self,
        side: Side,
        now_ns: u64,
        content: &Content,
        bytes: &[u8],
        group: &Group,
    ) {
        let segment = &content.segment;
        match &mut self.transport {
            Transport::Tcp(tcp) => tcp.on_segment(side, now_ns, segment, group, &self.hosts.path),
            #[cfg(feature = "quic")]
            Transport::Quic(quic) => {
                let is_server = side == Side::Sender;
                quic.connection
                    .receive(is_server, now_ns, bytes, segment.ecn);
            }
        }
    }

    /// Processes the timer event of an end.
    pub fn on_event(&mut self, side: Side, now_ns: u64) {
        self.hosts.event_occurs(side);
        match &mut self.transport {
            Transport::Tcp(tcp) => tcp.on_timer(side, now_ns),
            #[cfg(feature = "quic")]
            Transport::Quic(quic) => quic.connection.on_timer(side == Side::Sender, now_ns),
        }
    }

    /// Runs the sender's application and transmits its packets.
    pub fn drive_sender(&mut self, net: &mut Net<impl Observer>) {
        match &mut self.transport {
            Transport::Tcp(tcp) => tcp.drive_sender(&mut self.hosts, net),
            #[cfg(feature = "quic")]
            Transport::Quic(quic) => _ = quic.drive(Side::Sender, 0, &mut self.hosts, net),
        }
    }

    /// Runs the sender's application with a payload that it shares with other connections of TCP.
    pub fn drive_sender_shared(&mut self, payload: &mut Payload, net: &mut Net<impl Observer>) {
        if let Some((tcp, hosts)) = self.tcp_mut() {
            tcp.drive_sender_shared(payload, hosts, net);
        }
    }

    /// Transmits the segments of an end of TCP after something other than its own application has
    /// acted on it.
    pub fn flush(&mut self, side: Side, net: &mut Net<impl Observer>) {
        if let Some((tcp, hosts)) = self.tcp_mut() {
            tcp.flush(side, hosts, net);
        }
    }

    /// Runs the receiver's application and transmits its packets. Returns the payload bytes that it
    /// read.
    pub fn drive_receiver(&mut self, net: &mut Net<impl Observer>) -> u64 {
        let (left_bytes, hosts) = (self.size_bytes - self.received_bytes, &mut self.hosts);
        let got_bytes = match &mut self.transport {
            Transport::Tcp(tcp) => tcp.drive_receiver(left_bytes, hosts, net),
            #[cfg(feature = "quic")]
            Transport::Quic(quic) => quic.drive(Side::Receiver, left_bytes, hosts, net),
        };
        self.received_bytes += got_bytes;
        got_bytes
    }

    /// Removes the events of both ends.
    pub fn forget_events(&self, net: &mut Net<impl Observer>) {
        self.hosts.forget_events(net);
    }

    /// Logs new decisions of the start-up, until the last byte has been read.
    pub fn log_startup(&mut self, now_ns: u64) {
        let Some(startup_log) = &mut self.startup_log else {
            return;
        };
        match &mut self.transport {
            Transport::Tcp(tcp) => {
                if let Some(sender) = tcp.sender() {
                    startup_log.record(now_ns, sender);
                }
            }
            #[cfg(feature = "quic")]
            Transport::Quic(quic) => quic.log_startup(startup_log),
        }
    }

    /// Whether the last byte has been read.
    pub fn is_complete(&self) -> bool {
        self.received_bytes == self.size_bytes
    }

    /// Whether both ends are closed or only wait for late packets.
    pub fn is_over(&self) -> bool {
        match &self.transport {
            Transport::Tcp(tcp) => tcp.is_over(),
            #[cfg(feature = "quic")]
            Transport::Quic(quic) => quic.connection.is_over(),
        }
    }

    /// The result of a measured flow. `None` if it was already taken, or if the flow is not
    /// measured.
    pub fn take_finished(&mut self, completed_ns: Option<u64>) -> Option<FinishedTransfer> {
        let startup = self.startup_log.take()?;
        let sender = match &mut self.transport {
            Transport::Tcp(tcp) => tcp.sender().map(Connection::stats).unwrap_or_default(),
            #[cfg(feature = "quic")]
            Transport::Quic(quic) => quic.connection.stats(),
        };
        Some(FinishedTransfer {
            flow: self.hosts.number,
            traffic: self.traffic,
            traced_flow: self.hosts.number,
            bottleneck: self.hosts.path.bottleneck,
            size_bytes: self.size_bytes,
            delivered_bytes: self.received_bytes,
            started_ns: self.started_ns,
            completed_ns,
            failure: self.failure(),
            sender,
            reports_timeouts: self.tcp().is_some(),
            startup,
            answers: self.take_answers(),
        })
    }

    /// The times of the answers on this connection since the latest call, if there are several
    /// requests.
    pub fn take_answers(&mut self) -> Option<Answers> {
        let (tcp, _) = self.tcp_mut()?;
        let requester = tcp.requester.as_mut()?;
        Some(std::mem::take(&mut requester.answers))
    }

    /// The failure of the flow, if it failed.
    fn failure(&self) -> Option<Failure> {
        match &self.transport {
            _ if self.is_complete() => None,
            Transport::Tcp(tcp) => tcp.failure(),
            #[cfg(feature = "quic")]
            Transport::Quic(quic) => quic.connection.failure(),
        }
    }
}
