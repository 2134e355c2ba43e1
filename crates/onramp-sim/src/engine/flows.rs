//! All flows of a run: the active flows, in reusable slots, and the groups of flows.

use super::bundle::Member;
use super::finished::FinishedTransfer;
use super::flow::{Flow, Side};
use super::flow_params::FlowParams;
use super::net::Net;
use super::source::{Source, SourceKind};
use crate::event_queue::{Entity, Kind};
use crate::observe::{FlowStart, Observer};
use crate::plan::{Group, Launch};
use crate::pool::Content;
use onramp_scenario::Arrival;

/// The flows of a run.
#[derive(Clone)]
pub(super) struct Flows {
    slots: Vec<Option<Box<Flow>>>,
    free: Vec<u32>,
    groups: Vec<Group>,
    /// Number of slots in the queue before those of connection ends.
    slots_before: u32,
    started: u32,
}

impl Flows {
    /// Creates a set of groups without active flows.
    pub fn new(groups: Vec<Group>, slots_before: u32) -> Flows {
        Flows {
            slots: Vec::new(),
            free: Vec::new(),
            groups,
            slots_before,
            started: 0,
        }
    }

    /// Replaces the groups of the flows that start from now on.
    pub fn set_groups(&mut self, groups: Vec<Group>) {
        self.groups = groups;
    }

    /// Number of flows that have started.
    pub fn started(&self) -> u32 {
        self.started
    }

    /// Number of active flows.
    pub fn active(&self) -> u32 {
        (self.slots.len() - self.free.len()) as u32
    }

    /// Takes the next flow number.
    pub fn take_number(&mut self) -> u32 {
        self.started += 1;
        self.started - 1
    }

    /// Starts the `copy`-th flow of a group, counted from 0, and returns its slot.
    pub fn start<O: Observer>(
        &mut self,
        group_number: u32,
        copy: u64,
        size_bytes: u64,
        seed: u64,
        member: Option<Member>,
        net: &mut Net<O>,
    ) -> u32 {
        let number = self.take_number();
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() as u32 - 1
        });
        let group = &self.groups[group_number as usize];
        let path = group.path(copy);
        if O::ACTIVE {
            net.observer.flow_started(&FlowStart {
                time_ns: net.now_ns,
                flow: number,
                transfer: member.map_or(number, |member| member.transfer),
                lane: member.map_or(0, |member| member.lane),
                hop: member.map_or(0, |member| member.hop),
                traffic: group.traffic,
                measured: group.measured,
                from: path.from,
                to: path.to,
                ip: group.sender.ip,
                bottleneck: path.bottleneck,
            });
        }
        let first_slot = self.slots_before + 2 * slot;
        let entities =
            [0, 1].map(|side| Entity::new(Kind::End, 2 * number + side, first_slot + side));
        let params = FlowParams {
            number,
            slot,
            copy,
            group_number,
            group,
            path: *path,
            size_bytes,
            seed,
            member,
        };
        self.slots[slot as usize] = Some(Box::new(Flow::start(&params, entities, net.now_ns)));
        slot
    }

    /// The end that opens the connections of a group.
    pub fn opens(&self, group_number: u32) -> Side {
        self.groups[group_number as usize].connect.into()
    }

    /// A group of flows.
    pub fn group(&self, group_number: u32) -> &Group {
        &self.groups[group_number as usize]
    }

    /// An active flow.
    pub fn get(&mut self, slot: u32) -> &mut Flow {
        self.slots[slot as usize]
            .as_mut()
            .expect("events and entities belong to active flows")
    }

    /// The flow slot and the side of an end's entity.
    pub fn end_of(&self, entity: Entity) -> (u32, Side) {
        let end = entity.slot() as u32 - self.slots_before;
        (
            end / 2,
            if end.is_multiple_of(2) {
                Side::Sender
            } else {
                Side::Receiver
            },
        )
    }

    /// Processes a packet for an end. Returns whether the flow is still active.
    pub fn on_packet(&mut self, side: Side, now_ns: u64, content: &Content, bytes: &[u8]) -> bool {
        // The slot may belong to another flow since the packet was sent.
        let Some(flow) = self.slots[content.flow_slot as usize]
            .as_mut()
            .filter(|flow| flow.number() == content.flow)
        else {
            return false;
        };
        let group = &self.groups[flow.group as usize];
        flow.on_packet(side, now_ns, content, bytes, group);
        true
    }

    /// Removes an ended flow.
    pub fn remove(&mut self, slot: u32) {
        self.slots[slot as usize] = None;
        self.free.push(slot);
    }

    /// The results of copies of the transfer that this source was to start after the end of the
    /// run.
    pub fn not_started(&self, source: &Source) -> Vec<FinishedTransfer> {
        let SourceKind::Launch(Launch { group, arrivals }) = &source.kind else {
            return Vec::new();
        };
        let group = &self.groups[*group as usize];
        if group.traffic.is_some() {
            return Vec::new();
        }
        let finished = |(copy, arrival): (u64, Arrival)| {
            FinishedTransfer::not_started(
                group.path(copy).bottleneck,
                arrival.size_bytes,
                arrival.start_ns,
            )
        };
        (arrivals.started()..)
            .zip(arrivals.clone())
            .map(finished)
            .collect()
    }

    /// The results of measured flows that had not finished at the end of the run.
    pub fn take_unfinished(&mut self) -> Vec<FinishedTransfer> {
        self.slots
            .iter_mut()
            .flatten()
            .filter_map(|flow| flow.take_finished(None))
            .collect()
    }
}
