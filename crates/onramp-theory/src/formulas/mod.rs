//! Throughput formulas and fluid models of TCP from the literature, one file each, with their
//! sources. Simulations are compared with them.
//!
//! Windows are in packets and rates are in packets per round trip, unless a name says otherwise.
//! The segment size and, where it matters, the round-trip time are separate factors. `p` is the
//! loss rate: the fraction of packets that are lost, or, in models with bursts of losses, the
//! fraction that starts a burst.
//!
//! # Example
//!
//! ```
//! use onramp_theory::formulas::square_root;
//!
//! // Reno with one loss per 10,000 packets has a mean window of about 122 packets.
//! let window = square_root::packets_per_rtt(1e-4, 1.0);
//! assert_eq!(window.round(), 122.0);
//! ```

pub mod cubic;
pub mod double_slow_start;
pub mod padhye;
pub mod rtt_bias;
pub mod sawtooth;
pub mod square_root;

/// Panics unless `found` is within the relative error `share` of `expected`.
#[cfg(test)]
#[track_caller]
fn assert_near(found: f64, expected: f64, share: f64) {
    assert!(
        (found / expected - 1.0).abs() <= share,
        "{found} is not within {share} of {expected}"
    );
}
