//! The square-root law of Reno.
//!
//! M. Mathis, J. Semke, J. Mahdavi, T. Ott: The Macroscopic Behavior of the TCP Congestion
//! Avoidance Algorithm, 1997, section 2. Every 1/p-th packet is lost. The window grows from W/2 to
//! W by one segment per b round trips. The area under one tooth is the number of packets from one
//! loss to the next:
//!
//! ```text
//!   W |      /|      /|         b W/2 round trips of 3/4 W packets each:  1/p = 3/8 b W^2
//!     |    /  |    /  |
//! W/2 |  /    |  /    |         rate = (1/p) / (b W/2) = sqrt(3 / (2 b p)) packets a round trip
//!     +-------+-------+--> t
//! ```
//!
//! Assumptions: there are no timeouts, and recovery takes no time: the window is W/2 immediately
//! after a loss.

/// Packets per round trip if every 1/p-th packet is lost and the window grows by one segment per
/// `b` round trips. `b` is 1 if bytes are counted or every segment is acknowledged. `b` is 2 if
/// ACKs are counted and every second segment is acknowledged.
pub fn packets_per_rtt(p: f64, b: f64) -> f64 {
    (3.0 / (2.0 * b * p)).sqrt()
}

/// Round trips from one loss to the next.
pub fn rtts_between_losses(p: f64, b: f64) -> f64 {
    1.0 / (p * packets_per_rtt(p, b))
}

/// The window when a packet is lost, in packets.
pub fn peak_window(p: f64, b: f64) -> f64 {
    (8.0 / (3.0 * b * p)).sqrt()
}

/// Packets per round trip if each packet is lost independently with probability p: 1.31 / sqrt(b
/// p), table 1 of the paper, from T. Ott, J. Kemperman, M. Mathis: The Stationary Behavior of Ideal
/// TCP Congestion Avoidance, 1996. The rate is higher than with periodic losses, because most of
/// the time is spent in long gaps between losses.
pub fn packets_per_rtt_random_loss(p: f64, b: f64) -> f64 {
    1.3098 / (b * p).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3649, section 3, table 2, "Response function for Standard TCP": loss rate, window, round
    /// trips between losses. The RFC rounds the constant to 1.2.
    const RFC_3649: [(f64, f64, f64); 5] = [
        (1e-2, 12.0, 8.0),
        (1e-3, 38.0, 25.0),
        (1e-4, 120.0, 80.0),
        (1e-6, 1_200.0, 800.0),
        (1e-8, 12_000.0, 8_000.0),
    ];

    #[test]
    fn the_formula_gives_the_table_of_rfc_3649() {
        for (p, window, rtts) in RFC_3649 {
            crate::formulas::assert_near(packets_per_rtt(p, 1.0), window, 0.03);
            crate::formulas::assert_near(rtts_between_losses(p, 1.0), rtts, 0.04);
        }
    }

    #[test]
    fn counting_delayed_acks_reduces_the_rate_by_the_square_root_of_two() {
        crate::formulas::assert_near(
            packets_per_rtt(0.01, 1.0) / packets_per_rtt(0.01, 2.0),
            2f64.sqrt(),
            1e-12,
        );
    }

    /// Mathis et al., table 1: ACKs of every segment and of every second segment, with periodic and
    /// random losses.
    #[test]
    fn the_constants_are_those_of_the_paper() {
        let constants = [packets_per_rtt(1.0, 1.0), packets_per_rtt(1.0, 2.0)];
        let at_random = [
            packets_per_rtt_random_loss(1.0, 1.0),
            packets_per_rtt_random_loss(1.0, 2.0),
        ];
        for (found, published) in constants
            .into_iter()
            .chain(at_random)
            .zip([1.22, 0.87, 1.31, 0.93])
        {
            crate::formulas::assert_near(found, published, 0.006);
        }
    }

    /// Measured in packets sent, half of the squared window grows linearly, and a loss reduces the
    /// squared window to a quarter. So the squared window is Y = 2 (E0 + E1 / 4 + E2 / 16 ...) with
    /// exponential intervals E between losses, and the rate is 1 / E[Y^(-1/2)]. The Laplace
    /// transform of Y gives this expectation as an integral. The integration variable here is the
    /// logarithm of the square root of the transform's argument.
    #[test]
    fn the_constant_for_random_losses_matches_the_integral() {
        let transform = |s: f64| {
            (0..40)
                .map(|k| 1.0 / (1.0 + 2.0 * s / 4f64.powi(k)))
                .product::<f64>()
        };
        let steps = (-1500..1200).map(|step| (f64::from(step) * 0.01).exp());
        let mean: f64 = steps
            .map(|root| 2.0 * root * transform(root * root) * 0.01)
            .sum();
        crate::formulas::assert_near(
            packets_per_rtt_random_loss(1.0, 1.0),
            std::f64::consts::PI.sqrt() / mean,
            1e-3,
        );
    }

    #[test]
    fn the_mean_window_is_three_quarters_of_the_peak() {
        crate::formulas::assert_near(
            packets_per_rtt(0.003, 1.0),
            0.75 * peak_window(0.003, 1.0),
            1e-12,
        );
    }
}
