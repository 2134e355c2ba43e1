//! One Reno flow that fills a drop-tail queue.
//!
//! The window W of a path of P packets (its bandwidth-delay product) with a queue of q P falls to
//! half when it reaches (1 + q) P. Where it is below P a round trip lasts RTT and carries W
//! packets; above, the link is busy and a round trip lasts as long as its W packets. With one
//! segment a round trip of growth, in units of P and of P round trips:
//!
//! ```text
//!   W from (1+q)/2 to 1:    time (1-q)/2               packets (1 - (1+q)^2/4) / 2          only if q < 1
//!   W from 1 to 1+q:        time ((1+q)^2 - 1) / 2     packets ((1+q)^2 - 1) / 2
//!
//!   utilisation = 3/4 (1+q)^2 / (1 + q + q^2)          period = (1 + q + q^2) / 2           q < 1
//!               = 1                                           = 3/8 (1+q)^2                 q >= 1
//! ```
//!
//! So 3/4 without a queue, and all of the link from one bandwidth-delay product on: the old rule
//! for buffers (C. Villamizar, C. Song: High Performance TCP in ANSNET, 1994; G. Appenzeller, I.
//! Keslassy, N. McKeown: Sizing Router Buffers, 2004, section 2).
//!
//! Assumptions: fluid windows, one loss a period, and no time for recovery.

/// Share of the link's rate that is used, with a queue of `q` bandwidth-delay products.
pub fn utilisation(q: f64) -> f64 {
    if q >= 1.0 {
        return 1.0;
    }
    0.75 * (1.0 + q).powi(2) / (1.0 + q + q * q)
}

/// Round trips (without queueing) from one loss to the next, where the path alone holds so many
/// packets.
pub fn period_rtts(q: f64, path_packets: f64) -> f64 {
    let period = if q >= 1.0 {
        0.375 * (1.0 + q).powi(2)
    } else {
        (1.0 + q + q * q) / 2.0
    };
    period * path_packets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assert_near;

    /// Round trip by round trip, with the queue's delay in each.
    fn stepped(q: f64, path_packets: f64) -> (f64, f64) {
        let (mut window, mut time, mut packets) = ((1.0 + q) * path_packets / 2.0, 0.0, 0.0);
        while window < (1.0 + q) * path_packets {
            time += f64::max(window / path_packets, 1.0);
            packets += window;
            window += 1.0;
        }
        (packets / path_packets / time, time)
    }

    #[test]
    fn the_integrals_are_the_sums() {
        for q in [0.0, 0.05, 0.3, 0.7, 1.0, 2.0] {
            let (used, rtts) = stepped(q, 10_000.0);
            assert_near(utilisation(q), used, 1e-3);
            assert_near(period_rtts(q, 10_000.0), rtts, 1e-3);
        }
    }

    #[test]
    fn three_quarters_without_a_queue_and_all_with_a_path_of_it() {
        assert_eq!(
            [utilisation(0.0), utilisation(1.0), utilisation(3.0)],
            [0.75, 1.0, 1.0]
        );
    }
}
