//! Selection of the next segment to send.

use super::{Sender, Timed, Timer};
use crate::congestion::Pacing;
use crate::recovery::Recovery;
use crate::rto::Rto;
use onramp_core::{PAIR_ONE, PAIR_TRAIN};

/// Role of a segment in a packet pair or train.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairRole {
    /// First segment of a pair.
    First,
    /// Second segment of a pair, sent immediately after the first.
    Second,
    /// A segment of a train.
    Train,
}

/// A segment to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// Stream offset of the first byte.
    pub start: u64,
    /// Payload bytes.
    pub payload_bytes: u32,
    /// The segment ends the stream.
    pub fin: bool,
    /// The segment was sent before.
    pub is_retransmission: bool,
    /// Role in a packet pair.
    pub pair_role: Option<PairRole>,
}

impl Sender {
    /// The next segment to send now.
    pub fn next(&mut self, now_ns: u64) -> Option<Outgoing> {
        // This is asked after every segment of the peer's data, too.
        if self.rests && self.has_nothing_to_send() {
            return None;
        }
        let outgoing = self.choose(now_ns);
        match outgoing {
            Some(outgoing) => self.sent(now_ns, &outgoing),
            None => self.burst_ends(now_ns),
        }
        self.rests = outgoing.is_none() && self.has_nothing_to_send();
        outgoing
    }

    /// Is everything acknowledged, and is nothing due to be sent?
    fn has_nothing_to_send(&self) -> bool {
        let is_due = self.window_probe_due || self.tail_probe_due || self.force_retransmit;
        let fin_is_due = self.closed && !self.has_sent_fin();
        self.scoreboard.is_empty() && self.unsent_bytes() == 0 && !is_due && !fin_is_due
    }

    fn choose(&mut self, now_ns: u64) -> Option<Outgoing> {
        self.pacer.clear_wait();
        let pair_second_due = std::mem::take(&mut self.pair_second_due);
        self.congestion.restore_held_window();
        if std::mem::take(&mut self.window_probe_due) {
            // An old offset without payload: the peer must answer such a segment with an ACK.
            return Some(Outgoing {
                start: self.scoreboard.una().wrapping_sub(1),
                payload_bytes: 0,
                fin: false,
                is_retransmission: false,
                pair_role: None,
            });
        }
        // A token bucket limits every segment, also retransmissions and probes.
        let pacing = self.congestion.pacing();
        let bucket = pacing.filter(|pacing| pacing.burst_bytes > 0);
        let probes = std::mem::take(&mut self.tail_probe_due) && !self.scoreboard.is_empty();
        if probes && self.pacer.permits(now_ns, self.mss_bytes, bucket) {
            return self.choose_probe(now_ns);
        }
        if self.force_retransmit {
            let bytes = self.next_lost_bytes();
            if !self.pacer.permits(now_ns, bytes, bucket) {
                return None;
            }
            self.force_retransmit = false;
            let next = self
                .recovery
                .next_retransmission(&mut self.scoreboard, false);
            if let Some(index) = next {
                return Some(self.retransmit(now_ns, index));
            }
        }
        let new = self.new_data();
        if new.is_some_and(|new| new.payload_bytes > 0)
            && self.scoreboard.is_empty()
            && self.scoreboard.nxt() > 0
        {
            self.resume_after_idle(now_ns);
        }
        let mut defers = self.recovery.defers_retransmissions();
        if defers {
            let new = new.and_then(|new| self.choose_new(now_ns, pacing, new, pair_second_due));
            if new.is_some() {
                return new;
            }
            self.recovery.cannot_send_new(self.scoreboard.nxt());
            defers = self.recovery.defers_retransmissions();
        }
        if defers {
            return None;
        }
        if self.scoreboard.pending_retransmit_bytes() > 0 || self.recovery.is_recovering() {
            let retransmission = self.choose_retransmission(now_ns, pacing, new.is_some());
            if retransmission.is_some() || self.scoreboard.pending_retransmit_bytes() > 0 {
                return retransmission;
            }
        }
        self.choose_new(now_ns, pacing, new?, pair_second_due)
    }

    /// The next retransmission that cwnd and the pacer permit.
    fn choose_retransmission(
        &mut self,
        now_ns: u64,
        pacing: Option<Pacing>,
        has_new_data: bool,
    ) -> Option<Outgoing> {
        let bytes = self.next_lost_bytes();
        if self.scoreboard.pipe_bytes() + self.mss() > self.inflated_cwnd_bytes()
            || !self.pacer.permits(now_ns, bytes, pacing)
        {
            return None;
        }
        let index = self
            .recovery
            .next_retransmission(&mut self.scoreboard, has_new_data)?;
        Some(self.retransmit(now_ns, index))
    }

    /// The new data, if cwnd and the pacer permit it, with its role in a packet pair.
    fn choose_new(
        &mut self,
        now_ns: u64,
        pacing: Option<Pacing>,
        mut new: Outgoing,
        pair_second_due: bool,
    ) -> Option<Outgoing> {
        let limit = self.inflated_cwnd_bytes() + self.recovery.extra_bytes(self.mss_bytes);
        let room = limit.saturating_sub(self.scoreboard.pipe_bytes());
        if u64::from(new.payload_bytes) > room {
            return None;
        }
        // A pair takes one turn of the pacer.
        if pair_second_due && new.payload_bytes == self.mss_bytes {
            new.pair_role = Some(PairRole::Second);
            return Some(new);
        }
        if !self.pacer.permits(now_ns, new.payload_bytes, pacing) {
            return None;
        }
        if self.pairs {
            let has_room = room >= 2 * self.mss() && self.has_two_segments();
            new.pair_role = match self.congestion.wanted_pair() {
                PAIR_ONE if has_room => Some(PairRole::First),
                PAIR_TRAIN if new.payload_bytes == self.mss_bytes => Some(PairRole::Train),
                _ => None,
            };
        }
        Some(new)
    }

    /// cwnd, with an inflation that the recovery keeps apart from it.
    fn inflated_cwnd_bytes(&self) -> u64 {
        self.congestion.window.cwnd_bytes + self.recovery.inflation_bytes(self.mss_bytes)
    }

    /// Length of the next segment to retransmit, or of a full segment if none is marked lost.
    fn next_lost_bytes(&mut self) -> u32 {
        self.scoreboard
            .next_lost()
            .map_or(self.mss_bytes, |index| self.scoreboard.segment(index).len)
    }

    /// Do the unsent data and the peer's window allow two full segments?
    fn has_two_segments(&self) -> bool {
        self.unsent_bytes()
            .min(self.edge.saturating_sub(self.scoreboard.nxt()))
            >= 2 * self.mss()
    }

    /// New data that the peer's window and silly-window avoidance permit.
    pub(super) fn new_data(&self) -> Option<Outgoing> {
        let start = self.scoreboard.nxt();
        let unsent = self.unsent_bytes();
        let room = self.edge.saturating_sub(start);
        let bytes = unsent.min(self.mss()).min(room);
        let fin = self.closed && !self.has_sent_fin() && bytes == unsent;
        if bytes == 0 && !fin {
            return None;
        }
        // RFC 9293, section 3.8.6.2.1, permits: a full segment; all unsent data, unless Nagle's
        // algorithm delays it; half of the largest window.
        let is_full = bytes == self.mss();
        let is_all = bytes == unsent && (fin || !self.nagle_delays());
        let is_half = 2 * bytes >= self.largest_window_bytes;
        let permitted = is_full || is_all || is_half || self.overrides_sws_avoidance && bytes > 0;
        permitted.then_some(Outgoing {
            start,
            payload_bytes: bytes as u32,
            fin,
            is_retransmission: false,
            pair_role: None,
        })
    }

    /// Nagle's algorithm delays a small segment while data is in flight. Linux has Minshall's
    /// variant (`tcp_minshall_check`): only while another small segment is in flight.
    fn nagle_delays(&self) -> bool {
        let others_are_in_flight = match self.is_lite {
            true => !self.scoreboard.is_empty(),
            false => self.small_segment_end > self.scoreboard.una(),
        };
        self.nagle && others_are_in_flight
    }

    /// Data is about to be sent after an idle time.
    fn resume_after_idle(&mut self, now_ns: u64) {
        let timeout_ns = self.rto.timeout_ns();
        if now_ns > self.idle_since_ns {
            let idle_ns = self.measurement.elapsed_ns(self.idle_since_ns, now_ns);
            let restart = self.restart_after_idle && idle_ns > timeout_ns;
            self.congestion.resume(
                self.idle_since_ns,
                now_ns,
                restart.then(|| idle_ns / timeout_ns.max(1)),
            );
            self.idle_since_ns = now_ns;
        }
    }

    /// Retransmits a segment that recovery has chosen.
    fn retransmit(&mut self, now_ns: u64, index: usize) -> Outgoing {
        self.recovery.on_retransmission(now_ns);
        if index == 0 && self.recovery.times_copy_of_first() {
            self.start_timer(now_ns);
        }
        self.copy(now_ns, index)
    }

    fn copy(&mut self, now_ns: u64, index: usize) -> Outgoing {
        self.sent_copies += 1;
        self.scoreboard.retransmit(now_ns, index);
        let segment = *self.scoreboard.segment(index);
        let fin = self.closed && segment.end() > self.written;
        let payload_bytes = segment.len - u32::from(fin);
        Outgoing {
            start: segment.start,
            payload_bytes,
            fin,
            is_retransmission: true,
            pair_role: None,
        }
    }

    /// Accounts for a segment that is sent now.
    fn sent(&mut self, now_ns: u64, outgoing: &Outgoing) {
        let len = outgoing.payload_bytes + u32::from(outgoing.fin);
        if len == 0 {
            return;
        }
        let inflight_bytes = self.scoreboard.pipe_bytes();
        let inflight_bytes = match outgoing.is_retransmission {
            // The scoreboard counts a retransmission already.
            true => inflight_bytes.saturating_sub(u64::from(len)),
            false => inflight_bytes,
        };
        let flight_is_empty = self.scoreboard.is_empty();
        self.congestion
            .sent(now_ns, flight_is_empty, inflight_bytes);
        if outgoing.is_retransmission {
            self.retransmitted_while_timed(outgoing.start, outgoing.start + u64::from(len));
        } else {
            self.scoreboard.send(now_ns, len);
            if outgoing.payload_bytes < self.mss_bytes {
                self.small_segment_end = self.scoreboard.nxt();
            }
            self.overrides_sws_avoidance = false;
            if self.timed.is_none() && !self.rto.wants_every_ack() {
                self.timed = Some(Timed {
                    end: self.scoreboard.nxt(),
                    sent_ns: Some(now_ns),
                });
            }
        }
        self.recovery.on_sent(len);
        self.ecn.sent(len);
        let pacing = self.congestion.pacing();
        match outgoing.pair_role {
            Some(PairRole::First) => {
                self.pacer.pair_sent(now_ns, len, pacing);
                self.congestion.pair_sent();
                self.pair_second_due = true;
            }
            Some(PairRole::Second) => {}
            Some(PairRole::Train) | None => self.pacer.sent(now_ns, len, pacing),
        }
        self.usage.sent();
        self.idle_since_ns = now_ns;
        match self.timer {
            None | Some((Timer::Persist, _)) => self.start_timer(now_ns),
            Some((Timer::Probe, _)) if !outgoing.is_retransmission => self.arm(now_ns),
            _ => {}
        }
    }

    /// Karn's algorithm: do not time a retransmitted segment, unless an echoed timestamp will show
    /// which transmission was acknowledged.
    fn retransmitted_while_timed(&mut self, start: u64, end: u64) {
        let is_echoed = self.timestamps && self.rto.wants_echoes();
        self.timed = match self.timed {
            Some(timed) if timed.end <= start => Some(timed),
            Some(timed) if is_echoed => Some(Timed {
                sent_ns: None,
                ..timed
            }),
            None if is_echoed => Some(Timed { end, sent_ns: None }),
            _ => None,
        };
    }

    /// Ends a burst: nothing more can be sent now.
    fn burst_ends(&mut self, now_ns: u64) {
        let pipe = self.scoreboard.pipe_bytes();
        let is_full = pipe + self.mss() > self.congestion.window.cwnd_bytes;
        let is_lost = self.scoreboard.pending_retransmit_bytes() > 0;
        if self.unsent_bytes() < self.mss() && !is_full && !is_lost {
            self.congestion.starved(pipe);
        }
        self.usage
            .burst_ends(is_full, pipe, self.scoreboard.una(), self.scoreboard.nxt());
        // The window is too small for the unsent data, and nothing is in flight that could bring a
        // window update.
        let awaits_retransmission =
            self.scoreboard.is_empty() && self.unsent_bytes() > 0 && self.timer.is_none();
        if awaits_retransmission && self.new_data().is_none() {
            self.timer = Some((Timer::Persist, self.rto.deadline_ns(now_ns)));
        }
    }

    /// RFC 8985, section 7.3: the probe is new data if there is any, regardless of cwnd, and
    /// otherwise the last segment.
    fn choose_probe(&mut self, now_ns: u64) -> Option<Outgoing> {
        self.probes += 1;
        if let Some(new) = self.new_data() {
            self.probe
                .sent(new.start + u64::from(new.payload_bytes), false);
            return Some(new);
        }
        let last = self.scoreboard.len().checked_sub(1)?;
        self.probe.sent(self.scoreboard.nxt(), true);
        Some(self.copy(now_ns, last))
    }
}
