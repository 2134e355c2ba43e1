//! Packet pairs (Nishida et al., sections 4.1.2 and 4.2.1) of a connection whose two ends support
//! them: data sent as pairs, measurement of the peer's pairs and replies to them, and ACKs that are
//! themselves sent as pairs.

use super::Connection;
use crate::choice::PacketPair;
use crate::connection::sender::PairRole;
use crate::{Config, PairOptions, Segment};
use onramp_core::pairs::{Counts, Form, Meter, PairOption, Probe, FIRST, PERMITTED};

/// Maximum number of segments beyond the second for which an ACK may wait: "every three or four
/// packet arrival".
const MAX_STRETCH_SEGMENTS: u32 = 2;

/// Packet-pair state of one connection.
#[derive(Clone, Debug)]
pub struct Pairs {
    form: Form,
    /// The first segment of a pair is also acknowledged immediately.
    at_once: bool,
    /// Our ACKs are sent as pairs too.
    probes: bool,
    probe: Probe,
    /// Whether the last pair with an even number, and the last with an odd number, consisted of
    /// pure ACKs.
    was_ack_pair: [bool; 2],
    meter: Meter,
    pub counts: Counts,
    /// A measured reply that has not been sent to the peer yet.
    reply: Option<PairOption>,
    /// The next pure ACK is this half of a pair.
    next_ack_role: Option<PairRole>,
    /// Interval that was measured for the peer's last pair.
    forward_ns: Option<u32>,
}

/// The packet-pair options of our SYN.
pub fn offered(config: &Config) -> PairOptions {
    match config.packet_pair {
        PacketPair::None => PairOptions::default(),
        PacketPair::Answer | PacketPair::AnswerAtOnce | PacketPair::Probe => {
            PairOptions::marked(config.pair_form, PairOption::of(PERMITTED, 0))
        }
    }
}

/// Do both ends support packet pairs, in the same form?
pub fn negotiated(config: &Config, syn: &Segment) -> bool {
    let theirs = &syn.options.pairs;
    config.packet_pair != PacketPair::None
        && theirs.form == Some(config.pair_form)
        && theirs.mark.is_some_and(|mark| mark.kind == PERMITTED)
}

/// Option space that every segment reserves for one mark or one reply. A reply is the longest.
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
            was_ack_pair: [false; 2],
            meter: Meter::default(),
            counts: Counts::default(),
            reply: None,
            next_ack_role: None,
            forward_ns: None,
        }
    }

    /// The packet-pair options of a data segment that covers the sequence numbers `seq..end`.
    pub fn data_options(
        &mut self,
        pair_role: Option<PairRole>,
        now_ns: u64,
        seq: u32,
        end: u32,
    ) -> PairOptions {
        let mark = match pair_role {
            Some(PairRole::First) => Some(self.probe.send_first(now_ns, end)),
            Some(PairRole::Second) => self.send_second(now_ns, seq, end, false),
            // The segment starts a train or continues it.
            Some(PairRole::Train) => self
                .send_second(now_ns, seq, end, true)
                .or_else(|| Some(self.probe.send_first(now_ns, end))),
            None => None,
        };
        // There is room for one option only, and a mark cannot wait.
        let reply = if mark.is_none() {
            self.reply.take()
        } else {
            None
        };
        self.options(mark, reply)
    }

    /// The packet-pair options of a pure ACK with this sequence number.
    pub fn ack_options(&mut self, now_ns: u64, seq: u32) -> PairOptions {
        let mark = match self.next_ack_role.take() {
            Some(PairRole::First) => Some(self.probe.send_first(now_ns, seq)),
            Some(PairRole::Second) => self.send_second(now_ns, seq, seq, false),
            // ACKs are sent as pairs, not as trains.
            Some(PairRole::Train) | None => None,
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
        self.was_ack_pair[usize::from(mark.id % 2)] = seq == end;
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

    /// Handles half of a pair that arrived. Returns whether it must be acknowledged immediately.
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
            // A driver may pass on segments without writing packets. Give it the value that a
            // packet would carry.
            self.reply = Some(reply.as_read(self.form));
        }
        let has_data = segment.payload_bytes > 0;
        if self.probes && has_data {
            self.next_ack_role = Some(if mark.kind == FIRST {
                PairRole::First
            } else {
                PairRole::Second
            });
        }
        has_data && (self.at_once || is_replied)
    }

    /// The number of segments beyond the second for which an ACK may wait, if a pair of ACKs
    /// arrived at the peer `reverse_ns` apart: "in proportion to ratio of t1 to t2".
    fn stretch_segments(&self, reverse_ns: u32) -> u32 {
        let forward_ns = self.forward_ns.filter(|&forward_ns| forward_ns > 0);
        forward_ns.map_or(0, |forward_ns| {
            (reverse_ns / forward_ns)
                .saturating_sub(2)
                .min(MAX_STRETCH_SEGMENTS)
        })
    }
}

/// The packet pairs of a connection, if a segment's options have their form.
fn in_form<'a>(
    pairs: &'a mut Option<Box<Pairs>>,
    options: &PairOptions,
) -> Option<&'a mut Box<Pairs>> {
    let pairs = pairs.as_mut();
    pairs.filter(|pairs| options.form == Some(pairs.form))
}

impl Connection {
    /// Packet-pair counters; `None` unless both ends support packet pairs.
    pub fn pair_counts(&self) -> Option<Counts> {
        self.pairs.as_ref().map(|pairs| pairs.counts)
    }

    /// Handles the reply in an acceptable segment, and counts malformed options.
    pub(super) fn on_pair_reply(&mut self, now_ns: u64, segment: &Segment) {
        let options = &segment.options.pairs;
        let Some(pairs) = in_form(&mut self.pairs, options) else {
            return;
        };
        pairs.counts.malformed += u32::from(options.malformed);
        let Some(reply) = &options.reply else { return };
        let clock = &self.sender.measurement;
        // Use the latest time that this clock reading may stand for. Otherwise a coarse clock would
        // make a true reply look impossible.
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
        match (pairs.was_ack_pair[usize::from(reply.id % 2)], report) {
            (false, None) => {}
            (false, Some(report)) => self.sender.congestion.set_pair_report(report),
            // The ACKs arrived no further apart than they left, so the return path is as fast as
            // the forward path.
            (true, None) => self.receiver.stretch_segments = 0,
            (true, Some(report)) => {
                self.receiver.stretch_segments = pairs.stretch_segments(report.interval_ns)
            }
        }
    }

    /// Handles the pair mark of an acceptable segment.
    pub(super) fn on_pair_mark(&mut self, now_ns: u64, segment: &Segment) {
        let options = &segment.options.pairs;
        let Some(pairs) = in_form(&mut self.pairs, options) else {
            return;
        };
        let Some(mark) = &options.mark else { return };
        let now_ns = self.sender.measurement.current_time(now_ns);
        self.receiver.ack_now |= pairs.arrived(mark, now_ns, segment);
    }

    /// Counts, and otherwise ignores, the pair options of a refused segment or of a duplicate.
    pub(super) fn count_ignored_pair_options(&mut self, segment: &Segment) {
        let options = &segment.options.pairs;
        if let Some(pairs) = in_form(&mut self.pairs, options) {
            pairs.counts.malformed += u32::from(options.malformed);
            pairs.counts.ignored += options.iter().count() as u32;
        }
    }
}
