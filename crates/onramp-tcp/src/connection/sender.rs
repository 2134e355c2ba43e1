//! The sending side: what may go out now, what an acknowledgement means, and the timer.

use super::place::Numbering;
use crate::avoidance::AckSample;
use crate::congestion::{Congestion, LossKind};
use crate::recovery::{self, Context, Delivery, Probe, Recovery, Scoreboard};
use crate::rto::{self, Rto};
use crate::{Config, Stack, Ticks};

/// Doublings of the retransmission timer after which the peer is given up (RFC 1122, section 4.2.3.5; Linux's 15).
const MOST_BACKOFFS: u32 = 15;

/// The longest pause between two window probes (4.4BSD; RFC 1122, section 4.2.2.17 asks for exponential pauses).
const MOST_PERSIST_NS: u64 = 60_000_000_000;

/// What the timer waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    /// An acknowledgement: then send again.
    Retransmit,
    /// An acknowledgement: then probe.
    Probe,
    /// A window: then ask for it.
    Persist,
}

/// What to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// Place of the first byte.
    pub start: u64,
    /// Payload.
    pub payload_bytes: u32,
    /// It ends the stream.
    pub fin: bool,
    /// It was sent before.
    pub again: bool,
}

/// What an acknowledgement says, in places.
#[derive(Clone, Copy, Debug, Default)]
pub struct Acknowledgement<'a> {
    /// When it arrived.
    pub now_ns: u64,
    /// Everything below has arrived.
    pub una: u64,
    /// The peer's window beyond that; `None` where an older segment says it.
    pub window_bytes: Option<u64>,
    /// It came alone: no payload, SYN or FIN.
    pub alone: bool,
    /// Selectively acknowledged ranges; the first may be of what arrived twice.
    pub sack: &'a [(i64, i64)],
    /// Sending time that the peer echoes, if it does.
    pub echo_ns: Option<u64>,
}

/// The sending side of a connection.
#[derive(Debug)]
pub struct Sender {
    pub numbering: Numbering,
    pub board: Scoreboard,
    pub congestion: Congestion,
    recovery: Box<dyn Recovery>,
    pub rto: Box<dyn Rto>,
    probe: Probe,
    /// Place behind the last byte that the application gave.
    written: u64,
    /// The application gives no more: a FIN has the place `written`.
    closed: bool,
    /// Right edge of the peer's window.
    edge: u64,
    largest_window_bytes: u64,
    /// One lost segment may go whatever the window says.
    force: bool,
    /// A small segment may go although the window is small.
    override_silly: bool,
    /// A window probe is to go out.
    ask_window: bool,
    /// How often it was asked for since it closed.
    asked: u32,
    /// How often since the last answer of the peer.
    unanswered: u32,
    /// A tail loss probe is to go out.
    probe_due: bool,
    /// The segment that is timed, where not every acknowledgement is: its end and sending time.
    timed: Option<(u64, u64)>,
    timer: Option<(Wait, u64)>,
    /// When the retransmission timer expires, which a probe may come before.
    expires_ns: u64,
    backoffs: u32,
    /// When pacing permits the next segment, and whether one waits for that.
    pace_ns: u64,
    is_pacing: bool,
    /// When data was sent last.
    idle_since_ns: u64,
    /// As Linux tells whether the window is what limits: since `usage_from`, the most outstanding, and whether the
    /// window was full.
    window_was_full: bool,
    most_pipe_bytes: u64,
    usage_from: u64,
    sent_in_burst: bool,
    mss_bytes: u32,
    nagle: bool,
    restart_after_idle: bool,
    is_lite: bool,
    ticks: Ticks,
    send_buffer_bytes: u64,
    pub timeouts: u64,
    pub recoveries: u64,
    pub probes: u64,
}

/// The retransmission timer has expired too often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GaveUp;

impl Sender {
    /// For segments of so much payload, to a peer that has, or has not, SACK.
    pub fn new(config: &Config, mss_bytes: u32, sack: bool) -> Sender {
        let is_lite = config.stack == Stack::Lite;
        Sender {
            numbering: Numbering::of_syn(config.isn),
            board: Scoreboard::default(),
            congestion: Congestion::new(config, mss_bytes),
            recovery: recovery::new(config.recovery, sack, !is_lite),
            rto: rto::new(config.timers, config.ticks),
            probe: Probe::default(),
            written: 0,
            closed: false,
            edge: 0,
            largest_window_bytes: 0,
            force: false,
            override_silly: false,
            ask_window: false,
            asked: 0,
            unanswered: 0,
            probe_due: false,
            timed: None,
            timer: None,
            expires_ns: 0,
            backoffs: 0,
            pace_ns: 0,
            is_pacing: false,
            idle_since_ns: 0,
            window_was_full: false,
            most_pipe_bytes: 0,
            usage_from: 0,
            sent_in_burst: false,
            mss_bytes,
            nagle: config.nagle,
            restart_after_idle: config.restart_after_idle,
            is_lite,
            ticks: config.ticks,
            send_buffer_bytes: config.send_buffer_bytes,
            timeouts: 0,
            recoveries: 0,
            probes: 0,
        }
    }

    /// The handshake has told the peer's options: the segments that it takes, and whether it has SACK.
    pub fn negotiated(&mut self, config: &Config, mss_bytes: u32, sack: bool) {
        self.mss_bytes = mss_bytes;
        self.congestion = Congestion::new(config, mss_bytes);
        self.recovery = recovery::new(config.recovery, sack, !self.is_lite);
    }

    /// The SYN, sent once, has been acknowledged.
    pub fn note_handshake(&mut self, sent_ns: u64, now_ns: u64) {
        self.rto.sample(sent_ns, now_ns);
        self.recovery.on_established(now_ns - sent_ns);
    }

    /// The peer's first window.
    pub fn open_window(&mut self, now_ns: u64, window_bytes: u64) {
        self.edge = window_bytes;
        self.largest_window_bytes = window_bytes;
        self.idle_since_ns = now_ns;
    }

    pub fn writable_bytes(&self) -> u64 {
        match self.closed {
            true => 0,
            false => self.send_buffer_bytes.saturating_sub(self.written - self.board.una().min(self.written)),
        }
    }

    pub fn write(&mut self, bytes: u64) -> u64 {
        let taken = bytes.min(self.writable_bytes());
        self.written += taken;
        taken
    }

    pub fn close(&mut self) {
        self.closed = true;
    }

    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The FIN has been sent.
    pub fn has_sent_fin(&self) -> bool {
        self.closed && self.board.nxt() > self.written
    }

    /// The FIN has been acknowledged.
    pub fn is_finished(&self) -> bool {
        self.closed && self.board.una() > self.written
    }

    /// Everything that was written has been sent.
    pub fn is_everything_sent(&self) -> bool {
        self.unsent_bytes() == 0
    }

    pub fn peer_window_bytes(&self) -> u64 {
        self.edge.saturating_sub(self.board.una())
    }

    /// The largest window that the peer ever offered.
    pub fn largest_window_bytes(&self) -> u64 {
        self.largest_window_bytes
    }

    /// Data that the peer has acknowledged.
    pub fn acked_bytes(&self) -> u64 {
        self.board.una().min(self.written)
    }

    fn unsent_bytes(&self) -> u64 {
        self.written.saturating_sub(self.board.nxt())
    }

    fn mss(&self) -> u64 {
        u64::from(self.mss_bytes)
    }

    // ---- what may go out ----

    /// The next segment to send now.
    pub fn next(&mut self, now_ns: u64) -> Option<Outgoing> {
        let outgoing = self.choose(now_ns);
        match outgoing {
            Some(outgoing) => self.sent(now_ns, &outgoing),
            None => self.burst_ends(now_ns),
        }
        outgoing
    }

    fn choose(&mut self, now_ns: u64) -> Option<Outgoing> {
        self.is_pacing = false;
        if std::mem::take(&mut self.ask_window) {
            // An old place without payload: whoever gets it answers with an acknowledgement.
            return Some(Outgoing {
                start: self.board.una().wrapping_sub(1),
                payload_bytes: 0,
                fin: false,
                again: false,
            });
        }
        if std::mem::take(&mut self.probe_due) && !self.board.is_empty() {
            return self.choose_probe(now_ns);
        }
        if std::mem::take(&mut self.force) {
            if let Some(index) = self.recovery.next_resend(&mut self.board, false) {
                return Some(self.resend(now_ns, index));
            }
        }
        let new = self.new_data();
        if new.is_some_and(|new| new.payload_bytes > 0) && self.board.is_empty() && self.board.nxt() > 0 {
            self.wake(now_ns);
        }
        let pipe = self.board.pipe_bytes();
        let cwnd = self.congestion.window.cwnd_bytes;
        if self.board.waiting_bytes() > 0 || self.recovery.is_recovering() {
            if pipe + self.mss() <= cwnd && self.is_paced_out(now_ns) {
                if let Some(index) = self.recovery.next_resend(&mut self.board, new.is_some()) {
                    return Some(self.resend(now_ns, index));
                }
            }
            if self.board.waiting_bytes() > 0 {
                return None;
            }
        }
        let new = new?;
        let extra_bytes = self.recovery.extra_bytes(self.mss_bytes);
        if pipe + u64::from(new.payload_bytes) > cwnd + extra_bytes || !self.is_paced_out(now_ns) {
            return None;
        }
        Some(new)
    }

    /// New data that the peer's window and the rules about small segments permit.
    fn new_data(&self) -> Option<Outgoing> {
        let start = self.board.nxt();
        let unsent = self.unsent_bytes();
        let room = self.edge.saturating_sub(start);
        let bytes = unsent.min(self.mss()).min(room);
        let fin = self.closed && !self.has_sent_fin() && bytes == unsent;
        if bytes == 0 && !fin {
            return None;
        }
        // RFC 9293, section 3.8.6.2.1: a full segment; or all there is, when nothing is outstanding or Nagle's rule
        // is off; or half of the largest window.
        let is_full = bytes == self.mss();
        let is_all = bytes == unsent && (fin || !self.nagle || self.board.is_empty());
        let is_half = 2 * bytes >= self.largest_window_bytes;
        let permitted = is_full || is_all || is_half || self.override_silly && bytes > 0;
        permitted.then_some(Outgoing { start, payload_bytes: bytes as u32, fin, again: false })
    }

    /// Data leaves after a pause.
    fn wake(&mut self, now_ns: u64) {
        let timeout_ns = self.rto.timeout_ns();
        if now_ns > self.idle_since_ns {
            self.congestion.resume(self.idle_since_ns, now_ns, timeout_ns, self.restart_after_idle);
            self.idle_since_ns = now_ns;
        }
    }

    /// Does pacing permit a segment? Remembers that one waits, if not.
    fn is_paced_out(&mut self, now_ns: u64) -> bool {
        self.is_pacing = self.congestion.pacing_bytes_per_s().is_some() && now_ns < self.pace_ns;
        !self.is_pacing
    }

    fn resend(&mut self, now_ns: u64, index: usize) -> Outgoing {
        self.board.resend(now_ns, index);
        let segment = *self.board.segment(index);
        let fin = self.closed && segment.end() > self.written;
        let payload_bytes = segment.len - u32::from(fin);
        Outgoing { start: segment.start, payload_bytes, fin, again: true }
    }

    /// Accounts for a segment on its way out.
    fn sent(&mut self, now_ns: u64, outgoing: &Outgoing) {
        let len = outgoing.payload_bytes + u32::from(outgoing.fin);
        if len == 0 {
            return;
        }
        if outgoing.again {
            // Karn: what is sent twice is not timed.
            if self.timed.is_some_and(|(end, _)| end > outgoing.start) {
                self.timed = None;
            }
        } else {
            self.board.send(now_ns, len);
            self.override_silly = false;
            if self.timed.is_none() && !self.rto.wants_every_ack() {
                self.timed = Some((self.board.nxt(), now_ns));
            }
        }
        self.recovery.on_sent(len);
        self.pace(now_ns, len);
        self.sent_in_burst = true;
        self.idle_since_ns = now_ns;
        match self.timer {
            None | Some((Wait::Persist, _)) => self.start_timer(now_ns),
            Some((Wait::Probe, _)) if !outgoing.again => self.arm(now_ns),
            _ => {}
        }
    }

    /// The next segment follows one's length at the rate later; a pause of less than a tick is made good.
    fn pace(&mut self, now_ns: u64, len: u32) {
        if let Some(rate) = self.congestion.pacing_bytes_per_s() {
            let gap_ns = u64::from(len) * 1_000_000_000 / rate.max(1);
            let credit_ns = if self.ticks.event_ns > 1 { self.ticks.event_ns } else { gap_ns / 2 };
            self.pace_ns = self.pace_ns.max(now_ns.saturating_sub(credit_ns)) + gap_ns;
        }
    }

    /// Nothing more can go now: note whether the window is why (as Linux's tcp_cwnd_validate() describes it).
    fn burst_ends(&mut self, now_ns: u64) {
        let pipe = self.board.pipe_bytes();
        let is_full = pipe + self.mss() > self.congestion.window.cwnd_bytes;
        if std::mem::take(&mut self.sent_in_burst) || is_full {
            let begins = self.board.una() >= self.usage_from;
            if begins || is_full || !self.window_was_full && pipe > self.most_pipe_bytes {
                self.window_was_full = is_full;
                self.most_pipe_bytes = pipe;
                self.usage_from = self.board.nxt();
            }
        }
        // A window too small for what there is, and nothing under way that would bring another.
        let waits = self.board.is_empty() && self.unsent_bytes() > 0 && self.timer.is_none();
        if waits && self.new_data().is_none() {
            self.timer = Some((Wait::Persist, self.rto.deadline_ns(now_ns)));
        }
    }

    /// Did the window hold the sender back in the last round trip?
    fn is_cwnd_limited(&self) -> bool {
        let window = &self.congestion.window;
        self.window_was_full || window.in_slow_start() && window.cwnd_bytes < 2 * self.most_pipe_bytes
    }

    // ---- acknowledgements ----

    /// An acknowledgement of something that was sent.
    pub fn on_ack(&mut self, ack: &Acknowledgement<'_>) {
        let now_ns = ack.now_ns;
        let prior_una = self.board.una();
        self.unanswered = 0;
        // Only a recovery that knows what they are sees selective acknowledgements.
        let blocks = if self.recovery.uses_sack() { ack.sack } else { &[] };
        let same_window = ack.una == prior_una && ack.window_bytes.is_none_or(|window| ack.una + window == self.edge);
        if let Some(window_bytes) = ack.window_bytes {
            self.set_window(ack.una, window_bytes);
        }
        let mut delivery = self.board.delivery();
        let dsack = is_dsack(ack.una, blocks);
        for &(left, right) in &blocks[usize::from(dsack)..] {
            if left >= ack.una as i64 && right > left {
                self.board.sack(left as u64, right as u64, &mut delivery);
            }
        }
        let was_outstanding = !self.board.is_empty();
        self.board.acknowledge(ack.una, &mut delivery);
        let advanced = delivery.acked_bytes > 0;
        let rtt_ns = self.measure(ack, &delivery);
        // RFC 5681, section 2.
        let duplicate = was_outstanding && !advanced && ack.alone && same_window;
        if advanced {
            self.backoffs = 0;
        }
        if self.probe.on_ack(ack.una, dsack, duplicate && blocks.is_empty()) && !self.recovery.is_recovering() {
            let flight = self.board.outstanding_bytes() + delivery.acked_bytes;
            self.congestion.reduce(now_ns, LossKind::Acknowledgements, flight);
            self.congestion.window.cwnd_bytes = self.congestion.window.ssthresh_bytes;
        }
        let sample = self.sample(now_ns, &delivery, rtt_ns);
        self.congestion.measure(&sample);
        let was_recovering = self.recovery.is_recovering();
        let mut restart_timer = advanced && !self.recovery.holds_timer();
        self.recover(now_ns, &delivery, duplicate, dsack, &mut restart_timer, Self::tell_ack);
        self.note_recovery(was_recovering);
        if advanced && !self.recovery.is_recovering() && !was_recovering {
            let sample = AckSample { inflight_bytes: self.board.pipe_bytes(), ..sample };
            self.congestion.raise(&sample, self.unsent_bytes() == 0);
        }
        self.after_ack(now_ns, restart_timer);
    }

    /// Recovery may have begun.
    fn note_recovery(&mut self, was_recovering: bool) {
        if self.recovery.is_recovering() && !was_recovering {
            self.recoveries += 1;
            self.probe.forget();
        }
    }

    fn tell_ack(recovery: &mut dyn Recovery, cx: &mut Context<'_>) {
        recovery.on_ack(cx);
    }

    fn recover(
        &mut self,
        now_ns: u64,
        delivery: &Delivery,
        duplicate: bool,
        dsack: bool,
        restart_timer: &mut bool,
        tell: fn(&mut dyn Recovery, &mut Context<'_>),
    ) {
        let mut context = Context {
            now_ns,
            board: &mut self.board,
            congestion: &mut self.congestion,
            delivery,
            duplicate,
            dsack,
            srtt_ns: self.rto.srtt_ns(),
            force: &mut self.force,
            restart_timer,
        };
        tell(&mut *self.recovery, &mut context);
    }

    fn after_ack(&mut self, now_ns: u64, restart_timer: bool) {
        if self.board.is_empty() {
            if !matches!(self.timer, Some((Wait::Persist, _))) {
                self.timer = None;
            }
        } else if restart_timer {
            self.start_timer(now_ns);
        }
    }

    fn set_window(&mut self, una: u64, window_bytes: u64) {
        self.edge = una + window_bytes;
        self.largest_window_bytes = self.largest_window_bytes.max(window_bytes);
        // A window that is open and too small waits on, however often the peer tells of it.
        if matches!(self.timer, Some((Wait::Persist, _))) && self.new_data().is_some() {
            self.timer = None;
            self.asked = 0;
        }
    }

    /// Takes the round-trip time; returns that of the newest segment for congestion control.
    fn measure(&mut self, ack: &Acknowledgement<'_>, delivery: &Delivery) -> Option<u64> {
        let now_ns = ack.now_ns;
        let newest = delivery.acked_sent_ns.map(|(_, newest)| newest).or(delivery.sacked_sent_ns);
        if self.rto.wants_every_ack() {
            let oldest = delivery.acked_sent_ns.map(|(oldest, _)| oldest).or(delivery.sacked_sent_ns);
            // Karn's ambiguity does not arise where the peer echoes the time of sending.
            let sent = oldest.or(ack.echo_ns.filter(|_| delivery.acked_bytes > 0));
            if let Some(sent_ns) = sent.filter(|&sent_ns| sent_ns <= now_ns) {
                self.rto.sample(sent_ns, now_ns);
            }
        } else if let Some((end, sent_ns)) = self.timed {
            if ack.una >= end {
                self.timed = None;
                self.rto.sample(sent_ns, now_ns);
            }
        }
        newest.map(|sent_ns| now_ns - sent_ns)
    }

    fn sample(&self, now_ns: u64, delivery: &Delivery, rtt_ns: Option<u64>) -> AckSample {
        AckSample {
            now_ns,
            delivered_bytes: delivery.delivered_bytes,
            una: self.board.una(),
            nxt: self.board.nxt(),
            inflight_bytes: self.board.pipe_bytes(),
            rtt_ns,
            srtt_ns: self.rto.srtt_ns(),
            cwnd_limited: self.is_cwnd_limited(),
            startup: self.congestion.is_starting(),
        }
    }

    // ---- timers ----

    /// Starts the retransmission timer, or that of a probe where one is permitted.
    fn start_timer(&mut self, now_ns: u64) {
        self.expires_ns = self.rto.deadline_ns(now_ns);
        self.arm(now_ns);
    }

    /// RFC 8985, section 7.2: a probe comes some time after what was sent last, but no later than the retransmission
    /// timer, which new data does not start again (RFC 6298, section 5.1).
    fn arm(&mut self, now_ns: u64) {
        self.timer = Some((Wait::Retransmit, self.expires_ns));
        let may_probe = self.recovery.probes()
            && !self.probe.is_out()
            && !self.recovery.is_recovering()
            && self.board.sacked_bytes() == 0
            && self.board.lost_bytes() == 0;
        if may_probe {
            let probe_ns = now_ns + Probe::timeout_ns(self.rto.srtt_ns(), self.board.len());
            self.timer = Some((Wait::Probe, probe_ns.min(self.expires_ns)));
        }
    }

    /// When something is due.
    pub fn next_timer_ns(&self) -> Option<u64> {
        let tick = |at: u64| self.next_tick(at);
        let paced = self.is_pacing.then_some(self.pace_ns).map(tick);
        [self.timer.map(|(_, at)| at), self.recovery.timer_ns(), paced].into_iter().flatten().min()
    }

    /// The first tick of the event clock at or after a time.
    fn next_tick(&self, at_ns: u64) -> u64 {
        let Ticks { event_ns, phase_ns, .. } = self.ticks;
        match event_ns {
            0 | 1 => at_ns,
            _ => phase_ns + at_ns.saturating_sub(phase_ns).div_ceil(event_ns) * event_ns,
        }
    }

    /// Does what is due.
    pub fn on_timer(&mut self, now_ns: u64) -> Result<(), GaveUp> {
        if self.recovery.timer_ns().is_some_and(|at| at <= now_ns) {
            let mut restart_timer = false;
            let was_recovering = self.recovery.is_recovering();
            let nothing = Delivery::default();
            self.recover(now_ns, &nothing, false, false, &mut restart_timer, |recovery, cx| recovery.on_timer(cx));
            self.note_recovery(was_recovering);
            self.after_ack(now_ns, restart_timer);
        }
        match self.timer.filter(|&(_, at)| at <= now_ns) {
            None => Ok(()),
            Some((Wait::Probe, _)) => {
                // Section 7.3: the retransmission timer starts again.
                self.probe_due = true;
                self.expires_ns = self.rto.deadline_ns(now_ns);
                self.timer = Some((Wait::Retransmit, self.expires_ns));
                Ok(())
            }
            Some((Wait::Persist, _)) => self.persist(now_ns),
            Some((Wait::Retransmit, _)) => self.expire(now_ns),
        }
    }

    /// RFC 8985, section 7.3: new data if there is some, whatever the window, or the last segment again.
    fn choose_probe(&mut self, now_ns: u64) -> Option<Outgoing> {
        self.probes += 1;
        if let Some(new) = self.new_data() {
            self.probe.sent(new.start + u64::from(new.payload_bytes), false);
            return Some(new);
        }
        let last = self.board.len().checked_sub(1)?;
        self.probe.sent(self.board.nxt(), true);
        Some(self.resend(now_ns, last))
    }

    /// RFC 9293, section 3.8.6.1: ask whether the window is open.
    fn persist(&mut self, now_ns: u64) -> Result<(), GaveUp> {
        if self.edge > self.board.nxt() {
            // It is, but small: send what fits.
            self.override_silly = true;
        } else {
            self.ask_window = true;
        }
        // A closed window is waited for as long as somebody answers (section 3.8.6.1), and no longer.
        self.unanswered += 1;
        if self.unanswered > MOST_BACKOFFS {
            return Err(GaveUp);
        }
        self.asked += 1;
        let pause_ns = (self.rto.timeout_ns() << self.asked.min(16)).min(MOST_PERSIST_NS);
        self.timer = Some((Wait::Persist, now_ns + pause_ns));
        Ok(())
    }

    /// RFC 6298, section 5, and RFC 5681, section 3.1.
    fn expire(&mut self, now_ns: u64) -> Result<(), GaveUp> {
        self.timer = None;
        if self.board.is_empty() {
            return Ok(());
        }
        self.backoffs += 1;
        if self.backoffs > MOST_BACKOFFS {
            return Err(GaveUp);
        }
        self.timeouts += 1;
        if self.board.segment(0).is_sacked() {
            self.board.forget_sacked();
        }
        if self.backoffs == 1 || self.is_lite {
            self.congestion.reduce(now_ns, LossKind::Timeout, self.board.outstanding_bytes());
        } else {
            // RFC 5681, section 3.1: the threshold stays when the same segment times out again.
            self.congestion.window.cwnd_bytes = self.mss();
        }
        self.recovery.on_timeout(now_ns, &mut self.board);
        self.rto.back_off();
        self.probe.forget();
        self.timed = None;
        self.force = true;
        self.expires_ns = self.rto.deadline_ns(now_ns);
        self.timer = Some((Wait::Retransmit, self.expires_ns));
        Ok(())
    }
}

/// Is the first block of what arrived twice (RFC 2883, section 4)?
fn is_dsack(una: u64, blocks: &[(i64, i64)]) -> bool {
    match *blocks {
        [(left, right), ..] if right <= una as i64 => left < right,
        [(left, right), (outer_left, outer_right), ..] => outer_left <= left && right <= outer_right,
        _ => false,
    }
}
