//! RTT bias: how the throughput of flows that share a bottleneck depends on their round-trip times.
//!
//! The ratio of the rates of two flows is (RTT2 / RTT1)^k. The exponent k depends on when the flows
//! lose packets:
//!
//! - [Each packet is lost with the same probability](equal_loss_rate_reno), as with RED and a large
//!   queue. By the square-root law both flows have the same window, so k = 1. The window of CUBIC
//!   is proportional to RTT^(3/4), so k = 1/4.
//! - [Both flows lose at the same times](synchronised_loss_reno), as may happen at a drop-tail
//!   queue. Reno's window at a loss is proportional to the number of round trips since the last
//!   loss, which is T / RTT, and the rate is one window per round trip, so k = 2. CUBIC's window
//!   grows with time and not with round trips, so k = 1.
//!
//! T. V. Lakshman, U. Madhow: The Performance of TCP/IP for Networks with High Bandwidth-Delay
//! Products and Random Loss, IEEE/ACM ToN 5(3), 1997: 1 <= k <= 2 for Reno. S. Ha, I. Rhee, L. Xu
//! 2008, section 4: CUBIC's bias is linear if losses are synchronised.

/// k of Reno if all packets are lost with the same probability.
pub fn equal_loss_rate_reno() -> f64 {
    1.0
}

/// k of Reno if both flows lose at the same times.
pub fn synchronised_loss_reno() -> f64 {
    2.0
}

/// k of CUBIC in its cubic region if all packets are lost with the same probability.
pub fn equal_loss_rate_cubic() -> f64 {
    0.25
}

/// k of CUBIC in its cubic region if both flows lose at the same times.
pub fn synchronised_loss_cubic() -> f64 {
    1.0
}

/// k such that the ratio of `rates` is the inverse ratio of the round-trip times `rtts`, raised to
/// k.
pub fn exponent(rates: [f64; 2], rtts: [f64; 2]) -> f64 {
    (rates[0] / rates[1]).ln() / (rtts[1] / rtts[0]).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulas::{cubic, square_root};

    #[test]
    fn equal_loss_rates_give_the_exponents_of_the_response_functions() {
        let (p, rtts) = (1e-5, [0.1, 0.3]);
        let reno = rtts.map(|rtt| square_root::packets_per_rtt(p, 1.0) / rtt);
        crate::formulas::assert_near(exponent(reno, rtts), equal_loss_rate_reno(), 1e-9);
        let cubic = rtts.map(|rtt| cubic::cubic_region(cubic::C, p, rtt) / rtt);
        crate::formulas::assert_near(exponent(cubic, rtts), equal_loss_rate_cubic(), 1e-9);
    }

    /// Both windows are halved when their sum fills the pipe, and each grows by one segment per
    /// round trip of its own.
    #[test]
    fn synchronised_losses_square_renos_rtt_bias() {
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
        crate::formulas::assert_near(exponent(packets, rtts), synchronised_loss_reno(), 0.02);
    }
}
