//! Utilisation of a link by one Reno flow with a drop-tail queue.
//!
//! The path has a BDP of P packets and a queue of q P packets. The window W is halved when it
//! reaches (1 + q) P. While W is below P, a round trip lasts RTT and carries W packets. Above P,
//! the link is saturated and a round trip lasts as long as its W packets. The window grows by one
//! segment per round trip. In units of P packets and of P round trips:
//!
//! ```text
//!   W from (1+q)/2 to 1:  time (1-q)/2           packets (1 - (1+q)^2/4) / 2   only if q < 1
//!   W from 1 to 1+q:      time ((1+q)^2 - 1)/2   packets ((1+q)^2 - 1) / 2
//!
//!   utilisation = 3/4 (1+q)^2 / (1 + q + q^2)    period = (1 + q + q^2) / 2    q < 1
//!               = 1                                     = 3/8 (1+q)^2          q >= 1
//! ```
//!
//! So the utilisation is 3/4 without a queue, and 1 with a queue of one BDP or more. This is the
//! old rule for buffers (C. Villamizar, C. Song: High Performance TCP in ANSNET, 1994; G.
//! Appenzeller, I. Keslassy, N. McKeown: Sizing Router Buffers, 2004, section 2).
//!
//! Assumptions: fluid windows, one loss per period, and recovery takes no time.

/// Fraction of the link's rate that is used, with a queue of `q` BDP.
pub fn utilisation(q: f64) -> f64 {
    if q >= 1.0 {
        return 1.0;
    }
    0.75 * (1.0 + q).powi(2) / (1.0 + q + q * q)
}

/// Round trips (without queueing delay) from one loss to the next, for a BDP of `bdp_packets`.
pub fn period_rtts(q: f64, bdp_packets: f64) -> f64 {
    let period = if q >= 1.0 {
        0.375 * (1.0 + q).powi(2)
    } else {
        (1.0 + q + q * q) / 2.0
    };
    period * bdp_packets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulas::assert_near;

    /// Utilisation and period, summed over round trips with their queueing delays.
    fn stepped(q: f64, bdp_packets: f64) -> (f64, f64) {
        let (mut window, mut time, mut packets) = ((1.0 + q) * bdp_packets / 2.0, 0.0, 0.0);
        while window < (1.0 + q) * bdp_packets {
            time += f64::max(window / bdp_packets, 1.0);
            packets += window;
            window += 1.0;
        }
        (packets / bdp_packets / time, time)
    }

    #[test]
    fn the_closed_forms_match_the_sums_over_round_trips() {
        for q in [0.0, 0.05, 0.3, 0.7, 1.0, 2.0] {
            let (used, rtts) = stepped(q, 10_000.0);
            assert_near(utilisation(q), used, 1e-3);
            assert_near(period_rtts(q, 10_000.0), rtts, 1e-3);
        }
    }

    #[test]
    fn utilisation_is_three_quarters_without_a_queue_and_one_from_a_bdp_on() {
        assert_eq!(
            [utilisation(0.0), utilisation(1.0), utilisation(3.0)],
            [0.75, 1.0, 1.0]
        );
    }
}
