//! Arguments for which the model is not defined.

/// Why the model has no such path, source or cycle.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Invalid {
    /// The value is not a number above 0.
    #[error("{what} is {found}; it must be a number above 0")]
    NotPositive {
        /// Name of the quantity.
        what: &'static str,
        /// Its value.
        found: f64,
    },
    /// The background takes the whole bottleneck rate or more, or is negative. The model requires
    /// rho in [0, 1).
    #[error(
        "the background is {background:.1} packets/s; \
         it must be at least 0 and less than the bottleneck's {rate:.1} packets/s"
    )]
    Background {
        /// The background rate in packets per second.
        background: f64,
        /// The bottleneck rate in packets per second.
        rate: f64,
    },
    /// "A gamma greater than 1/2 violates the congestion control principle of TCP" (section 3).
    #[error("gamma is {found}; it must be above 0 and at most 1/2")]
    Gamma {
        /// The value of gamma.
        found: f64,
    },
    /// Section 4: R must not be less than mu - lambda.
    #[error(
        "segments sent at {spaced:.1} packets/s make the source the bottleneck; \
         the rate must be at least the available {available:.1} packets/s"
    )]
    SourceIsBottleneck {
        /// The rate of the segments in packets per second.
        spaced: f64,
        /// The rate that the background leaves, in packets per second.
        available: f64,
    },
    /// A window of less than one packet.
    #[error("{what} is {found:.2} packets; it must be at least 1")]
    LessThanAPacket {
        /// Name of the window.
        what: &'static str,
        /// Its value in packets.
        found: f64,
    },
    /// Eq. (8) requires a loss that occurred in slow start: X2 - X1 < W.
    #[error(
        "{acknowledged:.1} acknowledged packets are not less than the window of {window:.1}; \
         the loss did not occur in slow start"
    )]
    NotOfSlowStart {
        /// X2 - X1, in packets.
        acknowledged: f64,
        /// W, the window in packets.
        window: f64,
    },
}

/// Checks that a value is a finite number above 0.
pub(super) fn positive(what: &'static str, found: f64) -> Result<f64, Invalid> {
    if found.is_finite() && found > 0.0 {
        Ok(found)
    } else {
        Err(Invalid::NotPositive { what, found })
    }
}

/// Checks that gamma is above 0 and at most 1/2.
pub(super) fn share(gamma: f64) -> Result<f64, Invalid> {
    if gamma > 0.0 && gamma <= 0.5 {
        Ok(gamma)
    } else {
        Err(Invalid::Gamma { found: gamma })
    }
}

/// Checks that a window is at least one packet.
pub(super) fn window(what: &'static str, found: f64) -> Result<f64, Invalid> {
    if found >= 1.0 {
        Ok(found)
    } else {
        Err(Invalid::LessThanAPacket { what, found })
    }
}
