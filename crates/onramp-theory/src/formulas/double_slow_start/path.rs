//! A path, a source, and the windows at which its slow start overflows the buffer.

use super::invalid::{positive, share, Invalid};

/// A bottleneck and its path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    pub(super) rate: f64,
    pub(super) background: f64,
    pub(super) buffer: f64,
    pub(super) round_trip_s: f64,
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
    /// # Errors
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
    pub(super) fn pipe_packets(&self) -> f64 {
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
    /// # Errors
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
    pub(super) fn overflow_window_of(&self, source: &Source) -> Result<f64, Invalid> {
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
    /// # Errors
    /// If gamma is not above 0 and at most 1/2.
    pub fn avoidance_window(&self, gamma: f64) -> Result<f64, Invalid> {
        self.avoidance_window_of(&Source {
            gamma,
            ..Source::TAHOE
        })
    }

    /// The window at which congestion avoidance starts, for any source.
    ///
    /// # Errors
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
/// # Errors
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
