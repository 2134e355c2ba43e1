//! Formulas for TCP's rate, one file each, with their sources: what a simulation is held against.
//!
//! Windows are in packets and rates in packets a round trip unless a name says otherwise: the
//! segment size and, where it matters, the round trip come in as a factor. `p` is the share of
//! packets lost, or rather of those that begin a loss.

pub mod cubic;
pub mod double_slow_start;
pub mod padhye;
pub mod rtt_bias;
pub mod sawtooth;
pub mod square_root;

/// Panics in the tests unless two numbers are within a share of the second.
#[cfg(test)]
#[track_caller]
fn assert_near(found: f64, expected: f64, share: f64) {
    assert!(
        (found / expected - 1.0).abs() <= share,
        "{found} is not within {share} of {expected}"
    );
}
