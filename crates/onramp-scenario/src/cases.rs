//! The cross product of a scenario's lists: which cases there are, in which order, and with which seeds.
//!
//! The runs that are compared with each other, the start-ups and avoidances of one size and one repeat, follow one
//! another directly, so that a machine that drifts through a long lab session drifts past all of them alike.

use crate::{
    Avoidance, Buffer, Case, Channel, Discipline, InitialWindow, Path, QueueLimit, Receiver, Scenario, Sender, Traffic,
    Transfer,
};
use onramp_tcp::{Acks, Recovery, Stack, Timers};
use std::collections::HashMap;
use std::sync::Arc;

/// The most cases of one file.
pub(crate) const MOST_CASES: u64 = 100_000;

/// A scenario before its lists are multiplied out; every value is checked.
#[derive(Debug)]
pub(crate) struct Draft {
    pub name: String,
    pub description: String,
    pub seed: u64,
    pub rates: Vec<u64>,
    pub rtts: Vec<u64>,
    pub queues: Vec<QueueLimit>,
    pub losses: Vec<u32>,
    pub mtu_bytes: u32,
    pub reverse: Reverse,
    pub receiver_buffers: Vec<Buffer>,
    pub sender_buffers: Vec<Buffer>,
    pub transfers: Vec<TransferDraft>,
    pub traffic: Vec<Traffic>,
}

/// The reverse channel; `None` where it follows the forward one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reverse {
    pub rate_bits_per_s: Option<u64>,
    pub queue: Option<QueueLimit>,
    pub loss_ppm: u32,
    pub delay_ns: Option<u64>,
}

/// One `[[transfer]]` table.
#[derive(Debug)]
pub(crate) struct TransferDraft {
    pub sizes: Vec<u64>,
    pub startups: Vec<String>,
    pub avoidances: Vec<Avoidance>,
    pub windows: Vec<InitialWindow>,
    pub repeat: u32,
}

impl TransferDraft {
    /// The transfers of this table, once each.
    pub(crate) fn product(&self) -> impl Iterator<Item = Transfer> + '_ {
        self.sizes.iter().flat_map(move |&size_bytes| {
            self.startups.iter().flat_map(move |startup| {
                self.avoidances.iter().flat_map(move |&avoidance| {
                    self.windows.iter().map(move |&initial_window| Transfer {
                        size_bytes,
                        startup: startup.clone(),
                        avoidance,
                        initial_window,
                        stack: Stack::Linux,
                        recovery: Recovery::Rack,
                        timers: Timers::Linux,
                        initial_ssthresh_bytes: None,
                        from: [0].into(),
                        to: [1].into(),
                        count: 1,
                        start_ns: 0,
                        spacing_ns: 0,
                        application: None,
                    })
                })
            })
        })
    }

    fn case_count(&self) -> u128 {
        let lengths = [self.sizes.len(), self.startups.len(), self.avoidances.len(), self.windows.len()];
        product(&lengths) * u128::from(self.repeat)
    }
}

impl Draft {
    pub(crate) fn case_count(&self) -> u128 {
        let conditions = [
            self.rates.len(),
            self.rtts.len(),
            self.queues.len(),
            self.losses.len(),
            self.receiver_buffers.len(),
            self.sender_buffers.len(),
        ];
        // Lists have at most 1000 entries, so 10^18 conditions times 1000 tables of 10^15 cases stay below 2^128.
        product(&conditions) * self.transfers.iter().map(TransferDraft::case_count).sum::<u128>()
    }

    /// The transfers of one condition with their repeats, in the order in which they run: by size, sizes in the
    /// order in which the file first has them, then by repeat, then as the file has them.
    fn schedule(&self) -> Vec<(u32, Transfer)> {
        let mut ranks = HashMap::new();
        let mut schedule = Vec::new();
        for table in &self.transfers {
            for transfer in table.product() {
                let next_rank = ranks.len();
                let rank = *ranks.entry(transfer.size_bytes).or_insert(next_rank);
                schedule.extend((1..=table.repeat).map(|run| (rank, run, transfer.clone())));
            }
        }
        // Stable: what has one size and one repeat stays in the file's order.
        schedule.sort_by_key(|(rank, run, _)| (*rank, *run));
        schedule.into_iter().map(|(_, run, transfer)| (run, transfer)).collect()
    }

    /// The paths and hosts, the path's rate outermost.
    fn conditions(&self) -> Vec<(Path, Receiver, Sender)> {
        let mut conditions = Vec::new();
        for &rate in &self.rates {
            for &rtt in &self.rtts {
                for &queue in &self.queues {
                    for &loss in &self.losses {
                        let path = self.path(rate, rtt, queue, loss);
                        for &receiver in &self.receiver_buffers {
                            for &sender in &self.sender_buffers {
                                let receiver = Receiver {
                                    buffer: receiver,
                                    acks: Acks::Linux,
                                    timestamps: true,
                                    sack: true,
                                    window_scaling: true,
                                };
                                conditions.push((path.clone(), receiver, Sender { buffer: sender, nagle: true }));
                            }
                        }
                    }
                }
            }
        }
        conditions
    }

    fn path(&self, rate_bits_per_s: u64, rtt_ns: u64, queue: QueueLimit, loss_ppm: u32) -> Path {
        let reverse_delay_ns = self.reverse.delay_ns.unwrap_or(rtt_ns / 2);
        let forward = Channel {
            rate_bits_per_s,
            delay_ns: rtt_ns - reverse_delay_ns,
            queue,
            discipline: Discipline::DropTail,
            loss_ppm,
            bursts: None,
            duplicate_ppm: 0,
            jitter: None,
            aggregation: None,
            shaper: None,
            policer: None,
            changes: [].into(),
        };
        let reverse = Channel {
            rate_bits_per_s: self.reverse.rate_bits_per_s.unwrap_or(rate_bits_per_s),
            delay_ns: reverse_delay_ns,
            queue: self.reverse.queue.unwrap_or(queue),
            loss_ppm: self.reverse.loss_ppm,
            ..forward.clone()
        };
        Path { rtt_ns, mtu_bytes: self.mtu_bytes, forward, reverse }
    }
}

fn product(lengths: &[usize]) -> u128 {
    lengths.iter().map(|length| *length as u128).product()
}

/// Makes the cases. The caller has seen that there are not too many, and that no delay exceeds its round trip.
pub(crate) fn multiply_out(draft: Draft) -> Scenario {
    let schedule = draft.schedule();
    let conditions = draft.conditions();
    let mut cases = Vec::with_capacity(conditions.len() * schedule.len());
    let traffic: Arc<[Traffic]> = draft.traffic.into();
    for (path, receiver, sender) in conditions {
        let network = Arc::new(path.network());
        for (run, transfer) in &schedule {
            cases.push(Case {
                scenario: draft.name.clone(),
                network: network.clone(),
                path: path.clone(),
                sender,
                receiver,
                traffic: traffic.clone(),
                transfer: transfer.clone(),
                duration_ns: None,
                run: *run,
                seed: case_seed(draft.seed, u64::from(*run) - 1),
            });
        }
    }
    Scenario { name: draft.name, description: draft.description, cases }
}

/// The seed of a repetition, from 0: the output of that index of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)
/// started at the file's seed. All cases of a repetition share it, so that start-ups are compared on the same luck;
/// the seeds of different repetitions are unrelated.
pub fn case_seed(file_seed: u64, repetition: u64) -> u64 {
    let state = file_seed.wrapping_add(repetition.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use proptest::prelude::*;

    const PATH: &str = "name = \"x\"\n[path]\nrate = \"50 Mbit/s\"\n";

    fn cases(text: &str) -> Vec<Case> {
        parse("x.toml", &format!("{PATH}{text}")).unwrap_or_else(|e| panic!("{:?}", miette::Report::new(e))).cases
    }

    #[test]
    fn what_is_compared_is_adjacent_also_across_tables() {
        let text = "rtt = [\"10 ms\", \"20 ms\"]\n\
             [[transfer]]\nsize = [\"2 kB\", \"1 kB\"]\nstartup = \"none\"\navoidance = [\"cubic\", \"bbr\"]\nrepeat = 2\n\
             [[transfer]]\nsize = [\"1 kB\", \"3 kB\"]\nstartup = \"paced\"\n";
        let short = |case: &Case| {
            let (rtt_ms, transfer) = (case.path.rtt_ns / 1_000_000, &case.transfer);
            let avoidance = transfer.avoidance.name();
            format!("{rtt_ms} ms {} B run {} {} {avoidance}", transfer.size_bytes, case.run, transfer.startup)
        };
        let order: Vec<_> = cases(text).iter().map(short).collect();
        let of_each_rtt = [
            "2000 B run 1 none cubic",
            "2000 B run 1 none bbr",
            "2000 B run 2 none cubic",
            "2000 B run 2 none bbr",
            "1000 B run 1 none cubic",
            "1000 B run 1 none bbr",
            "1000 B run 1 paced cubic",
            "1000 B run 2 none cubic",
            "1000 B run 2 none bbr",
            "3000 B run 1 paced cubic",
        ];
        let wanted: Vec<_> = ["10 ms", "20 ms"]
            .iter()
            .flat_map(|rtt| of_each_rtt.iter().map(move |case| format!("{rtt} {case}")))
            .collect();
        assert_eq!(order, wanted);
    }

    #[test]
    fn the_path_s_rate_is_outermost_and_the_sender_s_buffer_innermost_of_the_conditions() {
        let text = "name = \"x\"\n[path]\nrate = [\"1 Mbit/s\", \"2 Mbit/s\"]\nrtt = [\"1 s\", \"2 s\"]\n\
             queue = [\"1 bdp\", \"2 bdp\"]\nloss = [\"0 %\", \"1 %\"]\n[receiver]\nbuffer = [\"linux-default\", \"1 MB\"]\n\
             [sender]\nbuffer = [\"1 MB\", \"2 MB\"]\n[[transfer]]\nsize = \"1 B\"\n";
        let cases = parse("x.toml", text).unwrap().cases;
        let last_of_each = |case: &Case| {
            [
                case.path.forward.rate_bits_per_s == 2_000_000,
                case.path.rtt_ns == 2_000_000_000,
                case.path.forward.queue == QueueLimit::BdpPpm(2_000_000),
                case.path.forward.loss_ppm == 10_000,
                case.receiver.buffer == Buffer::Bytes(1_000_000),
                case.sender.buffer == Buffer::Bytes(2_000_000),
            ]
        };
        let counted: Vec<usize> = cases
            .iter()
            .map(|case| last_of_each(case).iter().fold(0, |number, bit| number * 2 + usize::from(*bit)))
            .collect();
        assert_eq!(counted, (0..64).collect::<Vec<_>>());
    }

    #[test]
    fn the_reverse_channel_follows_the_forward_one_except_in_loss() {
        let text = "rtt = \"10001 ns\"\nqueue = \"9 packets\"\nloss = \"1 %\"\n[[transfer]]\nsize = \"1 B\"\n";
        let path = cases(text).remove(0).path;
        let wanted = Channel { loss_ppm: 0, delay_ns: 5000, ..path.forward.clone() };
        assert_eq!(path.reverse, wanted);
        assert_eq!((path.forward.loss_ppm, path.forward.delay_ns), (10_000, 5001));
    }

    #[test]
    fn seeds_do_not_change_between_versions() {
        // The outputs of SplitMix64 as Vigna publishes it, from the state 1234567.
        let published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431];
        assert_eq!([0, 1, 2, 3].map(|index| case_seed(1_234_567, index)), published);
        let cases = cases("rtt = \"1 s\"\n[[transfer]]\nsize = \"1 B\"\nrepeat = 3\n");
        let seeds: Vec<_> = cases.iter().map(|case| case.seed).collect();
        assert_eq!(seeds, [0, 1, 2].map(|index| case_seed(1, index)));
    }

    proptest! {
        #[test]
        fn both_delays_add_up_to_the_round_trip(rtt_us in 1u64..3_600_000_000, share in 0u64..=1000) {
            let reverse_ns = rtt_us * share;
            let text = format!("rtt = \"{rtt_us} us\"\n[path.reverse]\ndelay = \"{reverse_ns} ns\"\n[[transfer]]\nsize = \"1 B\"");
            let path = cases(&text).remove(0).path;
            prop_assert_eq!(path.reverse.delay_ns, reverse_ns);
            prop_assert_eq!(path.forward.delay_ns + path.reverse.delay_ns, path.rtt_ns);
        }
    }
}
