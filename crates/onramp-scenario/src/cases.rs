//! The cross product of a scenario's lists: which cases there are, in which order, and with which seeds.
//!
//! The runs that are compared with each other, the start-ups and avoidances of one size and one repeat, follow one
//! another directly, so that a machine that drifts through a long lab session drifts past all of them alike.

use crate::topology::Topology;
use crate::{
    Acks, Application, Avoidance, Buffer, Case, InitialWindow, Network, Receiver, Recovery, Scenario, Sender, Stack,
    Timers, Traffic, TrafficKind, Transfer, NO_STARTUP,
};
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
    pub duration_ns: Option<u64>,
    pub topology: Topology,
    pub receiver: ReceiverDraft,
    pub sender: SenderDraft,
    pub transfers: Vec<TransferDraft>,
    /// Its receivers have the default buffer.
    pub traffic: Vec<Traffic>,
}

/// `[receiver]`; `None` is as the stack has it.
#[derive(Debug)]
pub(crate) struct ReceiverDraft {
    pub buffers: Vec<Buffer>,
    pub acks: Option<Acks>,
    pub timestamps: Option<bool>,
    pub sack: Option<bool>,
    pub window_scaling: Option<bool>,
}

impl ReceiverDraft {
    /// The receiver of a flow of this stack.
    pub(crate) fn of(&self, stack: Stack, buffer: Buffer) -> Receiver {
        let usual = tcp_of(stack);
        Receiver {
            buffer,
            acks: self.acks.unwrap_or(usual.acks),
            timestamps: self.timestamps.unwrap_or(usual.timestamps),
            sack: self.sack.unwrap_or(usual.sack),
            window_scaling: self.window_scaling.unwrap_or(usual.window_scaling),
        }
    }
}

/// `[sender]`.
#[derive(Debug)]
pub(crate) struct SenderDraft {
    pub buffers: Vec<Buffer>,
    pub nagle: bool,
}

/// The choices of a stack.
pub(crate) fn tcp_of(stack: Stack) -> onramp_tcp::Config {
    onramp_tcp::Config::of(stack, 1500)
}

/// The congestion avoidance of a stack.
pub(crate) fn avoidance_of(stack: Stack) -> Avoidance {
    tcp_of(stack).avoidance.into()
}

/// The start-up of a transfer that names none.
fn startup_of(stack: Stack) -> &'static str {
    match stack {
        Stack::Linux => "standard",
        Stack::Lite => NO_STARTUP,
    }
}

/// One `[[transfer]]` table; `None` is as the stack has it.
#[derive(Debug)]
pub(crate) struct TransferDraft {
    pub sizes: Vec<u64>,
    pub stacks: Vec<Stack>,
    pub recoveries: Option<Vec<Recovery>>,
    pub timers: Option<Vec<Timers>>,
    pub startups: Option<Vec<String>>,
    pub avoidances: Option<Vec<Avoidance>>,
    pub windows: Vec<InitialWindow>,
    pub initial_ssthresh_bytes: Option<u64>,
    pub from: Arc<[usize]>,
    pub to: Arc<[usize]>,
    pub count: u32,
    pub start_ns: u64,
    pub spacing_ns: u64,
    pub application: Option<Application>,
    pub repeat: u32,
}

impl TransferDraft {
    /// The transfers of this table, once each.
    pub(crate) fn product(&self) -> Vec<Transfer> {
        let mut transfers = Vec::new();
        for &size_bytes in &self.sizes {
            for &stack in &self.stacks {
                let usual = tcp_of(stack);
                for &recovery in self.recoveries.as_deref().unwrap_or(&[usual.recovery]) {
                    for &timers in self.timers.as_deref().unwrap_or(&[usual.timers]) {
                        for startup in self.startups.as_deref().unwrap_or(&[startup_of(stack).to_owned()]) {
                            for &avoidance in self.avoidances.as_deref().unwrap_or(&[avoidance_of(stack)]) {
                                for &initial_window in &self.windows {
                                    transfers.push(Transfer {
                                        size_bytes,
                                        startup: startup.clone(),
                                        avoidance,
                                        initial_window,
                                        stack,
                                        recovery,
                                        timers,
                                        initial_ssthresh_bytes: self.initial_ssthresh_bytes,
                                        from: self.from.clone(),
                                        to: self.to.clone(),
                                        count: self.count,
                                        start_ns: self.start_ns,
                                        spacing_ns: self.spacing_ns,
                                        application: self.application,
                                    });
                                }
                            }
                        }
                    }
                }
            }
        }
        transfers
    }

    fn case_count(&self) -> u128 {
        let lengths = [
            self.sizes.len(),
            self.stacks.len(),
            self.recoveries.as_ref().map_or(1, Vec::len),
            self.timers.as_ref().map_or(1, Vec::len),
            self.startups.as_ref().map_or(1, Vec::len),
            self.avoidances.as_ref().map_or(1, Vec::len),
            self.windows.len(),
        ];
        product(&lengths) * u128::from(self.repeat)
    }
}

/// The transfers of one condition with their repeats, in the order in which they run: by size, sizes in the order in
/// which the file first has them, then by repeat, then as the file has them.
fn schedule(tables: &[TransferDraft]) -> Vec<(u32, Transfer)> {
    let mut ranks = HashMap::new();
    let mut schedule = Vec::new();
    for table in tables {
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

impl Draft {
    pub(crate) fn case_count(&self) -> u128 {
        let buffers = [self.receiver.buffers.len(), self.sender.buffers.len()];
        // Lists have at most 1000 entries and names no two the same, so 10^18 conditions times 1000 tables of fewer
        // than 10^16 cases stay below 2^128.
        let transfers: u128 = self.transfers.iter().map(TransferDraft::case_count).sum();
        self.topology.count() * product(&buffers) * transfers
    }

    /// The traffic, with receivers that have this buffer.
    fn traffic(&self, buffer: Buffer) -> Arc<[Traffic]> {
        let with_buffer = |traffic: &Traffic| {
            let mut traffic = traffic.clone();
            if let TrafficKind::Transfers(transfers) = &mut traffic.kind {
                transfers.receiver.buffer = buffer;
            }
            traffic
        };
        self.traffic.iter().map(with_buffer).collect()
    }
}

fn product(lengths: &[usize]) -> u128 {
    lengths.iter().map(|length| *length as u128).product()
}

/// Makes the cases. The caller has seen that there are not too many, that no delay exceeds its round trip, and that
/// there is a way for each flow.
pub(crate) fn multiply_out(draft: &Draft) -> Scenario {
    let schedule = schedule(&draft.transfers);
    let traffic: Vec<_> = draft.receiver.buffers.iter().map(|&buffer| (buffer, draft.traffic(buffer))).collect();
    let mut cases = Vec::new();
    for network in draft.topology.networks() {
        let mut paths = HashMap::new();
        for (receiver_buffer, traffic) in &traffic {
            for &sender_buffer in &draft.sender.buffers {
                for (run, transfer) in &schedule {
                    let path =
                        paths.entry(transfer.ends(0)).or_insert_with_key(|(from, to)| path(&network, *from, *to));
                    cases.push(Case {
                        scenario: draft.name.clone(),
                        network: network.clone(),
                        path: path.clone(),
                        sender: Sender { buffer: sender_buffer, nagle: draft.sender.nagle },
                        receiver: draft.receiver.of(transfer.stack, *receiver_buffer),
                        traffic: traffic.clone(),
                        transfer: transfer.clone(),
                        duration_ns: draft.duration_ns,
                        run: *run,
                        seed: case_seed(draft.seed, u64::from(*run) - 1),
                    });
                }
            }
        }
    }
    Scenario { name: draft.name.clone(), description: draft.description.clone(), cases }
}

fn path(network: &Network, from: usize, to: usize) -> crate::Path {
    network.path(from, to).expect("the reader has refused flows without a way")
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
    use crate::{parse, Channel, QueueLimit};
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
    fn a_stack_is_a_set_of_defaults() {
        let text =
            "rtt = \"1 s\"\n[receiver]\nsack = true\n[[transfer]]\nsize = \"1 B\"\nstack = [\"linux\", \"lite\"]\n\
                    [[transfer]]\nsize = \"1 B\"\nstack = \"lite\"\nrecovery = \"newreno\"\navoidance = \"vegas\"\n";
        let shown: Vec<_> = cases(text)
            .iter()
            .map(|case| {
                let (transfer, receiver) = (&case.transfer, &case.receiver);
                let names = [transfer.recovery.name(), transfer.timers.name(), transfer.avoidance.name()];
                let switches = (receiver.timestamps, receiver.sack, receiver.window_scaling);
                format!("{} {} {} {switches:?}", names.join(" "), transfer.startup, receiver.acks.name())
            })
            .collect();
        let wanted = [
            "rack linux cubic standard linux (true, true, true)",
            "reno bsd reno none bsd (false, true, true)",
            "newreno bsd vegas none bsd (false, true, true)",
        ];
        assert_eq!(shown, wanted);
    }

    #[test]
    fn the_tcps_of_one_size_and_repeat_are_adjacent() {
        let text = "rtt = \"1 s\"\n[[transfer]]\nsize = [\"1 B\", \"2 B\"]\nrecovery = [\"sack\", \"rack\"]\n\
                    timers = [\"linux\", \"bsd\"]\nrepeat = 2\n";
        let order: Vec<_> = cases(text)
            .iter()
            .map(|case| {
                let transfer = &case.transfer;
                format!("{} {} {} {}", transfer.size_bytes, case.run, transfer.recovery.name(), transfer.timers.name())
            })
            .take(5)
            .collect();
        assert_eq!(order, ["1 1 sack linux", "1 1 sack bsd", "1 1 rack linux", "1 1 rack bsd", "1 2 sack linux"]);
    }

    #[test]
    fn the_reverse_channel_changes_with_the_forward_one_except_in_what_is_its_own() {
        let changes =
            "[[path.change]]\nat = \"1 s\"\nrate = \"1 Mbit/s\"\n[[path.change]]\nat = \"2 s\"\nrtt = \"50 ms\"\n";
        let transfer = "[[transfer]]\nsize = \"1 B\"\n";
        let of = |reverse: &str| {
            let path = cases(&format!("rtt = \"20 ms\"\n[path.reverse]\n{reverse}{changes}{transfer}")).remove(0).path;
            let shown = |channel: &Channel| -> Vec<_> {
                channel.changes.iter().map(|change| (change.rate_bits_per_s, change.delay_ns)).collect()
            };
            (shown(&path.forward), shown(&path.reverse))
        };
        let (rate, delay) = ((Some(1_000_000), None), (None, Some(25_000_000)));
        assert_eq!(of(""), (vec![rate, delay], vec![rate, delay]));
        assert_eq!(of("rate = \"2 Mbit/s\"\n"), (vec![rate, delay], vec![delay]));
        let forward_delay = (None, Some(40_000_000));
        assert_eq!(of("delay = \"10 ms\"\n"), (vec![rate, forward_delay], vec![rate]));
    }

    #[test]
    fn copies_are_dealt_to_the_nodes_in_turn() {
        let nodes: String = ["a", "b", "c"].map(|name| format!("[[node]]\nname = \"{name}\"\n")).concat();
        let link =
            |from, to| format!("[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n");
        let text = format!(
            "name = \"x\"\n{nodes}{}{}[[transfer]]\nsize = \"1 B\"\nfrom = [\"a\", \"b\"]\nto = \"c\"\ncount = 3\n\
             [[traffic]]\nfrom = \"c\"\nto = \"a\"\nlead = \"2 s\"\n[[traffic]]\nfrom = \"c\"\nto = \"a\"\nstart = \"9 s\"\n",
            link("a", "b"),
            link("b", "c"),
        );
        let case = parse("x.toml", &text).unwrap().cases.remove(0);
        assert_eq!([0, 1, 2].map(|copy| case.transfer.ends(copy)), [(0, 2), (1, 2), (0, 2)]);
        assert_eq!((case.path.rtt_ns, case.transfer_start_ns()), (4_000_000, 2_000_000_000));
        let starts: Vec<_> = case.traffic.iter().map(|traffic| case.traffic_start_ns(traffic)).collect();
        assert_eq!(starts, [0, 9_000_000_000]);
    }

    #[test]
    fn traffic_s_receivers_have_the_buffer_of_the_case() {
        let text = "rtt = \"1 s\"\n[receiver]\nbuffer = [\"linux-default\", \"1 MB\"]\n[[transfer]]\nsize = \"1 B\"\n[[traffic]]\n";
        for case in cases(text) {
            let TrafficKind::Transfers(transfers) = &case.traffic[0].kind else { panic!("{:?}", case.traffic) };
            assert_eq!(transfers.receiver, case.receiver);
        }
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
