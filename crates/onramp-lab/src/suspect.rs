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

/// How long the threads of a transfer waited for a CPU while it ran.
#[derive(Clone, Copy, Debug)]
pub struct CpuWaits {
    /// The sender's thread.
    pub sender_ns: u64,
    /// The receiver's thread.
    pub receiver_ns: u64,
    /// The completion time of the transfer.
    pub completion_ns: u64,
}

/// Share of the completion time that a thread may wait in all. A transfer ends later by its waits
/// at most.
const MAX_WAIT_SHARE: f64 = 0.02;

/// The reasons why transfers are suspect whose threads waited for a CPU; empty if none is. A thread
/// that waits while it has locked its socket holds back ACKs and data, and a sender's socket may
/// run out of data meanwhile.
pub fn waits(case: &Case, transfers: impl Iterator<Item = CpuWaits>) -> Vec<String> {
    let stall_ns = Limits::of(case).stall_us * 1e3;
    let mut worst: [Option<(f64, f64)>; 2] = [None; 2];
    for transfer in transfers {
        let limit_ns = (MAX_WAIT_SHARE * transfer.completion_ns as f64).max(stall_ns);
        let waits = [transfer.sender_ns, transfer.receiver_ns];
        for (worst, wait_ns) in worst.iter_mut().zip(waits.map(|ns| ns as f64)) {
            let is_worst = worst.is_none_or(|(before_ns, _)| wait_ns > before_ns);
            if wait_ns > limit_ns && is_worst {
                *worst = Some((wait_ns, limit_ns));
            }
        }
    }
    let reason = |(what, worst): (&str, Option<(f64, f64)>)| {
        let (wait_ns, limit_ns) = worst?;
        let [wait_ms, limit_ms] = [wait_ns, limit_ns].map(|ns| ns / 1e6);
        Some(format!(
            "the {what}'s thread waited {wait_ms:.1} ms for a CPU (limit {limit_ms:.1} ms)"
        ))
    };
    ["sender", "receiver"]
        .into_iter()
        .zip(worst)
        .filter_map(reason)
        .collect()
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
        let of = |sender_ms: u64, receiver_ms: u64, completion_ms: u64| {
            let waits = CpuWaits {
                sender_ns: sender_ms * 1_000_000,
                receiver_ns: receiver_ms * 1_000_000,
                completion_ns: completion_ms * 1_000_000,
            };
            super::waits(&case("50 Mbit/s"), [waits].into_iter())
        };
        assert!(
            of(11, 0, 300).is_empty(),
            "no longer than a permitted stall of 12 ms"
        );
        assert!(
            of(0, 39, 2000).is_empty(),
            "less than 2 % of the completion time"
        );
        assert_eq!(of(13, 0, 300).len(), 1);
        let both = of(100, 41, 2000);
        assert!(
            both[0].contains("sender's thread waited 100.0 ms"),
            "{both:?}"
        );
        assert!(
            both[1].contains("receiver's thread waited 41.0 ms"),
            "{both:?}"
        );
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
