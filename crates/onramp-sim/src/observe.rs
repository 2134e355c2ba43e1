//! Looking on: everything that happens in a run, for whoever writes traces or captures.
//!
//! An observer that is not there costs nothing: the engine is compiled for [`NoObserver`] without
//! any of the calls.

use onramp_scenario::Dscp;
use onramp_tcp::{Connection, Segment};

/// Which way a packet goes in its flow, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// A TCP segment from the flow's sender to its receiver.
    Data,
    /// A TCP segment from the receiver to the sender: acknowledgements, and the request.
    Ack,
    /// A datagram of a source without TCP. Its segment has a payload, and means nothing else.
    Datagram,
}

/// A packet at a moment.
#[derive(Clone, Copy, Debug)]
pub struct PacketEvent<'a> {
    /// When.
    pub time_ns: u64,
    /// Its flow: flows are numbered from 0 as they start.
    pub flow: u32,
    /// Which way it goes.
    pub direction: Direction,
    /// The segment.
    pub segment: &'a Segment,
    /// Place in the stream of its first payload byte; the number of a datagram, from 0.
    pub stream_start: u64,
    /// Some of its payload had been sent before.
    pub retransmission: bool,
    /// How it is marked.
    pub dscp: Dscp,
    /// Size of the IP packet.
    pub wire_bytes: u32,
}

/// A flow that starts: a TCP connection, or a source's datagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowStart {
    /// When.
    pub time_ns: u64,
    /// Its number.
    pub flow: u32,
    /// Of a transfer that is made of several connections, the number of its first flow; otherwise
    /// its own.
    pub transfer: u32,
    /// Which of them it is side by side, from 0.
    pub lane: u32,
    /// Which of them it is in series, from 0 at the sender.
    pub hop: u32,
    /// The scenario's `[[traffic]]` table that it belongs to, from 0; `None`: it is a copy of the
    /// transfer.
    pub traffic: Option<u32>,
    /// It has a record.
    pub measured: bool,
    /// The node that sends the data, by its place in the scenario.
    pub from: u32,
    /// The node that receives it.
    pub to: u32,
    /// The link with the lowest rate on the data's route, the first of several.
    pub bottleneck: u32,
}

/// Why a link lost a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The queue was full.
    QueueFull,
    /// The queue's management refused it though there was room.
    Early,
    /// The queue had taken it in, and threw it out.
    Evicted,
    /// It was an acknowledgement, and a later one that came into the same queue said as much.
    Thinned,
    /// It was lost at random.
    Random,
    /// It exceeded the rate of a policer, or of an expedited flow's profile.
    Policer,
}

/// Sees a run. Links are numbered in the scenario's order, twice: 2 n is link n forward, 2 n + 1
/// its reverse.
///
/// Of one packet, calls come in this order: `sent`, `entered` (or `lost`) and `left` for each link,
/// `arrived`.
pub trait Observer {
    /// Whether there is anybody to look.
    const ACTIVE: bool = true;

    /// A flow starts.
    fn flow_started(&mut self, flow: &FlowStart) {
        let _ = flow;
    }

    /// A host sends a packet.
    fn sent(&mut self, packet: &PacketEvent<'_>) {
        let _ = packet;
    }

    /// A packet arrives at a host, which has not looked at it yet.
    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        let _ = packet;
    }

    /// A link has taken a packet in.
    fn entered(&mut self, link: u32, packet: &PacketEvent<'_>) {
        let _ = (link, packet);
    }

    /// A packet reaches the far end of a link.
    fn departed(&mut self, link: u32, packet: &PacketEvent<'_>) {
        let _ = (link, packet);
    }

    /// A packet is lost in a link: instead of being taken in, or later.
    fn dropped(&mut self, link: u32, why: DropReason, packet: &PacketEvent<'_>) {
        let _ = (link, why, packet);
    }

    /// The application of a flow's receiver, which is no relay, has read so much more, in order.
    fn delivered(&mut self, time_ns: u64, flow: u32, bytes: u64) {
        let _ = (time_ns, flow, bytes);
    }

    /// A flow's sender has dealt with a segment or a timer, and has sent what it may.
    fn sender_acted(&mut self, time_ns: u64, flow: u32, sender: &Connection) {
        let _ = (time_ns, flow, sender);
    }

    /// A flow is over, and its number is not used again.
    fn flow_ended(&mut self, time_ns: u64, flow: u32) {
        let _ = (time_ns, flow);
    }
}

/// Nobody looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    const ACTIVE: bool = false;
}

/// Two observers: the first one sees everything first.
impl<A: Observer, B: Observer> Observer for (A, B) {
    const ACTIVE: bool = A::ACTIVE || B::ACTIVE;

    fn flow_started(&mut self, flow: &FlowStart) {
        self.0.flow_started(flow);
        self.1.flow_started(flow);
    }

    fn sent(&mut self, packet: &PacketEvent<'_>) {
        self.0.sent(packet);
        self.1.sent(packet);
    }

    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        self.0.arrived(packet);
        self.1.arrived(packet);
    }

    fn entered(&mut self, link: u32, packet: &PacketEvent<'_>) {
        self.0.entered(link, packet);
        self.1.entered(link, packet);
    }

    fn departed(&mut self, link: u32, packet: &PacketEvent<'_>) {
        self.0.departed(link, packet);
        self.1.departed(link, packet);
    }

    fn dropped(&mut self, link: u32, why: DropReason, packet: &PacketEvent<'_>) {
        self.0.dropped(link, why, packet);
        self.1.dropped(link, why, packet);
    }

    fn delivered(&mut self, time_ns: u64, flow: u32, bytes: u64) {
        self.0.delivered(time_ns, flow, bytes);
        self.1.delivered(time_ns, flow, bytes);
    }

    fn sender_acted(&mut self, time_ns: u64, flow: u32, sender: &Connection) {
        self.0.sender_acted(time_ns, flow, sender);
        self.1.sender_acted(time_ns, flow, sender);
    }

    fn flow_ended(&mut self, time_ns: u64, flow: u32) {
        self.0.flow_ended(time_ns, flow);
        self.1.flow_ended(time_ns, flow);
    }
}

impl<O: Observer> Observer for &mut O {
    const ACTIVE: bool = O::ACTIVE;

    fn flow_started(&mut self, flow: &FlowStart) {
        (**self).flow_started(flow);
    }

    fn sent(&mut self, packet: &PacketEvent<'_>) {
        (**self).sent(packet);
    }

    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        (**self).arrived(packet);
    }

    fn entered(&mut self, link: u32, packet: &PacketEvent<'_>) {
        (**self).entered(link, packet);
    }

    fn departed(&mut self, link: u32, packet: &PacketEvent<'_>) {
        (**self).departed(link, packet);
    }

    fn dropped(&mut self, link: u32, why: DropReason, packet: &PacketEvent<'_>) {
        (**self).dropped(link, why, packet);
    }

    fn delivered(&mut self, time_ns: u64, flow: u32, bytes: u64) {
        (**self).delivered(time_ns, flow, bytes);
    }

    fn sender_acted(&mut self, time_ns: u64, flow: u32, sender: &Connection) {
        (**self).sender_acted(time_ns, flow, sender);
    }

    fn flow_ended(&mut self, time_ns: u64, flow: u32) {
        (**self).flow_ended(time_ns, flow);
    }
}
