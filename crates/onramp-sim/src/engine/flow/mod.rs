//! A TCP flow: two ends and their applications. Either the receiver connects and sends a request,
//! or the sender connects. The sender sends the data and closes. A flow of QUIC has a connection of
//! its own kind in place of the two ends of TCP.

mod applications;
mod quic;
mod status;

use super::bundle::Member;
use super::flow_params::{randomised_config, FlowParams};
use super::net::Net;
use super::sender_app::SenderApp;
use super::startup::StartupLog;
use crate::observe::{Direction, Observer};
use crate::plan::{Group, Path};
use crate::pool::{Content, NO_BYTES};
use crate::queue::Entity;
use onramp_scenario::random::{seed_of, Element};
use onramp_scenario::{Connect, Dscp};
use onramp_tcp::{Config, Connection, Flags, Segment};
use quic::QuicConnection;

/// The two ends of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The end that sends the data.
    Sender,
    /// The end that receives the data.
    Receiver,
}

impl From<Connect> for Side {
    fn from(connect: Connect) -> Side {
        match connect {
            Connect::Receiver => Side::Receiver,
            Connect::Sender => Side::Sender,
        }
    }
}

/// An end of a connection, with its event.
#[derive(Clone)]
pub(super) struct End {
    /// The connection. A listening end has none before a SYN has arrived.
    pub connection: Option<Connection>,
    entity: Entity,
    /// Time of its next timer event. It may be earlier than necessary.
    scheduled_ns: u64,
}

impl End {
    /// Schedules the next event, unless an earlier one is scheduled.
    fn schedule<O: Observer>(&mut self, next_ns: u64, net: &mut Net<O>) {
        if next_ns < self.scheduled_ns {
            self.scheduled_ns = next_ns;
            net.queue.schedule(self.entity, next_ns);
        } else if self.scheduled_ns == u64::MAX {
            net.queue.cancel(self.entity);
        }
    }
}

/// An active flow.
#[derive(Clone)]
pub(super) struct Flow {
    /// Number of the flow, in the order of starts.
    pub number: u32,
    /// Number of its group.
    pub group: u32,
    /// Slot of the flow.
    pub slot: u32,
    /// The ends of TCP, and the events of both ends.
    ends: [End; 2],
    /// The connection, if the flow is one of QUIC.
    quic: QuicConnection,
    path: Path,
    /// DSCP of the sender's packets.
    dscp: Dscp,
    sender_app: SenderApp,
    size_bytes: u64,
    received_bytes: u64,
    /// Whether the receiver still has to send its request.
    request_is_pending: bool,
    started_ns: u64,
    /// Time at which an end gives up waiting for a peer that has failed: see
    /// [`Flow::start_orphan_timer`].
    orphan_timeout_ns: u64,
    traffic: Option<u32>,
    /// Whether the flow has a record.
    pub is_measured: bool,
    /// Its place in a transfer with several connections.
    pub member: Option<Member>,
    /// Log of the start-up, for a measured flow that is a whole transfer, until the last byte has
    /// been read.
    startup_log: Option<StartupLog>,
    random_bits: u64,
}

impl Flow {
    /// Starts a flow: one end connects now.
    pub fn start<O: Observer>(
        params: FlowParams<'_>,
        entities: [Entity; 2],
        net: &mut Net<O>,
    ) -> Flow {
        let FlowParams {
            number,
            slot,
            group_number,
            group,
            path,
            size_bytes,
            seed,
            member,
        } = params;
        let random_bits = seed_of(seed, Element::Flow, number);
        let now_ns = net.now_ns;
        let mut ends = entities.map(|entity| End {
            connection: None,
            entity,
            scheduled_ns: u64::MAX,
        });
        let quic = QuicConnection::of(group, &path, random_bits, now_ns, size_bytes);
        if quic.is_none() {
            let opens = Side::from(group.connect);
            ends[opens as usize].connection = Some(Connection::connect(
                config_of(opens, group, &path, random_bits),
                now_ns,
            ));
        }
        let waits_for_request = group.connect == Connect::Receiver;
        let has_own_log = group.measured && member.is_none();
        let startup_log = has_own_log.then(|| quic.startup_log(now_ns));
        Flow {
            number,
            group: group_number,
            slot,
            ends,
            quic,
            path,
            dscp: group.dscp,
            sender_app: SenderApp::new(
                size_bytes,
                waits_for_request,
                group.application,
                group.stop_ns,
            ),
            size_bytes,
            received_bytes: 0,
            request_is_pending: waits_for_request && member.is_none_or(|member| member.is_last),
            started_ns: now_ns,
            orphan_timeout_ns: u64::MAX,
            traffic: group.traffic,
            is_measured: group.measured,
            member,
            startup_log,
            random_bits,
        }
    }

    /// Processes a segment that arrives at an end. A packet of QUIC has bytes.
    pub fn on_segment(
        &mut self,
        side: Side,
        now_ns: u64,
        segment: &Segment,
        bytes: &[u8],
        group: &Group,
    ) {
        if let Some(quic) = self.quic.get() {
            return quic.receive(side == Side::Sender, now_ns, bytes, segment.ecn);
        }
        match &mut self.ends[side as usize].connection {
            Some(connection) => connection.on_segment(now_ns, segment),
            listening if segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK) => {
                let config = config_of(side, group, &self.path, self.random_bits);
                *listening = Some(Connection::accept(config, now_ns, segment));
            }
            // A late segment of a connection that was reset before it was established.
            _ => {}
        }
    }

    /// Processes the timer event of an end.
    pub fn on_event(&mut self, side: Side, now_ns: u64) {
        let end = &mut self.ends[side as usize];
        end.scheduled_ns = u64::MAX;
        if let Some(quic) = self.quic.get() {
            return quic.on_timer(side == Side::Sender, now_ns);
        }
        if let Some(connection) = &mut end.connection {
            if connection
                .next_timer_ns()
                .is_some_and(|timer_ns| timer_ns <= now_ns)
            {
                connection.on_timer(now_ns);
            }
            if self.orphan_timeout_ns <= now_ns && connection.failure().is_none() {
                connection.abort();
            }
        }
    }

    /// Transmits the segments of an end after something other than its own application has acted on
    /// it.
    pub fn flush<O: Observer>(&mut self, side: Side, net: &mut Net<O>) {
        self.transmit(side, net);
        self.reschedule(side, u64::MAX, net);
        self.start_orphan_timer(side, net);
    }

    /// The connection of an end, if it has one.
    pub fn end(&mut self, side: Side) -> Option<&mut Connection> {
        self.ends[side as usize].connection.as_mut()
    }

    /// Starts the orphan timer of the other end if this end has failed. A failed end may not have
    /// informed its peer. If the peer has nothing to send, its application would wait forever. So
    /// the peer gives up after the time in which a reply would have arrived (one RTO).
    fn start_orphan_timer<O: Observer>(&mut self, side: Side, net: &mut Net<O>) {
        let Some(failed) = self.ends[side as usize]
            .connection
            .as_ref()
            .filter(|failed| failed.failure().is_some())
        else {
            return;
        };
        if self.orphan_timeout_ns == u64::MAX {
            self.orphan_timeout_ns = net.now_ns.saturating_add(failed.rto_ns());
            let other = if side == Side::Sender {
                Side::Receiver
            } else {
                Side::Sender
            };
            self.reschedule(other, u64::MAX, net);
        }
    }

    fn transmit<O: Observer>(&mut self, side: Side, net: &mut Net<O>) {
        let Some(connection) = &mut self.ends[side as usize].connection else {
            return;
        };
        let (direction, route, dscp) = way(side, &self.path, self.dscp);
        let ip = connection.config().ip;
        while let Some(transmit) = connection.poll_transmit(net.now_ns) {
            let content = Content {
                segment: transmit.segment,
                stream_start: transmit.stream_start,
                retransmission: transmit.retransmission,
                flow: self.number,
                flow_slot: self.slot,
                direction,
                dscp,
                bytes: NO_BYTES,
            };
            net.send(route, transmit.segment.wire_bytes(ip), content);
        }
    }

    /// Schedules the next event of an end. Almost every ACK moves a timer, nearly always to a later
    /// time. An event that is too early is therefore left in place, and is rescheduled when it
    /// occurs.
    fn reschedule<O: Observer>(&mut self, side: Side, application_ns: u64, net: &mut Net<O>) {
        let end = &mut self.ends[side as usize];
        let timer_ns = end
            .connection
            .as_ref()
            .and_then(Connection::next_timer_ns)
            .unwrap_or(u64::MAX);
        let has_failed = end
            .connection
            .as_ref()
            .is_none_or(|connection| connection.failure().is_some());
        let orphan_timeout_ns = if has_failed {
            u64::MAX
        } else {
            self.orphan_timeout_ns
        };
        let next_ns = timer_ns.min(application_ns).min(orphan_timeout_ns);
        end.schedule(next_ns.max(net.now_ns), net);
    }

    /// The sender's connection. It exists if the sender connects, or once a SYN has arrived.
    pub fn sender(&self) -> Option<&Connection> {
        self.ends[Side::Sender as usize].connection.as_ref()
    }

    /// Removes the events of both ends.
    pub fn forget_events<O: Observer>(&self, net: &mut Net<O>) {
        self.ends
            .iter()
            .for_each(|end| net.queue.cancel(end.entity));
    }
}

/// The direction, the route and the DSCP of an end's packets.
fn way(side: Side, path: &Path, dscp: Dscp) -> (Direction, u32, Dscp) {
    match side {
        Side::Sender => (Direction::Data, path.data, dscp),
        Side::Receiver => (Direction::Ack, path.acks, Dscp::BestEffort),
    }
}

/// The configuration of one end.
fn config_of(side: Side, group: &Group, path: &Path, random_bits: u64) -> Config {
    match side {
        Side::Sender => randomised_config(&group.sender, path, random_bits as u32),
        Side::Receiver => randomised_config(&group.receiver, path, (random_bits >> 32) as u32),
    }
}
