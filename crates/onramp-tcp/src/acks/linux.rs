//! Linux's acknowledgements: quick ACKs while the sender must find its rate, then an ACK for every
//! second segment.
//!
//! *Quick ACKs.* There is a budget of ACKs that are not delayed: half of the advertised window in
//! full segments, at most 16. It is filled by the first data, by data after a pause longer than the
//! RTO, and by duplicates. A mark (ECN) fills it to two. A segment that enlarges the advertised
//! window gets a quick ACK even if the budget is empty. So in a download from Linux 6.18 (lab, 50
//! Mbit/s, 600 ms, auto-tuned buffer), every segment is acknowledged while auto-tuning raises the
//! window, and every second one while the window does not change. If our data follows the peer's
//! within the delay, the connection is interactive ("pingpong"). This suspends quick ACKs, because
//! our next data will carry the ACK.
//!
//! *Delayed ACKs.* More than one full segment is acknowledged immediately. The size of a full
//! segment is the largest payload seen. Less data waits for a delay that follows the time between
//! arrivals: it starts at 40 ms, and half of it is kept and half replaced. It is at most 200 ms and
//! at most our RTT. A reader that takes the last byte of a pushed or small segment sends the ACK,
//! unless the connection is interactive.
//!
//! Sources: tcp(7), `TCP_QUICKACK`; Sarolahti & Kuznetsov, "Congestion Control in Linux TCP"
//! (USENIX 2002); observation of Linux 6.18. NOTE: Linux sends no ACK for two segments while a slow
//! reader keeps the window from advancing; this implementation does.

use super::{AckPolicy, Arrival, Decision};
use crate::timing::Events;
use crate::Ticks;

const MS_NS: u64 = 1_000_000;
/// Minimum delay, and the initial one.
const MIN_DELAY_NS: u64 = 40 * MS_NS;
/// Maximum delay.
const MAX_DELAY_NS: u64 = 200 * MS_NS;
/// Maximum number of quick ACKs in the budget.
const MAX_QUICK: u64 = 16;
/// Minimum number of quick ACKs, if the window is too small for one.
const MIN_QUICK: u64 = 2;
/// Minimum size of a full segment, if the MSS is not smaller: the default MSS (RFC 9293, section
/// 3.7.1).
const DEFAULT_SEGMENT_BYTES: u32 = 536;
/// Window until the first report.
const INITIAL_WINDOW_BYTES: u64 = 64_240;
/// RTO until the first report.
const INITIAL_TIMEOUT_NS: u64 = 1000 * MS_NS;

/// Linux's acknowledgements.
#[derive(Clone, Copy, Debug)]
pub struct Linux {
    events: Events,
    /// Remaining quick ACKs.
    quick_acks: u64,
    /// The connection is interactive: ACKs wait for our data.
    is_interactive: bool,
    /// Delay of an ACK; `None` before the first data.
    delay_ns: Option<u64>,
    last_arrival_ns: u64,
    /// Largest payload seen.
    segment_bytes: u32,
    /// Data in order that is not acknowledged; `None` if no ACK is needed.
    unacknowledged_bytes: Option<u64>,
    /// When the delayed ACK must be sent.
    at_ns: Option<u64>,
    /// Pushed or small segments that wait for an ACK.
    pushed: u32,
    offered_bytes: u64,
    /// The current segment enlarged the window.
    window_grew: bool,
    srtt_ns: u64,
    timeout_ns: u64,
}

impl Linux {
    /// A policy on a host with these clocks.
    pub fn new(ticks: Ticks) -> Linux {
        Linux {
            // With a tick longer than half the maximum, an ACK could wait longer than RFC 1122
            // allows.
            events: Ticks {
                event_ns: ticks.event_ns.min(MAX_DELAY_NS / 2),
                ..ticks
            }
            .events(),
            quick_acks: 0,
            is_interactive: false,
            delay_ns: None,
            last_arrival_ns: 0,
            segment_bytes: 0,
            unacknowledged_bytes: None,
            at_ns: None,
            pushed: 0,
            offered_bytes: INITIAL_WINDOW_BYTES,
            window_grew: false,
            srtt_ns: 0,
            timeout_ns: INITIAL_TIMEOUT_NS,
        }
    }

    fn measure_segment(&mut self, arrival: &Arrival) {
        let default_bytes = DEFAULT_SEGMENT_BYTES.min(arrival.mss_bytes);
        let largest_bytes = self.segment_bytes.max(default_bytes).max(1);
        self.segment_bytes = largest_bytes.max(arrival.payload_bytes.min(arrival.mss_bytes));
        if arrival.payload_bytes < self.segment_bytes || arrival.push {
            self.pushed += 1;
        }
    }

    /// Adapts the delay to the time between arrivals.
    fn measure_gap(&mut self, now_ns: u64) {
        let gap_ns = now_ns.saturating_sub(self.last_arrival_ns);
        self.last_arrival_ns = now_ns;
        let Some(delay_ns) = self.delay_ns else {
            self.delay_ns = Some(MIN_DELAY_NS);
            return self.fill_quick();
        };
        if gap_ns <= MIN_DELAY_NS / 2 {
            self.delay_ns = Some(delay_ns / 2 + MIN_DELAY_NS / 2);
        } else if gap_ns < delay_ns {
            self.delay_ns = Some((delay_ns / 2 + gap_ns).min(self.timeout_ns));
        } else if gap_ns > self.timeout_ns {
            self.fill_quick();
        }
    }

    fn fill_quick(&mut self) {
        self.fill_quick_up_to(MAX_QUICK);
    }

    fn fill_quick_up_to(&mut self, max: u64) {
        let segments = self.offered_bytes / (2 * u64::from(self.segment_bytes.max(1)));
        let budget = if segments == 0 {
            MIN_QUICK
        } else {
            segments.min(max)
        };
        self.quick_acks = self.quick_acks.max(budget);
    }

    fn delayed(&mut self, now_ns: u64) -> Decision {
        let mut delay_ns = self.delay_ns.unwrap_or(MIN_DELAY_NS);
        if delay_ns > MIN_DELAY_NS && self.srtt_ns > 0 {
            delay_ns = delay_ns.min(self.srtt_ns.max(MIN_DELAY_NS));
        }
        let delay_ns = delay_ns.min(MAX_DELAY_NS);
        if let Some(earlier_ns) = self.at_ns {
            // An ACK that is nearly due is sent immediately.
            if earlier_ns <= now_ns.saturating_add(delay_ns / 4) {
                return Decision::Now;
            }
        }
        let at_ns = self
            .events
            .at_or_after_ns(now_ns.saturating_add(delay_ns.max(1)));
        let at_ns = self.at_ns.map_or(at_ns, |earlier_ns| earlier_ns.min(at_ns));
        self.at_ns = Some(at_ns);
        Decision::At(at_ns)
    }
}

impl AckPolicy for Linux {
    fn arrived(&mut self, arrival: &Arrival) -> Decision {
        self.unacknowledged_bytes = Some(arrival.unacknowledged_bytes);
        self.measure_segment(arrival);
        if arrival.in_order {
            self.measure_gap(arrival.now_ns);
        }
        // Adds one to an even budget and leaves an odd one unchanged.
        self.quick_acks |= u64::from(std::mem::take(&mut self.window_grew));
        if !arrival.in_order {
            return Decision::Now;
        }
        let segments = 1 + u64::from(arrival.stretch_segments);
        let is_full = arrival.unacknowledged_bytes > segments * u64::from(self.segment_bytes);
        if is_full || (self.quick_acks > 0 && !self.is_interactive) {
            return Decision::Now;
        }
        self.delayed(arrival.now_ns)
    }

    fn duplicate(&mut self, _now_ns: u64) {
        self.unacknowledged_bytes.get_or_insert(0);
        self.fill_quick();
        self.is_interactive = false;
        self.delay_ns = Some(MIN_DELAY_NS);
    }

    fn marked(&mut self) {
        self.fill_quick_up_to(MIN_QUICK);
        self.is_interactive = false;
        self.delay_ns = Some(MIN_DELAY_NS);
    }

    fn window(&mut self, offered_bytes: u64, window_grew: bool) {
        self.offered_bytes = offered_bytes;
        self.window_grew = window_grew;
    }

    fn round_trip(&mut self, srtt_ns: u64, timeout_ns: u64) {
        self.srtt_ns = srtt_ns;
        self.timeout_ns = timeout_ns;
    }

    fn read(&mut self, _now_ns: u64, emptied: bool) -> bool {
        let Some(unacknowledged_bytes) = self.unacknowledged_bytes else {
            return false;
        };
        let is_end_of_message = self.pushed > 1 || (self.pushed == 1 && !self.is_interactive);
        unacknowledged_bytes > u64::from(self.segment_bytes) || (emptied && is_end_of_message)
    }

    fn expired(&mut self, _now_ns: u64) {
        let Some(delay_ns) = self.delay_ns else {
            return;
        };
        if self.is_interactive {
            // Our data did not come.
            self.is_interactive = false;
            self.delay_ns = Some(MIN_DELAY_NS);
        } else {
            self.delay_ns = Some(delay_ns.saturating_mul(2).min(self.timeout_ns));
        }
    }

    fn sent(&mut self, _now_ns: u64) {
        if self.unacknowledged_bytes.take().is_some() && self.quick_acks > 0 {
            self.quick_acks -= 1;
            if self.quick_acks == 0 {
                self.delay_ns = Some(MIN_DELAY_NS);
            }
        }
        self.at_ns = None;
        self.pushed = 0;
    }

    fn sent_data(&mut self, now_ns: u64) {
        let Some(delay_ns) = self.delay_ns else {
            return;
        };
        if now_ns.saturating_sub(self.last_arrival_ns) < delay_ns {
            self.is_interactive = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS_BYTES: u32 = 1448;

    /// A receiver that sends ACKs as the policy decides.
    struct Receiver {
        policy: Linux,
        unacknowledged_bytes: u64,
    }

    impl Receiver {
        fn new() -> Receiver {
            Receiver {
                policy: Linux::new(Ticks::FINE),
                unacknowledged_bytes: 0,
            }
        }

        fn segment(&mut self, now_ns: u64, payload_bytes: u32) -> Decision {
            self.unacknowledged_bytes += u64::from(payload_bytes);
            let decision = self.policy.arrived(&Arrival {
                now_ns,
                payload_bytes,
                mss_bytes: MSS_BYTES,
                in_order: true,
                unacknowledged_bytes: self.unacknowledged_bytes,
                ..Arrival::default()
            });
            if decision == Decision::Now {
                self.acknowledge(now_ns);
            }
            decision
        }

        fn acknowledge(&mut self, now_ns: u64) {
            self.policy.sent(now_ns);
            self.unacknowledged_bytes = 0;
        }

        /// Receives `count` full segments, 0.24 ms apart. Returns how many were acknowledged
        /// immediately.
        fn acknowledged_of(&mut self, count: u64, start_ns: u64) -> usize {
            (0..count)
                .filter(|n| self.segment(start_ns + n * 240_000, MSS_BYTES) == Decision::Now)
                .count()
        }

        /// A receiver that has used up its quick ACKs.
        fn settled() -> Receiver {
            let mut receiver = Receiver::new();
            assert_eq!(receiver.acknowledged_of(16, 0), 16);
            receiver
        }
    }

    /// Measured on Linux 6.18.
    #[test]
    fn sixteen_segments_are_acknowledged_one_by_one_and_then_every_second() {
        let mut receiver = Receiver::new();
        assert_eq!(receiver.acknowledged_of(16, 0), 16);
        assert_eq!(receiver.acknowledged_of(16, 10 * MS_NS), 8);
    }

    #[test]
    fn a_small_window_has_fewer_quick_acks() {
        let mut receiver = Receiver::new();
        receiver.policy.window(8 * u64::from(MSS_BYTES), false);
        assert_eq!(receiver.acknowledged_of(12, 0), 4 + 4);
    }

    /// Measured on Linux 6.18: while auto-tuning raises the window, every segment is acknowledged.
    /// The budget of sixteen is used after the segments that first raised the window.
    #[test]
    fn segments_that_raise_the_window_are_acknowledged() {
        let mut receiver = Receiver::new();
        for _ in 0..5 {
            receiver.policy.window(64_240, true);
            assert_eq!(receiver.segment(MS_NS, MSS_BYTES), Decision::Now);
        }
        assert_eq!(receiver.acknowledged_of(16, 2 * MS_NS), 16);
        assert_eq!(receiver.acknowledged_of(10, 9 * MS_NS), 5);
        for _ in 0..40 {
            receiver.policy.window(80_896, true);
            assert_eq!(receiver.segment(20 * MS_NS, MSS_BYTES), Decision::Now);
        }
        assert_eq!(receiver.acknowledged_of(10, 21 * MS_NS), 5);
    }

    #[test]
    fn one_segment_waits_for_40_ms() {
        let mut receiver = Receiver::settled();
        assert_eq!(
            receiver.segment(10 * MS_NS, MSS_BYTES),
            Decision::At(50 * MS_NS)
        );
    }

    #[test]
    fn the_delay_follows_the_gaps_between_arrivals_up_to_200_ms() {
        let mut receiver = Receiver::settled();
        receiver.policy.round_trip(600 * MS_NS, 800 * MS_NS);
        let mut now_ns = 10 * MS_NS;
        let mut longest_ns = 0;
        for _ in 0..12 {
            now_ns += 150 * MS_NS;
            let Decision::At(at_ns) = receiver.segment(now_ns, 10) else {
                panic!("acknowledged at once")
            };
            longest_ns = longest_ns.max(at_ns - now_ns);
            receiver.policy.expired(at_ns);
            receiver.acknowledge(at_ns);
        }
        assert_eq!(longest_ns, 200 * MS_NS);
        // Fast arrivals shorten the delay again.
        for n in 0..40 {
            receiver.segment(now_ns + n, 1);
            receiver.acknowledge(now_ns + n);
        }
        let Decision::At(at_ns) = receiver.segment(now_ns + 40, 1) else {
            panic!("acknowledged at once")
        };
        assert!((40 * MS_NS..41 * MS_NS).contains(&(at_ns - now_ns)));
    }

    #[test]
    fn a_pause_longer_than_the_timeout_brings_quick_acks_again() {
        let mut receiver = Receiver::settled();
        assert_eq!(receiver.acknowledged_of(32, 2000 * MS_NS), 16 + 8);
    }

    #[test]
    fn a_duplicate_brings_quick_acks_again() {
        let mut receiver = Receiver::settled();
        receiver.policy.duplicate(9 * MS_NS);
        receiver.acknowledge(9 * MS_NS);
        assert_eq!(receiver.acknowledged_of(25, 10 * MS_NS), 15 + 5);
    }

    #[test]
    fn an_answer_carries_the_acknowledgement() {
        let mut receiver = Receiver::new();
        assert_eq!(receiver.segment(0, 100), Decision::Now);
        receiver.policy.sent_data(MS_NS);
        assert_eq!(receiver.segment(5 * MS_NS, 100), Decision::At(45 * MS_NS));
        assert!(!receiver.policy.read(6 * MS_NS, true));
        // No data of ours came within the delay, so the connection is no longer interactive.
        receiver.policy.expired(45 * MS_NS);
        receiver.acknowledge(45 * MS_NS);
        assert_eq!(receiver.segment(50 * MS_NS, 100), Decision::Now);
    }

    #[test]
    fn a_reader_that_takes_the_last_small_segment_sends_its_acknowledgement() {
        let mut receiver = Receiver::settled();
        assert!(!receiver.policy.read(9 * MS_NS, true));
        assert!(matches!(receiver.segment(10 * MS_NS, 100), Decision::At(_)));
        assert!(!receiver.policy.read(10 * MS_NS, false));
        assert!(receiver.policy.read(10 * MS_NS, true));
        receiver.acknowledge(10 * MS_NS);
        assert!(matches!(
            receiver.segment(11 * MS_NS, MSS_BYTES),
            Decision::At(_)
        ));
        assert!(!receiver.policy.read(11 * MS_NS, true));
    }
}
