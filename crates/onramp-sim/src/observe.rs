//! Observation of a run: every packet and every sender event, for traces and captures.
//!
//! Without an observer there is no cost: the engine is compiled for [`NoObserver`] without the
//! calls.

use onramp_scenario::Dscp;
use onramp_tcp::{Connection, IpVersion, Segment};

/// The direction of a packet in its flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// A TCP segment or a packet of QUIC from the flow's sender to its receiver.
    Data,
    /// A TCP segment or a packet of QUIC from the receiver to the sender: an ACK or the request.
    Ack,
    /// A datagram of a source without TCP. Only the payload length of its segment is meaningful.
    Datagram,
}

/// A packet at one point of a run.
#[derive(Clone, Copy, Debug)]
pub struct PacketEvent<'a> {
    /// Time of the event.
    pub time_ns: u64,
    /// Its flow. Flows are numbered from 0 in the order of their starts.
    pub flow: u32,
    /// Direction of the packet.
    pub direction: Direction,
    /// The segment. A packet of QUIC has no flags here, and the payload is that of UDP.
    pub segment: &'a Segment,
    /// Offset in the stream of its first payload byte. For a datagram its number, from 0. For a
    /// packet of QUIC 0.
    pub stream_start: u64,
    /// Whether some of its payload was sent before.
    pub retransmission: bool,
    /// DSCP of the packet.
    pub dscp: Dscp,
    /// Size of the IP packet in bytes.
    pub wire_bytes: u32,
    /// A number that no other packet in the network has. It is used again once the packet has
    /// arrived or was dropped.
    pub slot: u32,
}

/// The start of a flow: a connection of TCP or QUIC, or the datagrams of one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowStart {
    /// Time of the start.
    pub time_ns: u64,
    /// Number of the flow.
    pub flow: u32,
    /// Number of the first flow of the same transfer, if the transfer has several connections.
    /// Otherwise the flow's own number.
    pub transfer: u32,
    /// Index among the parallel connections of the transfer, from 0.
    pub lane: u32,
    /// Index among the connections in series, from 0 at the sender.
    pub hop: u32,
    /// Index of the flow's `[[traffic]]` table, from 0. `None` for a copy of the transfer.
    pub traffic: Option<u32>,
    /// Whether the flow has a record.
    pub measured: bool,
    /// Index in the scenario of the node that sends the data.
    pub from: u32,
    /// Index in the scenario of the node that receives the data.
    pub to: u32,
    /// The IP version of its packets.
    pub ip: IpVersion,
    /// The directed link with the lowest rate on the route of the data; the first of them if there
    /// are several.
    pub bottleneck: u32,
}

/// Why a link dropped a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The queue was full.
    QueueFull,
    /// The queue dropped the packet early, although it had room (RED).
    Early,
    /// The queue had accepted the packet and dropped it later.
    Evicted,
    /// The packet was an ACK in a queue with an ACK filter, and a later ACK superseded it.
    Thinned,
    /// The loss process dropped the packet.
    Random,
    /// The packet exceeded a policer's token bucket, or the profile of its expedited flow.
    Policer,
}

/// Receives the events of a run. Directed links are numbered in the scenario's order: 2 n is link n
/// forward, and 2 n + 1 is link n in reverse.
///
/// For one packet the calls come in this order: `sent`; for each link `entered` (or `dropped`),
/// `served` and `departed`; `arrived`.
pub trait Observer {
    /// Whether the observer needs the calls.
    const ACTIVE: bool = true;

    /// Whether the observer needs the calls of [`served`](Observer::served).
    const WATCHES_SERVICE: bool = false;

    /// A flow starts.
    fn flow_started(&mut self, _flow: &FlowStart) {}

    /// A host sends a packet.
    fn sent(&mut self, _packet: &PacketEvent<'_>) {}

    /// A packet arrives at a host, before the host processes it.
    fn arrived(&mut self, _packet: &PacketEvent<'_>) {}

    /// A link accepted a packet.
    fn entered(&mut self, _link: u32, _packet: &PacketEvent<'_>) {}

    /// A link began to transmit a packet at the time of the event: the packet is no longer in the
    /// queue. The call comes before any later event of the link.
    fn served(&mut self, _link: u32, _packet: &PacketEvent<'_>) {}

    /// A packet reaches the far end of a link.
    fn departed(&mut self, _link: u32, _packet: &PacketEvent<'_>) {}

    /// A link drops a packet, on arrival or after it had accepted the packet.
    fn dropped(&mut self, _link: u32, _why: DropReason, _packet: &PacketEvent<'_>) {}

    /// The application of a flow's receiver has read `bytes` more, in order. A relay's end is not
    /// reported.
    fn delivered(&mut self, _time_ns: u64, _flow: u32, _bytes: u64) {}

    /// A flow's sender has processed a segment or a timer, and has sent everything it may.
    fn sender_acted(&mut self, _time_ns: u64, _flow: u32, _sender: &Connection) {}

    /// A flow has ended. Its number is not used again.
    fn flow_ended(&mut self, _time_ns: u64, _flow: u32) {}
}

/// No observer.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    const ACTIVE: bool = false;
}

/// All methods of [`Observer`], which pass their calls on.
macro_rules! pass_on {
    ($self:ident, $($to:tt)*) => {
        pass_on! { @methods $self, [$($to)*],
            flow_started(flow: &FlowStart)
            sent(packet: &PacketEvent<'_>)
            arrived(packet: &PacketEvent<'_>)
            entered(link: u32, packet: &PacketEvent<'_>)
            served(link: u32, packet: &PacketEvent<'_>)
            departed(link: u32, packet: &PacketEvent<'_>)
            dropped(link: u32, why: DropReason, packet: &PacketEvent<'_>)
            delivered(time_ns: u64, flow: u32, bytes: u64)
            sender_acted(time_ns: u64, flow: u32, sender: &Connection)
            flow_ended(time_ns: u64, flow: u32)
        }
    };
    (@methods $self:ident, $to:tt, $($name:ident $arguments:tt)*) => {
        $(pass_on! { @method $self, $to, $name $arguments })*
    };
    (@method $self:ident, [$first:expr, $second:expr], $name:ident($($it:ident: $type:ty),*)) => {
        fn $name(&mut $self, $($it: $type),*) {
            $first.$name($($it),*);
            $second.$name($($it),*);
        }
    };
    (@method $self:ident, [$only:expr], $name:ident($($it:ident: $type:ty),*)) => {
        fn $name(&mut $self, $($it: $type),*) {
            $only.$name($($it),*);
        }
    };
}

/// Two observers. The first one receives each event first.
impl<A: Observer, B: Observer> Observer for (A, B) {
    const ACTIVE: bool = A::ACTIVE || B::ACTIVE;
    const WATCHES_SERVICE: bool = A::WATCHES_SERVICE || B::WATCHES_SERVICE;

    pass_on! { self, self.0, self.1 }
}

impl<O: Observer> Observer for &mut O {
    const ACTIVE: bool = O::ACTIVE;
    const WATCHES_SERVICE: bool = O::WATCHES_SERVICE;

    pass_on! { self, (**self) }
}
