//! The throughput of a cycle, which the paper has from simulations (section 5, figures 4 and 5), by
//! the fluid model.
//!
//! A cycle goes from one detected loss at W_max to the next. Its parts, from what sections 2 and 4
//! say:
//!
//! - Slow start from a window of 1 doubles in each mini-cycle of tau: the window is 2^(t / tau), so
//!   that it reaches W after tau log2 W, and each packet acknowledged is one of growth: W - 1. That
//!   holds spaced as well (section 4).
//! - If it overflows the buffer, at W_B <= W_th = gamma W_max, that is after tau log2 W_B and W_B -
//!   1 packets. "We must wait a complete RTT [...]. During this time, the source receives W_B new
//!   ACKs": tau and W_B more. A second slow start goes to gamma W_D with W_D = min(W_th, 2 W_B),
//!   less than W_B.
//! - Congestion avoidance adds 1 to the window W in a round trip, which carries W packets, up to
//!   W_max. The round trip is tau until the window fills the path, at tau (mu - lambda), and as
//!   long as its packets last from there: W / (mu - lambda).
//!
//! ```text
//!   tau until W fills the path:     seconds tau (W2 - W1)                        packets (W2^2 - W1^2) / 2
//!   then:                           seconds (W2^2 - W1^2) / (2 (mu - lambda))    packets (W2^2 - W1^2) / 2
//! ```
//!
//! - The loss at W_max is detected a round trip later, W_max / (mu - lambda), in which W_max
//!   packets are acknowledged.
//!
//! Mini-cycles are those of [7] (E. Altman et al.: Performance Modeling of TCP/IP in a Wide-Area
//! Network, INRIA RR-3142, 1997) and [14] (T. V. Lakshman, U. Madhow: The performance of TCP/IP for
//! networks with high bandwidth-delay products and random loss, ToN 1997), as the paper tells them.
//!
//! What it leaves out: that windows and mini-cycles are whole; growth by less than a segment a
//! round trip (1 / W for each of W acknowledgements); that the background comes in packets, so that
//! W_max is not (3) in each cycle; the queue that a lost window leaves in the bottleneck, behind
//! which the segment sent again waits; timeouts; and what arrived behind a lost packet and need not
//! be sent again.

use super::invalid::{share, window};
use super::{Invalid, Path, Source};

/// From one detected loss at W_max to the next, in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cycle {
    /// The slow start that overflows the buffer, and the round trip in which that is detected;
    /// `None` where there is none.
    pub overflow: Option<Phase>,
    /// The slow start that reaches its threshold.
    pub slow_start: Phase,
    /// Congestion avoidance, from there to W_max.
    pub avoidance: Phase,
    /// The round trip in which the loss at W_max is detected.
    pub detection: Phase,
}

/// A part of a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phase {
    /// The window at its begin, in packets.
    pub from_window: f64,
    /// The window at its end, in packets.
    pub to_window: f64,
    /// Packets that are acknowledged in it.
    pub packets: f64,
    /// How long it lasts.
    pub seconds: f64,
}

impl Cycle {
    /// All parts, in their order.
    pub fn phases(&self) -> impl Iterator<Item = Phase> {
        self.overflow
            .into_iter()
            .chain([self.slow_start, self.avoidance, self.detection])
    }

    /// Packets that are acknowledged in a cycle.
    pub fn packets(&self) -> f64 {
        self.phases().map(|phase| phase.packets).sum()
    }

    /// How long a cycle lasts.
    pub fn seconds(&self) -> f64 {
        self.phases().map(|phase| phase.seconds).sum()
    }

    /// Throughput, in packets a second.
    pub fn packets_per_s(&self) -> f64 {
        self.packets() / self.seconds()
    }
}

impl Path {
    /// The cycle of this source.
    ///
    /// # Errors
    /// A share that is not above 0 and at most 1/2, a rate that [`Path::overflow_window_at`]
    /// refuses, and a threshold or an overflow at less than one packet.
    pub fn cycle(&self, source: &Source) -> Result<Cycle, Invalid> {
        let threshold = share(source.gamma)? * self.max_window();
        let overflow = window(
            "the window that overflows the buffer",
            self.overflow_window_of(source)?,
        )?;
        let begin = window(
            "the slow start's threshold",
            self.avoidance_window_of(source)?,
        )?;
        Ok(Cycle {
            overflow: (overflow <= threshold).then(|| self.overflowing(overflow, threshold)),
            slow_start: self.slow_start(begin),
            avoidance: self.avoidance(begin),
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
        let fills_path = (self.round_trip_s * self.available()).clamp(from_window, to_window);
        let packets = |from: f64, to: f64| (to * to - from * from) / 2.0;
        let seconds = self.round_trip_s * (fills_path - from_window)
            + packets(fills_path, to_window) / self.available();
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
