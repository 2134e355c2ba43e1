//! Processing of acknowledgements.

use super::{Sender, Timer};
use crate::avoidance::{AckSample, Arrival};
use crate::congestion::LossKind;
use crate::recovery::{AnyRecovery, Context, Delivery, Dsack, Recovery};
use crate::rto::Rto;

/// The contents of an acknowledgement, in stream offsets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Acknowledgement<'a> {
    /// When the acknowledgement arrived.
    pub now_ns: u64,
    /// SEG.ACK: all bytes below have arrived at the peer.
    pub una: u64,
    /// The peer's window above `una`; `None` if a newer segment has set the window.
    pub window_bytes: Option<u64>,
    /// A pure ACK: without payload, SYN or FIN.
    pub is_pure_ack: bool,
    /// SACK blocks. The first may be a D-SACK block.
    pub sack: &'a [(i64, i64)],
    /// The ECE bit is set: the peer has received a mark.
    pub has_ece: bool,
    /// The timestamp that the peer echoes.
    pub echo: Option<Echo>,
}

/// Sending time that an echoed timestamp reveals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Echo {
    /// When the segment with the timestamp was sent, in whole milliseconds.
    pub sent_ns: u64,
    /// Age of the timestamp by the timestamp clock, in whole milliseconds.
    pub age_ns: u64,
}

/// What an acknowledgement, or a timer without one, reports to loss recovery.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report<'a> {
    pub now_ns: u64,
    pub delivery: &'a Delivery,
    pub is_duplicate: bool,
    pub dsack: Option<Dsack>,
    pub prior_una: u64,
    pub echo_age_ns: Option<u64>,
}

impl Sender {
    /// Processes an acknowledgement of data that was sent.
    pub fn on_ack(&mut self, ack: &Acknowledgement<'_>) {
        let now_ns = ack.now_ns;
        self.unanswered_window_probes = 0;
        let is_same_window = ack.una == self.scoreboard.una()
            && ack
                .window_bytes
                .is_none_or(|window| ack.una + window == self.edge);
        if let Some(window_bytes) = ack.window_bytes {
            self.set_window(ack.una, window_bytes);
        }
        let was_in_flight = !self.scoreboard.is_empty();
        if !was_in_flight && ack.sack.is_empty() && !ack.has_ece && !self.is_reducing() {
            // A segment of the peer's data. With nothing in flight it says nothing more of ours,
            // so no algorithm hears of it, as in Linux (tcp_ack()).
            return self.after_ack(now_ns, false);
        }
        // Hide SACK blocks from a recovery that does not support SACK.
        let blocks = match self.recovery.uses_sack() {
            true => ack.sack,
            false => &[],
        };
        let has_dsack = is_dsack(ack.una, blocks);
        let prior_inflight_bytes = self.scoreboard.pipe_bytes();
        let prior_una = self.scoreboard.una();
        let mut delivery = self.scoreboard.delivery();
        let (dsack_block, blocks_above) = blocks.split_at(usize::from(has_dsack));
        let dsack = self.dsack(dsack_block, &mut delivery);
        self.update_scoreboard(ack.una, blocks_above, &mut delivery);
        let advanced = delivery.acked_bytes > 0;
        let rtt_ns = self.measure(ack, &delivery);
        self.latest_rtt_ns = rtt_ns.unwrap_or(self.latest_rtt_ns);
        // Duplicate ACK as defined in RFC 5681, section 2.
        let is_duplicate = was_in_flight && !advanced && ack.is_pure_ack && is_same_window;
        if advanced {
            self.backoffs = 0;
        }
        let is_bare = is_duplicate && blocks.is_empty();
        if self.probe.on_ack(ack.una, has_dsack, is_bare) && !self.recovery.is_recovering() {
            self.reduce_after_probe(now_ns, &delivery);
        }
        let sample = self.sample(ack, &delivery, rtt_ns);
        self.congestion.measure(&sample);
        let was_reducing = self.is_reducing();
        let mut restart_timer = advanced && !self.recovery.holds_timer();
        let report = Report {
            now_ns,
            delivery: &delivery,
            is_duplicate,
            dsack,
            prior_una,
            echo_age_ns: ack.echo.map(|echo| echo.age_ns),
        };
        let is_undone = self.respond(sample.has_ece, &report, &mut restart_timer);
        let has_news = advanced || delivery.delivered_bytes > 0;
        let may_raise = advanced || has_news && self.recovery.raises_on_any_delivery();
        let was_open = is_undone || !was_reducing;
        let is_clear = may_raise && !self.is_reducing() && was_open;
        let sample = AckSample {
            inflight_bytes: self.scoreboard.pipe_bytes(),
            lost_bytes: self.scoreboard.total_lost_bytes(),
            ..sample
        };
        self.report_arrival(&sample, &delivery, prior_inflight_bytes);
        if is_clear || has_news && self.congestion.reports_recovery() {
            let app_limited = self.unsent_bytes() == 0;
            self.congestion.raise(&sample, app_limited, !is_clear);
        }
        self.after_ack(now_ns, restart_timer);
    }

    /// Lets the recovery process an acknowledgement, and then responds to marks. Returns whether a
    /// reduction was undone.
    fn respond(&mut self, has_ece: bool, report: &Report<'_>, restart_timer: &mut bool) -> bool {
        if has_ece {
            self.congestion.forbid_undo();
        }
        let undone_before = self.congestion.undone;
        let was_recovering = self.recovery.is_recovering();
        self.recover(report, restart_timer, Self::report_ack);
        self.count_recovery(was_recovering);
        let is_undone = self.congestion.undone > undone_before;
        if is_undone {
            self.backoffs = 0;
            self.ecn.withdraw_cwr();
        }
        self.respond_to_marks(report, has_ece);
        if has_ece {
            self.congestion.forbid_undo();
        }
        is_undone
    }

    /// Reports an acknowledgement, after loss detection, to an avoidance that controls recovery.
    fn report_arrival(&mut self, ack: &AckSample, delivery: &Delivery, prior_inflight_bytes: u64) {
        self.congestion.arrived(&Arrival {
            ack,
            newest_sent_ns: delivery.newest.map(|newest| newest.sent_ns),
            prior_inflight_bytes,
            lost: self.scoreboard.newly_lost(),
            is_recovering: self.recovery.is_recovering(),
        });
        self.scoreboard.forget_newly_lost();
    }

    /// Enters an acknowledgement and its SACK blocks into the scoreboard.
    fn update_scoreboard(&mut self, una: u64, blocks: &[(i64, i64)], delivery: &mut Delivery) {
        for &(left, right) in blocks {
            if left >= una as i64 && right > left {
                self.scoreboard.sack(left as u64, right as u64, delivery);
            }
        }
        self.scoreboard.acknowledge(una, delivery);
    }

    /// Processes a D-SACK block, if there is one, before the acknowledgement that carries it.
    /// `None`: there is none, or it is dubious, because it is longer than any window or reports
    /// more copies than were sent.
    fn dsack(&mut self, block: &[(i64, i64)], delivery: &mut Delivery) -> Option<Dsack> {
        let &(left, right) = block.first()?;
        let (left, end) = (left.max(0) as u64, u64::try_from(right).ok()?);
        let bytes = end.saturating_sub(left);
        if bytes == 0 || bytes > self.largest_window_bytes {
            return None;
        }
        let segments = bytes.div_ceil(self.mss());
        self.reported_copies += segments;
        if self.reported_copies > self.sent_copies {
            return None;
        }
        let copies = match end <= self.scoreboard.una() {
            true => u32::try_from(segments).unwrap_or(u32::MAX),
            false => self.scoreboard.duplicate(left, end, delivery),
        };
        Some(Dsack { end, copies })
    }

    /// A tail loss probe repaired a loss: reduces cwnd for it (RFC 8985, section 7.4.2).
    fn reduce_after_probe(&mut self, now_ns: u64, delivery: &Delivery) {
        let flight_bytes = self.scoreboard.flight_size_bytes() + delivery.acked_bytes;
        let lost_bytes = self.scoreboard.total_lost_bytes();
        let kind = LossKind::Acknowledgements;
        self.congestion
            .reduce(now_ns, kind, flight_bytes, lost_bytes);
        self.congestion.window.cwnd_bytes = self.congestion.reduced_bytes();
        self.ecn.reduced();
    }

    /// Is cwnd being reduced, for a loss or for a mark? Then congestion avoidance must not raise
    /// it.
    pub(super) fn is_reducing(&self) -> bool {
        self.recovery.is_recovering() || self.ecn.response().is_some()
    }

    /// The ECE bit, after loss detection (RFC 3168, section 6.1.2): reduces cwnd, at most once for
    /// the data of a round trip, as in Linux (tcp_enter_cwr()).
    fn respond_to_marks(&mut self, report: &Report<'_>, has_ece: bool) {
        let (una, delivery) = (self.scoreboard.una(), report.delivery);
        if self.ecn.is_complete(una) {
            self.ecn.finish();
            self.congestion.window.cwnd_bytes = self.congestion.reduced_bytes();
        }
        let is_new = !self.is_reducing() && self.ecn.responds(una);
        if has_ece && is_new && !self.congestion.ignores_mark(report.now_ns) {
            let flight_bytes = self.scoreboard.flight_size_bytes();
            let cwnd_bytes = self.congestion.window.cwnd_bytes;
            self.congestion.reduce(
                report.now_ns,
                LossKind::Mark,
                flight_bytes,
                self.scoreboard.total_lost_bytes(),
            );
            if self.congestion.reduces_at_once() {
                self.ecn.reduced_at_once(self.scoreboard.nxt());
                self.congestion.window.cwnd_bytes = self.congestion.reduced_bytes();
            } else {
                self.ecn.begin(self.scoreboard.nxt(), cwnd_bytes);
            }
            self.probe.forget();
        }
        let reduction = self.ecn.reduction();
        if let Some(reduction) = reduction.filter(|_| delivery.delivered_bytes > 0) {
            reduction.on_ack(
                &mut self.congestion,
                &self.scoreboard,
                delivery.delivered_bytes,
                delivery.acked_bytes > 0,
            );
        }
    }

    /// Counts a recovery that has just started.
    pub(super) fn count_recovery(&mut self, was_recovering: bool) {
        let is_new = !was_recovering || self.recovery.began_another();
        if self.recovery.is_recovering() && is_new {
            self.recoveries += 1;
            // Its repair leads cwnd to the ssthresh of a mark, if there was one.
            self.ecn.finish();
            self.ecn.reduced();
            self.rto.on_fast_retransmit();
            self.probe.forget();
        }
    }

    fn report_ack(recovery: &mut AnyRecovery, cx: &mut Context<'_>) {
        recovery.on_ack(cx);
    }

    pub(super) fn recover(
        &mut self,
        report: &Report<'_>,
        restart_timer: &mut bool,
        tell: impl FnOnce(&mut AnyRecovery, &mut Context<'_>),
    ) {
        let has_new_data = self.new_data().is_some();
        let mut context = Context {
            now_ns: report.now_ns,
            scoreboard: &mut self.scoreboard,
            congestion: &mut self.congestion,
            delivery: report.delivery,
            is_duplicate: report.is_duplicate,
            dsack: report.dsack,
            prior_una: report.prior_una,
            echo_age_ns: report.echo_age_ns,
            clock: self.measurement,
            has_new_data,
            srtt_ns: self.rto.srtt_ns(),
            force_retransmit: &mut self.force_retransmit,
            restart_timer,
            mark_response: self.ecn.response(),
        };
        tell(&mut self.recovery, &mut context);
    }

    pub(super) fn after_ack(&mut self, now_ns: u64, restart_timer: bool) {
        if self.scoreboard.is_empty() {
            if !matches!(self.timer, Some((Timer::Persist, _))) {
                self.timer = None;
            }
        } else if restart_timer {
            self.start_timer(now_ns);
        }
    }

    fn set_window(&mut self, una: u64, window_bytes: u64) {
        self.edge = una + window_bytes;
        self.largest_window_bytes = self.largest_window_bytes.max(window_bytes);
        self.congestion.set_peer_window(window_bytes);
        // A window that is open but too small keeps the persist timer, however often the peer
        // repeats it.
        if matches!(self.timer, Some((Timer::Persist, _))) && self.new_data().is_some() {
            self.timer = None;
            self.window_probes_sent = 0;
        }
    }

    /// Takes RTT samples. Returns the RTT of the newest delivered segment, for congestion control.
    fn measure(&mut self, ack: &Acknowledgement<'_>, delivery: &Delivery) -> Option<u64> {
        let now_ns = ack.now_ns;
        let newest = delivery
            .acked_sent_ns
            .map(|(_, newest)| newest)
            .or(delivery.sacked_sent_ns);
        if self.rto.wants_newest() {
            match delivery.newest.filter(|_| delivery.acked_bytes > 0) {
                Some(last) if last.was_retransmitted => {
                    self.rto.sample_retransmitted(last.sent_ns, now_ns)
                }
                Some(last) => self.rto.sample(last.sent_ns, now_ns),
                None => {}
            }
        } else if self.rto.wants_every_ack() {
            let oldest = delivery
                .acked_sent_ns
                .map(|(oldest, _)| oldest)
                .or(delivery.sacked_sent_ns);
            // An echoed timestamp is not ambiguous after a retransmission, so Karn's algorithm is
            // not needed.
            let sent = oldest.or(ack
                .echo
                .map(|echo| echo.sent_ns)
                .filter(|_| delivery.acked_bytes > 0));
            if let Some(sent_ns) = sent.filter(|&sent_ns| sent_ns <= now_ns) {
                self.rto.sample(sent_ns, now_ns);
            }
        } else if let Some(timed) = self.timed.filter(|timed| ack.una >= timed.end) {
            self.timed = None;
            match (ack.echo, timed.sent_ns) {
                (Some(echo), sent_ns) => self.rto.sample_echoed(sent_ns, echo.age_ns, now_ns),
                (None, Some(sent_ns)) => self.rto.sample(sent_ns, now_ns),
                (None, None) => {}
            }
        }
        newest.map(|sent_ns| now_ns - sent_ns)
    }

    fn sample(
        &self,
        ack: &Acknowledgement<'_>,
        delivery: &Delivery,
        rtt_ns: Option<u64>,
    ) -> AckSample {
        AckSample {
            now_ns: ack.now_ns,
            delivered_bytes: delivery.delivered_bytes,
            has_ece: ack.has_ece && self.ecn.is_on,
            lost_bytes: self.scoreboard.total_lost_bytes(),
            una: self.scoreboard.una(),
            nxt: self.scoreboard.nxt(),
            inflight_bytes: self.scoreboard.pipe_bytes(),
            rtt_ns,
            srtt_ns: self.rto.srtt_ns(),
            cwnd_limited: !self.window_validation
                || self.usage.is_limited_by(&self.congestion.window),
            startup: self.congestion.is_starting(),
        }
    }
}

/// Is the first block a D-SACK block (RFC 2883, section 4)?
fn is_dsack(una: u64, blocks: &[(i64, i64)]) -> bool {
    match *blocks {
        [(left, right), ..] if right <= una as i64 => left < right,
        [(left, right), (outer_left, outer_right), ..] => {
            outer_left <= left && right <= outer_right
        }
        _ => false,
    }
}
