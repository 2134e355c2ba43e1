//! The cross product of a scenario's lists: which cases there are, in which order, and with which
//! seeds.
//!
//! Runs that are compared with each other follow one another directly: the start-ups and avoidances
//! of one size and one repeat. A machine that drifts during a long lab session then affects all of
//! them alike.

mod topology;
mod transfer;

pub(crate) use topology::{PathDraft, Topology};
pub(crate) use transfer::{
    avoidance_of, startup_of, tcp_of, usual_transfer, TransferDraft, DEFAULT_STARTUP,
};

use crate::model::{
    Buffer, Case, Crossings, Hosts, Network, Path, Receiver, Scenario, Sender, Traffic,
    TrafficKind, Transfer,
};
use crate::seed::case_seed;
use onramp_core::pairs::Form as PairForm;
use onramp_tcp::{Acks, Lie, PacketPair, Stack};
use std::collections::HashMap;
use std::sync::Arc;

/// The maximum number of cases of one file.
pub(crate) const MAX_CASES: u64 = 100_000;

/// A scenario before its lists are multiplied out. Every value is checked.
#[derive(Debug)]
pub(crate) struct Draft {
    pub name: String,
    pub description: String,
    pub seed: u64,
    pub duration_ns: Option<u64>,
    /// `None`: noisy where repeats would be the same run, else exact.
    pub hosts: Option<Hosts>,
    pub topology: Topology,
    pub receiver: ReceiverDraft,
    pub sender: SenderDraft,
    pub transfers: Vec<TransferDraft>,
    /// The traffic, with receivers that have the default buffer.
    pub traffic: Vec<Traffic>,
}

/// `[receiver]`. `None` stands for the default of the stack.
#[derive(Debug)]
pub(crate) struct ReceiverDraft {
    pub buffers: Vec<Buffer>,
    pub acks: Option<Acks>,
    pub lie: Lie,
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
            lie: self.lie,
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

/// The transfers of one condition with their repeats, in the order in which they run: by size, with
/// sizes in the order of their first occurrence, then by repeat, then in the order of the file.
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
    // The sort is stable: transfers of one size and one repeat stay in the order of the file.
    schedule.sort_by_key(|(rank, run, _)| (*rank, *run));
    schedule
        .into_iter()
        .map(|(_, run, transfer)| (run, transfer))
        .collect()
}

impl Draft {
    /// The number of cases.
    pub(crate) fn case_count(&self) -> u128 {
        let buffers = [self.receiver.buffers.len(), self.sender.buffers.len()];
        let transfers = self
            .transfers
            .iter()
            .map(TransferDraft::run_count)
            .fold(0, u128::saturating_add);
        self.topology
            .count()
            .saturating_mul(product(&buffers))
            .saturating_mul(transfers)
    }

    /// Whether cases repeat, and nothing but the network can make their runs differ.
    fn repeats_without_chance(&self) -> bool {
        let mut transfers = self.transfers.iter().flat_map(TransferDraft::product);
        self.transfers.iter().any(|table| table.repeat > 1)
            && !self.traffic.iter().any(Traffic::is_random)
            && !transfers.any(|transfer| transfer.is_random())
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

/// Makes the cases. The caller has checked that there are not too many, that no delay exceeds its
/// round-trip time, and that each flow has a route.
pub(crate) fn multiply_out(draft: &Draft) -> Scenario {
    let schedule = schedule(&draft.transfers);
    let traffic: Vec<_> = draft
        .receiver
        .buffers
        .iter()
        .map(|&buffer| (buffer, draft.traffic(buffer)))
        .collect();
    let without_chance = draft.repeats_without_chance();
    let (mut cases, mut repeats_are_alike) = (Vec::new(), false);
    for network in draft.topology.networks() {
        let needs_noise = without_chance && !network.is_random();
        let usual = match needs_noise {
            true => Hosts::Noisy,
            false => Hosts::Exact,
        };
        let hosts = draft.hosts.unwrap_or(usual);
        repeats_are_alike |= needs_noise && hosts == Hosts::Exact;
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
                        hosts,
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
        repeats_are_alike,
    }
}

/// The path of the transfer's first copy, and how many copies cross each link.
fn path(network: &Network, transfer: &Transfer) -> (Path, Crossings) {
    let crossings = network.crossings(transfer);
    let (from, to) = transfer.ends(0);
    let routes = network.route(from, to).zip(network.route(to, from));
    let path = routes.and_then(|(forward, back)| network.shared_path(&forward, &back, &crossings));
    (
        path.expect("the reader has refused flows without a route"),
        crossings,
    )
}

#[cfg(test)]
mod tests;
