//! CUBIC: cwnd follows a cubic function of the time since the last loss.
//!
//! S. Ha, I. Rhee, L. Xu: CUBIC: A New TCP-Friendly High-Speed TCP Variant, 2008; RFC 9438. cwnd
//! returns quickly to near its value at the loss, stays there, and then probes for more. The pace
//! depends on real time, so a long RTT is no disadvantage.
//!
//! ```text
//!   W_cubic(t) = C (t - K)^3 + W_max            section 4.2; t in seconds since the epoch began
//!   K          = cbrt((W_max - cwnd_epoch) / C)
//!   cwnd      += 1 for each n delivered         n = cwnd / (W_cubic(t + RTT) - cwnd), at least 2
//!   W_est     += 1 for each 15/8 cwnd           section 4.3; Reno's window with this beta, which
//!                                               is the minimum of cwnd
//!   loss       W_max = cwnd, or (1 + beta) / 2 cwnd if less than the last W_max
//!              ssthresh = beta cwnd             sections 4.6, 4.7; windows in segments
//!
//!    W_max |            ___________          /
//!          |        .--'     :     '--.     /        concave up to W_max, flat around t = K,
//!          |      .'         :         '---'         then convex
//!          |_____/___________:______________ t
//!                0           K
//! ```
//!
//! [`HyStart`] ends its slow start.
//!
//! Constants, in the fractions of Linux: see [`CubicCurve`] for C. beta is 717/1024 (0.7, section
//! 4.6: a smaller value costs fairness, a larger one convergence). 15/8 is 1/alpha with alpha = 3
//! (1 - beta) / (1 + beta) (section 4.3). n is at least 2: cwnd grows by at most half in a round
//! trip, because section 4.2 limits the target. n is `100 cwnd` if the curve is below cwnd, which
//! almost stops growth. n is at most 20 before the first loss, when W_max is unknown: 5 % a round
//! trip. n is recomputed at most once per jiffy, and only after more than 1/32 s while cwnd does
//! not change, to save work.
//!
//! This is CUBIC as in Linux 6.x, so that simulations can be compared with the kernel. On recorded
//! ACKs of Linux 6.18, cwnd equals the kernel's but for a segment now and then (`cubic/kernel.rs`).
//! Times are jiffies of 4 ms (250 Hz, the default). t is counted from the first ACK after recovery.
//! RTT is the minimum so far, and samples of the first second of an epoch do not count for it.
//!
//! Differences from RFC 9438, all as in Linux: n instead of a target between cwnd and 1.5 cwnd;
//! beta applies to cwnd and not to the flight size; W_est's alpha does not become 1 above the last
//! W_max; a timeout forgets W_max and the min RTT.
//!
//! Differences from Linux: K is exact, while Linux's cube root is within about 0.2 %. The phase of
//! the jiffies is that of the driver's clock. A segment that is not full counts by its bytes.

#[cfg(test)]
mod kernel;
#[cfg(test)]
mod tests;

use super::hystart::HyStart;
use super::segments::{at_least_two, in_slow_start, slow_start, Segments};
use super::{AckSample, Avoidance};
use crate::Window;
use onramp_core::CubicCurve;

/// Jiffies per second, as in Debian, Ubuntu and the kernel's own default.
const HZ: u64 = 250;
const JIFFY_NS: u64 = 1_000_000_000 / HZ;
/// The curve is evaluated again after more than this, even if cwnd does not change.
const STALE_JIFFIES: u64 = HZ / 32;

const BETA_1024: u64 = 717;
const SLOWEST_BEFORE_LOSS: u64 = 20;
const FASTEST: u64 = 2;

/// CUBIC's congestion avoidance.
#[derive(Clone, Debug, Default)]
pub struct Cubic {
    /// Segments before the last reduction; 0 without one.
    w_max: u64,
    /// Min RTT in microseconds; see [`measure`](Avoidance::measure) for the samples that count.
    min_rtt_us: Option<u64>,
    epoch: Option<Epoch>,
    /// Delivered segments for each segment of growth.
    per: u64,
    /// cwnd and jiffy of the last evaluation of the curve.
    evaluated: Option<(u64, u64)>,
    segments: Segments,
    hystart: HyStart,
    /// [`HyStart`] does not end slow start.
    hystart_is_off: bool,
}

/// A period of congestion avoidance, which a loss ends.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start_jiffies: u64,
    curve: CubicCurve,
    /// Reno's cwnd, in segments.
    w_est: u64,
    /// Delivered segments that have not yet made Reno's cwnd grow.
    w_est_credit: u64,
}

impl Epoch {
    /// Reno's cwnd after the segments delivered meanwhile.
    fn reno_friendly(&mut self, cwnd: u64) -> u64 {
        let per = cwnd * 15 / 8;
        let growth = self.w_est_credit.saturating_sub(1) / per;
        self.w_est_credit -= growth * per;
        self.w_est = self.w_est.saturating_add(growth);
        self.w_est
    }
}

fn jiffies(now_ns: u64) -> u64 {
    now_ns / JIFFY_NS
}

/// cwnd in segments, which Linux stores in 32 bits.
fn segments_of(window: &Window) -> u64 {
    window.segments().min(u64::from(u32::MAX))
}

impl Cubic {
    /// CUBIC before its connection is established, with HyStart or without it.
    pub fn new(has_hystart: bool) -> Cubic {
        Cubic {
            hystart_is_off: !has_hystart,
            ..Cubic::default()
        }
    }

    /// Delivered segments for each segment of growth.
    fn pace(&mut self, now_ns: u64, cwnd: u64, delivered: u64) -> u64 {
        let now = jiffies(now_ns);
        if let Some(epoch) = &mut self.epoch {
            epoch.w_est_credit = epoch.w_est_credit.saturating_add(delivered);
        }
        if self
            .evaluated
            .is_some_and(|(of, at)| of == cwnd && now.saturating_sub(at) <= STALE_JIFFIES)
        {
            return self.per;
        }
        let w_max = self.w_max;
        let fresh = self.epoch.is_some() && self.evaluated.is_some_and(|(_, at)| at == now);
        let epoch = self.epoch.get_or_insert_with(|| Epoch {
            start_jiffies: now,
            curve: CubicCurve::new(w_max, cwnd),
            w_est: cwnd,
            w_est_credit: delivered,
        });
        if !fresh {
            self.evaluated = Some((cwnd, now));
            let rtt_jiffies = self.min_rtt_us.unwrap_or(0).div_ceil(JIFFY_NS / 1000);
            let t_jiffies = now
                .saturating_sub(epoch.start_jiffies)
                .saturating_add(rtt_jiffies);
            self.per = per_for_target(epoch.curve.segments_at(t_jiffies * 1024 / HZ), cwnd);
            if w_max == 0 {
                self.per = self.per.min(SLOWEST_BEFORE_LOSS);
            }
        }
        self.per = self
            .per
            .min(per_for_target(epoch.reno_friendly(cwnd), cwnd))
            .max(FASTEST);
        self.per
    }
}

/// The delivered segments per segment of growth with which one window of them reaches the target.
fn per_for_target(target: u64, cwnd: u64) -> u64 {
    cwnd.checked_div(target.saturating_sub(cwnd))
        .unwrap_or(100 * cwnd)
}

impl Avoidance for Cubic {
    fn measure(&mut self, window: &mut Window, ack: &AckSample) {
        let Some(rtt_ns) = ack.rtt_ns else { return };
        // The queue that caused the loss is still draining.
        if self
            .epoch
            .is_some_and(|epoch| jiffies(ack.now_ns).saturating_sub(epoch.start_jiffies) < HZ)
        {
            return;
        }
        let rtt_us = (rtt_ns / 1000).max(1);
        let min_rtt_us = self.min_rtt_us.unwrap_or(rtt_us).min(rtt_us);
        self.min_rtt_us = Some(min_rtt_us);
        if !self.hystart_is_off {
            self.hystart.measure(window, ack, rtt_us, min_rtt_us);
        }
    }

    fn raise(&mut self, window: &mut Window, ack: &AckSample) {
        if !ack.cwnd_limited || ack.delivered_bytes == 0 {
            return;
        }
        let mut segments = self
            .segments
            .delivered(ack.delivered_bytes, window.mss_bytes);
        if in_slow_start(window) {
            segments = slow_start(window, segments);
        }
        if segments > 0 {
            let per = self.pace(ack.now_ns, segments_of(window), segments);
            self.segments.grow(window, segments, per);
        }
    }

    fn ssthresh(&mut self, window: &Window, _now_ns: u64, _flight_bytes: u64) -> u64 {
        let cwnd = segments_of(window);
        // Fast convergence: a loss below the last W_max means that a competing flow needs room.
        self.w_max = if cwnd < self.w_max {
            cwnd * (1024 + BETA_1024) / 2048
        } else {
            cwnd
        };
        self.epoch = None;
        self.segments.forget_credit();
        at_least_two(cwnd * BETA_1024 / 1024, window.mss_bytes)
    }

    fn timeout(&mut self) {
        *self = Cubic {
            segments: self.segments,
            ..Cubic::new(!self.hystart_is_off)
        };
    }

    fn resume(&mut self, idle_since_ns: u64, now_ns: u64) {
        // Idle time must not advance the curve, because the path could not signal congestion
        // (section 5.8).
        if let Some(epoch) = &mut self.epoch {
            let idle = jiffies(now_ns).saturating_sub(jiffies(idle_since_ns));
            epoch.start_jiffies = epoch
                .start_jiffies
                .saturating_add(idle)
                .min(jiffies(now_ns));
        }
    }
}
