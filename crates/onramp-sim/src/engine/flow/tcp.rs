//! A flow of TCP: two ends and their applications. Either the receiver connects and sends a
//! request, or the sender connects.

use super::super::flow_params::{randomised_config, FlowParams};
use super::super::net::Net;
use super::super::sender_app::SenderApp;
use super::hosts::{Hosts, Side};
use crate::observe::Observer;
use crate::plan::{Group, Path};
use crate::pool::Content;
use onramp_scenario::{Connect, Requester};
use onramp_tcp::{Config, Connection, Failure, Flags, Segment, State};

/// The ends of TCP.
#[derive(Clone)]
pub(crate) struct Tcp {
    /// The connections. A listening end has none before a SYN has arrived.
    pub ends: [Option<Connection>; 2],
    pub sender_app: SenderApp,
    /// Whether the receiver still has to send its request.
    pub request_is_pending: bool,
    /// The receiver's requests, if there are several.
    pub requester: Option<Box<Requester>>,
    /// Time at which an end gives up waiting for a peer that has failed: see
    /// [`Tcp::start_orphan_timer`].
    orphan_timeout_ns: u64,
    random_bits: u64,
}

impl Tcp {
    /// One end of a new flow connects.
    pub fn connect(params: &FlowParams<'_>, random_bits: u64, now_ns: u64) -> Tcp {
        let group = params.group;
        let opens = Side::from(group.connect);
        let config = config_of(opens, group, &params.path, random_bits);
        let mut ends = [None, None];
        ends[opens as usize] = Some(Connection::connect(config, now_ns));
        let waits_for_request = group.connect == Connect::Receiver;
        let sender_app = SenderApp::new(
            params.size_bytes,
            waits_for_request,
            group.application.clone(),
            group.stop_ns,
        );
        let has_application = params.member.is_none_or(|member| member.is_last);
        let requester = group.requests.map(|plan| match params.member {
            None => Requester::new(&plan, params.size_bytes, params.seed, params.copy),
            Some(_) => Requester::default(),
        });
        Tcp {
            ends,
            sender_app,
            request_is_pending: waits_for_request && has_application && requester.is_none(),
            requester: requester.map(Box::new),
            orphan_timeout_ns: u64::MAX,
            random_bits,
        }
    }

    /// The connection of an end, if it has one.
    pub fn end(&mut self, side: Side) -> Option<&mut Connection> {
        self.ends[side as usize].as_mut()
    }

    /// The sender's connection. It exists if the sender connects, or once a SYN has arrived.
    pub fn sender(&self) -> Option<&Connection> {
        self.ends[Side::Sender as usize].as_ref()
    }

    /// Processes a segment that arrives at an end.
    pub fn on_segment(
        &mut self,
        side: Side,
        now_ns: u64,
        segment: &Segment,
        group: &Group,
        path: &Path,
    ) {
        match &mut self.ends[side as usize] {
            Some(connection) => connection.on_segment(now_ns, segment),
            listening if segment.flags.has(Flags::SYN) && !segment.flags.has(Flags::ACK) => {
                let config = config_of(side, group, path, self.random_bits);
                *listening = Some(Connection::accept(config, now_ns, segment));
            }
            // A late segment of a connection that was reset before it was established.
            None => {}
        }
    }

    /// Processes the timers of an end that are due.
    pub fn on_timer(&mut self, side: Side, now_ns: u64) {
        let Some(connection) = &mut self.ends[side as usize] else {
            return;
        };
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

    /// Transmits the segments of an end after something other than its own application has acted on
    /// it.
    pub fn flush(&mut self, side: Side, hosts: &mut Hosts, net: &mut Net<impl Observer>) {
        self.transmit(side, hosts, net);
        self.reschedule(side, u64::MAX, hosts, net);
    }

    /// Transmits the segments of an end.
    pub fn transmit(&mut self, side: Side, hosts: &Hosts, net: &mut Net<impl Observer>) {
        let Some(connection) = &mut self.ends[side as usize] else {
            return;
        };
        let (route, packet) = hosts.packet(side);
        let ip = connection.config().ip;
        while let Some(transmit) = connection.poll_transmit(net.now_ns) {
            let content = Content {
                segment: transmit.segment,
                stream_start: transmit.stream_start,
                retransmission: transmit.retransmission,
                ..packet
            };
            net.send(route, transmit.segment.wire_bytes(ip), content);
        }
    }

    /// Schedules the next event of an end, which the application has asked for at `application_ns`,
    /// and starts the orphan timer of the other end if this end has failed.
    pub fn reschedule(
        &mut self,
        side: Side,
        application_ns: u64,
        hosts: &mut Hosts,
        net: &mut Net<impl Observer>,
    ) {
        self.schedule(side, application_ns, hosts, net);
        self.start_orphan_timer(side, hosts, net);
    }

    /// Schedules the next event of an end. Almost every ACK moves a timer, nearly always to a later
    /// time. An event that is too early is therefore left in place, and is rescheduled when it
    /// occurs.
    fn schedule(
        &self,
        side: Side,
        application_ns: u64,
        hosts: &mut Hosts,
        net: &mut Net<impl Observer>,
    ) {
        let connection = self.ends[side as usize].as_ref();
        let timer_ns = connection
            .and_then(Connection::next_timer_ns)
            .unwrap_or(u64::MAX);
        let has_failed = connection.is_none_or(|connection| connection.failure().is_some());
        let orphan_timeout_ns = match has_failed {
            true => u64::MAX,
            false => self.orphan_timeout_ns,
        };
        let next_ns = timer_ns.min(application_ns).min(orphan_timeout_ns);
        hosts.schedule(side, next_ns.max(net.now_ns), net);
    }

    /// Starts the orphan timer of the other end if this end has failed. A failed end may not have
    /// informed its peer. If the peer has nothing to send, its application would wait forever. So
    /// the peer gives up after the time in which a reply would have arrived (one RTO).
    fn start_orphan_timer(&mut self, side: Side, hosts: &mut Hosts, net: &mut Net<impl Observer>) {
        let end = self.ends[side as usize].as_ref();
        let Some(failed) = end.filter(|end| end.failure().is_some()) else {
            return;
        };
        if self.orphan_timeout_ns == u64::MAX {
            self.orphan_timeout_ns = net.now_ns.saturating_add(failed.rto_ns());
            self.schedule(side.other(), u64::MAX, hosts, net);
        }
    }

    /// Whether both ends are closed or only wait in TIME-WAIT for late segments.
    pub fn is_over(&self) -> bool {
        let over =
            |connection: &Connection| matches!(connection.state(), State::Closed | State::TimeWait);
        match &self.ends {
            [Some(sender), Some(receiver)] => over(sender) && over(receiver),
            [Some(alone), None] | [None, Some(alone)] => alone.state() == State::Closed,
            [None, None] => true,
        }
    }

    /// The failure of an end, the sender's first.
    pub fn first_failure(&self) -> Option<Failure> {
        self.ends.iter().flatten().find_map(Connection::failure)
    }

    /// The failure of the first end that failed. A sending application that stops deliberately is
    /// no failure, nor is an end that gives up because the other end did.
    pub fn failure(&self) -> Option<Failure> {
        let failure = |end: &Option<Connection>| end.as_ref().and_then(Connection::failure);
        let [sender, receiver] = self.ends.each_ref().map(failure);
        match (sender, receiver) {
            (Some(Failure::Aborted), Some(Failure::Aborted | Failure::Reset)) => None,
            (Some(Failure::Aborted) | None, failure) => failure,
            (failure, _) => failure,
        }
    }
}

/// The configuration of one end.
fn config_of(side: Side, group: &Group, path: &Path, random_bits: u64) -> Config {
    match side {
        Side::Sender => randomised_config(&group.sender, path, random_bits as u32),
        Side::Receiver => randomised_config(&group.receiver, path, (random_bits >> 32) as u32),
    }
}
