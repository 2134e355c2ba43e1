//! Whether the machine could have changed a result: by late packets of the emulator, or by threads
//! that had to wait for a CPU.

use crate::link::Lateness;
use onramp_scenario::Case;

/// How late packets may leave. Beyond these limits a run is suspect.
struct Limits {
    /// The first packets: 10 % of the time that ten full packets take at the bottleneck. A start-up
    /// estimates the rate from such a train, and the estimate may then be wrong by 10 %.
    early_us: f64,
    /// 99 of 100 packets: the same, and at most 0.5 % of the RTT. A slow start of a dozen rounds
    /// can gain or lose this much in each round.
    p99_us: f64,
    /// All packets: 2 % of the RTT. A stall delays the end of a transfer by its own length. This
    /// limit is below the delay at which slow start exits (HyStart: RTT/8, within 4 to 16 ms).
    stall_us: f64,
    /// A thread that waits for a CPU: 5 % of the RTT. Transfers whose threads waited for 2 to 5 %
    /// took the simulator's time.
    wait_us: f64,
}

impl Limits {
    fn of(case: &Case) -> Limits {
        let train_us =
            10.0 * f64::from(case.path.mtu_bytes) * 8e6 / case.path.forward.rate_bits_per_s as f64;
        let rtt_us = case.path.rtt_ns as f64 / 1e3;
        // No host that we measured is quieter than these minimums, and no algorithm is more exact.
        let early_us = (0.1 * train_us).max(10.0);
        Limits {
            early_us,
            p99_us: early_us.min(0.005 * rtt_us).max(10.0),
            stall_us: (0.02 * rtt_us).clamp(1e3, 12e3),
            wait_us: (0.05 * rtt_us).clamp(4e3, 12e3),
        }
    }
}

/// The reasons why a run is suspect; empty if it is not.
pub fn reasons(case: &Case, lateness: &Lateness, early_ns: u64) -> Vec<String> {
    let limits = Limits::of(case);
    let mut reasons = Vec::new();
    let mut check = |what: &str, ns: u64, limit_us: f64| {
        let us = ns as f64 / 1e3;
        if us > limit_us {
            reasons.push(format!(
                "{what} left {us:.0} us late (limit {limit_us:.0} us)"
            ));
        }
    };
    check("a packet of the first trains", early_ns, limits.early_us);
    check(
        "one packet in a hundred",
        lateness.percentile_ns(99),
        limits.p99_us,
    );
    check("a packet", lateness.max_ns(), limits.stall_us);
    reasons
}

/// The reasons why transfers are suspect whose threads waited for a CPU; empty if none is. Of each
/// transfer, the longest waits of sender and receiver are given. ACKs leave later while a receiver
/// waits, or while a thread waits that has locked its socket, and to a sender that looks like a
/// growing queue.
pub fn waits(case: &Case, transfers: impl Iterator<Item = [u64; 2]>) -> Vec<String> {
    let limit_us = Limits::of(case).wait_us;
    let longest_ns = transfers.fold([0; 2], |longest: [u64; 2], waits_ns| {
        [0, 1].map(|end| longest[end].max(waits_ns[end]))
    });
    let ends = ["sender", "receiver"].into_iter().zip(longest_ns);
    let too_long = ends.filter(|(_, wait_ns)| *wait_ns as f64 / 1e3 > limit_us);
    let reason = |(end, wait_ns): (&str, u64)| {
        let wait_us = wait_ns as f64 / 1e3;
        format!("the {end}'s thread waited {wait_us:.0} us for a CPU (limit {limit_us:.0} us)")
    };
    too_long.map(reason).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(rate: &str) -> Case {
        let text = format!(
            "name = \"x\"\n[path]\nrate = \"{rate}\"\nrtt = \"600 ms\"\nqueue = \"1 \
             bdp\"\n[[transfer]]\nsize = \"1 MB\"\n\
             startup = \"none\"\n"
        );
        onramp_scenario::parse("x", &text).unwrap().cases.remove(0)
    }

    fn lateness(packets: &[(u64, u32)]) -> Lateness {
        let mut lateness = Lateness::default();
        packets
            .iter()
            .for_each(|&(late_ns, count)| (0..count).for_each(|_| lateness.add(late_ns)));
        lateness
    }

    #[test]
    fn a_run_with_packets_on_time_is_not_suspect() {
        assert!(reasons(
            &case("250 Mbit/s"),
            &lateness(&[(500, 1000), (3_000_000, 1)]),
            20_000
        )
        .is_empty());
    }

    #[test]
    fn the_limit_for_the_first_trains_follows_their_spacing() {
        let late = lateness(&[(500, 1000)]);
        assert_eq!(reasons(&case("250 Mbit/s"), &late, 60_000).len(), 1);
        assert!(reasons(&case("50 Mbit/s"), &late, 60_000).is_empty());
    }

    #[test]
    fn a_thread_that_waited_for_a_cpu_is_a_reason() {
        let reasons = |waits_ms: &[[u64; 2]]| {
            let waits_ns = waits_ms.iter().map(|both| both.map(|ms| ms * 1_000_000));
            waits(&case("50 Mbit/s"), waits_ns)
        };
        assert!(reasons(&[[12, 0], [3, 11]]).is_empty());
        let sender = "the sender's thread waited 13000 us for a CPU (limit 12000 us)";
        assert_eq!(reasons(&[[2, 0], [13, 4]]), [sender]);
        assert_eq!(reasons(&[[20, 0], [0, 70]]).len(), 2);
    }

    #[test]
    fn constant_lateness_and_a_long_stall_are_each_a_reason() {
        assert_eq!(
            reasons(&case("250 Mbit/s"), &lateness(&[(500, 95), (60_000, 5)]), 0).len(),
            1
        );
        assert_eq!(
            reasons(
                &case("250 Mbit/s"),
                &lateness(&[(500, 1000), (13_000_000, 1)]),
                0
            )
            .len(),
            1
        );
    }
}
