//! The cross product of a scenario's lists: which cases there are, in which order, and with which
//! seeds.
//!
//! The runs that are compared with each other, the start-ups and avoidances of one size and one
//! repeat, follow one another directly, so that a machine that drifts through a long lab session
//! drifts past all of them alike.

use crate::topology::Topology;
use crate::{
    Acks, Application, Avoidance, Buffer, ByteCounting, Case, Clocks, Connect, Connections,
    Crossings, Dscp, Given, InitialWindow, Memory, Network, PacketPair, PairForm, Path, Receiver,
    Recovery, Scenario, Sender, Split, Stack, Timers, Traffic, TrafficKind, Train, Transfer,
    Without, NO_STARTUP,
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
    pub packet_pair: Option<PacketPair>,
    pub pair_form: PairForm,
    pub pair_clock_ns: Option<u64>,
}

impl ReceiverDraft {
    /// The receiver of a flow of this stack and start-up.
    pub(crate) fn of(
        &self,
        stack: Stack,
        startup: &str,
        buffer: Buffer,
        sender: &SenderDraft,
    ) -> Receiver {
        let usual = tcp_of(stack);
        Receiver {
            buffer,
            acks: self.acks.unwrap_or(usual.acks),
            timestamps: self.timestamps.unwrap_or(usual.timestamps),
            sack: self.sack.unwrap_or(usual.sack),
            window_scaling: self.window_scaling.unwrap_or(usual.window_scaling),
            packet_pair: self
                .packet_pair
                .unwrap_or_else(|| PacketPair::of_startup(startup, sender.packet_pairs)),
            pair_form: self.pair_form,
            pair_clock_ns: self.pair_clock_ns.unwrap_or(usual.ticks.measure_ns),
        }
    }
}

/// `[sender]`.
#[derive(Debug)]
pub(crate) struct SenderDraft {
    pub buffers: Vec<Buffer>,
    pub nagle: bool,
    pub window_validation: bool,
    pub packet_pairs: bool,
}

/// The choices of a stack.
pub(crate) fn tcp_of(stack: Stack) -> onramp_tcp::Config {
    onramp_tcp::Config::of(stack, 1500)
}

/// The congestion avoidance of a stack.
pub(crate) fn avoidance_of(stack: Stack) -> Avoidance {
    tcp_of(stack).avoidance.into()
}

/// The start-up of a transfer that names none, nor a stack.
pub(crate) const DEFAULT_STARTUP: &str = "standard";

/// The start-up of a transfer that names none.
fn startup_of(stack: Stack) -> &'static str {
    match stack {
        Stack::Linux => DEFAULT_STARTUP,
        Stack::Lite => NO_STARTUP,
    }
}

/// One `[[transfer]]` table; `None` is as the stack has it.
#[derive(Debug)]
pub(crate) struct TransferDraft {
    pub label: Arc<str>,
    pub sizes: Vec<u64>,
    /// `None` in the list is the way's own, too.
    pub segments: Option<Vec<Option<u32>>>,
    pub stacks: Vec<Stack>,
    pub window_scalings: Option<Vec<bool>>,
    pub recoveries: Option<Vec<Recovery>>,
    pub timers: Option<Vec<Timers>>,
    pub clocks_ns: Option<Vec<u64>>,
    pub ticks_ns: Option<Vec<u64>>,
    pub startups: Option<Vec<String>>,
    pub gammas_ppm: Option<Vec<u32>>,
    pub paces_bits_per_s: Option<Vec<u64>>,
    pub qos_rates_bits_per_s: Option<Vec<u64>>,
    pub qos_bursts_bytes: Option<Vec<u64>>,
    pub withouts: Vec<Without>,
    pub memories: Vec<Memory>,
    pub byte_countings: Option<Vec<ByteCounting>>,
    pub avoidances: Option<Vec<Avoidance>>,
    pub connect: Connect,
    pub train: Train,
    pub windows: Vec<InitialWindow>,
    pub initial_ssthresh_bytes: Option<u64>,
    pub from: Arc<[usize]>,
    pub to: Arc<[usize]>,
    pub split: Option<Split>,
    pub connections: Vec<Connections>,
    pub dscps: Vec<Dscp>,
    pub count: u32,
    pub start_ns: u64,
    pub spacing_ns: u64,
    pub application: Option<Application>,
    pub repeat: u32,
}

impl TransferDraft {
    /// The transfers of this table, once each, the first of its lists changing most slowly.
    pub(crate) fn product(&self) -> Vec<Transfer> {
        let usual = |transfer: &Transfer| tcp_of(transfer.stack);
        let mut all = vec![self.first()];
        all = vary(
            all,
            |_| self.sizes.clone(),
            |one, bytes| one.size_bytes = bytes,
        );
        all = vary(
            all,
            |_| listed(&self.segments, || None),
            |one, bytes| one.segment_bytes = bytes,
        );
        all = vary(all, |_| self.stacks.clone(), |one, stack| one.stack = stack);
        let scaling = |one: &Transfer| usual(one).window_scaling;
        all = vary(
            all,
            |one| listed(&self.window_scalings, || scaling(one)),
            |one, is_on| one.window_scaling = is_on,
        );
        all = vary(
            all,
            |one| listed(&self.recoveries, || usual(one).recovery),
            |one, recovery| one.recovery = recovery,
        );
        all = vary(
            all,
            |one| listed(&self.timers, || usual(one).timers),
            |one, timers| one.timers = timers,
        );
        let clocks = |one: &Transfer| Clocks::of(one.stack);
        all = vary(
            all,
            |one| listed(&self.clocks_ns, || clocks(one).clock_ns),
            |one, ns| one.clocks.clock_ns = ns,
        );
        all = vary(
            all,
            |one| listed(&self.ticks_ns, || clocks(one).tick_ns),
            |one, ns| one.clocks.tick_ns = ns,
        );
        let startup = |one: &Transfer| startup_of(one.stack).to_owned();
        all = vary(
            all,
            |one| listed(&self.startups, || startup(one)),
            |one, startup| one.startup = startup,
        );
        all = vary(
            all,
            |_| given(&self.gammas_ppm),
            |one, ppm| one.given.gamma_ppm = ppm,
        );
        all = vary(
            all,
            |_| given(&self.paces_bits_per_s),
            |one, rate| one.given.pace_bits_per_s = rate,
        );
        all = vary(
            all,
            |_| given(&self.qos_rates_bits_per_s),
            |one, rate| one.given.qos_rate_bits_per_s = rate,
        );
        all = vary(
            all,
            |_| given(&self.qos_bursts_bytes),
            |one, bytes| one.given.qos_burst_bytes = bytes,
        );
        all = vary(
            all,
            |_| self.withouts.clone(),
            |one, without| one.given.without = without,
        );
        all = vary(
            all,
            |_| self.memories.clone(),
            |one, memory| one.memory = memory,
        );
        let counting = |one: &Transfer| usual(one).byte_counting;
        all = vary(
            all,
            |one| listed(&self.byte_countings, || counting(one)),
            |one, limit| one.byte_counting = limit,
        );
        let avoidance = |one: &Transfer| avoidance_of(one.stack);
        all = vary(
            all,
            |one| listed(&self.avoidances, || avoidance(one)),
            |one, avoidance| one.avoidance = avoidance,
        );
        all = vary(
            all,
            |_| self.windows.clone(),
            |one, window| one.initial_window = window,
        );
        all = vary(
            all,
            |_| self.connections.clone(),
            |one, connections| one.connections = connections,
        );
        vary(all, |_| self.dscps.clone(), |one, dscp| one.dscp = dscp)
    }

    /// What all of them have in common, and anything in place of what they have not.
    fn first(&self) -> Transfer {
        let stack = Stack::Linux;
        Transfer {
            label: self.label.clone(),
            size_bytes: 0,
            segment_bytes: None,
            startup: NO_STARTUP.to_owned(),
            avoidance: avoidance_of(stack),
            initial_window: InitialWindow::Host,
            stack,
            window_scaling: tcp_of(stack).window_scaling,
            recovery: tcp_of(stack).recovery,
            timers: tcp_of(stack).timers,
            clocks: Clocks::of(stack),
            byte_counting: tcp_of(stack).byte_counting,
            connect: self.connect,
            train: self.train,
            given: Given::default(),
            memory: Memory::Off,
            initial_ssthresh_bytes: self.initial_ssthresh_bytes,
            from: self.from.clone(),
            to: self.to.clone(),
            split: self.split.clone(),
            connections: Connections::ONE,
            dscp: Dscp::BestEffort,
            count: self.count,
            start_ns: self.start_ns,
            spacing_ns: self.spacing_ns,
            application: self.application,
        }
    }

    fn case_count(&self) -> u128 {
        let lengths = [
            self.sizes.len(),
            self.segments.as_ref().map_or(1, Vec::len),
            self.stacks.len(),
            self.window_scalings.as_ref().map_or(1, Vec::len),
            self.recoveries.as_ref().map_or(1, Vec::len),
            self.timers.as_ref().map_or(1, Vec::len),
            self.clocks_ns.as_ref().map_or(1, Vec::len),
            self.ticks_ns.as_ref().map_or(1, Vec::len),
            self.startups.as_ref().map_or(1, Vec::len),
            self.gammas_ppm.as_ref().map_or(1, Vec::len),
            self.paces_bits_per_s.as_ref().map_or(1, Vec::len),
            self.qos_rates_bits_per_s.as_ref().map_or(1, Vec::len),
            self.qos_bursts_bytes.as_ref().map_or(1, Vec::len),
            self.withouts.len(),
            self.memories.len(),
            self.byte_countings.as_ref().map_or(1, Vec::len),
            self.avoidances.as_ref().map_or(1, Vec::len),
            self.windows.len(),
            self.connections.len(),
            self.dscps.len(),
        ];
        product(&lengths).saturating_mul(self.repeat.into())
    }
}

/// Each transfer once with each of its values of one key.
fn vary<T>(
    transfers: Vec<Transfer>,
    values: impl Fn(&Transfer) -> Vec<T>,
    set: impl Fn(&mut Transfer, T),
) -> Vec<Transfer> {
    let with = |transfer: &Transfer, value| {
        let mut transfer = transfer.clone();
        set(&mut transfer, value);
        transfer
    };
    let all = |transfer: &Transfer| {
        values(transfer)
            .into_iter()
            .map(|value| with(transfer, value))
            .collect::<Vec<_>>()
    };
    transfers.iter().flat_map(all).collect()
}

/// What the file lists, or what is usual.
fn listed<T: Clone>(list: &Option<Vec<T>>, usual: impl Fn() -> T) -> Vec<T> {
    list.clone().unwrap_or_else(|| vec![usual()])
}

/// What the file gives, or nothing.
fn given<T: Copy>(list: &Option<Vec<T>>) -> Vec<Option<T>> {
    list.as_ref().map_or_else(
        || vec![None],
        |list| list.iter().copied().map(Some).collect(),
    )
}

/// The transfers of one condition with their repeats, in the order in which they run: by size,
/// sizes in the order in which the file first has them, then by repeat, then as the file has them.
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
    schedule
        .into_iter()
        .map(|(_, run, transfer)| (run, transfer))
        .collect()
}

impl Draft {
    pub(crate) fn case_count(&self) -> u128 {
        let buffers = [self.receiver.buffers.len(), self.sender.buffers.len()];
        let transfers = self
            .transfers
            .iter()
            .map(TransferDraft::case_count)
            .fold(0, u128::saturating_add);
        self.topology
            .count()
            .saturating_mul(product(&buffers))
            .saturating_mul(transfers)
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
    lengths
        .iter()
        .fold(1, |product, length| product.saturating_mul(*length as u128))
}

/// Makes the cases. The caller has seen that there are not too many, that no delay exceeds its
/// round trip, and that there is a way for each flow.
pub(crate) fn multiply_out(draft: &Draft) -> Scenario {
    let schedule = schedule(&draft.transfers);
    let traffic: Vec<_> = draft
        .receiver
        .buffers
        .iter()
        .map(|&buffer| (buffer, draft.traffic(buffer)))
        .collect();
    let mut cases = Vec::new();
    for network in draft.topology.networks() {
        let mut paths = HashMap::new();
        for (receiver_buffer, traffic) in &traffic {
            for &sender_buffer in &draft.sender.buffers {
                for (run, transfer) in &schedule {
                    let flows = (transfer.from.clone(), transfer.to.clone(), transfer.count);
                    let (path, crossings) = paths
                        .entry(flows)
                        .or_insert_with(|| path(&network, transfer));
                    cases.push(Case {
                        scenario: draft.name.clone(),
                        number: cases.len() as u32 + 1,
                        network: network.clone(),
                        path: path.clone(),
                        crossings: crossings.clone(),
                        sender: Sender {
                            buffer: sender_buffer,
                            nagle: draft.sender.nagle,
                            window_validation: draft.sender.window_validation,
                            packet_pairs: draft.sender.packet_pairs,
                        },
                        receiver: draft.receiver.of(
                            transfer.stack,
                            &transfer.startup,
                            *receiver_buffer,
                            &draft.sender,
                        ),
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
    Scenario {
        name: draft.name.clone(),
        description: draft.description.clone(),
        cases,
    }
}

fn path(network: &Network, transfer: &Transfer) -> (Path, Crossings) {
    let crossings = network.crossings(transfer);
    let (from, to) = transfer.ends(0);
    let ways = network.route(from, to).zip(network.route(to, from));
    let path = ways.and_then(|(there, back)| network.shared_path(&there, &back, &crossings));
    (
        path.expect("the reader has refused flows without a way"),
        crossings,
    )
}

/// The seed of a repetition, from 0: the output of that index of SplitMix64 (Steele, Lea and Flood,
/// OOPSLA 2014) started at the file's seed. All cases of a repetition share it, so that start-ups
/// are compared on the same luck; the seeds of different repetitions are unrelated.
pub fn case_seed(file_seed: u64, repetition: u64) -> u64 {
    let state = file_seed.wrapping_add(
        repetition
            .wrapping_add(1)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15),
    );
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The seed of a directed link in a run with this seed: the network's n-th link has number 2 n, its
/// reverse 2 n + 1.
pub fn link_seed(case_seed: u64, number: u32) -> u64 {
    self::case_seed(self::case_seed(case_seed, 0), u64::from(number))
}

#[cfg(test)]
mod tests;
