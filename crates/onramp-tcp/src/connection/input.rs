//! Processing of segments that arrive (RFC 9293, section 3.10.7).

use super::sender::{Acknowledgement, Echo};
use super::{receiver, Connection, Failure, State, TIME_WAIT_NS};
use crate::rto::Rto;
use crate::{Flags, Segment};

const NS_PER_MS: u64 = 1_000_000;

impl Connection {
    /// Processes a segment that arrived. Then call [`poll_transmit`](Self::poll_transmit) until it
    /// returns `None`.
    pub fn on_segment(&mut self, now_ns: u64, segment: &Segment) {
        self.stats.segments_received += 1;
        match self.state {
            State::Closed => self.on_segment_in_closed(segment),
            State::SynSent => self.on_segment_in_syn_sent(now_ns, segment),
            _ => self.on_segment_in_other_states(now_ns, segment),
        }
    }

    /// CLOSED state (section 3.10.7.1).
    fn on_segment_in_closed(&mut self, segment: &Segment) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        self.reset_due = Some(match segment.flags.has(Flags::ACK) {
            true => Segment {
                seq: segment.ack,
                flags: Flags::RST,
                ..Segment::default()
            },
            false => Segment {
                ack: segment.seq.wrapping_add(segment.sequence_bytes()),
                flags: Flags::RST.with(Flags::ACK),
                ..Segment::default()
            },
        });
    }

    /// SYN-SENT state (section 3.10.7.3).
    fn on_segment_in_syn_sent(&mut self, now_ns: u64, segment: &Segment) {
        let acknowledges = segment.flags.has(Flags::ACK);
        let is_ours = self.sender.numbering.offset(segment.ack, 0) == 0;
        if acknowledges && !is_ours {
            if !segment.flags.has(Flags::RST) {
                self.reset_due = Some(Segment {
                    seq: segment.ack,
                    flags: Flags::RST,
                    ..Segment::default()
                });
            }
            return;
        }
        if segment.flags.has(Flags::RST) {
            if acknowledges {
                self.fail(Failure::Refused);
            }
            return;
        }
        if !segment.flags.has(Flags::SYN) {
            return;
        }
        self.negotiate(segment);
        if acknowledges {
            self.establish(now_ns, u64::from(segment.window));
            self.receiver.ack_now = true;
        } else {
            // Simultaneous open.
            self.state = State::SynReceived;
            self.handshake.syn_due = true;
        }
    }

    /// All other states (section 3.10.7.4).
    fn on_segment_in_other_states(&mut self, now_ns: u64, segment: &Segment) {
        let offset = self
            .receiver
            .numbering
            .offset(segment.seq, self.receiver.nxt());
        if !self.is_acceptable(segment, offset) {
            self.stats.duplicates_received += 1;
            return self.on_unacceptable(now_ns, segment, offset);
        }
        if segment.flags.has(Flags::RST) {
            // RFC 5961, section 3.2: only a RST with exactly the next expected sequence number
            // resets the connection. A RST elsewhere in the window gets a challenge ACK.
            match (offset == self.receiver.nxt() as i64, self.state) {
                // Both sides have closed, so nothing failed. Staying in TIME-WAIT protects from old
                // segments (RFC 1337).
                (_, State::TimeWait) => {}
                (true, _) => self.fail(Failure::Reset),
                (false, _) => self.receiver.ack_now = true,
            }
            return;
        }
        if segment.flags.has(Flags::SYN) {
            return self.on_syn(now_ns, segment, offset);
        }
        if !segment.flags.has(Flags::ACK) {
            return self.count_ignored_pair_options(segment);
        }
        if let Some((value, _)) = segment.options.timestamps.filter(|_| self.timestamps) {
            self.receiver.update_ts_recent(value, offset);
            self.sender.congestion.set_peer_tsval(value);
        }
        if !self.on_acknowledgement(now_ns, segment, offset) {
            return;
        }
        self.on_pair_mark(now_ns, segment);
        if segment.payload_bytes > 0 || segment.flags.has(Flags::FIN) {
            self.on_data(now_ns, segment, offset);
        }
    }

    /// Does the segment lie between the last byte that we acknowledged and the right edge of the
    /// window, and is its timestamp not older than the last one (PAWS, RFC 7323, section 5)?
    fn is_acceptable(&self, segment: &Segment, offset: i64) -> bool {
        let is_reset = segment.flags.has(Flags::RST);
        if let (true, false, Some((value, _))) =
            (self.timestamps, is_reset, segment.options.timestamps)
        {
            if self.receiver.is_stale(value) {
                return false;
            }
        }
        let end = offset + i64::from(segment.sequence_bytes());
        let edge = self.receiver.edge().max(self.receiver.nxt());
        end >= self.receiver.acked() as i64
            && offset <= edge as i64
            && !(end < 0 && segment.payload_bytes > 0)
    }

    /// Handles a SYN after the connection's first SYN.
    fn on_syn(&mut self, now_ns: u64, segment: &Segment, offset: i64) {
        let is_retransmission = self.state == State::SynReceived && offset == -1;
        let answers =
            segment.flags.has(Flags::ACK) && self.sender.numbering.offset(segment.ack, 0) == 0;
        match (is_retransmission, answers) {
            // Simultaneous open: this segment acknowledges our SYN (RFC 9293, section 3.5, figure
            // 8).
            (true, true) => {
                self.establish(now_ns, u64::from(segment.window));
                self.receiver.ack_now = true;
            }
            // The peer has not received our SYN-ACK.
            (true, false) => self.handshake.syn_due = true,
            // RFC 5961, section 4.2: answer with a challenge ACK.
            (false, _) => {
                self.count_ignored_pair_options(segment);
                self.receiver.ack_now = true;
            }
        }
    }

    fn on_unacceptable(&mut self, now_ns: u64, segment: &Segment, offset: i64) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        let is_old = offset + i64::from(segment.sequence_bytes()) <= self.receiver.nxt() as i64;
        if is_old && segment.payload_bytes > 0 && segment.flags.has(Flags::ACK) {
            // Report the duplicate by D-SACK (RFC 2883).
            let push = false;
            self.receiver
                .accept(now_ns, &data_of(segment, offset, push));
        }
        self.count_ignored_pair_options(segment);
        self.receiver.ack_now = true;
        if self.state == State::TimeWait {
            self.enter_time_wait(now_ns);
        }
    }

    /// Fifth check of section 3.10.7.4: the ACK field. Returns whether the processing of the
    /// segment goes on.
    fn on_acknowledgement(&mut self, now_ns: u64, segment: &Segment, offset: i64) -> bool {
        let una = self.sender.scoreboard.una();
        let ack = self.sender.numbering.offset(segment.ack, una);
        let is_first = self.state == State::SynReceived;
        if ack > self.sender.scoreboard.nxt() as i64 || is_first && ack < 0 {
            // The segment acknowledges something that was never sent.
            match is_first {
                true => {
                    self.reset_due = Some(Segment {
                        seq: segment.ack,
                        flags: Flags::RST,
                        ..Segment::default()
                    });
                }
                false => self.receiver.ack_now = true,
            }
            self.count_ignored_pair_options(segment);
            return false;
        }
        if ack < una as i64 - self.sender.largest_window_bytes() as i64 {
            // RFC 5961, section 5.2: the acknowledgement is older than any segment that can be in
            // flight.
            self.count_ignored_pair_options(segment);
            self.receiver.ack_now = true;
            return false;
        }
        let window_bytes = u64::from(segment.window) << self.peer_shift;
        if is_first {
            self.establish(now_ns, window_bytes);
        }
        self.on_pair_reply(now_ns, segment);
        if ack < una as i64 {
            return true;
        }
        let ack = ack as u64;
        let is_newest = (offset, ack) >= self.window_updated_by;
        if is_newest {
            self.window_updated_by = (offset, ack);
        }
        let mut blocks = [(0, 0); 4];
        let mut count = 0;
        if self.sack {
            for (block, &(left, right)) in blocks.iter_mut().zip(segment.options.sack.as_slice()) {
                let offset = |number| self.sender.numbering.offset(number, ack);
                *block = (offset(left), offset(right));
                count += 1;
            }
        }
        let acknowledgement = Acknowledgement {
            now_ns,
            una: ack,
            window_bytes: is_newest.then_some(window_bytes),
            is_pure_ack: segment.payload_bytes == 0 && !segment.flags.has(Flags::FIN),
            sack: &blocks[..count],
            has_ece: segment.flags.has(Flags::ECE),
            echo: self.echo(now_ns, segment),
        };
        self.sender.on_ack(&acknowledgement);
        self.receiver
            .round_trip(self.sender.rto.srtt_ns(), self.sender.rto.timeout_ns());
        self.after_acknowledgement(now_ns);
        self.state != State::Closed
    }

    /// Changes the state if our FIN has been acknowledged.
    fn after_acknowledgement(&mut self, now_ns: u64) {
        if !self.sender.is_finished() {
            return;
        }
        match self.state {
            State::FinWait1 => self.state = State::FinWait2,
            State::Closing => self.enter_time_wait(now_ns),
            State::LastAck => self.state = State::Closed,
            _ => {}
        }
    }

    fn on_data(&mut self, now_ns: u64, segment: &Segment, offset: i64) {
        if let Some(Echo { sent_ns, .. }) = self.echo(now_ns, segment) {
            if segment.payload_bytes >= self.receiver.mss_bytes() {
                let echo = segment.options.timestamps.map_or(0, |(_, echo)| echo);
                self.receiver.sample_echo(now_ns, echo, now_ns - sent_ns);
            }
        }
        let had_finished = self.receiver.has_finished();
        let data = data_of(segment, offset, segment.flags.has(Flags::PSH));
        if self.receiver.accept(now_ns, &data) == receiver::Fate::NothingNew {
            self.stats.duplicates_received += 1;
        }
        if self.receiver.has_finished() && !had_finished {
            match self.state {
                State::Established => self.state = State::CloseWait,
                State::FinWait1 => self.state = State::Closing,
                State::FinWait2 => self.enter_time_wait(now_ns),
                _ => {}
            }
        } else if self.state == State::TimeWait {
            self.enter_time_wait(now_ns);
        }
    }

    fn enter_time_wait(&mut self, now_ns: u64) {
        self.state = State::TimeWait;
        self.time_wait_until_ns = Some(self.sender.events.at_or_after_ns(now_ns + TIME_WAIT_NS));
    }

    /// The timestamp that the peer echoes, as a sending time. Timestamps count milliseconds.
    fn echo(&self, now_ns: u64, segment: &Segment) -> Option<Echo> {
        let (_, echo) = segment
            .options
            .timestamps
            .filter(|_| self.timestamps && segment.flags.has(Flags::ACK))?;
        let age_ms = self.timestamp(now_ns).wrapping_sub(echo);
        if echo == 0 || age_ms > i32::MAX as u32 {
            return None;
        }
        let age_ns = u64::from(age_ms) * NS_PER_MS;
        let sent_ns = (now_ns / NS_PER_MS * NS_PER_MS).checked_sub(age_ns)?;
        Some(Echo { sent_ns, age_ns })
    }

    /// The timestamp clock: the host's measurement clock in milliseconds. A finer clock would
    /// weaken the protection from old segments (Aron & Druschel 1998, section 4.1; RFC 7323,
    /// section 5.4).
    pub(super) fn timestamp(&self, now_ns: u64) -> u32 {
        let milliseconds = self.sender.measurement.current_time(now_ns) / NS_PER_MS;
        (milliseconds as u32).wrapping_add(self.config.timestamp_offset)
    }
}

/// The data of a segment whose payload starts at this stream offset.
fn data_of(segment: &Segment, start: i64, push: bool) -> receiver::Data {
    receiver::Data {
        start,
        payload_bytes: segment.payload_bytes,
        fin: segment.flags.has(Flags::FIN),
        push,
        ecn: segment.ecn,
        cwr: segment.flags.has(Flags::CWR),
    }
}
