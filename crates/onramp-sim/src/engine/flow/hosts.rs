//! The two hosts of a flow: how their packets leave, and when their next events occur.

use super::super::flow_params::FlowParams;
use super::super::net::Net;
use crate::event_queue::Entity;
use crate::observe::{Direction, Observer};
use crate::plan::Path;
use crate::pool::{Content, NO_BYTES};
use onramp_scenario::{Connect, Dscp};
use onramp_tcp::Segment;

/// The two ends of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The end that sends the data.
    Sender,
    /// The end that receives the data.
    Receiver,
}

impl Side {
    /// The other end.
    pub fn other(self) -> Side {
        match self {
            Side::Sender => Side::Receiver,
            Side::Receiver => Side::Sender,
        }
    }
}

impl From<Connect> for Side {
    fn from(connect: Connect) -> Side {
        match connect {
            Connect::Receiver => Side::Receiver,
            Connect::Sender => Side::Sender,
        }
    }
}

/// The event of an end.
#[derive(Clone)]
struct Event {
    entity: Entity,
    /// Time of the next timer event. It may be earlier than necessary.
    scheduled_ns: u64,
}

/// The hosts of a flow.
#[derive(Clone)]
pub(crate) struct Hosts {
    /// Number of the flow.
    pub number: u32,
    /// Slot of the flow.
    slot: u32,
    pub path: Path,
    /// DSCP of the sender's packets.
    dscp: Dscp,
    events: [Event; 2],
}

impl Hosts {
    /// The hosts of a new flow, without events.
    pub fn new(params: &FlowParams<'_>, entities: [Entity; 2]) -> Hosts {
        Hosts {
            number: params.number,
            slot: params.slot,
            path: params.path,
            dscp: params.group.dscp,
            events: entities.map(|entity| Event {
                entity,
                scheduled_ns: u64::MAX,
            }),
        }
    }

    /// The route of an end's packets, and a packet with an empty segment.
    pub fn packet(&self, side: Side) -> (u32, Content) {
        let (direction, route, dscp) = match side {
            Side::Sender => (Direction::Data, self.path.data, self.dscp),
            Side::Receiver => (Direction::Ack, self.path.acks, Dscp::BestEffort),
        };
        let content = Content {
            segment: Segment::default(),
            stream_start: 0,
            retransmission: false,
            flow: self.number,
            flow_slot: self.slot,
            direction,
            dscp,
            bytes: NO_BYTES,
        };
        (route, content)
    }

    /// Schedules the next event of an end, unless an earlier one is scheduled.
    pub fn schedule(&mut self, side: Side, next_ns: u64, net: &mut Net<impl Observer>) {
        let event = &mut self.events[side as usize];
        if next_ns < event.scheduled_ns {
            event.scheduled_ns = next_ns;
            net.queue.schedule(event.entity, next_ns);
        } else if event.scheduled_ns == u64::MAX {
            net.queue.cancel(event.entity);
        }
    }

    /// The event of an end occurs now.
    pub fn event_occurs(&mut self, side: Side) {
        self.events[side as usize].scheduled_ns = u64::MAX;
    }

    /// Removes the events of both ends.
    pub fn forget_events(&self, net: &mut Net<impl Observer>) {
        self.events
            .iter()
            .for_each(|event| net.queue.cancel(event.entity));
    }
}
