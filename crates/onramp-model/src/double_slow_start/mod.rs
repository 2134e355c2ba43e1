//! The double slow start: a fluid model of Tahoe on a path whose buffer is small compared with its
//! BDP.
//!
//! N. Chaher, C. Barakat, W. Dabbous, E. Altman: Improving TCP/IP over Geostationary Satellite
//! Links. INRIA RR-3573, 1998. In short: slow start sends at twice the rate that the bottleneck
//! serves. A buffer smaller than a third of the BDP then overflows before the window reaches
//! ssthresh. The window at which this happens is a wrong estimate of the pipe, and a second slow
//! start follows.
//!
//! ```text
//!   beta      = B / (tau (mu - lambda) + 1)                  normalised buffer; rho = lambda / mu
//!   W_max     = B (mu - lambda) / mu + tau (mu - lambda) + 1             (3)
//!   W_B       = B (2 mu - lambda) / mu                                   (4)  window at overflow
//!   twice if    W_B <= W_th = W_max / 2, or beta <= 1 / (3 - rho)        (5)
//!   W_D       = min(W_th, 2 W_B)                                         (6)  window at detection
//!   gamma_max = beta (2 - rho) / (beta (1 - rho) + 1) = W_B / W_max      (7)
//!   gamma     = gamma_old (X2 - X1 + W) / (2 W)                          (8)
//!   W_B(R)    = B R / (R + lambda - mu)                                  (9)  segments sent at R
//!   R_max     = (mu - lambda) (1 + beta (1 - rho)) / (1 - beta (1 + rho))    (10)
//! ```
//!
//! Windows and the buffer are in packets, rates in packets per second, times in seconds. The
//! receiver acknowledges every packet, the source always has data to send, and the background
//! traffic is constant. The model does not hold unless the buffer is small compared with tau.
//! Throughput is that of a [`Cycle`], from one loss at W_max to the next.

mod cycle;
mod invalid;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use cycle::{Cycle, Phase};
pub use invalid::Invalid;
use invalid::{positive, share};

/// A bottleneck and its path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    rate: f64,
    background: f64,
    buffer: f64,
    round_trip_s: f64,
}

/// The behaviour of a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// Factor of the window that ssthresh is set to after a loss: above 0, at most 1/2.
    pub gamma: f64,
    /// Rate R at which slow start sends its segments, in packets per second. At least the available
    /// rate. `None`: the segments leave as the ACKs arrive, which is the same as a rate of 2 mu -
    /// lambda or more.
    pub spaced_rate: Option<f64>,
}

impl Source {
    /// Unmodified Tahoe.
    pub const TAHOE: Source = Source {
        gamma: 0.5,
        spaced_rate: None,
    };
}

impl Path {
    /// A bottleneck that serves `rate` packets per second (mu). Background traffic takes
    /// `background` (lambda) of them. The buffer has room for `buffer` packets (B), and the
    /// round-trip time without queueing is `round_trip_s` (tau).
    ///
    /// [`Invalid`] if an argument is out of range.
    pub fn new(
        rate: f64,
        background: f64,
        buffer: f64,
        round_trip_s: f64,
    ) -> Result<Path, Invalid> {
        positive("the rate", rate)?;
        positive("the buffer", buffer)?;
        positive("the round trip", round_trip_s)?;
        if !(0.0..rate).contains(&background) {
            return Err(Invalid::Background { background, rate });
        }
        Ok(Path {
            rate,
            background,
            buffer,
            round_trip_s,
        })
    }

    /// Rate of the bottleneck in packets per second: mu.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Size of the bottleneck's buffer in packets: B.
    pub fn buffer(&self) -> f64 {
        self.buffer
    }

    /// Rate that the background leaves, in packets per second: mu - lambda.
    pub fn available(&self) -> f64 {
        self.rate - self.background
    }

    /// Rate of slow start's bursts without pacing, in packets per second: 2 mu - lambda.
    pub fn slow_start_rate(&self) -> f64 {
        self.rate + self.available()
    }

    /// Fraction of the bottleneck's rate that the background takes: rho.
    pub fn rho(&self) -> f64 {
        self.background / self.rate
    }

    /// The normalised buffer: its size relative to the pipe without the buffer.
    pub fn beta(&self) -> f64 {
        self.buffer / self.pipe_packets()
    }

    /// Packets in the pipe without a queue.
    fn pipe_packets(&self) -> f64 {
        self.round_trip_s * self.available() + 1.0
    }

    /// Eq. (3): the maximum window that fits into path and buffer.
    pub fn max_window(&self) -> f64 {
        self.buffer * self.available() / self.rate + self.pipe_packets()
    }

    /// Eq. (4): the window at which slow start overflows the buffer.
    pub fn overflow_window(&self) -> f64 {
        self.overflows_at(self.slow_start_rate())
    }

    /// Eq. (9): the window at which slow start overflows the buffer if its segments leave at the
    /// rate `spaced`. It is infinite at exactly the available rate. Segments never leave faster
    /// than without pacing.
    ///
    /// If the rate is not a number above 0, or less than the available rate.
    pub fn overflow_window_at(&self, spaced: f64) -> Result<f64, Invalid> {
        let available = self.available();
        if positive("the rate of spaced segments", spaced)? < available {
            return Err(Invalid::SourceIsBottleneck { spaced, available });
        }
        Ok(self.overflows_at(spaced.min(self.slow_start_rate())))
    }

    fn overflows_at(&self, sent: f64) -> f64 {
        let builds_up = sent - self.available();
        if builds_up > 0.0 {
            self.buffer * sent / builds_up
        } else {
            f64::INFINITY
        }
    }

    /// Eq. (4) or (9), whichever applies to this source.
    fn overflow_window_of(&self, source: &Source) -> Result<f64, Invalid> {
        source
            .spaced_rate
            .map_or(Ok(self.overflow_window()), |spaced| {
                self.overflow_window_at(spaced)
            })
    }

    /// Eq. (5): whether each cycle of Tahoe has two slow starts.
    pub fn starts_twice(&self) -> bool {
        self.overflow_window() <= self.max_window() / 2.0
    }

    /// Eq. (5): the maximum beta with two slow starts.
    pub fn beta_limit(&self) -> f64 {
        1.0 / (3.0 - self.rho())
    }

    /// The buffer that belongs to [`beta_limit`](Path::beta_limit), in packets. With a larger
    /// buffer, each cycle of Tahoe has one slow start.
    pub fn buffer_limit(&self) -> f64 {
        self.beta_limit() * self.pipe_packets()
    }

    /// Eq. (6): the window when the loss of a slow start with this ssthresh is detected, one round
    /// trip after the loss.
    pub fn detected_window(&self, threshold: f64) -> f64 {
        threshold.min(2.0 * self.overflow_window())
    }

    /// Eq. (7): the factor of W_max below which ssthresh gives a cycle with one slow start. It is
    /// above 1/2 if Tahoe's own ssthresh does.
    pub fn gamma_max(&self) -> f64 {
        self.overflow_window() / self.max_window()
    }

    /// The window at which congestion avoidance starts if ssthresh is this factor of the window
    /// (section 3, figure 3).
    ///
    /// If gamma is not above 0 and at most 1/2.
    pub fn avoidance_window(&self, gamma: f64) -> Result<f64, Invalid> {
        self.avoidance_window_of(&Source {
            gamma,
            ..Source::TAHOE
        })
    }

    /// The window at which congestion avoidance starts, for any source.
    ///
    /// If gamma is not above 0 and at most 1/2, or if [`Path::overflow_window_at`] rejects the
    /// rate.
    pub fn avoidance_window_of(&self, source: &Source) -> Result<f64, Invalid> {
        let threshold = share(source.gamma)? * self.max_window();
        let overflow = self.overflow_window_of(source)?;
        Ok(if overflow > threshold {
            threshold
        } else {
            source.gamma * threshold.min(2.0 * overflow)
        })
    }

    /// Eq. (10): the maximum rate of slow start's segments at which it does not overflow the buffer
    /// before ssthresh. `None` if it never overflows the buffer.
    pub fn max_spaced_rate(&self) -> Option<f64> {
        let (beta, rho) = (self.beta(), self.rho());
        let denominator = 1.0 - beta * (1.0 + rho);
        (denominator > 0.0).then(|| self.available() * (1.0 + beta * (1.0 - rho)) / denominator)
    }
}

/// Eq. (8): the next gamma. `acknowledged` is X2 - X1, the packets acknowledged in a congestion
/// avoidance that ended with the loss of a slow start. `window` is the window at its end. In the
/// model, X2 - X1 is 2 W_B - W for a window W between W_B and 2 W_B. With a larger window,
/// congestion avoidance did not start.
///
/// If gamma is not above 0 and at most 1/2, if the window is not above 0, or if `acknowledged` is
/// negative or not less than the window: such a loss did not occur in slow start.
pub fn adapted_gamma(gamma: f64, acknowledged: f64, window: f64) -> Result<f64, Invalid> {
    positive("the window", window)?;
    if !(0.0..window).contains(&acknowledged) {
        return Err(Invalid::NotOfSlowStart {
            acknowledged,
            window,
        });
    }
    Ok(share(gamma)? * (acknowledged + window) / (2.0 * window))
}
