//! Prague: DCTCP made fit for the Internet, the congestion control of L4S.
//!
//! RFC 9331 (the requirements); draft-briscoe-iccrg-prague-congestion-control-04; TCP Prague for
//! Linux 0.7 (L4STeam). A queue of L4S (DualPI2) marks a fraction p of the packets all the time,
//! and not all of them now and then, as a step does. So there is a mark in nearly every round trip,
//! and cwnd must grow meanwhile:
//!
//! ```text
//!   alpha    = (1 - g) alpha + g M        as DCTCP, with 24 fractional bits
//!   a mark   cwnd -= cwnd alpha / 2       once for a virtual RTT, at once
//!   no mark  cwnd += acked MSS / cwnd * min(1, RTT / 25 ms)^2     for each ACK without ECE
//!   a loss   cwnd = cwnd / 2              as Reno, also in the round trip of a mark
//! ```
//!
//! In equilibrium there are about two marks in a round trip, whatever the rate is: the signal is
//! scalable. Beside a classic flow, the coupled probabilities of DualPI2 then give each about the
//! same rate.
//!
//! *Independence of the RTT* (RFC 9331, section 4.3). With a short RTT a flow would grow and reduce
//! more often than others. Below 25 ms Prague behaves as a flow of 25 ms, the virtual RTT: alpha is
//! updated and cwnd reduced once for 25 ms, and the growth is that of a flow with the same rate and
//! the virtual RTT. This begins some round trips after slow start, so that short flows stay quick.
//!
//! *The first mark* halves cwnd, as a loss does, and ends slow start. alpha begins with it, at
//! zero: it measures marks, and there were none.
//!
//! *Pacing* at cwnd / SRTT, and at twice that in slow start. A burst would be marked.
//!
//! *ECN* has ECT(1) in all packets ([`Avoidance::ect`](crate::Avoidance::ect)). Without ECN at the
//! peer, no ACK has ECE, and this is a paced Reno with growth that does not depend on the RTT.
//!
//! Constants: g = 1/16 as DCTCP, 25 ms and the transition of 4 rounds as in Linux (the draft's
//! section 2.4.4 leaves the transition open).
//!
//! NOTE: simplified against RFC 9331. (1) Feedback is that of DCTCP (RFC 8257), not AccECN: the
//! SYN has the bits of RFC 3168, and an ACK says whether its data was marked. This is exact unless
//! ACKs are lost. (2) There is no detection of classic queues with ECN, beside which Prague takes
//! more than its share. (3) The window is at least two segments. Linux paces slower and sends
//! smaller segments. (4) The pacing rate does not vary by 3 %, as it does in Linux.
//!
//! Difference from Linux: a mark after the virtual RTT reduces at once. Linux looks for one only
//! once in each RTT, so with an RTT of 20 ms it reduces every 40 ms.

use super::reno::Reno;
use super::segments::at_least_two;
use super::{AckSample, Avoidance};
use crate::Window;

/// alpha = 1, which has 24 fractional bits.
const ONE: u64 = 1 << ALPHA_BITS;
const ALPHA_BITS: u32 = 24;
/// g = 2^-4.
const GAIN_SHIFT: u32 = 4;
/// The virtual RTT is at least this.
const MIN_VIRTUAL_RTT_NS: u64 = 25_000_000;
/// Updates of alpha after slow start until the RTT matters no more.
const TRANSITION_ROUNDS: u32 = 4;
/// Fractional bits of the growth that is less than a byte.
const GROWTH_BITS: u32 = 16;

/// Congestion avoidance of Prague.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prague {
    reno: Reno,
    /// alpha / g, times 2^24, so that no part of an update is lost.
    upscaled_alpha: u64,
    /// A mark was reported, so alpha is measured.
    has_seen_mark: bool,
    /// A mark has reduced cwnd.
    has_reduced: bool,
    /// The window of data is over when all bytes below are acknowledged.
    window_end: u64,
    delivered_bytes: u64,
    marked_bytes: u64,
    /// Updates of alpha since slow start.
    rounds: u32,
    updated_ns: u64,
    reduced_ns: u64,
    srtt_ns: u64,
    /// Growth of less than a byte, times 2^16.
    growth: u64,
}

impl Prague {
    /// Prague, with the slow start and the loss response of this Reno.
    pub fn new(reno: Reno) -> Prague {
        Prague {
            reno,
            ..Prague::default()
        }
    }

    fn alpha(&self) -> u64 {
        self.upscaled_alpha >> GAIN_SHIFT
    }

    fn is_independent_of_rtt(&self) -> bool {
        self.rounds >= TRANSITION_ROUNDS && self.srtt_ns < MIN_VIRTUAL_RTT_NS
    }

    /// Has a virtual RTT passed since this time?
    fn has_passed(&self, since_ns: u64, now_ns: u64) -> bool {
        !self.is_independent_of_rtt() || now_ns.saturating_sub(since_ns) >= MIN_VIRTUAL_RTT_NS
    }

    fn end_round(&mut self, window: &Window, ack: &AckSample) {
        if self.has_seen_mark {
            let marked = u128::from(self.marked_bytes) * u128::from(ONE);
            let marked = marked / u128::from(self.delivered_bytes.max(1));
            self.upscaled_alpha -= self.upscaled_alpha >> GAIN_SHIFT;
            self.upscaled_alpha = (self.upscaled_alpha + marked as u64).min(ONE << GAIN_SHIFT);
        }
        self.updated_ns = ack.now_ns;
        self.window_end = ack.nxt;
        (self.delivered_bytes, self.marked_bytes) = (0, 0);
        if !window.in_slow_start() {
            self.rounds = self.rounds.saturating_add(1);
        }
    }
}

impl Avoidance for Prague {
    fn measure(&mut self, window: &mut Window, ack: &AckSample) {
        self.srtt_ns = ack.srtt_ns;
        self.delivered_bytes = self.delivered_bytes.saturating_add(ack.delivered_bytes);
        if ack.has_ece {
            self.has_seen_mark = true;
            self.marked_bytes = self.marked_bytes.saturating_add(ack.delivered_bytes);
        }
        if ack.una >= self.window_end && self.has_passed(self.updated_ns, ack.now_ns) {
            self.end_round(window, ack);
        }
    }

    fn raise(&mut self, window: &mut Window, ack: &AckSample) {
        if ack.has_ece || !ack.cwnd_limited {
            return;
        }
        if window.in_slow_start() {
            return self.reno.raise(window, ack);
        }
        let growth = u128::from(ack.delivered_bytes) * u128::from(window.mss_bytes);
        let mut growth = (growth << GROWTH_BITS) / u128::from(window.cwnd_bytes);
        if self.is_independent_of_rtt() {
            let virtual_rtt = u128::from(MIN_VIRTUAL_RTT_NS);
            let rtt = u128::from(self.srtt_ns);
            growth = growth * rtt / virtual_rtt * rtt / virtual_rtt;
        }
        let growth = u64::try_from(growth).unwrap_or(u64::MAX);
        self.growth = self.growth.saturating_add(growth);
        window.cwnd_bytes = window.cwnd_bytes.saturating_add(self.growth >> GROWTH_BITS);
        self.growth &= (1 << GROWTH_BITS) - 1;
    }

    fn ssthresh(&mut self, window: &Window, now_ns: u64, flight_bytes: u64) -> u64 {
        self.reno.ssthresh(window, now_ns, flight_bytes)
    }

    fn ssthresh_after_mark(&mut self, window: &Window, now_ns: u64, _flight_bytes: u64) -> u64 {
        let cwnd = window.cwnd_bytes;
        let reduction = match self.has_reduced {
            false => cwnd / 2,
            true => ((u128::from(cwnd) * u128::from(self.alpha())) >> (ALPHA_BITS + 1)) as u64,
        };
        self.has_reduced = true;
        self.reduced_ns = now_ns;
        self.reno.forget_credit();
        (cwnd - reduction).max(at_least_two(0, window.mss_bytes))
    }

    fn ignores_mark(&self, now_ns: u64) -> bool {
        self.has_reduced && !self.has_passed(self.reduced_ns, now_ns)
    }

    fn reduces_at_once(&self) -> bool {
        true
    }

    fn pacing_bytes_per_s(&self, window: &Window) -> Option<u64> {
        let is_probing = window.cwnd_bytes < window.ssthresh_bytes / 2;
        let per_round = u128::from(window.cwnd_bytes) << u32::from(is_probing);
        let rate = per_round * 1_000_000_000 / u128::from(self.srtt_ns.max(1));
        (self.srtt_ns > 0).then(|| u64::try_from(rate).unwrap_or(u64::MAX).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::UNLIMITED;

    const MSS: u64 = 1000;
    const MS: u64 = 1_000_000;

    /// A connection after slow start, whose flight is always cwnd, with ACKs of one segment.
    struct Flow {
        prague: Prague,
        window: Window,
        una: u64,
        now_ns: u64,
        rtt_ns: u64,
    }

    impl Flow {
        fn new(segments: u64, rtt_ns: u64) -> Flow {
            let window = Window {
                cwnd_bytes: segments * MSS,
                ssthresh_bytes: 2 * MSS,
                mss_bytes: MSS as u32,
            };
            Flow {
                prague: Prague::new(Reno::default()),
                window,
                una: 0,
                now_ns: 0,
                rtt_ns,
            }
        }

        /// With what a flow has that was marked before, and is past the transition.
        fn old(segments: u64, rtt_ns: u64) -> Flow {
            let mut flow = Flow::new(segments, rtt_ns);
            flow.round(0);
            flow.prague.rounds = TRANSITION_ROUNDS;
            (flow.prague.has_seen_mark, flow.prague.has_reduced) = (true, true);
            flow
        }

        fn acknowledge(&mut self, has_ece: bool) {
            self.una += MSS;
            self.now_ns += self.rtt_ns / self.window.segments();
            let sample = AckSample {
                now_ns: self.now_ns,
                delivered_bytes: MSS,
                has_ece,
                una: self.una,
                nxt: self.una + self.window.cwnd_bytes,
                srtt_ns: self.rtt_ns,
                cwnd_limited: true,
                ..AckSample::default()
            };
            self.prague.measure(&mut self.window, &sample);
            self.prague.raise(&mut self.window, &sample);
        }

        /// ACKs of a window, of which the first are marked.
        fn round(&mut self, marked: u64) {
            let segments = self.window.segments();
            (0..segments).for_each(|number| self.acknowledge(number < marked));
        }

        fn mark(&mut self) -> u64 {
            let window = self.window;
            self.prague.ssthresh_after_mark(&window, self.now_ns, 0)
        }
    }

    #[test]
    fn the_first_mark_halves_cwnd_and_later_ones_reduce_by_half_of_alpha() {
        let mut flow = Flow::new(100, 50 * MS);
        flow.acknowledge(true);
        assert_eq!(flow.mark(), 50_000);
        flow.prague.upscaled_alpha = ONE << GAIN_SHIFT >> 3;
        assert_eq!(flow.mark(), 93_750);
        flow.prague.upscaled_alpha = 0;
        assert_eq!(flow.mark(), 100_000);
    }

    //= draft-briscoe-iccrg-prague-congestion-control section 2.4.2: alpha += g * (F - alpha)
    #[test]
    fn alpha_follows_the_marked_fraction_without_losing_small_ones() {
        let mut flow = Flow::old(1000, 50 * MS);
        for _ in 0..300 {
            flow.window.cwnd_bytes = 1000 * MSS;
            flow.round(1);
        }
        // DCTCP's ten bits would be zero.
        let alpha = flow.prague.alpha() as f64 / ONE as f64;
        assert!((0.0009..0.0011).contains(&alpha), "{alpha}");
    }

    //= draft-briscoe-iccrg-prague-congestion-control section 2.4.3: cwnd grows for bytes that are
    //= not marked, also in the round trip of a mark
    #[test]
    fn cwnd_grows_by_a_segment_per_round_trip_for_what_is_not_marked() {
        for (marked, growth) in [(0, 1000), (50, 500), (100, 0)] {
            let mut flow = Flow::old(100, 50 * MS);
            let before = flow.window.cwnd_bytes;
            (0..100).for_each(|number| flow.acknowledge(number < marked));
            let grown = flow.window.cwnd_bytes - before;
            assert!(grown.abs_diff(growth) < 20, "{grown} for {marked}");
        }
    }

    //= RFC 9331 section 4.3: "MUST eliminate RTT bias as much as possible in the range between the
    //= minimum likely RTT and typical RTTs"
    #[test]
    fn below_25_ms_the_rate_grows_as_at_25_ms() {
        let rate_gain = |rtt_ns: u64| {
            let mut flow = Flow::old(1000, rtt_ns);
            let (before, begin_ns) = (flow.window.cwnd_bytes, flow.now_ns);
            while flow.now_ns < begin_ns + 100 * MS {
                flow.acknowledge(false);
            }
            (flow.window.cwnd_bytes - before) as f64 / rtt_ns as f64
        };
        let usual = rate_gain(25 * MS);
        for rtt_ns in [5 * MS, 10 * MS] {
            let ratio = rate_gain(rtt_ns) / usual;
            assert!((0.95..1.05).contains(&ratio), "{ratio} at {rtt_ns} ns");
        }
        assert!(rate_gain(50 * MS) < 0.3 * usual);
    }

    #[test]
    fn marks_of_one_virtual_rtt_reduce_once() {
        let mut flow = Flow::old(100, 5 * MS);
        flow.prague.upscaled_alpha = ONE << GAIN_SHIFT;
        flow.now_ns += 100 * MS;
        let cwnd = flow.window.cwnd_bytes;
        assert_eq!(flow.mark(), cwnd - cwnd / 2);
        assert!(flow.prague.ignores_mark(flow.now_ns + 24 * MS));
        assert!(!flow.prague.ignores_mark(flow.now_ns + 25 * MS));
    }

    #[test]
    fn it_paces_a_window_in_a_round_trip_and_twice_that_in_slow_start() {
        let mut flow = Flow::new(10, 100 * MS);
        assert_eq!(flow.prague.pacing_bytes_per_s(&flow.window), None);
        flow.acknowledge(true);
        let mut window = flow.window;
        window.cwnd_bytes = 10_000;
        assert_eq!(flow.prague.pacing_bytes_per_s(&window), Some(100_000));
        window.ssthresh_bytes = UNLIMITED;
        assert_eq!(flow.prague.pacing_bytes_per_s(&window), Some(200_000));
    }

    //= RFC 9331 section 4.3: "MUST react to packet loss in a way that will coexist safely with a
    //= TCP Reno congestion control"
    #[test]
    fn a_loss_halves_cwnd() {
        let mut flow = Flow::old(100, 50 * MS);
        let window = Window {
            cwnd_bytes: 100_000,
            ..flow.window
        };
        assert_eq!(flow.prague.ssthresh(&window, 0, 0), 50_000);
    }
}
