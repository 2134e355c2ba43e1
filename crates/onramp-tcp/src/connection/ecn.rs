//! Explicit congestion notification (RFC 3168), as in Linux.
//!
//! ```text
//!   sender: data with ECT(0) ---> queue sets CE ---> receiver
//!     ^                                                  |
//!     |  ACKs with ECE, until data with CWR arrives      |
//!     '--------------------------------------------------'
//!   sender: one reduction of cwnd for the data of a round trip (TCP_CA_CWR), then CWR
//! ```
//!
//! The SYN asks with ECE and CWR, and the SYN-ACK agrees with ECE. A retransmitted SYN no longer
//! asks, because a broken middlebox may have dropped the first (`net.ipv4.tcp_ecn_fallback` in
//! Linux). New data has ECT(0). SYNs, pure ACKs, retransmissions and window probes have not (RFC
//! 3168, sections 6.1.1, 6.1.4 to 6.1.6).
//!
//! The response to a mark is that to a loss: the avoidance chooses ssthresh, a start-up hears of
//! it, and Proportional Rate Reduction leads cwnd there. It lasts until data is acknowledged that
//! was sent after the mark was known, so a further mark of the same round trip reduces nothing. A
//! loss meanwhile is repaired without a second reduction.
//!
//! A congestion control that [needs ECN](crate::Avoidance::ect) (DCTCP, RFC 8257) differs, as in
//! Linux. It asks for ECN by itself. All its packets have its ECT: SYNs, pure ACKs and
//! retransmissions too. Its receiver does not wait for CWR: an ACK has ECE if the data that it
//! acknowledges has a mark. So that this holds for delayed ACKs, a change of the mark is
//! acknowledged at once, and before it what was waiting (section 3.2):
//!
//! ```text
//!                     .--- CE: ACK at once, with ECE = 0 for what waited ------.
//!   unmarked         CE = 0                                                CE = 1   marked
//!   data: ECE = 0     '--- no CE: ACK at once, with ECE = 1 for what waited ---'   data: ECE = 1
//! ```
//!
//! Prague also reduces cwnd at once, and grows again with the next ACK. Marks of the data that was
//! in flight then reduce nothing. A loss reduces cwnd again.
//!
//! Differences from Linux: every recovery and stack responds to marks by Proportional Rate
//! Reduction.

use crate::recovery::{MarkResponse, Reduction};
use crate::{Config, Ecn, EcnField, Flags, Segment};

/// Both bits with which a SYN asks.
const ASKS: Flags = Flags::ECE.with(Flags::CWR);

/// The control bits of our SYN.
pub fn syn_flags(ecn: Ecn, is_first: bool) -> Flags {
    match ecn == Ecn::Request && is_first {
        true => Flags::SYN.with(ASKS),
        false => Flags::SYN,
    }
}

/// The control bits of our SYN-ACK. `has_ecn`: the peer asked, and we agree.
pub fn syn_ack_flags(has_ecn: bool) -> Flags {
    let flags = Flags::SYN.with(Flags::ACK);
    match has_ecn {
        true => flags.with(Flags::ECE),
        false => flags,
    }
}

/// Do both ends use ECN, as the peer's SYN or SYN-ACK shows (RFC 3168, section 6.1.1)?
///
/// A SYN in a packet with ECT asks for the ECN of a congestion control that needs it, so other ends
/// refuse it, as Linux does. A
/// SYN-ACK with both bits only reflects ours, as some old hosts did.
pub fn is_negotiated(config: &Config, syn: &Segment) -> bool {
    let ecn = config.ecn_wanted();
    let may_have_ect = config.avoidance.ect().is_some();
    let (has_ece, has_cwr) = (syn.flags.has(Flags::ECE), syn.flags.has(Flags::CWR));
    match syn.flags.has(Flags::ACK) {
        true => ecn == Ecn::Request && has_ece && !has_cwr,
        false => {
            ecn != Ecn::Off && has_ece && has_cwr && (may_have_ect || syn.ecn == EcnField::NotEct)
        }
    }
}

/// The receiving side: which marks the peer must hear of.
#[derive(Clone, Copy, Debug, Default)]
pub struct EcnReceiver {
    /// Both ends use ECN.
    pub is_on: bool,
    /// Data segments that arrived with a mark.
    pub marks: u64,
    /// The peer's congestion control needs each change of the mark, and CWR means nothing.
    pub echoes_changes: bool,
    /// A mark arrived, and no CWR since. With `echoes_changes`: the last data had a mark
    /// (DCTCP.CE).
    echoes: bool,
    /// A segment with ECT or CE has arrived.
    has_seen_ect: bool,
}

impl EcnReceiver {
    /// A data segment arrived, with or without CWR. Returns whether it must be acknowledged at
    /// once: the peer's cwnd may be a single segment now.
    pub fn on_cwr(&mut self, has_cwr: bool) -> bool {
        if self.is_on && has_cwr && !self.echoes_changes {
            self.echoes = false;
        }
        self.is_on && has_cwr
    }

    /// New data arrived in a packet with this field. Returns whether the next acknowledgements must
    /// not wait: a mark may leave the peer with a very low cwnd, and data without ECT is probably
    /// retransmitted.
    pub fn on_data(&mut self, field: EcnField) -> bool {
        if !self.is_on {
            return false;
        }
        let had_seen_ect = self.has_seen_ect;
        self.has_seen_ect |= field.is_capable();
        match field {
            EcnField::NotEct => had_seen_ect,
            EcnField::Ect0 | EcnField::Ect1 => {
                self.echoes &= !self.echoes_changes;
                false
            }
            EcnField::Ce => {
                self.marks += 1;
                !std::mem::replace(&mut self.echoes, true) && !self.echoes_changes
            }
        }
    }

    /// The control bits of a segment that acknowledges.
    pub fn echo(&self, flags: Flags) -> Flags {
        match self.echoes {
            true => flags.with(Flags::ECE),
            false => flags,
        }
    }
}

/// The sending side: the response to marks.
#[derive(Clone, Copy, Debug, Default)]
pub struct EcnSender {
    /// Both ends use ECN.
    pub is_on: bool,
    /// The ECN field of all packets, if the congestion control needs ECN. `None`: only new data is
    /// capable of ECN.
    pub ect: Option<EcnField>,
    /// Reductions for marks.
    pub reductions: u64,
    /// The peer must learn from the next new data that cwnd was reduced.
    cwr_due: bool,
    response: Option<MarkResponse>,
    /// SND.NXT at the last timeout, or at the last reduction at once: marks of the data below
    /// reduce nothing.
    ignored_below: u64,
}

impl EcnSender {
    /// The ECN field of a segment without new data: a SYN-ACK, a pure ACK or a retransmission.
    pub fn field_of_control(&self) -> EcnField {
        self.ect.filter(|_| self.is_on).unwrap_or_default()
    }

    /// The ECN field and the control bits of a segment that is sent, with or without new data.
    pub fn mark_outgoing(&mut self, has_new_data: bool, flags: Flags) -> (EcnField, Flags) {
        if !self.is_on || !has_new_data {
            return (self.field_of_control(), flags);
        }
        let field = self.ect.unwrap_or(EcnField::Ect0);
        match std::mem::take(&mut self.cwr_due) {
            true => (field, flags.with(Flags::CWR)),
            false => (field, flags),
        }
    }

    /// cwnd was reduced, for a mark or for a loss (RFC 3168, section 6.1.2).
    pub fn reduced(&mut self) {
        self.cwr_due = self.is_on;
    }

    /// The reduction was undone, because nothing was lost.
    pub fn withdraw_cwr(&mut self) {
        self.cwr_due = false;
    }

    /// The retransmission timer expired. `nxt`: SND.NXT.
    pub fn timed_out(&mut self, nxt: u64) {
        self.response = None;
        self.ignored_below = nxt;
        self.reduced();
    }

    /// Does an ECE bit reduce cwnd now, outside of a recovery and of another response? `una`:
    /// SND.UNA.
    pub fn responds(&self, una: u64) -> bool {
        una >= self.ignored_below
    }

    /// A response begins; the avoidance has chosen ssthresh. `high`: SND.NXT. `cwnd_bytes`: cwnd
    /// before.
    pub fn begin(&mut self, high: u64, cwnd_bytes: u64) {
        self.reductions += 1;
        let reduction = Reduction::begin(cwnd_bytes);
        self.response = Some(MarkResponse { high, reduction });
        self.reduced();
    }

    /// cwnd was reduced at once, and the response is over. `nxt`: SND.NXT.
    pub fn reduced_at_once(&mut self, nxt: u64) {
        self.reductions += 1;
        self.ignored_below = nxt;
        self.reduced();
    }

    /// The response is over: data is acknowledged that was sent after it began, and so probably the
    /// CWR too.
    pub fn is_complete(&self, una: u64) -> bool {
        self.response.is_some_and(|response| una > response.high)
    }

    /// Ends the response, if there is one.
    pub fn finish(&mut self) {
        self.response = None;
    }

    /// The response, if there is one.
    pub fn response(&self) -> Option<MarkResponse> {
        self.response
    }

    /// Reports bytes that were sent.
    pub fn sent(&mut self, bytes: u32) {
        if let Some(response) = &mut self.response {
            response.reduction.sent(bytes);
        }
    }

    /// The reduction of the response, to be led by an acknowledgement.
    pub fn reduction(&mut self) -> Option<&mut Reduction> {
        self.response
            .as_mut()
            .map(|response| &mut response.reduction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn syn(flags: Flags, ecn: EcnField) -> Segment {
        Segment {
            flags,
            ecn,
            ..Segment::default()
        }
    }

    /// RFC 3168, section 6.1.1.
    #[test]
    fn ecn_needs_both_ends() {
        for ecn in [Ecn::Off, Ecn::Accept, Ecn::Request] {
            let config = Config {
                ecn,
                ..Config::of(crate::Stack::Linux, 1500)
            };
            let (asks, not_ect) = (Flags::SYN.with(ASKS), EcnField::NotEct);
            assert_eq!(is_negotiated(&config, &syn(asks, not_ect)), ecn != Ecn::Off);
            assert!(!is_negotiated(&config, &syn(asks, EcnField::Ect0)));
            assert!(!is_negotiated(&config, &syn(Flags::SYN, not_ect)));
            assert!(!is_negotiated(
                &config,
                &syn(Flags::SYN.with(Flags::ECE), not_ect)
            ));
            let agrees = syn(syn_ack_flags(true), not_ect);
            assert_eq!(is_negotiated(&config, &agrees), ecn == Ecn::Request);
            assert!(!is_negotiated(&config, &syn(syn_ack_flags(false), not_ect)));
            let reflects = syn(syn_ack_flags(true).with(Flags::CWR), not_ect);
            assert!(!is_negotiated(&config, &reflects));
        }
    }

    #[test]
    fn only_the_first_syn_asks() {
        assert_eq!(syn_flags(Ecn::Request, true), Flags::SYN.with(ASKS));
        assert_eq!(syn_flags(Ecn::Request, false), Flags::SYN);
        assert_eq!(syn_flags(Ecn::Accept, true), Flags::SYN);
    }
}
