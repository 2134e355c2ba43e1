//! The receiving side: reassembly, acknowledgements, and the receive window.

use super::ecn::EcnReceiver;
use super::numbering::Numbering;
use crate::acks::{self, AckPolicy, AnyAckPolicy, Arrival, Decision};
use crate::receive_window::{self, AnyReceiveWindow, Contents, ReceiveWindow};
use crate::{Config, EcnField, Flags, Lie, SackBlocks};

/// The receiving side of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    pub numbering: Numbering,
    /// RCV.NXT: the next expected offset. All bytes below have arrived. Includes the FIN once it
    /// has arrived.
    nxt: u64,
    /// Offset up to which the application has read.
    read: u64,
    /// Offset of the FIN, once known.
    fin: Option<u64>,
    /// Ranges that arrived above a gap: sorted, not adjacent.
    out_of_order: Vec<(u64, u64)>,
    /// Offsets inside those ranges, the most recently changed range first (RFC 2018, section 4).
    recent: [u64; 4],
    /// A range that arrived twice, for the next acknowledgement (RFC 2883).
    dsack: Option<(u64, u64)>,
    /// Right edge of the window that was advertised.
    edge: u64,
    /// Shift count for the window field that we send.
    shift: Option<u8>,
    policy: AnyAckPolicy,
    lie: Lie,
    half_rtt: HalfRtt,
    buffer: AnyReceiveWindow,
    /// An acknowledgement must be sent immediately.
    pub ack_now: bool,
    /// Time at which a delayed acknowledgement must be sent.
    pub ack_at_ns: Option<u64>,
    /// An acknowledgement that must be sent before all others.
    pub earlier_ack: Option<EarlierAck>,
    /// Number of segments beyond the second for which an ACK may wait.
    pub stretch_segments: u32,
    /// All bytes below were acknowledged to the peer.
    acked: u64,
    mss_bytes: u32,
    /// The negotiated MSS, without regard to options.
    negotiated_mss_bytes: u32,
    /// TS.Recent (RFC 7323, section 4.3).
    ts_recent: Option<u32>,
    /// The last echoed timestamp that gave an RTT sample.
    last_echo: Option<u32>,
    /// Marks of the peer's segments.
    pub ecn: EcnReceiver,
}

/// What arrives in half a round trip, for [`Lie::Early`].
#[derive(Clone, Copy, Debug, Default)]
struct HalfRtt {
    length_ns: u64,
    begin_ns: u64,
    begin_bytes: u64,
    /// What has arrived in the last one.
    ahead_bytes: u64,
}

impl HalfRtt {
    /// So much has arrived until now.
    fn arrived(&mut self, now_ns: u64, bytes: u64) {
        if self.length_ns > 0 && now_ns >= self.begin_ns + self.length_ns {
            self.ahead_bytes = bytes - self.begin_bytes;
            (self.begin_ns, self.begin_bytes) = (now_ns, bytes);
        }
    }
}

/// A delayed acknowledgement that a change of the mark makes due (RFC 8257, section 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierAck {
    /// RCV.NXT before the segment with the change.
    pub nxt: u64,
    /// Its control bits, with the mark of what arrived until then.
    pub flags: Flags,
}

/// A segment with payload or FIN.
#[derive(Clone, Copy, Debug, Default)]
pub struct Data {
    /// Stream offset of the first byte; negative before the stream.
    pub start: i64,
    pub payload_bytes: u32,
    pub fin: bool,
    /// The PSH bit is set.
    pub push: bool,
    /// ECN field of its packet.
    pub ecn: EcnField,
    /// The CWR bit is set.
    pub cwr: bool,
}

/// Result of processing a data segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The segment contained new data.
    New,
    /// The segment contained only data that had arrived before, or data outside the window.
    NothingNew,
}

/// Maximum shift count of window scaling (RFC 7323, section 2.3).
pub const MAX_SHIFT: u8 = 14;

/// [`Lie::Split`] acknowledges a segment in so many parts.
const LIE_PARTS: u32 = 8;
/// [`Lie::Clock`] stops the clock after so many bytes, when the sender has recognised its tick.
const LIE_BYTES: u64 = 64 << 10;

impl Receiver {
    pub fn new(config: &Config) -> Receiver {
        let mss_bytes = u32::from(config.mss_bytes);
        let buffer = receive_window::new(config.receive_buffer, config.stack, mss_bytes);
        let edge = buffer.window_bytes(0).min(65_535);
        Receiver {
            numbering: Numbering::default(),
            nxt: 0,
            read: 0,
            fin: None,
            out_of_order: Vec::new(),
            recent: [0; 4],
            dsack: None,
            edge,
            shift: None,
            policy: acks::new(config.acks, config.ticks),
            lie: config.lie,
            half_rtt: HalfRtt::default(),
            buffer,
            ack_now: false,
            ack_at_ns: None,
            earlier_ack: None,
            stretch_segments: 0,
            acked: 0,
            mss_bytes,
            negotiated_mss_bytes: mss_bytes,
            ts_recent: None,
            last_echo: None,
            ecn: EcnReceiver::default(),
        }
    }

    /// The smallest shift count with which the largest window fits into the 16-bit field.
    pub fn wanted_shift(&self) -> u8 {
        let max = self.buffer.max_bytes();
        (0..MAX_SHIFT)
            .find(|&shift| max >> shift <= 65_535)
            .unwrap_or(MAX_SHIFT)
    }

    pub fn max_window_bytes(&self) -> u64 {
        self.buffer.max_bytes()
    }

    /// Turns on window scaling: both sides support it.
    pub fn scale(&mut self) {
        self.shift = Some(self.wanted_shift());
    }

    /// The shift count in use, if both sides scale their windows.
    pub fn shift(&self) -> Option<u8> {
        self.shift
    }

    pub fn mss_bytes(&self) -> u32 {
        self.mss_bytes
    }

    /// Sets the payload bytes of the peer's full segment, and the negotiated MSS.
    pub fn set_mss(&mut self, mss_bytes: u32, negotiated_mss_bytes: u32) {
        self.mss_bytes = mss_bytes;
        self.negotiated_mss_bytes = negotiated_mss_bytes;
    }

    pub fn nxt(&self) -> u64 {
        self.nxt
    }

    /// All bytes below were acknowledged to the peer.
    pub fn acked(&self) -> u64 {
        self.acked
    }

    /// The offset that the next segment acknowledges, after [`acknowledge`](Receiver::acknowledge).
    pub fn claimed(&self) -> u64 {
        match self.lie {
            // The sender ignores an ACK of what it has not sent. As much as has arrived in half a
            // round trip is on its way.
            Lie::Early if self.fin.is_none() => self.acked + self.half_rtt.ahead_bytes,
            _ => self.acked,
        }
    }

    /// The receiver's clock stands still for the peer.
    pub fn stops_clock(&self) -> bool {
        matches!(self.lie, Lie::Clock | Lie::ClockAndLosses) && self.nxt >= LIE_BYTES
    }

    /// Right edge of the window that was advertised.
    pub fn edge(&self) -> u64 {
        self.edge
    }

    /// Data bytes received in order.
    pub fn received_bytes(&self) -> u64 {
        self.nxt - u64::from(self.has_finished())
    }

    /// The ranges of data that have arrived: the range in order, then the ranges above gaps.
    pub fn received_ranges(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let end_of_data = self.fin.unwrap_or(u64::MAX);
        let out_of_order = self
            .out_of_order
            .iter()
            .map(move |range| (range.0, range.1.min(end_of_data)));
        std::iter::once((0, self.received_bytes())).chain(out_of_order)
    }

    /// Everything has arrived, including the FIN.
    pub fn has_finished(&self) -> bool {
        self.fin.is_some_and(|fin| self.nxt > fin)
    }

    pub fn readable_bytes(&self) -> u64 {
        self.received_bytes() - self.read
    }

    /// Lets the application read. Sends a window update if the window was small and is now at least
    /// twice as large.
    pub fn read(&mut self, now_ns: u64, max_bytes: u64) -> u64 {
        let bytes = self.readable_bytes().min(max_bytes);
        if bytes == 0 {
            return 0;
        }
        self.read += bytes;
        self.buffer.set_contents(self.contents());
        self.buffer.read(now_ns, bytes);
        if self.policy.read(now_ns, self.readable_bytes() == 0) && self.ack_at_ns.is_some() {
            self.ack_now = true;
        }
        let offered = self.edge - self.nxt.min(self.edge);
        // The largest window that the field can express, however large the buffer is.
        let max = 65_535 << self.shift.unwrap_or(0);
        let room = self.buffer.window_bytes(self.readable_bytes()).min(max);
        if room >= 2 * offered
            && room - offered >= u64::from(self.mss_bytes).min(self.buffer.max_bytes() / 2)
        {
            self.ack_now = true;
        }
        bytes
    }

    /// Processes a segment with payload or FIN, and stores its part within the window.
    pub fn accept(&mut self, now_ns: u64, data: &Data) -> Fate {
        let Data { start, fin, .. } = *data;
        let end = start + i64::from(data.payload_bytes);
        if data.payload_bytes > 0 && self.ecn.on_cwr(data.cwr) {
            self.ack_now = true;
        }
        let is_old = end + i64::from(fin) <= self.nxt as i64;
        if is_old || start >= (self.edge.max(self.nxt + 1)) as i64 {
            self.reject(now_ns, data, is_old);
            return Fate::NothingNew;
        }
        if start >= 0 && start < self.nxt as i64 {
            self.dsack = Some((start as u64, self.nxt));
        }
        let start = match self.lie {
            Lie::Losses | Lie::ClockAndLosses | Lie::Early => self.nxt,
            _ => start.max(self.nxt as i64) as u64,
        };
        let whole = end as u64;
        // Nothing follows a FIN.
        let mut end = whole
            .min(self.edge.max(start))
            .min(self.fin.unwrap_or(u64::MAX));
        let highest = self.out_of_order.last().map_or(0, |range| range.1);
        if fin && self.fin.is_none() && end == whole && highest <= whole {
            self.fin = Some(whole);
        }
        // A FIN is received, and reported above a gap, like a data byte at its offset.
        let has_fin = fin && self.fin == Some(end);
        end += u64::from(has_fin);
        self.half_rtt.arrived(now_ns, self.nxt);
        let prior_nxt = self.nxt;
        let in_order = start == self.nxt && self.out_of_order.is_empty();
        let is_new = end > start && self.store(now_ns, (start, end), has_fin, in_order);
        self.ack_now |= has_fin;
        if data.payload_bytes > 0 {
            let echo_before = self.ecn.echo(Flags::ACK);
            if self.ecn.on_data(data.ecn) {
                self.policy.marked();
            }
            if self.ecn.echoes_changes && self.ecn.echo(Flags::ACK) != echo_before {
                self.earlier_ack = self.ack_at_ns.map(|_| EarlierAck {
                    nxt: prior_nxt,
                    flags: echo_before,
                });
                self.ack_now = true;
            }
            self.ask_policy(now_ns, data, in_order);
            // RFC 5681, section 4.2: acknowledge segments that are out of order or fill a gap
            // immediately.
            if !in_order || self.nxt == prior_nxt || end < whole {
                self.ack_now = true;
            }
            if self.lie == Lie::Duplicates {
                self.dsack = Some((start, whole));
            }
        }
        match is_new {
            true => Fate::New,
            false => Fate::NothingNew,
        }
    }

    /// Answers a segment whose data is old or outside the window.
    fn reject(&mut self, now_ns: u64, data: &Data, is_old: bool) {
        self.ack_now = true;
        // The sender has ignored an ACK of what it had not sent.
        self.half_rtt.ahead_bytes = 0;
        if data.payload_bytes > 0 {
            self.policy.duplicate(now_ns);
            if is_old && data.start >= 0 {
                let start = data.start as u64;
                self.dsack = Some((start, start + u64::from(data.payload_bytes)));
            }
        }
    }

    /// Stores a range within the window. Returns whether any of it is new.
    fn store(&mut self, now_ns: u64, range: (u64, u64), has_fin: bool, in_order: bool) -> bool {
        let (start, end) = range;
        if let Some(twice) = self.overlap(start, end) {
            self.dsack = Some(twice);
        }
        if self.dsack == Some(range) {
            return false;
        }
        let prior_nxt = self.nxt;
        self.insert(start, end);
        let new_bytes = end - start - u64::from(has_fin);
        self.buffer.set_contents(self.contents());
        let grew = self
            .buffer
            .arrived(now_ns, new_bytes as u32, self.mss_bytes, in_order);
        self.policy
            .window(self.edge - prior_nxt.min(self.edge), grew);
        true
    }

    /// Asks the ACK policy when to acknowledge a data segment.
    fn ask_policy(&mut self, now_ns: u64, data: &Data, in_order: bool) {
        let decision = self.policy.arrived(&Arrival {
            now_ns,
            payload_bytes: data.payload_bytes,
            mss_bytes: self.mss_bytes,
            negotiated_mss_bytes: self.negotiated_mss_bytes,
            in_order,
            unacknowledged_bytes: self.nxt - self.acked.min(self.nxt),
            push: data.push,
            stretch_segments: self.stretch_segments,
        });
        match decision {
            Decision::Now => self.ack_now = true,
            Decision::At(at_ns) => {
                self.ack_at_ns = Some(self.ack_at_ns.map_or(at_ns, |at| at.min(at_ns)))
            }
        }
    }

    /// The first part of a range that has arrived before, above a gap. The range that contains it
    /// becomes the most recent one, because it must follow the D-SACK block (RFC 2883, section 4).
    fn overlap(&mut self, start: u64, end: u64) -> Option<(u64, u64)> {
        let index = self.out_of_order.partition_point(|range| range.1 <= start);
        let range = *self.out_of_order.get(index).filter(|range| range.0 < end)?;
        self.move_to_front(range.0, range.1);
        Some((start.max(range.0), end.min(range.1)))
    }

    /// Adds a range, and advances RCV.NXT over complete data.
    fn insert(&mut self, mut start: u64, mut end: u64) {
        if start == self.nxt && self.out_of_order.is_empty() {
            self.nxt = end;
            return;
        }
        let first = self.out_of_order.partition_point(|range| range.1 < start);
        let last = self.out_of_order.partition_point(|range| range.0 <= end);
        if first < last {
            start = start.min(self.out_of_order[first].0);
            end = end.max(self.out_of_order[last - 1].1);
        }
        if start <= self.nxt {
            self.nxt = end;
            self.out_of_order.drain(..last);
        } else {
            self.out_of_order.splice(first..last, [(start, end)]);
            self.move_to_front(start, end);
        }
    }

    /// Makes a range the most recent one.
    fn move_to_front(&mut self, start: u64, end: u64) {
        let earlier = self.recent;
        let others = earlier
            .iter()
            .filter(|&&offset| !(start..end).contains(&offset));
        self.recent = [0; 4];
        for (slot, offset) in self
            .recent
            .iter_mut()
            .zip(std::iter::once(&start).chain(others))
        {
            *slot = *offset;
        }
    }

    fn contents(&self) -> Contents {
        Contents {
            unread_bytes: self.readable_bytes(),
            out_of_order_bytes: self
                .out_of_order
                .iter()
                .map(|range| range.1 - range.0)
                .sum(),
            span_bytes: self
                .out_of_order
                .last()
                .map_or(0, |range| range.1 - self.nxt),
        }
    }

    /// Reports our smoothed RTT and RTO, which limit the delay of acknowledgements.
    pub fn round_trip(&mut self, srtt_ns: u64, timeout_ns: u64) {
        self.half_rtt.length_ns = srtt_ns / 2;
        self.policy.round_trip(srtt_ns, timeout_ns);
    }

    /// The blocks for the next acknowledgement (RFC 2018, section 4, and RFC 2883), at most `max`.
    pub fn sack_blocks(&mut self, max: usize) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        let mut reported: [u64; 4] = [u64::MAX; 4];
        let mut count = 0;
        if let Some((start, end)) = self.dsack.take() {
            blocks.push(self.numbering.number(start), self.numbering.number(end));
            count = 1;
        }
        for slot in 0..self.recent.len() {
            let offset = self.recent[slot];
            let index = self.out_of_order.partition_point(|range| range.1 <= offset);
            let Some(&(start, end)) = self
                .out_of_order
                .get(index)
                .filter(|range| range.0 <= offset)
            else {
                continue;
            };
            if count == max || reported.contains(&start) {
                continue;
            }
            reported[slot] = start;
            blocks.push(self.numbering.number(start), self.numbering.number(end));
            count += 1;
        }
        blocks
    }

    /// Is there a range to report by SACK?
    pub fn has_blocks(&self) -> bool {
        self.dsack.is_some() || !self.out_of_order.is_empty()
    }

    /// Acknowledges everything that has arrived. Returns the window field of the segment that
    /// carries the acknowledgement, which must be sent now.
    pub fn acknowledge(&mut self, now_ns: u64, is_syn: bool, has_data: bool) -> u16 {
        let room = self.buffer.window_bytes(self.readable_bytes());
        let shift = if is_syn { 0 } else { self.shift.unwrap_or(0) };
        let right = self.nxt + (room >> shift << shift).min(65_535 << shift);
        let mut offered = self.edge.saturating_sub(self.nxt);
        // The right edge advances by at least one segment or half the buffer (RFC 9293, section
        // 3.8.6.2.2), and never moves back.
        let step = u64::from(self.mss_bytes)
            .min(self.buffer.max_bytes() / 2)
            .max(1);
        if right >= self.edge + step || is_syn {
            self.edge = right.max(self.edge);
            offered = right.saturating_sub(self.nxt);
        }
        self.acked = match self.lie {
            Lie::Split => {
                let part = u64::from(self.mss_bytes / LIE_PARTS).max(1);
                self.nxt.min(self.acked + part)
            }
            _ => self.nxt,
        };
        self.ack_now = self.acked < self.nxt;
        self.ack_at_ns = None;
        self.policy.sent(now_ns);
        if has_data {
            self.policy.sent_data(now_ns);
        }
        // Round up, so that scaling does not move the right edge back. A buffer that may not
        // advertise more than its free space rounds down, but still accepts what it advertised
        // before.
        let field = if self.buffer.is_exact() {
            offered >> shift
        } else {
            offered.div_ceil(1 << shift)
        };
        let field = field.min(65_535);
        self.edge = self.edge.max(self.nxt + (field << shift));
        field as u16
    }

    /// Handles the delayed-ACK timer.
    pub fn on_timer(&mut self, now_ns: u64) {
        if self.ack_at_ns.is_some_and(|at| at <= now_ns) {
            self.policy.expired(now_ns);
            self.ack_at_ns = None;
            self.ack_now = true;
        }
    }

    /// The timestamp (TSval) to echo.
    pub fn echo(&self) -> u32 {
        self.ts_recent.unwrap_or(0)
    }

    /// Is a timestamp older than TS.Recent (PAWS, RFC 7323, section 5)?
    pub fn is_stale(&self, value: u32) -> bool {
        self.ts_recent
            .is_some_and(|recent| (value.wrapping_sub(recent) as i32) < 0)
    }

    /// Updates TS.Recent from a segment that starts at or before the last acknowledged byte (RFC
    /// 7323, section 4.3).
    pub fn update_ts_recent(&mut self, value: u32, start: i64) {
        if start <= self.acked as i64 && !self.is_stale(value) {
            self.ts_recent = Some(value);
        }
    }

    /// Takes an RTT sample of the receiver: from the sending of the echoed timestamp until now.
    /// Each echoed timestamp counts once.
    pub fn sample_echo(&mut self, now_ns: u64, echo: u32, rtt_ns: u64) {
        if self.last_echo != Some(echo) {
            self.last_echo = Some(echo);
            self.buffer.rtt(now_ns, rtt_ns);
        }
    }
}

#[cfg(test)]
mod tests;
