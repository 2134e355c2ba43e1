//! Construction of the segments that a connection sends.

use super::receiver::EarlierAck;
use super::sender::Outgoing;
use super::{Connection, State, Transmit};
use crate::wire::MAX_OPTION_BYTES;
use crate::{Flags, Options, SackBlocks, Segment};

impl Connection {
    /// The next segment to send now; `None` if there is nothing to send.
    pub fn poll_transmit(&mut self, now_ns: u64) -> Option<Transmit> {
        if let Some(segment) = self.reset_due.take() {
            return Some(bare(segment));
        }
        match self.state {
            State::Closed => return None,
            State::SynSent | State::SynReceived => {
                return self.handshake.syn_due.then(|| bare(self.syn(now_ns)));
            }
            _ => {}
        }
        if let Some(earlier) = self.receiver.earlier_ack.take() {
            return Some(self.earlier_acknowledgement(now_ns, &earlier));
        }
        // Send SACK blocks in a pure ACK, which has room for them.
        if self.receiver.ack_now && self.sack && self.receiver.has_blocks() {
            return Some(self.acknowledgement(now_ns));
        }
        if let Some(outgoing) = self.sender.next(now_ns) {
            return Some(self.data(now_ns, &outgoing));
        }
        self.receiver.ack_now.then(|| self.acknowledgement(now_ns))
    }

    fn data(&mut self, now_ns: u64, outgoing: &Outgoing) -> Transmit {
        let mut segment = self.segment(now_ns, outgoing.start, outgoing.payload_bytes > 0);
        segment.payload_bytes = outgoing.payload_bytes;
        if let Some(pairs) = &mut self.pairs {
            let end = segment.seq.wrapping_add(segment.payload_bytes);
            let now_ns = self.sender.measurement.current_time(now_ns);
            segment.options.pairs =
                pairs.data_options(outgoing.pair_role, now_ns, segment.seq, end);
        }
        if outgoing.fin {
            segment.flags = segment.flags.with(Flags::FIN);
        }
        let has_new_data = !outgoing.is_retransmission && outgoing.payload_bytes > 0;
        (segment.ecn, segment.flags) = self.sender.ecn.mark_outgoing(has_new_data, segment.flags);
        if outgoing.payload_bytes > 0 && self.sender.is_everything_sent() {
            segment.flags = segment.flags.with(Flags::PSH);
        }
        if segment.sequence_bytes() > 0 {
            self.stats.data_segments_sent += 1;
            self.stats.retransmitted_segments += u64::from(outgoing.is_retransmission);
        }
        Transmit {
            segment,
            stream_start: outgoing.start,
            retransmission: outgoing.is_retransmission,
        }
    }

    fn acknowledgement(&mut self, now_ns: u64) -> Transmit {
        let start = self.sender.scoreboard.nxt();
        let mut segment = self.segment(now_ns, start, false);
        if let Some(pairs) = &mut self.pairs {
            let now_ns = self.sender.measurement.current_time(now_ns);
            segment.options.pairs = pairs.ack_options(now_ns, segment.seq);
        }
        // Send as many blocks as fit: 8 bytes each, and 4 bytes for the option's header and
        // padding.
        let room = MAX_OPTION_BYTES as u32 - segment.options.wire_bytes();
        let blocks = self
            .receiver
            .sack_blocks((room.saturating_sub(4) / 8) as usize);
        segment.options.sack = if self.sack {
            blocks
        } else {
            SackBlocks::default()
        };
        Transmit {
            segment,
            stream_start: start,
            retransmission: false,
        }
    }

    /// The delayed ACK of what arrived before the mark changed. The ACK of the segment with the
    /// change follows.
    fn earlier_acknowledgement(&mut self, now_ns: u64, earlier: &EarlierAck) -> Transmit {
        let mut transmit = self.acknowledgement(now_ns);
        transmit.segment.ack = self.receiver.numbering.number(earlier.nxt);
        transmit.segment.flags = earlier.flags;
        self.receiver.ack_now = true;
        transmit
    }

    /// A segment that acknowledges, at a given offset of our stream.
    fn segment(&mut self, now_ns: u64, start: u64, has_data: bool) -> Segment {
        if !self.receiver.stops_clock() {
            self.claimed_timestamp = self.timestamp(now_ns);
        }
        let timestamps = self
            .timestamps
            .then(|| (self.claimed_timestamp, self.receiver.echo()));
        let window = self.receiver.acknowledge(now_ns, false, has_data);
        Segment {
            seq: self.sender.numbering.number(start),
            ack: self.receiver.numbering.number(self.receiver.claimed()),
            payload_bytes: 0,
            window,
            flags: self.receiver.ecn.echo(Flags::ACK),
            ecn: self.sender.ecn.field_of_control(),
            options: Options {
                timestamps,
                ..Options::default()
            },
        }
    }

    /// The RST segment that resets the connection.
    pub(super) fn reset(&self) -> Segment {
        Segment {
            seq: self.sender.numbering.number(self.sender.scoreboard.nxt()),
            ack: self.receiver.numbering.number(self.receiver.nxt()),
            flags: Flags::RST.with(Flags::ACK),
            ..Segment::default()
        }
    }
}

fn bare(segment: Segment) -> Transmit {
    Transmit {
        segment,
        stream_start: 0,
        retransmission: false,
    }
}
