//! CUBIC: the window follows a cubic function of the time since the last loss.
//!
//! S. Ha, I. Rhee, L. Xu: CUBIC: A New TCP-Friendly High-Speed TCP Variant, 2008; RFC 9438. In one
//! sentence: return quickly to near the window that was lost, rest there, then look for more, at a
//! pace that real time sets, so that a long round trip is no disadvantage.
//!
//! ```text
//!   W_cubic(t) = C (t - K)^3 + W_max            section 4.2; t since the epoch began, in seconds, W in segments
//!   K          = cbrt((W_max - cwnd_epoch) / C)
//!   cwnd      += 1 for each n delivered         n = cwnd / (W_cubic(t + RTT) - cwnd), no less than 2
//!   W_est     += 1 for each 15/8 cwnd           section 4.3; what Reno would have with this beta; a floor for cwnd
//!   loss       W_max = cwnd, or (1 + beta) / 2 cwnd if less than the last W_max      sections 4.6, 4.7
//!              ssthresh = beta cwnd
//!
//!    W_max |            ___________          /
//!          |        .--'     :     '--.     /        concave up to W_max, where it rests at t = K,
//!          |      .'         :         '---'         then convex
//!          |_____/___________:______________ t
//!                0           K
//! ```
//!
//! Its slow start is ended by [`HyStart`].
//!
//! Constants, in the fractions that Linux computes with: see [`curve`] for C; beta is 717/1024
//! (0.7, section 4.6: less loses fairness, more loses convergence); 15/8 is 1/alpha with alpha = 3
//! (1 - beta) / (1 + beta) (section 4.3). n is at least 2: half as much again in a round trip, as
//! section 4.2 bounds the target. n is `100 cwnd` where the curve is below the window: almost
//! standing still. n is at most 20 before the first loss, when W_max says nothing: 5 % a round
//! trip. n is computed once in 1/32 s while the window stays the same, to save work, and once in a
//! jiffy at most.
//!
//! This is Linux 6.x's CUBIC, so that a simulation can stand beside the kernel: on recorded ACKs of
//! Linux 6.18 the windows are the kernel's, but for a segment now and then (`cubic/kernel.rs`).
//! Times are jiffies of 4 ms (250 Hz, the default), t is counted from the first ACK after recovery,
//! RTT is the least so far, and samples of the first second of an epoch do not count for it.
//!
//! Differences from RFC 9438, all Linux's: n instead of a target between cwnd and 1.5 cwnd; beta of
//! cwnd, not of what is outstanding; W_est's alpha does not become 1 beyond the last window; a
//! timeout forgets W_max and the least RTT.
//!
//! Differences from Linux: K is exact, where Linux's cube root is within about 0.2 %; the jiffies'
//! phase is that of the driver's clock; a segment that is not full counts for what it carries;
//! there is no undo of a reduction.

pub(crate) mod curve;
#[cfg(test)]
mod kernel;
#[cfg(test)]
mod tests;

use super::hystart::HyStart;
use super::segments::{at_least_two, in_slow_start, slow_start, Segments};
use super::{AckSample, Avoidance};
use crate::Window;
use curve::Curve;

/// Jiffies in a second, as Debian, Ubuntu and the kernel's own default have it.
const HZ: u64 = 250;
const JIFFY_NS: u64 = 1_000_000_000 / HZ;
/// The window is computed anew after more than so long even if it stays the same.
const STALE_JIFFIES: u64 = HZ / 32;

const BETA_1024: u64 = 717;
const SLOWEST_BEFORE_LOSS: u64 = 20;
const FASTEST: u64 = 2;

/// CUBIC's window.
#[derive(Clone, Debug, Default)]
pub struct Cubic {
    /// Segments before the last reduction; 0 where there was none.
    w_max: u64,
    /// Least round-trip time in microseconds, but see [`measure`](Avoidance::measure).
    least_rtt_us: Option<u64>,
    epoch: Option<Epoch>,
    /// Delivered segments for each of growth.
    per: u64,
    /// Window and jiffy for which the curve was evaluated last.
    evaluated: Option<(u64, u64)>,
    segments: Segments,
    hystart: HyStart,
}

/// A period of congestion avoidance, which a loss ends.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start_jiffies: u64,
    curve: Curve,
    /// Reno's window, in segments.
    w_est: u64,
    /// Delivered segments that have not yet made it grow.
    w_est_credit: u64,
}

impl Epoch {
    /// Reno's window after what has been delivered meanwhile.
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

/// The window in segments, which Linux keeps in 32 bits.
fn segments_of(window: &Window) -> u64 {
    window.segments().min(u64::from(u32::MAX))
}

impl Cubic {
    /// How many segments are to be delivered for each of growth.
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
            curve: Curve::new(w_max, cwnd),
            w_est: cwnd,
            w_est_credit: delivered,
        });
        if !fresh {
            self.evaluated = Some((cwnd, now));
            let rtt_jiffies = self.least_rtt_us.unwrap_or(0).div_ceil(JIFFY_NS / 1000);
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

/// Delivered segments for each of growth such that a window's worth of them reaches the target.
fn per_for_target(target: u64, cwnd: u64) -> u64 {
    cwnd.checked_div(target.saturating_sub(cwnd))
        .unwrap_or(100 * cwnd)
}

impl Avoidance for Cubic {
    fn measure(&mut self, window: &mut Window, ack: &AckSample) {
        let Some(rtt_ns) = ack.rtt_ns else { return };
        // The queue that the loss revealed is still draining.
        if self
            .epoch
            .is_some_and(|epoch| jiffies(ack.now_ns).saturating_sub(epoch.start_jiffies) < HZ)
        {
            return;
        }
        let rtt_us = (rtt_ns / 1000).max(1);
        let least_rtt_us = self.least_rtt_us.unwrap_or(rtt_us).min(rtt_us);
        self.least_rtt_us = Some(least_rtt_us);
        self.hystart.measure(window, ack, rtt_us, least_rtt_us);
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
        self.path_is_full(window);
        at_least_two(segments_of(window) * BETA_1024 / 1024, window.mss_bytes)
    }

    fn path_is_full(&mut self, window: &Window) {
        let cwnd = segments_of(window);
        // Fast convergence: a loss below the last one's window says that somebody else needs room.
        self.w_max = if cwnd < self.w_max {
            cwnd * (1024 + BETA_1024) / 2048
        } else {
            cwnd
        };
        self.epoch = None;
        self.segments.forget_credit();
    }

    fn timeout(&mut self) {
        *self = Cubic {
            segments: self.segments,
            ..Cubic::default()
        };
    }

    fn resume(&mut self, idle_since_ns: u64, now_ns: u64) {
        // Time in which nothing was sent is no time in which the path could have told of congestion
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
