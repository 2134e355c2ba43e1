//! Figure 5: the first second of a connection, packet by packet (section 4.2.1).

use super::setup::{flow, ledger, origin_s};
use crate::{Bench, Crossing, Error, Figure, Measured, Run, Settings, Watch};
use onramp_core::pairs::FIRST;
use onramp_plot::ladder::{draw_ladder, Ladder, LadderMarks, Rung, RungKind};
use onramp_tcp::{Flags, Segment};

const LADDER: &str = include_str!("ladder.toml");

/// Period of the receiver's heartbeat.
const HEARTBEAT_S: f64 = 0.2;
/// The time that figure 5 shows.
const SHOWN_S: f64 = 1.0;
/// A time between the last paced segment of figure 5 and the next one, an interval later.
const LAST_PACED_S: f64 = 0.92;
/// An ACK that left later than this after its data had arrived was delayed.
const AT_ONCE_S: f64 = 0.001;

/// The measurements of one run. Times count from when the sender could send.
struct Answer {
    /// Packets of the first second.
    packets: Vec<Crossing>,
    /// When pairs left.
    pairs_s: Vec<f64>,
    /// When single segments left, once an interval had been reported.
    paced_s: Vec<f64>,
    /// When delayed ACKs left.
    delayed_s: Vec<f64>,
    /// The first interval that was reported.
    interval_ns: f64,
    /// Sequence number of the first byte, and payload size of a segment.
    first_seq: u32,
    segment_bytes: u32,
}

/// Whether this ACK was delayed.
fn is_delayed(ack: &Crossing, packets: &[Crossing]) -> bool {
    let ends_there = |data: &&Crossing| {
        data.from_sender
            && data.segment.seq.wrapping_add(data.segment.payload_bytes) == ack.segment.ack
    };
    let arrived_s = packets
        .iter()
        .find(ends_there)
        .and_then(|data| data.arrived_s);
    arrived_s.is_some_and(|arrived_s| ack.sent_s - arrived_s > AT_ONCE_S)
}

fn answer(run: &Run<'_>) -> Answer {
    let flow = flow(run);
    let begin_s = origin_s(flow);
    let since = |packet: &Crossing| Crossing {
        sent_s: packet.sent_s - begin_s,
        arrived_s: packet.arrived_s.map(|arrived_s| arrived_s - begin_s),
        ..*packet
    };
    let shown = |packet: &Crossing| (0.0..=SHOWN_S).contains(&packet.sent_s);
    let packets: Vec<Crossing> = flow.packets.iter().map(since).filter(shown).collect();
    let mark = |packet: &Crossing| packet.segment.options.pairs.mark.map(|mark| mark.kind);
    let reported = packets
        .iter()
        .find_map(|packet| Some((packet.arrived_s?, packet.segment.options.pairs.reply?)));
    let reported_s = reported.map_or(f64::INFINITY, |(arrived_s, _)| arrived_s);
    let sent = |chosen: &dyn Fn(&Crossing) -> bool| -> Vec<f64> {
        packets
            .iter()
            .filter(|packet| packet.is_data() && chosen(packet))
            .map(|packet| packet.sent_s)
            .collect()
    };
    let delayed = packets
        .iter()
        .filter(|packet| !packet.from_sender && is_delayed(packet, &packets));
    let first = packets
        .iter()
        .find(|packet| packet.is_data())
        .map(|packet| packet.segment)
        .unwrap_or_default();
    Answer {
        first_seq: first.seq,
        segment_bytes: first.payload_bytes.max(1),
        pairs_s: sent(&|packet| mark(packet) == Some(FIRST)),
        paced_s: sent(&|packet| mark(packet).is_none() && packet.sent_s >= reported_s),
        delayed_s: delayed.map(|packet| packet.sent_s).collect(),
        interval_ns: reported.map_or(f64::NAN, |(_, reply)| f64::from(reply.interval_ns)),
        packets,
    }
}

/// One seed's run, started so that the connection begins with a heartbeat, as in figure 5. The
/// phase of the ticks is random.
fn with_heartbeat(bench: &Bench<'_>, seed: usize) -> Result<Answer, Error> {
    let run = |settings: &Settings| {
        bench.run_seed(LADDER, settings, seed, &Watch::with_packets(), |run| {
            answer(&run)
        })
    };
    let first = run(&Settings::default())?;
    let late_s = first
        .delayed_s
        .first()
        .map_or(0.0, |delayed_s| delayed_s % HEARTBEAT_S);
    run(&Settings::of([(
        "transfer.start",
        format!("{:.0} ns", late_s * 1e9),
    )]))
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let answers = (0..bench.seeds())
        .map(|seed| with_heartbeat(bench, seed))
        .collect::<Result<Vec<_>, _>>()?;
    let nth = |times: fn(&Answer) -> &[f64], index: usize| -> Vec<f64> {
        answers
            .iter()
            .map(|answer| times(answer).get(index).copied().unwrap_or(f64::NAN))
            .collect()
    };
    // Figure 5 has three paced segments after the third pair.
    let after_third = |index: usize| -> Vec<f64> {
        let later = |answer: &Answer| {
            let third_s = answer.pairs_s.get(2).copied().unwrap_or(f64::INFINITY);
            answer
                .paced_s
                .iter()
                .copied()
                .filter(|paced_s| *paced_s > third_s)
                .nth(index)
                .unwrap_or(f64::NAN)
        };
        answers.iter().map(later).collect()
    };

    let mut measured = Measured::default();
    for pair in 0..3 {
        measured.numbers(
            format!("N.fig5.pair.{}", pair + 1),
            nth(|answer| &answer.pairs_s, pair),
        );
    }
    measured.numbers(
        "N.fig5.interval",
        answers.iter().map(|answer| answer.interval_ns / 1e6),
    );
    measured.numbers("N.fig5.paced.1", nth(|answer| &answer.paced_s, 0));
    for paced in 0..3 {
        measured.numbers(format!("N.fig5.paced.{}", paced + 2), after_third(paced));
    }
    let paced = |answer: &Answer| {
        answer
            .paced_s
            .iter()
            .filter(|paced_s| **paced_s < LAST_PACED_S)
            .count() as f64
    };
    measured.numbers("N.fig5.paced.count", answers.iter().map(paced));
    for delayed in 0..2 {
        measured.numbers(
            format!("N.fig5.delayed.{}", delayed + 1),
            nth(|answer| &answer.delayed_s, delayed),
        );
    }
    if bench.draws() {
        measured.figures = answers.first().map(figure).into_iter().collect();
    }
    Ok(measured)
}

/// The times that the paper's text has for figure 5.
fn paper_times() -> LadderMarks {
    let ledger = ledger();
    let times = |rows: &[&str]| {
        let rows = rows
            .iter()
            .map(|row| ledger.number(&format!("N.fig5.{row}")));
        rows.collect::<Vec<f64>>()
    };
    let pairs = ["pair.1", "pair.2", "pair.3"];
    let paced = ["paced.1", "paced.2", "paced.3", "paced.4"];
    LadderMarks {
        label: "paper".to_owned(),
        left_s: times(&[&pairs[..], &paced[..]].concat()),
        right_s: times(&["delayed.1", "delayed.2"]),
    }
}

/// Figure 5 from the packets of the first seed's run.
fn figure(answer: &Answer) -> Figure {
    let rung = |packet: &Crossing| {
        let Segment {
            payload_bytes,
            ack,
            options,
            ..
        } = packet.segment;
        let is_data = packet.is_data();
        let mark = options
            .pairs
            .mark
            .map(|mark| format!("pair {}.{}", mark.id, mark.kind));
        let reply = options
            .pairs
            .reply
            .map(|reply| format!("reply {}: {} ms", reply.id, reply.interval_ns / 1_000_000));
        let kind = match is_data {
            true if mark.is_some() => RungKind::Pair,
            true if answer.paced_s.contains(&packet.sent_s) => RungKind::Paced,
            true => RungKind::Data,
            false if is_delayed(packet, &answer.packets) => RungKind::DelayedAck,
            false => RungKind::Ack,
        };
        let what = match is_data {
            true => format!(
                "segment {}",
                packet.stream_start / u64::from(payload_bytes) + 1
            ),
            false => format!(
                "ACK {}",
                ack.wrapping_sub(answer.first_seq) / answer.segment_bytes
            ),
        };
        let text = [Some(what), mark, reply]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", ");
        Rung {
            from_left: packet.from_sender,
            sent_s: packet.sent_s,
            arrived_s: packet.arrived_s,
            text,
            kind,
        }
    };
    let of_data = |packet: &&Crossing| {
        !packet.segment.flags.has(Flags::SYN) && (!packet.from_sender || packet.is_data())
    };
    let ladder = Ladder {
        left: "sender".to_owned(),
        right: "receiver".to_owned(),
        rungs: answer.packets.iter().filter(of_data).map(rung).collect(),
        marks: paper_times(),
    };
    ledger().figure("figure-5", |plot| {
        draw_ladder(&plot.title, &ladder, 0.0, SHOWN_S)
    })
}
