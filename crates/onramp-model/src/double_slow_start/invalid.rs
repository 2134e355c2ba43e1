//! What the model is not defined for.

/// Why there is no such path, no such source on it, or no such cycle of theirs.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Invalid {
    /// Not a number, zero or less.
    #[error("{what} is {found}: a number above 0 is wanted")]
    NotPositive {
        /// Which.
        what: &'static str,
        /// What it is.
        found: f64,
    },
    /// The background alone fills the bottleneck, or is less than nothing: the model needs rho in
    /// [0, 1).
    #[error("the background is {background:.1} packets/s: from 0 to less than the bottleneck's {rate:.1} is wanted")]
    Background {
        /// What it is.
        background: f64,
        /// What the bottleneck serves.
        rate: f64,
    },
    /// "A gamma greater than 1/2 violates the congestion control principle of TCP" (section 3).
    #[error("gamma is {found}: above 0 and at most 1/2 is wanted")]
    Gamma {
        /// What it is.
        found: f64,
    },
    /// Section 4: R must not be less than mu - lambda.
    #[error("segments spaced at {spaced:.1} packets/s make the source the bottleneck: at least the {available:.1} that are available is wanted")]
    SourceIsBottleneck {
        /// Their rate.
        spaced: f64,
        /// What the background leaves of the bottleneck.
        available: f64,
    },
    /// A fluid of less than a packet is no window.
    #[error("{what} is {found:.2} packets: a window of at least 1 is wanted")]
    LessThanAPacket {
        /// Which window.
        what: &'static str,
        /// What it is.
        found: f64,
    },
    /// Eq. (8) is of a loss that was found in slow start: X2 - X1 < W.
    #[error("{acknowledged:.1} packets are no less than the window of {window:.1}: the loss is not one of slow start")]
    NotOfSlowStart {
        /// X2 - X1.
        acknowledged: f64,
        /// W.
        window: f64,
    },
}

/// A number above 0.
pub(super) fn positive(what: &'static str, found: f64) -> Result<f64, Invalid> {
    if found.is_finite() && found > 0.0 {
        Ok(found)
    } else {
        Err(Invalid::NotPositive { what, found })
    }
}

/// A share that a threshold may be of a window.
pub(super) fn share(gamma: f64) -> Result<f64, Invalid> {
    if gamma > 0.0 && gamma <= 0.5 {
        Ok(gamma)
    } else {
        Err(Invalid::Gamma { found: gamma })
    }
}

/// A window that TCP can have.
pub(super) fn window(what: &'static str, found: f64) -> Result<f64, Invalid> {
    if found >= 1.0 {
        Ok(found)
    } else {
        Err(Invalid::LessThanAPacket { what, found })
    }
}
