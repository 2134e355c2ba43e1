//! What a longer round trip costs a flow that shares a bottleneck.
//!
//! The rates of two flows are as (RTT2 / RTT1)^k. Which k depends on who loses packets when:
//!
//! - [Each packet is lost with the same probability](same_probability_reno), as RED does at a large
//!   queue: the square-root law gives both flows the same window, so k = 1. CUBIC's window has
//!   RTT^(3/4) in it, so k = 1/4.
//! - [Both flows lose at the same moments](same_moments_reno), as a drop-tail queue may do: Reno's
//!   window at a loss grows as the round trips since the last one, which are T / RTT, and the rate
//!   is a window a round trip, so k = 2. CUBIC's window grows with time alone, so k = 1.
//!
//! T. V. Lakshman, U. Madhow: The Performance of TCP/IP for Networks with High Bandwidth-Delay
//! Products and Random Loss, IEEE/ACM ToN 5(3), 1997: 1 <= k <= 2 for Reno. S. Ha, I. Rhee, L. Xu
//! 2008, section 4: CUBIC's is linear where losses are synchronised.

/// k of Reno where all packets are lost with one probability.
pub fn same_probability_reno() -> f64 {
    1.0
}

/// k of Reno where both flows lose at the same moments.
pub fn same_moments_reno() -> f64 {
    2.0
}

/// k of CUBIC beyond its Reno-friendly region where all packets are lost with one probability.
pub fn same_probability_cubic() -> f64 {
    0.25
}

/// k of CUBIC beyond its Reno-friendly region where both flows lose at the same moments.
pub fn same_moments_cubic() -> f64 {
    1.0
}

/// k such that `rates` are as the round trips inverted to the k.
pub fn exponent(rates: [f64; 2], rtts: [f64; 2]) -> f64 {
    (rates[0] / rates[1]).ln() / (rtts[1] / rtts[0]).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cubic, square_root};

    #[test]
    fn equal_probabilities_give_the_exponents_of_the_response_functions() {
        let (p, rtts) = (1e-5, [0.1, 0.3]);
        let reno = rtts.map(|rtt| square_root::packets_per_rtt(p, 1.0) / rtt);
        crate::assert_near(exponent(reno, rtts), same_probability_reno(), 1e-9);
        let cubic = rtts.map(|rtt| cubic::cubic_region(cubic::C, p, rtt) / rtt);
        crate::assert_near(exponent(cubic, rtts), same_probability_cubic(), 1e-9);
    }

    /// Both windows fall to half when their sum fills the path, and grow by a segment in each round
    /// trip of their own.
    #[test]
    fn equal_moments_square_renos_disadvantage() {
        let rtts = [1.0, 3.0];
        let mut windows = [100.0, 100.0];
        let mut packets = [0.0; 2];
        for _ in 0..1000 {
            windows = windows.map(|window: f64| window / 2.0);
            while windows[0] + windows[1] < 1000.0 {
                for flow in 0..2 {
                    packets[flow] += windows[flow] / rtts[flow];
                    windows[flow] += 1.0 / rtts[flow];
                }
            }
        }
        crate::assert_near(exponent(packets, rtts), same_moments_reno(), 0.02);
    }
}
