//! Tail loss probes (RFC 8985, section 7): where the last segments of a flight are lost no
//! acknowledgement tells; a probe after two round trips does, before the retransmission timer
//! would.

/// Without a round-trip time: the same as the first retransmission timeout (section 7.2).
const NO_RTT_NS: u64 = 1_000_000_000;
/// WCDelAckT: how long a peer may delay the acknowledgement of a single segment (section 7.2).
const DELAYED_ACK_NS: u64 = 200_000_000;
/// What timers' granularity may add; Linux adds two ticks of a millisecond.
const SLACK_NS: u64 = 2_000_000;

/// A probe that waits for its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// TLP.end_seq: an acknowledgement of everything below answers it. `None`: no probe is out.
    end: Option<u64>,
    /// It sent old data again, whose arrival alone does not tell whether the original was lost.
    repeated: bool,
}

impl Probe {
    /// When to probe (section 7.2): two round trips after the last segment, and not after the
    /// retransmission timer.
    pub fn timeout_ns(srtt_ns: u64, segments_out: usize) -> u64 {
        match (srtt_ns, segments_out) {
            (0, _) => NO_RTT_NS,
            (_, 0 | 1) => 2 * srtt_ns + DELAYED_ACK_NS,
            _ => 2 * srtt_ns + SLACK_NS,
        }
    }

    /// Is one out?
    pub fn is_out(&self) -> bool {
        self.end.is_some()
    }

    /// A probe was sent.
    pub fn sent(&mut self, end: u64, repeated: bool) {
        *self = Probe {
            end: Some(end),
            repeated,
        };
    }

    /// Something ended the episode: a recovery or a timeout.
    pub fn forget(&mut self) {
        self.end = None;
    }

    /// An acknowledgement of everything below `una` arrived; `bare`: it was a duplicate without any
    /// SACK option (section 7.4.2). `true`: the probe repaired a loss, for which the window is to
    /// be reduced.
    pub fn on_ack(&mut self, una: u64, dsack: bool, bare: bool) -> bool {
        let Some(end) = self.end.filter(|&end| una >= end) else {
            return false;
        };
        let repaired = self.repeated && !dsack && una > end;
        // Without a sign of either kind the second copy's acknowledgement may still come.
        if !self.repeated || dsack || repaired || bare {
            self.end = None;
        }
        repaired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_to_new_data_tells_of_no_loss() {
        // RFC 8985, section 7.4.2.
        let mut probe = Probe::default();
        probe.sent(1000, false);
        assert!(!probe.on_ack(999, false, false) && probe.is_out());
        assert!(!probe.on_ack(1000, false, false) && !probe.is_out());
    }

    #[test]
    fn two_copies_are_known_by_a_dsack_or_a_duplicate() {
        // RFC 8985, section 7.4.2.
        for (dsack, bare) in [(true, false), (false, true)] {
            let mut probe = Probe::default();
            probe.sent(1000, true);
            assert!(
                !probe.on_ack(1000, false, false) && probe.is_out(),
                "the original's acknowledgement decides nothing"
            );
            assert!(!probe.on_ack(1000, dsack, bare) && !probe.is_out());
        }
    }

    #[test]
    fn a_copy_that_repaired_a_loss_reduces_the_window() {
        // RFC 8985, section 7.4.2.
        let mut probe = Probe::default();
        probe.sent(1000, true);
        assert!(!probe.on_ack(1000, false, false));
        assert!(probe.on_ack(2000, false, false) && !probe.is_out());
    }

    #[test]
    fn a_single_segment_waits_for_the_peers_delayed_ack() {
        // RFC 8985, section 7.2.
        assert_eq!(Probe::timeout_ns(50_000_000, 1), 300_000_000);
        assert_eq!(Probe::timeout_ns(50_000_000, 2), 102_000_000);
        assert_eq!(Probe::timeout_ns(0, 2), 1_000_000_000);
    }
}
