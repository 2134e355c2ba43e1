//! The throughput of a cycle by the fluid model. The paper has it from simulations (section 5,
//! figures 4 and 5).
//!
//! A cycle lasts from one detected loss at W_max to the next. Its phases follow from sections 2 and
//! 4:
//!
//! - Slow start from a window of 1 doubles the window in each mini-cycle of tau. The window is 2^(t
//!   / tau), so it reaches W after tau log2 W. Each acknowledged packet adds one to the window, so
//!   W - 1 packets are acknowledged. This also holds for a paced slow start (section 4).
//! - Slow start may overflow the buffer, at W_B <= W_th = gamma W_max. This is after tau log2 W_B
//!   and W_B - 1 packets. "We must wait a complete RTT [...]. During this time, the source receives
//!   W_B new ACKs": tau and W_B more. A second slow start grows to gamma W_D with W_D = min(W_th, 2
//!   W_B), which is less than W_B.
//! - Congestion avoidance adds 1 to the window W in a round trip, which carries W packets, up to
//!   W_max. The round trip is tau until the window fills the pipe, at tau (mu - lambda). From there
//!   it is as long as its packets: W / (mu - lambda).
//!
//! ```text
//!   tau until W fills the pipe:  seconds tau (W2 - W1)
//!   then:                        seconds (W2^2 - W1^2) / (2 (mu - lambda))
//!   in both:                     packets (W2^2 - W1^2) / 2
//! ```
//!
//! - The loss at W_max is detected one round trip later, after W_max / (mu - lambda), in which
//!   W_max packets are acknowledged.
//!
//! Mini-cycles are those of [7] (E. Altman et al.: Performance Modeling of TCP/IP in a Wide-Area
//! Network, INRIA RR-3142, 1997) and [14] (T. V. Lakshman, U. Madhow: The performance of TCP/IP for
//! networks with high bandwidth-delay products and random loss, ToN 1997), as the paper describes
//! them.
//!
//! The model neglects the following. Windows and mini-cycles are whole numbers. The window grows by
//! less than one segment per round trip (1 / W for each of W ACKs). The background consists of
//! packets, so W_max differs from (3) in each cycle. A lost window leaves a queue at the
//! bottleneck, behind which the retransmitted segment waits. Timeouts occur. Packets that arrived
//! after a lost packet need not be retransmitted.

use super::invalid::{share, window, Invalid};
use super::path::{Path, Source};

/// A cycle, from one detected loss at W_max to the next, in its order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle {
    /// The slow start that overflows the buffer, with the round trip in which the loss is detected.
    /// `None` if no slow start overflows the buffer.
    pub overflow: Option<Phase>,
    /// The slow start that reaches ssthresh.
    pub slow_start: Phase,
    /// Congestion avoidance, from ssthresh to W_max.
    pub avoidance: Phase,
    /// The round trip in which the loss at W_max is detected.
    pub detection: Phase,
}

/// A phase of a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phase {
    /// The window at the start of the phase, in packets.
    pub from_window: f64,
    /// The window at the end of the phase, in packets.
    pub to_window: f64,
    /// Packets acknowledged in the phase.
    pub packets: f64,
    /// Duration of the phase in seconds.
    pub seconds: f64,
}

impl Cycle {
    /// All phases, in their order.
    pub fn phases(&self) -> impl Iterator<Item = Phase> {
        self.overflow
            .into_iter()
            .chain([self.slow_start, self.avoidance, self.detection])
    }

    /// Packets acknowledged in the cycle.
    pub fn packets(&self) -> f64 {
        self.phases().map(|phase| phase.packets).sum()
    }

    /// Duration of the cycle in seconds.
    pub fn seconds(&self) -> f64 {
        self.phases().map(|phase| phase.seconds).sum()
    }

    /// Throughput in packets per second.
    pub fn packets_per_s(&self) -> f64 {
        self.packets() / self.seconds()
    }
}

impl Path {
    /// The cycle of this source on this path.
    ///
    /// # Errors
    /// If gamma is not above 0 and at most 1/2, if [`Path::overflow_window_at`] rejects the rate,
    /// or if ssthresh or the window that overflows the buffer is less than one packet.
    pub fn cycle(&self, source: &Source) -> Result<Cycle, Invalid> {
        let threshold = share(source.gamma)? * self.max_window();
        let overflow = window(
            "the window that overflows the buffer",
            self.overflow_window_of(source)?,
        )?;
        let ssthresh = window(
            "the slow start's ssthresh",
            self.avoidance_window_of(source)?,
        )?;
        Ok(Cycle {
            overflow: (overflow <= threshold).then(|| self.overflowing(overflow, threshold)),
            slow_start: self.slow_start(ssthresh),
            avoidance: self.avoidance(ssthresh),
            detection: self.detection(),
        })
    }

    fn slow_start(&self, to_window: f64) -> Phase {
        let seconds = self.round_trip_s * to_window.log2();
        Phase {
            from_window: 1.0,
            to_window,
            packets: to_window - 1.0,
            seconds,
        }
    }

    fn overflowing(&self, overflow: f64, threshold: f64) -> Phase {
        let reached = self.slow_start(overflow);
        Phase {
            to_window: threshold.min(2.0 * overflow),
            packets: reached.packets + overflow,
            seconds: reached.seconds + self.round_trip_s,
            ..reached
        }
    }

    fn avoidance(&self, from_window: f64) -> Phase {
        let to_window = self.max_window();
        let pipe_window = (self.round_trip_s * self.available()).clamp(from_window, to_window);
        let packets = |from: f64, to: f64| (to * to - from * from) / 2.0;
        let seconds = self.round_trip_s * (pipe_window - from_window)
            + packets(pipe_window, to_window) / self.available();
        Phase {
            from_window,
            to_window,
            packets: packets(from_window, to_window),
            seconds,
        }
    }

    fn detection(&self) -> Phase {
        let window = self.max_window();
        Phase {
            from_window: window,
            to_window: window,
            packets: window,
            seconds: window / self.available(),
        }
    }
}
