//! Whether a recovery or a timeout was spurious, as Linux finds it out.
//!
//! A recovery is spurious if nothing was lost: segments were reordered, or an outage delayed them.
//! Two signs show it:
//!
//! ```text
//!   Eifel (RFC 3522)   an ACK advances SND.UNA and echoes a timestamp from before the first
//!                      retransmission: an original arrived, or nothing was retransmitted yet
//!   DSACK (RFC 3708)   the receiver has reported every retransmission as a duplicate
//! ```
//!
//! The third sign, F-RTO (RFC 5682), belongs to timeouts: [`frto`](super::frto).
//!
//! Linux's names: `undo_marker`, `undo_retrans`, `retrans_stamp`, `tcp_packet_delayed()`,
//! `tcp_may_undo()`.

use super::super::{Context, Dsack, Scoreboard};

/// Retransmissions of a repair that may turn out to be unnecessary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Undo {
    /// SND.UNA when the repair began; `None`: there is nothing to undo.
    marker: Option<u64>,
    /// Retransmissions that no DSACK has reported; `None` before the first retransmission.
    unreported: Option<u32>,
    /// When the first retransmission left.
    first_sent_ns: Option<u64>,
}

impl Undo {
    /// A repair begins that reduces cwnd. DSACKs may still report retransmissions in flight.
    pub fn begin(&mut self, scoreboard: &Scoreboard) {
        self.forget_first_sent(scoreboard);
        let segments = scoreboard.segments().iter();
        let retransmitted = segments
            .filter(|segment| segment.is_retransmitted())
            .count();
        self.marker = Some(scoreboard.una());
        self.unreported = u32::try_from(retransmitted).ok().filter(|&count| count > 0);
    }

    /// The reduction is undone: there is nothing more to undo.
    pub fn end(&mut self) {
        self.marker = None;
    }

    /// A segment is retransmitted.
    pub fn retransmitted(&mut self, now_ns: u64) {
        self.first_sent_ns.get_or_insert(now_ns);
        self.unreported = Some(self.unreported.unwrap_or(0).saturating_add(1));
    }

    /// The receiver reports duplicates.
    pub fn report(&mut self, dsack: Option<Dsack>) {
        let (Some(dsack), Some(marker)) = (dsack, self.marker) else {
            return;
        };
        if let Some(unreported) = self.unreported.as_mut().filter(|_| dsack.end > marker) {
            *unreported = unreported.saturating_sub(dsack.copies);
        }
    }

    /// Nothing in flight was retransmitted: an earlier retransmission has no meaning any more.
    pub fn forget_first_sent(&mut self, scoreboard: &Scoreboard) {
        if !scoreboard.has_retransmissions() {
            self.first_sent_ns = None;
        }
    }

    /// Has the receiver reported every retransmission as a duplicate?
    pub fn all_are_duplicates(&self) -> bool {
        self.marker.is_some() && self.unreported == Some(0)
    }

    /// The acknowledgement advances SND.UNA. Did an original arrive, and not a retransmission?
    pub fn original_arrived(&self, cx: &Context<'_>) -> bool {
        self.marker.is_some()
            && self
                .first_sent_ns
                .is_none_or(|sent_ns| cx.echoes_before(sent_ns))
    }

    /// May the reduction be undone after an acknowledgement that advances SND.UNA?
    pub fn may_undo(&self, cx: &Context<'_>) -> bool {
        self.all_are_duplicates() || self.original_arrived(cx)
    }
}
