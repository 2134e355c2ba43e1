//! A transfer of five segments as observers see it, written by hand: the second one is dropped, and
//! sent again.

use crate::case_trace::CaseTrace;
use crate::format::Format;
use crate::output::{Output, Place};
use onramp_scenario::Case;
use onramp_sim::observe::{Direction, DropReason, FlowStart, Observer, PacketEvent};
use onramp_tcp::{Config, Connection, Flags, Options, SackBlocks, Segment, Stack};
use std::fs;

const SCENARIO: &str =
    "name = \"short\"\n[path]\nrate = \"10 Mbit/s\"\nrtt = \"20 ms\"\n[[transfer]]\nsize = \"500 B\"\n";
/// Initial sequence numbers of the sender and the receiver.
const ISNS: [u32; 2] = [u32::MAX - 100, 7000];
const MS: u64 = 1_000_000;

/// The run goes on in one place.
struct Script {
    trace: CaseTrace,
    sender: Connection,
}

impl Script {
    fn sight(
        &self,
        time_ns: u64,
        direction: Direction,
        segment: &Segment,
        see: impl FnOnce(&PacketEvent<'_>),
    ) {
        let first = ISNS[usize::from(direction == Direction::Ack)].wrapping_add(1);
        see(&PacketEvent {
            time_ns,
            flow: 0,
            direction,
            segment,
            stream_start: u64::from(segment.seq.wrapping_sub(first)),
            retransmission: direction == Direction::Data && time_ns > 50 * MS,
            dscp: Default::default(),
            wire_bytes: segment.wire_bytes(),
        });
    }

    /// A segment of the receiver reaches the sender, which acts.
    fn heard(&mut self, time_ms: u64, segment: Segment) {
        let mut trace = std::mem::replace(&mut self.trace, CaseTrace::idle());
        self.sight(time_ms * MS, Direction::Ack, &segment, |packet| {
            trace.arrived(packet)
        });
        trace.sender_acted(time_ms * MS, 0, &self.sender);
        self.trace = trace;
    }

    /// The sender sends a segment, and the link takes it or drops it.
    fn sends(&mut self, time_ms: u64, segment: Segment, dropped: Option<DropReason>) {
        let mut trace = std::mem::replace(&mut self.trace, CaseTrace::idle());
        self.sight(time_ms * MS, Direction::Data, &segment, |packet| {
            trace.sent(packet);
            match dropped {
                Some(why) => trace.dropped(0, why, packet),
                None => trace.entered(0, packet),
            }
        });
        self.trace = trace;
    }
}

fn script(trace: CaseTrace) -> CaseTrace {
    let options = Options {
        mss: Some(1460),
        window_scale: Some(3),
        sack_permitted: true,
        ..Options::default()
    };
    let syn = Segment {
        seq: ISNS[1],
        window: 1000,
        flags: Flags::SYN,
        options,
        ..Segment::default()
    };
    let config = Config {
        isn: ISNS[0],
        ..Config::of(Stack::Linux, 1500)
    };
    let sender = Connection::accept(config, 10 * MS, &syn);
    let mut script = Script { trace, sender };
    let (time_ns, flow, from, to) = (0, 0, 0, 1);
    script.trace.flow_started(&FlowStart {
        time_ns,
        flow,
        transfer: flow,
        lane: 0,
        hop: 0,
        traffic: None,
        measured: true,
        from,
        to,
        bottleneck: 0,
    });
    script.heard(10, syn);
    let flags = Flags::SYN.with(Flags::ACK);
    let syn = Segment {
        seq: ISNS[0],
        ack: ISNS[1] + 1,
        window: 2000,
        flags,
        options,
        ..Segment::default()
    };
    script.sends(10, syn, None);
    let ack = |place: u32, sack: &[(u32, u32)]| {
        let number = |place: u32| ISNS[0].wrapping_add(1 + place);
        let mut blocks = SackBlocks::default();
        sack.iter()
            .for_each(|(left, right)| assert!(blocks.push(number(*left), number(*right))));
        let options = Options {
            sack: blocks,
            ..Options::default()
        };
        let (seq, ack, window) = (ISNS[1] + 1, number(place), 125);
        Segment {
            seq,
            ack,
            window,
            flags: Flags::ACK,
            options,
            ..Segment::default()
        }
    };
    let data = |place: u32| {
        let (seq, ack, payload_bytes) = (ISNS[0].wrapping_add(1 + place), ISNS[1] + 1, 100);
        let last = if place == 400 { Flags::FIN } else { Flags::ACK };
        Segment {
            seq,
            ack,
            payload_bytes,
            window: 500,
            flags: Flags::ACK.with(last),
            ..Segment::default()
        }
    };
    script.heard(30, ack(0, &[]));
    for (number, dropped) in (0..).zip([
        None,
        Some(DropReason::QueueFull),
        None,
        None,
        Some(DropReason::Evicted),
    ]) {
        script.sends(30 + u64::from(number), data(100 * number), dropped);
    }
    script.heard(50, ack(100, &[]));
    script.heard(52, ack(100, &[(200, 300)]));
    script.heard(53, ack(100, &[(200, 400)]));
    script.sends(54, data(100), None);
    script.heard(74, ack(400, &[]));
    script.trace.flow_ended(80 * MS, 0);
    script.trace
}

/// Names and bytes of the files.
pub(crate) fn written_bytes(formats: &[Format], most_entries: u64) -> Vec<(String, Vec<u8>)> {
    let dir = tempfile::tempdir().unwrap();
    let scenario =
        onramp_scenario::parse("short.toml", SCENARIO).unwrap_or_else(|error| panic!("{error:?}"));
    let case: &Case = &scenario.cases[0];
    let place = Place {
        directory: dir.path().to_owned(),
        stem: "case-1".to_owned(),
        most_entries,
    };
    let trace = script(CaseTrace::new(formats, case, &place));
    let read = |mut output: Output| {
        output.close().unwrap();
        (output.name, fs::read(output.path).unwrap())
    };
    trace.finish().0.into_iter().map(read).collect()
}

/// The same of formats that are text.
pub(crate) fn written(formats: &[Format], most_entries: u64) -> Vec<(String, String)> {
    let files = written_bytes(formats, most_entries).into_iter();
    files
        .map(|(name, bytes)| (name, String::from_utf8(bytes).unwrap()))
        .collect()
}
