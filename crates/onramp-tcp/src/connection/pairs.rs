//! Packet pairs of a connection whose two ends know them (Nishida et al., sections 4.1.2 and
//! 4.2.1): pairs of data that are sent, pairs of the peer that are measured and answered, and
//! acknowledgements that are pairs themselves.

use super::Connection;
use crate::choice::PacketPair;
use crate::connection::sender::Half;
use crate::{Config, PairOptions, Segment};
use onramp_core::pairs::{Counts, Form, Meter, PairOption, Probe, FIRST, PERMITTED};

/// An acknowledgement waits for at most so many segments beyond the second: "every three or four
/// packet arrival".
const MOST_STRETCH_SEGMENTS: u32 = 2;

/// What is kept of them.
#[derive(Debug)]
pub struct Pairs {
    form: Form,
    /// The first segment of a pair is acknowledged at once too.
    at_once: bool,
    /// Our acknowledgements are pairs too.
    probes: bool,
    probe: Probe,
    /// Of the last pair with an even number, and of the last with an odd one: it was
    /// acknowledgements alone.
    is_of_acks: [bool; 2],
    meter: Meter,
    pub counts: Counts,
    /// What the peer has not been told yet.
    reply: Option<PairOption>,
    /// The next acknowledgement alone is this half of a pair.
    ack_half: Option<Half>,
    /// What was measured of the peer's last pair.
    forward_ns: Option<u32>,
}

/// What an end offers on its SYN.
pub fn offered(config: &Config) -> PairOptions {
    match config.packet_pair {
        PacketPair::None => PairOptions::default(),
        PacketPair::Answer | PacketPair::AnswerAtOnce | PacketPair::Probe => {
            PairOptions::marked(config.pair_form, PairOption::of(PERMITTED, 0))
        }
    }
}

/// Do both know them?
pub fn agreed(config: &Config, syn: &Segment) -> bool {
    let theirs = &syn.options.pairs;
    config.packet_pair != PacketPair::None
        && theirs.form == Some(config.pair_form)
        && theirs.mark.is_some_and(|mark| mark.kind == PERMITTED)
}

/// Room that every segment leaves for them: a reply, the longest, or a mark.
pub fn reserved_bytes(form: Form) -> u32 {
    PairOption::reply(0, 0).wire_bytes(form).next_multiple_of(4)
}

impl Pairs {
    pub fn new(config: &Config) -> Pairs {
        Pairs {
            form: config.pair_form,
            at_once: matches!(
                config.packet_pair,
                PacketPair::AnswerAtOnce | PacketPair::Probe
            ),
            probes: config.packet_pair == PacketPair::Probe,
            probe: Probe::default(),
            is_of_acks: [false; 2],
            meter: Meter::default(),
            counts: Counts::default(),
            reply: None,
            ack_half: None,
            forward_ns: None,
        }
    }

    /// The options of a data segment, from a sequence number to before another.
    pub fn of_data(&mut self, half: Option<Half>, now_ns: u64, seq: u32, end: u32) -> PairOptions {
        let mark = match half {
            Some(Half::First) => Some(self.probe.send_first(now_ns, end)),
            Some(Half::Second) => self.send_second(now_ns, seq, end, false),
            // The first of a train, or another of it.
            Some(Half::Train) => self
                .send_second(now_ns, seq, end, true)
                .or_else(|| Some(self.probe.send_first(now_ns, end))),
            None => None,
        };
        // There is room for one.
        let reply = if mark.is_none() {
            self.reply.take()
        } else {
            None
        };
        self.options(mark, reply)
    }

    /// The options of an acknowledgement alone, at this sequence number.
    pub fn of_acknowledgement(&mut self, now_ns: u64, seq: u32) -> PairOptions {
        let mark = match self.ack_half.take() {
            Some(Half::First) => Some(self.probe.send_first(now_ns, seq)),
            Some(Half::Second) => self.send_second(now_ns, seq, seq, false),
            // Acknowledgements are pairs.
            Some(Half::Train) | None => None,
        };
        let reply = self.reply.take();
        self.options(mark, reply)
    }

    fn send_second(
        &mut self,
        now_ns: u64,
        seq: u32,
        end: u32,
        is_train: bool,
    ) -> Option<PairOption> {
        let mark = self
            .probe
            .send_second(&mut self.counts, now_ns, seq, end, is_train)?;
        self.is_of_acks[usize::from(mark.id % 2)] = seq == end;
        Some(mark)
    }

    fn options(&self, mark: Option<PairOption>, reply: Option<PairOption>) -> PairOptions {
        let form = (mark.is_some() || reply.is_some()).then_some(self.form);
        PairOptions {
            form,
            mark,
            reply,
            malformed: 0,
        }
    }

    /// A half of a pair arrived. Is its acknowledgement to go at once?
    fn arrived(&mut self, mark: &PairOption, now_ns: u64, segment: &Segment) -> bool {
        let ignored = self.counts.ignored;
        let end = segment.seq.wrapping_add(segment.payload_bytes);
        let reply = self
            .meter
            .arrived(&mut self.counts, mark, now_ns, segment.seq, end);
        if self.counts.ignored > ignored {
            return false;
        }
        let is_replied = reply.is_some();
        if let Some(reply) = reply {
            self.forward_ns = Some(reply.interval_ns);
            // Whoever passes segments on without writing them passes on what a packet would say.
            self.reply = Some(reply.as_read(self.form));
        }
        let has_data = segment.payload_bytes > 0;
        if self.probes && has_data {
            self.ack_half = Some(if mark.kind == FIRST {
                Half::First
            } else {
                Half::Second
            });
        }
        has_data && (self.at_once || is_replied)
    }

    /// The segments beyond the second for which acknowledgements may wait, when theirs are so far
    /// apart: "in proportion to ratio of t1 to t2".
    fn stretch_segments(&self, reverse_ns: u32) -> u32 {
        let forward_ns = self.forward_ns.filter(|&forward_ns| forward_ns > 0);
        forward_ns.map_or(0, |forward_ns| {
            (reverse_ns / forward_ns)
                .saturating_sub(2)
                .min(MOST_STRETCH_SEGMENTS)
        })
    }
}

impl Connection {
    /// What became of packet pairs, where both ends know them.
    pub fn pair_counts(&self) -> Option<Counts> {
        self.pairs.as_ref().map(|pairs| pairs.counts)
    }

    /// The reply that an acceptable segment brings, and what could not be read.
    pub(super) fn on_pair_reply(&mut self, now_ns: u64, segment: &Segment) {
        let options = &segment.options.pairs;
        let Some(pairs) = self
            .pairs
            .as_mut()
            .filter(|pairs| options.form == Some(pairs.form))
        else {
            return;
        };
        pairs.counts.malformed += u32::from(options.malformed);
        let Some(reply) = &options.reply else { return };
        let clock = &self.sender.measurement;
        // The latest that it may be by this clock: a coarse one must not take what is true for a
        // lie.
        let now_ns = clock
            .current_time(now_ns)
            .saturating_add(clock.resolution_ns() - 1);
        let ignored = pairs.counts.ignored;
        let report = pairs
            .probe
            .replied(&mut pairs.counts, reply, now_ns, segment.ack);
        if pairs.counts.ignored > ignored {
            return;
        }
        match (pairs.is_of_acks[usize::from(reply.id % 2)], report) {
            (false, None) => {}
            (false, Some(report)) => self.sender.congestion.note_pair(report),
            // No further apart than they left: their way is as fast as that of the data.
            (true, None) => self.receiver.stretch_segments = 0,
            (true, Some(report)) => {
                self.receiver.stretch_segments = pairs.stretch_segments(report.interval_ns)
            }
        }
    }

    /// The half of a pair that an acceptable segment is.
    pub(super) fn on_pair_mark(&mut self, now_ns: u64, segment: &Segment) {
        let options = &segment.options.pairs;
        let Some(pairs) = self
            .pairs
            .as_mut()
            .filter(|pairs| options.form == Some(pairs.form))
        else {
            return;
        };
        let Some(mark) = &options.mark else { return };
        let now_ns = self.sender.measurement.current_time(now_ns);
        self.receiver.ack_now |= pairs.arrived(mark, now_ns, segment);
    }

    /// A segment that holds nothing new has them again, or one that is refused.
    pub(super) fn on_pair_again(&mut self, segment: &Segment) {
        let options = &segment.options.pairs;
        if let Some(pairs) = self
            .pairs
            .as_mut()
            .filter(|pairs| options.form == Some(pairs.form))
        {
            pairs.counts.malformed += u32::from(options.malformed);
            pairs.counts.ignored += options.iter().count() as u32;
        }
    }
}
