//! A transfer of five segments as observers see it, written by hand. The second segment is dropped
//! and retransmitted; the queue evicts the last one.

use crate::case_trace::CaseTrace;
use crate::format::Format;
use crate::output::{CaseFiles, Output};
use onramp_scenario::Case;
use onramp_sim::observe::{Direction, DropReason, FlowStart, Observer, PacketEvent};
use onramp_tcp::{Config, Connection, Flags, IpVersion, Options, SackBlocks, Segment, Stack};
use std::fs;

const SCENARIO: &str = "name = \"short\"\n[path]\nrate = \"10 Mbit/s\"\nrtt = \"20 ms\"\n\
                        [[transfer]]\nsize = \"500 B\"\n";
/// Initial sequence numbers of the sender and the receiver.
const ISNS: [u32; 2] = [u32::MAX - 100, 7000];
const MS: u64 = 1_000_000;

/// The state of the script: the observer and the sender.
struct Script {
    trace: CaseTrace,
    sender: Connection,
}

impl Script {
    /// Passes a segment to an observer.
    fn packet_event(
        &self,
        time_ns: u64,
        direction: Direction,
        segment: &Segment,
        observe: impl FnOnce(&PacketEvent<'_>),
    ) {
        let first = ISNS[usize::from(direction == Direction::Ack)].wrapping_add(1);
        observe(&PacketEvent {
            time_ns,
            flow: 0,
            direction,
            segment,
            stream_start: u64::from(segment.seq.wrapping_sub(first)),
            retransmission: direction == Direction::Data && time_ns > 50 * MS,
            dscp: Default::default(),
            wire_bytes: segment.wire_bytes(IpVersion::V4),
            slot: 0,
        });
    }

    /// A segment of the receiver reaches the sender, which processes it.
    fn sender_receives(&mut self, time_ms: u64, segment: Segment) {
        let mut trace = std::mem::replace(&mut self.trace, CaseTrace::idle());
        self.packet_event(time_ms * MS, Direction::Ack, &segment, |packet| {
            trace.arrived(packet)
        });
        trace.sender_acted(time_ms * MS, 0, &self.sender);
        self.trace = trace;
    }

    /// The sender sends a segment. The link accepts or drops it.
    fn sender_sends(&mut self, time_ms: u64, segment: Segment, dropped: Option<DropReason>) {
        let mut trace = std::mem::replace(&mut self.trace, CaseTrace::idle());
        self.packet_event(time_ms * MS, Direction::Data, &segment, |packet| {
            trace.sent(packet);
            match dropped {
                Some(why) => trace.dropped(0, why, packet),
                None => trace.entered(0, packet),
            }
        });
        self.trace = trace;
    }
}

/// The options of both SYNs.
fn syn_options() -> Options {
    Options {
        mss: Some(1460),
        window_scale: Some(3),
        sack_permitted: true,
        ..Options::default()
    }
}

/// The sender's sequence number of an offset in the stream.
fn sequence(offset: u32) -> u32 {
    ISNS[0].wrapping_add(1 + offset)
}

/// A data segment of 100 bytes; the last one has the FIN.
fn data(offset: u32) -> Segment {
    let last = if offset == 400 {
        Flags::FIN
    } else {
        Flags::ACK
    };
    Segment {
        seq: sequence(offset),
        ack: ISNS[1] + 1,
        payload_bytes: 100,
        window: 500,
        flags: Flags::ACK.with(last),
        ..Segment::default()
    }
}

/// An ACK of all bytes before an offset, with these SACK blocks.
fn ack(offset: u32, sack: &[(u32, u32)]) -> Segment {
    let mut blocks = SackBlocks::default();
    sack.iter()
        .for_each(|(left, right)| assert!(blocks.push(sequence(*left), sequence(*right))));
    Segment {
        seq: ISNS[1] + 1,
        ack: sequence(offset),
        window: 125,
        flags: Flags::ACK,
        options: Options {
            sack: blocks,
            ..Options::default()
        },
        ..Segment::default()
    }
}

/// The SYN of the receiver, which opens the connection.
fn syn() -> Segment {
    Segment {
        seq: ISNS[1],
        window: 1000,
        flags: Flags::SYN,
        options: syn_options(),
        ..Segment::default()
    }
}

/// The answer of the sender.
fn syn_ack() -> Segment {
    Segment {
        seq: ISNS[0],
        ack: ISNS[1] + 1,
        window: 2000,
        flags: Flags::SYN.with(Flags::ACK),
        options: syn_options(),
        ..Segment::default()
    }
}

fn script(mut trace: CaseTrace) -> CaseTrace {
    let config = Config {
        isn: ISNS[0],
        ..Config::of(Stack::Linux, 1500)
    };
    let sender = Connection::accept(config, 10 * MS, &syn());
    trace.flow_started(&FlowStart {
        time_ns: 0,
        flow: 0,
        transfer: 0,
        lane: 0,
        hop: 0,
        traffic: None,
        measured: true,
        from: 0,
        to: 1,
        ip: IpVersion::V4,
        bottleneck: 0,
    });
    let mut script = Script { trace, sender };
    script.sender_receives(10, syn());
    script.sender_sends(10, syn_ack(), None);
    script.sender_receives(30, ack(0, &[]));
    let drops = [
        None,
        Some(DropReason::QueueFull),
        None,
        None,
        Some(DropReason::Evicted),
    ];
    for (number, dropped) in (0..).zip(drops) {
        script.sender_sends(30 + u64::from(number), data(100 * number), dropped);
    }
    script.sender_receives(50, ack(100, &[]));
    script.sender_receives(52, ack(100, &[(200, 300)]));
    script.sender_receives(53, ack(100, &[(200, 400)]));
    script.sender_sends(54, data(100), None);
    script.sender_receives(74, ack(400, &[]));
    script.trace.flow_ended(80 * MS, 0);
    script.trace
}

/// Names and bytes of the files.
pub(crate) fn written_bytes(formats: &[Format], max_entries: u64) -> Vec<(String, Vec<u8>)> {
    let dir = tempfile::tempdir().unwrap();
    let scenario =
        onramp_scenario::parse("short.toml", SCENARIO).unwrap_or_else(|error| panic!("{error:?}"));
    let case: &Case = &scenario.cases[0];
    let files = CaseFiles {
        directory: Some(dir.path().to_owned()),
        stem: "case-1".to_owned(),
        max_entries,
    };
    let trace = script(CaseTrace::new(formats, case, &files));
    let read = |mut output: Output| {
        output.close().unwrap();
        (output.name, fs::read(output.path.unwrap()).unwrap())
    };
    trace.finish().0.into_iter().map(read).collect()
}

/// Names and contents of the files of text formats.
pub(crate) fn written(formats: &[Format], max_entries: u64) -> Vec<(String, String)> {
    let files = written_bytes(formats, max_entries).into_iter();
    files
        .map(|(name, bytes)| (name, String::from_utf8(bytes).unwrap()))
        .collect()
}
