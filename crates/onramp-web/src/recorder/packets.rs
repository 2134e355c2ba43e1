//! The packets of a run with their times, thinned where there are too many.

use crate::columns::{Column, Table};
use onramp_sim::observe::{Direction, DropReason, PacketEvent};
use onramp_tcp::Flags;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Packets that are kept of a case.
pub const MAX_PACKETS: usize = 200_000;
/// The part of them for dropped packets and retransmissions.
const MAX_NOTABLE: usize = 50_000;

/// A time that does not come, or not yet.
const NEVER: u64 = u64::MAX;
/// The link of a packet that was not dropped.
const NO_LINK: u8 = u8::MAX;

/// One packet.
#[derive(Clone, Copy, Debug)]
struct Packet {
    /// Its number among all packets of the run.
    number: u64,
    /// Its number among those of its flow and direction, by which packets are thinned.
    ordinal: u64,
    sent_ns: u64,
    entered_ns: u64,
    served_ns: u64,
    departed_ns: u64,
    arrived_ns: u64,
    dropped_ns: u64,
    start_byte: f64,
    flow: u32,
    bytes: u32,
    payload_bytes: u32,
    kind: u8,
    drop_reason: u8,
    drop_link: u8,
    /// It is on the drawn path.
    is_drawn: bool,
}

/// `PacketKind` of types.ts.
const DATA: u8 = 0;
const RETRANSMISSION: u8 = 1;
const ACK: u8 = 2;
const DATAGRAM: u8 = 3;
const CONTROL: u8 = 4;

/// All packets of a run.
#[derive(Debug)]
pub(super) struct Packets {
    /// The packets in the network, by their slots.
    open: Vec<Option<Packet>>,
    usual: Thinned,
    notable: Thinned,
    sent: u64,
    sent_of_flows: HashMap<(u32, Direction), u64>,
    /// Flows whose packets are kept wherever they are.
    measured: BTreeSet<u32>,
    /// Places of flows' data in their sequence numbers, for ACKs.
    streams: HashMap<u32, Stream>,
}

/// Packets of which only some are kept.
#[derive(Debug)]
struct Thinned {
    packets: Vec<Packet>,
    max: usize,
    /// One of this many is kept.
    interval: u64,
}

impl Default for Packets {
    fn default() -> Packets {
        Packets {
            open: Vec::new(),
            usual: Thinned::new(MAX_PACKETS - MAX_NOTABLE),
            notable: Thinned::new(MAX_NOTABLE),
            sent: 0,
            sent_of_flows: HashMap::new(),
            measured: BTreeSet::new(),
            streams: HashMap::new(),
        }
    }
}

impl Thinned {
    fn new(max: usize) -> Thinned {
        Thinned {
            packets: Vec::new(),
            max,
            interval: 1,
        }
    }

    fn keeps(&self, packet: &Packet) -> bool {
        // Short flows keep different packets.
        (packet.ordinal + u64::from(packet.flow)).is_multiple_of(self.interval)
    }

    fn push(&mut self, packet: Packet) {
        if !self.keeps(&packet) {
            return;
        }
        while self.packets.len() >= self.max {
            self.interval *= 2;
            let interval = self.interval;
            self.packets
                .retain(|kept| (kept.ordinal + u64::from(kept.flow)).is_multiple_of(interval));
        }
        if self.keeps(&packet) {
            self.packets.push(packet);
        }
    }
}

/// The sequence numbers of a sender.
#[derive(Clone, Copy, Debug)]
struct Stream {
    /// Sequence number of the first byte.
    first_seq: u32,
    /// The highest cumulative acknowledgement so far, as a place in the stream.
    acked: u64,
}

impl Packets {
    /// The packets of this flow are kept on all links.
    pub fn measure(&mut self, flow: u32) {
        self.measured.insert(flow);
    }

    pub fn sent(&mut self, event: &PacketEvent<'_>) {
        let ordinal = self
            .sent_of_flows
            .entry((event.flow, event.direction))
            .or_default();
        let packet = Packet {
            number: self.sent,
            ordinal: *ordinal,
            sent_ns: event.time_ns,
            entered_ns: NEVER,
            served_ns: NEVER,
            departed_ns: NEVER,
            arrived_ns: NEVER,
            dropped_ns: NEVER,
            start_byte: f64::NAN,
            flow: event.flow,
            bytes: event.wire_bytes,
            payload_bytes: event.segment.payload_bytes,
            kind: kind(event),
            drop_reason: 0,
            drop_link: NO_LINK,
            is_drawn: self.measured.contains(&event.flow),
        };
        *ordinal += 1;
        self.sent += 1;
        let start_byte = self.start_byte(event, packet.kind);
        let slot = event.slot as usize;
        if self.open.len() <= slot {
            self.open.resize(slot + 1, None);
        }
        self.open[slot] = Some(Packet {
            start_byte,
            ..packet
        });
    }

    /// The place in the stream of what a packet carries or acknowledges.
    fn start_byte(&mut self, event: &PacketEvent<'_>, kind: u8) -> f64 {
        let segment = event.segment;
        match kind {
            DATA | RETRANSMISSION => event.stream_start as f64,
            CONTROL => {
                if segment.flags.has(Flags::SYN) {
                    let stream = Stream {
                        first_seq: segment.seq.wrapping_add(1),
                        acked: 0,
                    };
                    self.streams.insert(event.flow, stream);
                }
                f64::NAN
            }
            ACK if segment.flags.has(Flags::ACK) => {
                let Some(stream) = self.streams.get_mut(&event.flow) else {
                    return f64::NAN;
                };
                // Sequence numbers wrap: the place is the possible one nearest to the last.
                let expected = stream.first_seq.wrapping_add(stream.acked as u32);
                let ahead = i64::from(segment.ack.wrapping_sub(expected) as i32);
                let Some(place) = stream.acked.checked_add_signed(ahead) else {
                    return f64::NAN;
                };
                stream.acked = stream.acked.max(place);
                place as f64
            }
            _ => f64::NAN,
        }
    }

    fn open(&mut self, event: &PacketEvent<'_>) -> Option<&mut Packet> {
        self.open.get_mut(event.slot as usize)?.as_mut()
    }

    pub fn entered(&mut self, event: &PacketEvent<'_>) {
        if let Some(packet) = self.open(event) {
            packet.entered_ns = event.time_ns;
            packet.is_drawn = true;
        }
    }

    pub fn served(&mut self, event: &PacketEvent<'_>) {
        if let Some(packet) = self.open(event) {
            packet.served_ns = event.time_ns;
        }
    }

    pub fn departed(&mut self, event: &PacketEvent<'_>) {
        if let Some(packet) = self.open(event) {
            packet.departed_ns = event.time_ns;
        }
    }

    /// A link drops it. `place` is that of the link on the path, if it is there.
    pub fn dropped(
        &mut self,
        place: Option<u8>,
        is_drawn: bool,
        why: DropReason,
        event: &PacketEvent<'_>,
    ) {
        if let Some(packet) = self.open(event) {
            packet.dropped_ns = event.time_ns;
            packet.drop_reason = reason(why);
            packet.drop_link = place.unwrap_or(NO_LINK);
            packet.is_drawn |= is_drawn;
            self.close(event.slot);
        }
    }

    pub fn arrived(&mut self, event: &PacketEvent<'_>) {
        if let Some(packet) = self.open(event) {
            packet.arrived_ns = event.time_ns;
            self.close(event.slot);
        }
    }

    fn close(&mut self, slot: u32) {
        let Some(packet) = self.open[slot as usize].take() else {
            return;
        };
        if !packet.is_drawn {
            return;
        }
        match packet.kind == RETRANSMISSION || packet.dropped_ns != NEVER {
            true => self.notable.push(packet),
            false => self.usual.push(packet),
        }
    }

    /// The packets in the order in which they were sent, the interval of thinning, and the numbers
    /// of the flows to which they refer.
    pub fn into_table(mut self) -> (Table, u64, Vec<u32>) {
        for slot in 0..self.open.len() as u32 {
            self.close(slot);
        }
        let interval = self.usual.interval.max(self.notable.interval);
        let mut all = self.usual.packets;
        all.append(&mut self.notable.packets);
        all.sort_unstable_by_key(|packet| packet.number);
        let flows: BTreeSet<u32> = all.iter().map(|packet| packet.flow).collect();
        let flows: Vec<u32> = flows.into_iter().collect();
        let places: BTreeMap<u32, u32> = flows.iter().copied().zip(0..).collect();
        let times = |of: fn(&Packet) -> u64| {
            let seconds = |time_ns| match time_ns {
                NEVER => f64::NAN,
                _ => time_ns as f64 / 1e9,
            };
            Column::F64(all.iter().map(|packet| seconds(of(packet))).collect())
        };
        let words = |of: &dyn Fn(&Packet) -> u32| Column::U32(all.iter().map(of).collect());
        let bytes = |of: fn(&Packet) -> u8| Column::U8(all.iter().map(of).collect());
        let table = Table::new(vec![
            ("sentS", times(|packet| packet.sent_ns)),
            ("enteredS", times(|packet| packet.entered_ns)),
            ("servedS", times(|packet| packet.served_ns)),
            ("departedS", times(|packet| packet.departed_ns)),
            ("arrivedS", times(|packet| packet.arrived_ns)),
            ("droppedS", times(|packet| packet.dropped_ns)),
            ("dropReason", bytes(|packet| packet.drop_reason)),
            ("dropLink", bytes(|packet| packet.drop_link)),
            ("flow", words(&|packet| places[&packet.flow])),
            ("kind", bytes(|packet| packet.kind)),
            ("bytes", words(&|packet| packet.bytes)),
            (
                "startByte",
                Column::F64(all.iter().map(|packet| packet.start_byte).collect()),
            ),
            ("payloadBytes", words(&|packet| packet.payload_bytes)),
        ]);
        (table, interval, flows)
    }
}

fn kind(event: &PacketEvent<'_>) -> u8 {
    match event.direction {
        Direction::Ack => ACK,
        Direction::Datagram => DATAGRAM,
        Direction::Data if event.retransmission => RETRANSMISSION,
        Direction::Data if event.segment.payload_bytes > 0 => DATA,
        Direction::Data => CONTROL,
    }
}

/// The index in `DROP_REASONS` of types.ts.
fn reason(why: DropReason) -> u8 {
    match why {
        DropReason::QueueFull => 1,
        DropReason::Early => 2,
        DropReason::Evicted => 3,
        DropReason::Thinned => 4,
        DropReason::Random => 5,
        DropReason::Policer => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinned_packets_are_those_of_every_flow() {
        let mut thinned = Thinned::new(100);
        let blank = Packet {
            number: 0,
            ordinal: 0,
            sent_ns: 0,
            entered_ns: NEVER,
            served_ns: NEVER,
            departed_ns: NEVER,
            arrived_ns: NEVER,
            dropped_ns: NEVER,
            start_byte: 0.0,
            flow: 0,
            bytes: 0,
            payload_bytes: 0,
            kind: DATA,
            drop_reason: 0,
            drop_link: NO_LINK,
            is_drawn: true,
        };
        for number in 0..10_000 {
            let flow = (number % 2) as u32;
            thinned.push(Packet {
                number,
                ordinal: number / 2,
                flow,
                ..blank
            });
        }
        assert!(thinned.packets.len() <= 100);
        for flow in 0..2 {
            let of_flow = thinned.packets.iter().filter(|packet| packet.flow == flow);
            let numbers: Vec<u64> = of_flow.map(|packet| packet.ordinal).collect();
            assert!(numbers.len() >= 20, "{numbers:?}");
            let gaps = numbers.windows(2).map(|pair| pair[1] - pair[0]);
            assert!(gaps.into_iter().all(|gap| gap == thinned.interval));
        }
    }

    #[test]
    fn many_short_flows_are_thinned_too() {
        let mut packets = Packets::default();
        let segment = onramp_tcp::Segment::default();
        for flow in 0..1_000_000 {
            packets.measure(flow);
            let event = PacketEvent {
                time_ns: u64::from(flow),
                flow,
                direction: Direction::Datagram,
                segment: &segment,
                stream_start: 0,
                retransmission: false,
                dscp: Default::default(),
                wire_bytes: 100,
                slot: 0,
            };
            packets.sent(&event);
            packets.arrived(&event);
        }
        let (table, interval, _) = packets.into_table();
        assert!(table.rows() <= MAX_PACKETS && table.rows() > 50_000);
        assert_eq!(interval, 8);
    }
}
