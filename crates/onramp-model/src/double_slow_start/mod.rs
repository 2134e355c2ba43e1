//! Two slow starts in a cycle: a fluid model of Tahoe over a path whose buffer is small for its
//! bandwidth-delay product.
//!
//! N. Chaher, C. Barakat, W. Dabbous, E. Altman: Improving TCP/IP over Geostationary Satellite
//! Links. INRIA RR-3573, 1998. In one sentence: slow start sends twice what the bottleneck serves,
//! so that a buffer of less than a third of what the path holds overflows before the window reaches
//! its threshold, and the window at which that happens is a wrong estimate.
//!
//! ```text
//!   beta      = B / (tau (mu - lambda) + 1)                       normalised buffer; rho = lambda / mu
//!   W_max     = B (mu - lambda) / mu + tau (mu - lambda) + 1      (3)
//!   W_B       = B (2 mu - lambda) / mu                            (4)   the window at which slow start overflows B
//!   twice if    W_B <= W_th = W_max / 2, or beta <= 1 / (3 - rho) (5)
//!   W_D       = min(W_th, 2 W_B)                                  (6)   the window when that loss is detected
//!   gamma_max = beta (2 - rho) / (beta (1 - rho) + 1) = W_B / W_max     (7)
//!   gamma     = gamma_old (X2 - X1 + W) / (2 W)                   (8)
//!   W_B(R)    = B R / (R + lambda - mu)                           (9)   with segments sent at R
//!   R_max     = (mu - lambda) (1 + beta (1 - rho)) / (1 - beta (1 + rho))   (10)
//! ```
//!
//! Windows and the buffer are in packets, rates in packets a second, times in seconds. The receiver
//! acknowledges every packet, the source always has something to send, and the background is
//! constant. Nothing of it holds where the queue is not small against tau. Throughput is that of a
//! [`Cycle`], from one loss at W_max to the next.

mod cycle;
mod invalid;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use cycle::{Cycle, Phase};
pub use invalid::Invalid;
use invalid::{positive, share};

/// A bottleneck and the path around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    rate: f64,
    background: f64,
    buffer: f64,
    round_trip_s: f64,
}

/// What a source does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// Share of the window that the threshold becomes after a loss: above 0, at most 1/2.
    pub gamma: f64,
    /// Rate R at which slow start's segments leave, in packets a second, at least what is
    /// available; `None` where they leave as the acknowledgements come. At 2 mu - lambda and above
    /// that is the same.
    pub spaced_rate: Option<f64>,
}

impl Source {
    /// Tahoe as it is.
    pub const TAHOE: Source = Source {
        gamma: 0.5,
        spaced_rate: None,
    };
}

impl Path {
    /// A bottleneck that serves `rate` packets a second (mu), `background` (lambda) of them for
    /// others, with room for `buffer` packets (B), on a path whose round trip without queueing is
    /// `round_trip_s` (tau).
    ///
    /// # Errors
    /// [`Invalid`] says which of them cannot be.
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

    /// What the bottleneck serves, in packets a second: mu.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Room of the bottleneck's buffer in packets: B.
    pub fn buffer(&self) -> f64 {
        self.buffer
    }

    /// What is left of the bottleneck, in packets a second: mu - lambda.
    pub fn available(&self) -> f64 {
        self.rate - self.background
    }

    /// Rate at which slow start's bursts leave the source on their own, in packets a second: 2 mu -
    /// lambda.
    pub fn slow_start_rate(&self) -> f64 {
        self.rate + self.available()
    }

    /// The background's share of the bottleneck.
    pub fn rho(&self) -> f64 {
        self.background / self.rate
    }

    /// The buffer over what the path holds besides it.
    pub fn beta(&self) -> f64 {
        self.buffer / self.held()
    }

    /// What the path holds without a queue, in packets.
    fn held(&self) -> f64 {
        self.round_trip_s * self.available() + 1.0
    }

    /// Eq. (3): the window that path and buffer hold at the most.
    pub fn max_window(&self) -> f64 {
        self.buffer * self.available() / self.rate + self.held()
    }

    /// Eq. (4): the window at which slow start overflows the buffer.
    pub fn overflow_window(&self) -> f64 {
        self.overflows_at(self.slow_start_rate())
    }

    /// Eq. (9): the same where slow start's segments leave at this rate; infinite at just what is
    /// available. They never leave faster than on their own.
    ///
    /// # Errors
    /// A rate that is no number above 0, or less than what is available.
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

    /// Eq. (4) or (9), whichever this source has.
    fn overflow_window_of(&self, source: &Source) -> Result<f64, Invalid> {
        source
            .spaced_rate
            .map_or(Ok(self.overflow_window()), |spaced| {
                self.overflow_window_at(spaced)
            })
    }

    /// Eq. (5): each cycle of Tahoe has two slow starts.
    pub fn starts_twice(&self) -> bool {
        self.overflow_window() <= self.max_window() / 2.0
    }

    /// Eq. (5): beta up to which that is so.
    pub fn beta_limit(&self) -> f64 {
        1.0 / (3.0 - self.rho())
    }

    /// The buffer of that beta, in packets: with more, each cycle of Tahoe has one slow start.
    pub fn buffer_limit(&self) -> f64 {
        self.beta_limit() * self.held()
    }

    /// Eq. (6): the window when the loss of a slow start with this threshold is detected, one round
    /// trip after it.
    pub fn detected_window(&self, threshold: f64) -> f64 {
        threshold.min(2.0 * self.overflow_window())
    }

    /// Eq. (7): the share of W_max below which a threshold leaves the cycle one slow start; more
    /// than 1/2 where Tahoe's own does.
    pub fn gamma_max(&self) -> f64 {
        self.overflow_window() / self.max_window()
    }

    /// The window at which congestion avoidance begins where thresholds are this share of the
    /// window (section 3, figure 3).
    ///
    /// # Errors
    /// A share that is not above 0 and at most 1/2.
    pub fn avoidance_window(&self, gamma: f64) -> Result<f64, Invalid> {
        self.avoidance_window_of(&Source {
            gamma,
            ..Source::TAHOE
        })
    }

    /// The same of any source.
    ///
    /// # Errors
    /// A share that is not above 0 and at most 1/2, a rate that [`Path::overflow_window_at`]
    /// refuses.
    pub fn avoidance_window_of(&self, source: &Source) -> Result<f64, Invalid> {
        let threshold = share(source.gamma)? * self.max_window();
        let overflow = self.overflow_window_of(source)?;
        Ok(if overflow > threshold {
            threshold
        } else {
            source.gamma * threshold.min(2.0 * overflow)
        })
    }

    /// Eq. (10): below this rate of its segments slow start does not overflow the buffer before the
    /// threshold; `None` where none does.
    pub fn max_spaced_rate(&self) -> Option<f64> {
        let (beta, rho) = (self.beta(), self.rho());
        let denominator = 1.0 - beta * (1.0 + rho);
        (denominator > 0.0).then(|| self.available() * (1.0 + beta * (1.0 - rho)) / denominator)
    }
}

/// Eq. (8): the share to use next, from what was acknowledged in a congestion avoidance that a slow
/// start's loss ended (X2 - X1, in packets), and the window at its end. In the model that is 2 W_B
/// - W of a window W between W_B and 2 W_B: with a larger one no congestion avoidance began.
///
/// # Errors
/// A share that is not above 0 and at most 1/2, a window that is not above 0, and as many packets
/// as the window or more, or fewer than none: that loss is not one of slow start.
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
