//! The receiving side: what has arrived, what to tell the peer of it, and when.

use super::place::Numbering;
use crate::acks::{self, AckPolicy, Arrival, Decision};
use crate::receive_window::{self, Held, ReceiveWindow};
use crate::{Config, SackBlocks};

/// The receiving side of a connection.
#[derive(Debug)]
pub struct Receiver {
    pub numbering: Numbering,
    /// Next place expected: everything below has arrived. Counts the FIN once it has.
    nxt: u64,
    /// Taken by the application.
    read: u64,
    /// Place of the FIN, once known.
    fin: Option<u64>,
    /// What arrived beyond a gap: ranges in order, apart from one another.
    beyond: Vec<(u64, u64)>,
    /// Places within ranges, the most recently changed first (RFC 2018, section 4).
    recent: [u64; 4],
    /// What arrived twice, for the next acknowledgement (RFC 2883).
    dsack: Option<(u64, u64)>,
    /// Right edge of the window that was offered.
    edge: u64,
    /// Shift of the window field that we send.
    shift: Option<u8>,
    policy: Box<dyn AckPolicy>,
    buffer: Box<dyn ReceiveWindow>,
    /// Acknowledge with the next segment, which is to go out at once.
    pub ack_now: bool,
    /// Acknowledge at this time.
    pub ack_at_ns: Option<u64>,
    /// For so many segments beyond the second an acknowledgement may wait.
    pub stretch_segments: u32,
    /// Everything below was acknowledged.
    acked: u64,
    mss_bytes: u32,
    /// As it was agreed on, options not regarded.
    agreed_mss_bytes: u32,
    /// TS.Recent (RFC 7323, section 4.3) and when it was set.
    ts_recent: Option<u32>,
    /// The last echo of which the round trip was taken.
    last_echo: Option<u32>,
}

/// A data segment's fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It held something new.
    New,
    /// It held nothing that was not there, or nothing within the window.
    Useless,
}

/// The largest shift of the window field (RFC 7323, section 2.3).
pub const MOST_SHIFT: u8 = 14;

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
            beyond: Vec::new(),
            recent: [0; 4],
            dsack: None,
            edge,
            shift: None,
            policy: acks::new(config.acks, config.ticks),
            buffer,
            ack_now: false,
            ack_at_ns: None,
            stretch_segments: 0,
            acked: 0,
            mss_bytes,
            agreed_mss_bytes: mss_bytes,
            ts_recent: None,
            last_echo: None,
        }
    }

    /// The shift with which the largest window fits the field.
    pub fn wanted_shift(&self) -> u8 {
        let most = self.buffer.most_bytes();
        (0..MOST_SHIFT)
            .find(|&shift| most >> shift <= 65_535)
            .unwrap_or(MOST_SHIFT)
    }

    pub fn most_window_bytes(&self) -> u64 {
        self.buffer.most_bytes()
    }

    /// Both sides scale.
    pub fn scale(&mut self) {
        self.shift = Some(self.wanted_shift());
    }

    /// The shift in force, where both sides scale.
    pub fn shift(&self) -> Option<u8> {
        self.shift
    }

    pub fn mss_bytes(&self) -> u32 {
        self.mss_bytes
    }

    /// The peer sends at most so much payload in a segment, by an MSS of so much.
    pub fn set_mss(&mut self, mss_bytes: u32, agreed_mss_bytes: u32) {
        self.mss_bytes = mss_bytes;
        self.agreed_mss_bytes = agreed_mss_bytes;
    }

    pub fn nxt(&self) -> u64 {
        self.nxt
    }

    /// Everything below was acknowledged to the peer.
    pub fn acked(&self) -> u64 {
        self.acked
    }

    /// Right edge of the window that was offered.
    pub fn edge(&self) -> u64 {
        self.edge
    }

    /// Data received in order.
    pub fn received_bytes(&self) -> u64 {
        self.nxt - u64::from(self.has_finished())
    }

    /// Data that has arrived: what is in order, then what lies beyond gaps.
    pub fn received_ranges(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let end_of_data = self.fin.unwrap_or(u64::MAX);
        let beyond = self
            .beyond
            .iter()
            .map(move |range| (range.0, range.1.min(end_of_data)));
        std::iter::once((0, self.received_bytes())).chain(beyond)
    }

    /// Everything has arrived, the FIN included.
    pub fn has_finished(&self) -> bool {
        self.fin.is_some_and(|fin| self.nxt > fin)
    }

    pub fn readable_bytes(&self) -> u64 {
        self.received_bytes() - self.read
    }

    /// The application takes what it wants. The peer hears of it where the window was so small that
    /// it now is twice as large or more.
    pub fn read(&mut self, now_ns: u64, most_bytes: u64) -> u64 {
        let bytes = self.readable_bytes().min(most_bytes);
        if bytes == 0 {
            return 0;
        }
        self.read += bytes;
        self.buffer.holds(self.held());
        self.buffer.read(now_ns, bytes);
        if self.policy.read(now_ns, self.readable_bytes() == 0) && self.ack_at_ns.is_some() {
            self.ack_now = true;
        }
        let offered = self.edge - self.nxt.min(self.edge);
        // What the field can say, however large the buffer is.
        let most = 65_535 << self.shift.unwrap_or(0);
        let room = self.buffer.window_bytes(self.readable_bytes()).min(most);
        if room >= 2 * offered
            && room - offered >= u64::from(self.mss_bytes).min(self.buffer.most_bytes() / 2)
        {
            self.ack_now = true;
        }
        bytes
    }

    /// A segment with payload or FIN arrived; its part within the window is taken.
    pub fn take(
        &mut self,
        now_ns: u64,
        start: i64,
        payload_bytes: u32,
        fin: bool,
        push: bool,
    ) -> Fate {
        let end = start + i64::from(payload_bytes);
        let is_old = end + i64::from(fin) <= self.nxt as i64;
        if is_old || start >= (self.edge.max(self.nxt + 1)) as i64 {
            self.ack_now = true;
            if payload_bytes > 0 {
                self.policy.duplicate(now_ns);
                if is_old && start >= 0 {
                    self.dsack = Some((start as u64, end as u64));
                }
            }
            return Fate::Useless;
        }
        if start >= 0 && start < self.nxt as i64 {
            self.dsack = Some((start as u64, self.nxt));
        }
        let start = start.max(self.nxt as i64) as u64;
        let whole = end as u64;
        // Nothing follows a FIN.
        let mut end = whole
            .min(self.edge.max(start))
            .min(self.fin.unwrap_or(u64::MAX));
        let mut fresh = false;
        if fin
            && self.fin.is_none()
            && end == whole
            && self.beyond.last().is_none_or(|range| range.1 <= whole)
        {
            self.fin = Some(whole);
        }
        // A FIN is received, and told of beyond a gap, like the byte whose place it has.
        let has_fin = fin && self.fin == Some(end);
        end += u64::from(has_fin);
        let before = self.nxt;
        let in_order = start == self.nxt && self.beyond.is_empty();
        if end > start {
            if let Some(twice) = self.overlap(start, end) {
                self.dsack = Some(twice);
            }
            if self.dsack != Some((start, end)) {
                fresh = true;
                self.insert(start, end);
                let new_bytes = end - start - u64::from(has_fin);
                self.buffer.holds(self.held());
                let grew = self
                    .buffer
                    .arrived(now_ns, new_bytes as u32, self.mss_bytes, in_order);
                self.policy.window(self.edge - before.min(self.edge), grew);
            }
        }
        self.ack_now |= has_fin;
        if payload_bytes > 0 {
            let arrival = Arrival {
                now_ns,
                payload_bytes,
                mss_bytes: self.mss_bytes,
                agreed_mss_bytes: self.agreed_mss_bytes,
                in_order,
                unacknowledged_bytes: self.nxt - self.acked.min(self.nxt),
                push,
                stretch_segments: self.stretch_segments,
            };
            let decision = self.policy.arrived(&arrival);
            // RFC 5681, section 4.2: out of order, or filling a gap, at once.
            if !in_order || self.nxt == before || end < whole {
                self.ack_now = true;
            }
            match decision {
                Decision::Now => self.ack_now = true,
                Decision::At(at_ns) => {
                    self.ack_at_ns = Some(self.ack_at_ns.map_or(at_ns, |at| at.min(at_ns)))
                }
            }
        }
        match fresh {
            true => Fate::New,
            false => Fate::Useless,
        }
    }

    /// The first part of a range that has arrived already, beyond a gap. Its surroundings are to be
    /// told next to it (RFC 2883, section 4).
    fn overlap(&mut self, start: u64, end: u64) -> Option<(u64, u64)> {
        let index = self.beyond.partition_point(|range| range.1 <= start);
        let range = *self.beyond.get(index).filter(|range| range.0 < end)?;
        self.note_recent(range.0, range.1);
        Some((start.max(range.0), end.min(range.1)))
    }

    /// Adds a range, and moves on over what is complete.
    fn insert(&mut self, mut start: u64, mut end: u64) {
        if start == self.nxt && self.beyond.is_empty() {
            self.nxt = end;
            return;
        }
        let first = self.beyond.partition_point(|range| range.1 < start);
        let last = self.beyond.partition_point(|range| range.0 <= end);
        if first < last {
            start = start.min(self.beyond[first].0);
            end = end.max(self.beyond[last - 1].1);
        }
        if start <= self.nxt {
            self.nxt = end;
            self.beyond.drain(..last);
        } else {
            self.beyond.splice(first..last, [(start, end)]);
            self.note_recent(start, end);
        }
    }

    /// Puts a range first among the recent ones.
    fn note_recent(&mut self, start: u64, end: u64) {
        let earlier = self.recent;
        let others = earlier
            .iter()
            .filter(|&&place| !(start..end).contains(&place));
        self.recent = [0; 4];
        for (slot, place) in self
            .recent
            .iter_mut()
            .zip(std::iter::once(&start).chain(others))
        {
            *slot = *place;
        }
    }

    fn held(&self) -> Held {
        Held {
            waiting_bytes: self.readable_bytes(),
            beyond_bytes: self.beyond.iter().map(|range| range.1 - range.0).sum(),
            span_bytes: self.beyond.last().map_or(0, |range| range.1 - self.nxt),
        }
    }

    /// Our own round trip, by which acknowledgements are not delayed too long.
    pub fn round_trip(&mut self, srtt_ns: u64, timeout_ns: u64) {
        self.policy.round_trip(srtt_ns, timeout_ns);
    }

    /// The blocks for the next acknowledgement (RFC 2018, section 4, and RFC 2883), at most so
    /// many.
    pub fn sack_blocks(&mut self, most: usize) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        let mut told: [u64; 4] = [u64::MAX; 4];
        let mut count = 0;
        if let Some((start, end)) = self.dsack.take() {
            blocks.push(self.numbering.number(start), self.numbering.number(end));
            count = 1;
        }
        for slot in 0..self.recent.len() {
            let place = self.recent[slot];
            let index = self.beyond.partition_point(|range| range.1 <= place);
            let Some(&(start, end)) = self.beyond.get(index).filter(|range| range.0 <= place)
            else {
                continue;
            };
            if count == most || told.contains(&start) {
                continue;
            }
            told[slot] = start;
            blocks.push(self.numbering.number(start), self.numbering.number(end));
            count += 1;
        }
        blocks
    }

    /// Is there anything to tell by SACK?
    pub fn has_blocks(&self) -> bool {
        self.dsack.is_some() || !self.beyond.is_empty()
    }

    /// The window field of a segment that goes out now, by which its acknowledgement is given.
    pub fn acknowledge(&mut self, now_ns: u64, is_syn: bool, has_data: bool) -> u16 {
        let room = self.buffer.window_bytes(self.readable_bytes());
        let shift = if is_syn { 0 } else { self.shift.unwrap_or(0) };
        let right = self.nxt + (room >> shift << shift).min(65_535 << shift);
        let mut offered = self.edge.saturating_sub(self.nxt);
        // The edge moves by a segment or by half the buffer, or not at all (RFC 9293, section
        // 3.8.6.2.2), and never back.
        let step = u64::from(self.mss_bytes)
            .min(self.buffer.most_bytes() / 2)
            .max(1);
        if right >= self.edge + step || is_syn {
            self.edge = right.max(self.edge);
            offered = right.saturating_sub(self.nxt);
        }
        self.acked = self.nxt;
        self.ack_now = false;
        self.ack_at_ns = None;
        self.policy.sent(now_ns);
        if has_data {
            self.policy.sent_data(now_ns);
        }
        // Rounded up: the scale does not take the edge back. A buffer that has no more room than it
        // says rounds down; what it promised before is taken all the same.
        let field = if self.buffer.is_exact() {
            offered >> shift
        } else {
            offered.div_ceil(1 << shift)
        };
        let field = field.min(65_535);
        self.edge = self.edge.max(self.nxt + (field << shift));
        field as u16
    }

    /// The moment of a delayed acknowledgement came.
    pub fn on_timer(&mut self, now_ns: u64) {
        if self.ack_at_ns.is_some_and(|at| at <= now_ns) {
            self.policy.expired(now_ns);
            self.ack_at_ns = None;
            self.ack_now = true;
        }
    }

    /// TSval to echo.
    pub fn echo(&self) -> u32 {
        self.ts_recent.unwrap_or(0)
    }

    /// Is a timestamp older than the last (RFC 7323, section 5, PAWS)?
    pub fn is_stale(&self, value: u32) -> bool {
        self.ts_recent
            .is_some_and(|recent| (value.wrapping_sub(recent) as i32) < 0)
    }

    /// A segment's timestamp, where the segment begins at or before what was acknowledged last (RFC
    /// 7323, section 4.3).
    pub fn note_timestamp(&mut self, value: u32, start: i64) {
        if start <= self.acked as i64 && !self.is_stale(value) {
            self.ts_recent = Some(value);
        }
    }

    /// The receiver's own round trip: from the sending of an echo's original to now. Each echo
    /// counts once.
    pub fn note_echo(&mut self, now_ns: u64, echo: u32, rtt_ns: u64) {
        if self.last_echo != Some(echo) {
            self.last_echo = Some(echo);
            self.buffer.rtt(now_ns, rtt_ns);
        }
    }
}

#[cfg(test)]
mod tests;
