//! Tail loss probes (RFC 8985, section 7). If the last segments of a flight are lost, no
//! acknowledgement shows it. A probe after two round trips does, before the retransmission timer
//! expires.

/// Probe timeout without an RTT sample: the first retransmission timeout (section 7.2).
const NO_RTT_NS: u64 = 1_000_000_000;
/// WCDelAckT: how long a peer may delay the acknowledgement of a single segment (section 7.2).
const DELAYED_ACK_NS: u64 = 200_000_000;
/// Allowance for timer granularity. Linux adds two ticks of one millisecond.
const SLACK_NS: u64 = 2_000_000;

/// A tail loss probe that waits for its acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// TLP.end_seq: an acknowledgement of all bytes below answers the probe. `None`: no probe is in
    /// flight.
    end: Option<u64>,
    /// The probe retransmitted old data. Its acknowledgement alone does not show whether the
    /// original was lost.
    was_retransmitted: bool,
}

impl Probe {
    /// Time from the last segment to the probe (section 7.2): two round trips. The caller limits it
    /// by the retransmission timer.
    pub fn timeout_ns(srtt_ns: u64, segments_out: usize) -> u64 {
        match (srtt_ns, segments_out) {
            (0, _) => NO_RTT_NS,
            (_, 0 | 1) => 2 * srtt_ns + DELAYED_ACK_NS,
            _ => 2 * srtt_ns + SLACK_NS,
        }
    }

    /// Is a probe in flight?
    pub fn is_in_flight(&self) -> bool {
        self.end.is_some()
    }

    /// Reports a probe that was sent.
    pub fn sent(&mut self, end: u64, was_retransmitted: bool) {
        *self = Probe {
            end: Some(end),
            was_retransmitted,
        };
    }

    /// A recovery or a timeout ends the probe episode.
    pub fn forget(&mut self) {
        self.end = None;
    }

    /// Processes an acknowledgement of all bytes below `una`. `bare`: it was a duplicate ACK
    /// without any SACK option (section 7.4.2). Returns whether the probe repaired a loss, for
    /// which cwnd must be reduced.
    pub fn on_ack(&mut self, una: u64, has_dsack: bool, bare: bool) -> bool {
        let Some(end) = self.end.filter(|&end| una >= end) else {
            return false;
        };
        let repaired = self.was_retransmitted && !has_dsack && una > end;
        // Without such a sign, the acknowledgement of the second copy may still arrive.
        if !self.was_retransmitted || has_dsack || repaired || bare {
            self.end = None;
        }
        repaired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answered_probe_of_new_data_shows_no_loss() {
        // RFC 8985, section 7.4.2.
        let mut probe = Probe::default();
        probe.sent(1000, false);
        assert!(!probe.on_ack(999, false, false) && probe.is_in_flight());
        assert!(!probe.on_ack(1000, false, false) && !probe.is_in_flight());
    }

    #[test]
    fn two_copies_are_recognised_by_a_dsack_or_a_duplicate() {
        // RFC 8985, section 7.4.2.
        for (has_dsack, bare) in [(true, false), (false, true)] {
            let mut probe = Probe::default();
            probe.sent(1000, true);
            assert!(
                !probe.on_ack(1000, false, false) && probe.is_in_flight(),
                "the original's acknowledgement decides nothing"
            );
            assert!(!probe.on_ack(1000, has_dsack, bare) && !probe.is_in_flight());
        }
    }

    #[test]
    fn a_copy_that_repaired_a_loss_reduces_the_window() {
        // RFC 8985, section 7.4.2.
        let mut probe = Probe::default();
        probe.sent(1000, true);
        assert!(!probe.on_ack(1000, false, false));
        assert!(probe.on_ack(2000, false, false) && !probe.is_in_flight());
    }

    #[test]
    fn a_single_segment_waits_for_the_peers_delayed_ack() {
        // RFC 8985, section 7.2.
        assert_eq!(Probe::timeout_ns(50_000_000, 1), 300_000_000);
        assert_eq!(Probe::timeout_ns(50_000_000, 2), 102_000_000);
        assert_eq!(Probe::timeout_ns(0, 2), 1_000_000_000);
    }
}
