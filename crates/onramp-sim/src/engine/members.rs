//! The connections of a transfer with several connections: how they start and end.

use super::adaptive::{Adaptation, FIRST_CONNECTIONS};
use super::bundle::{sum, Bundle, Hop, Lane, Member};
use super::finished::FinishedTransfer;
use super::flow::{Side, Tcp};
use super::page::Page;
use super::startup::StartupLog;
use super::Engine;
use crate::observe::Observer;
use crate::payload::Payload;
use onramp_scenario::ENDLESS;
use onramp_scenario::{Connect, Connections};
use onramp_tcp::{Connection, Stats};
use std::collections::VecDeque;

impl<O: Observer> Engine<O> {
    /// Starts a transfer with several connections: opens its lanes.
    pub(super) fn start_bundle(&mut self, group_number: u32, copy: u64, size_bytes: u64) {
        let group = self.flows.group(group_number);
        let connections = group
            .bundle
            .as_ref()
            .map_or(Connections::ONE, |plan| plan.connections);
        let is_shared = connections.max() > 1;
        let transfer = self.flows.started();
        self.bundles.push(Some(Box::new(Bundle {
            group: group_number,
            copy,
            transfer,
            lanes: Vec::new(),
            active_connections: 0,
            payload: is_shared.then(|| Payload::new(size_bytes, group.application.clone())),
            end_was_signalled: false,
            adaptation: (connections == Connections::Adaptive).then(Adaptation::default),
            page: group.requests.map(Page::new),
            pending_opens: VecDeque::new(),
            size_bytes,
            received_bytes: 0,
            started_ns: self.net.now_ns,
            bottleneck: group.path(copy).bottleneck,
            traced_flow: transfer,
            failure: None,
            stats: Stats::default(),
            sender_retransmitted_segments: 0,
            startup_log: Some(StartupLog::new(self.net.now_ns)),
        })));
        // The other connections of a page open when its first answer has arrived.
        let lanes = match (&group.requests, connections) {
            (Some(_), _) | (_, Connections::Multiplexed) => 1,
            (None, Connections::Fixed(number)) => number,
            (None, Connections::Adaptive) => FIRST_CONNECTIONS,
        };
        let bundle_id = self.bundles.len() as u32 - 1;
        self.open_lanes(bundle_id, lanes);
        if let Some(bundle) = self.bundles[bundle_id as usize]
            .as_mut()
            .filter(|_| is_shared)
        {
            let start_ns = bundle.started_ns;
            bundle.log_connection_count(start_ns, lanes, "at first", 0);
        }
    }

    /// Opens `number` more lanes, each at the end that connects.
    pub(super) fn open_lanes(&mut self, bundle_id: u32, number: u32) {
        for _ in 0..number {
            let Some(bundle) = &mut self.bundles[bundle_id as usize] else {
                return;
            };
            let group = self.flows.group(bundle.group);
            let hops = group.bundle.as_ref().map_or(1, |plan| plan.hops.len());
            let (hop, side) = match group.connect {
                Connect::Sender => (0, Side::Sender),
                Connect::Receiver => (hops as u32 - 1, Side::Receiver),
            };
            let lane = bundle.lanes.len() as u32;
            bundle.lanes.push(Lane {
                hops: vec![Hop::Unopened; hops],
                received_bytes: 0,
            });
            let slot = self.open_hop(bundle_id, lane, hop);
            self.run_application(slot, side);
        }
    }

    /// Opens a connection of a transfer and returns its slot. Its SYN has not left yet.
    pub(super) fn open_hop(&mut self, bundle_id: u32, lane: u32, hop: u32) -> u32 {
        let bundle = self.bundles[bundle_id as usize]
            .as_mut()
            .expect("an active transfer");
        let (group, copy, transfer) = (bundle.group, bundle.copy, bundle.transfer);
        let plan = self
            .flows
            .group(group)
            .bundle
            .as_ref()
            .expect("a transfer with several connections");
        let hop_group = plan.hops[hop as usize];
        let is_last = hop as usize + 1 == plan.hops.len();
        let member = Member {
            bundle: bundle_id,
            transfer,
            lane,
            hop,
            is_last,
        };
        // The share of one of several lanes in the payload is not known before its end.
        let size_bytes = if bundle.payload.is_some() {
            ENDLESS
        } else {
            bundle.size_bytes
        };
        let number = self.flows.started();
        let slot = self.flows.start(
            hop_group,
            copy,
            size_bytes,
            self.seed,
            Some(member),
            &mut self.net,
        );
        bundle.lanes[lane as usize].hops[hop as usize] = Hop::Open(slot);
        bundle.active_connections += 1;
        if lane == 0 && self.flows.group(hop_group).path(copy).bottleneck == bundle.bottleneck {
            bundle.traced_flow = number;
        }
        slot
    }

    /// An end of one of the connections has had an event: runs the application of its host.
    pub(super) fn run_member_application(&mut self, slot: u32, side: Side, member: Member) {
        let Member {
            bundle,
            lane,
            hop,
            is_last,
            ..
        } = member;
        // Record a failure before any relay passes it on: later failures are consequences of the
        // first.
        let tcp = self.flows.get(slot).tcp();
        let first_failure = tcp.and_then(Tcp::first_failure);
        if let Some(bundle) = self.bundles[bundle as usize]
            .as_mut()
            .filter(|_| first_failure.is_some())
        {
            bundle.record_failure(first_failure);
        }
        match side {
            Side::Sender if hop == 0 => self.drive_sender_lane(slot, bundle),
            Side::Receiver if is_last => self.drive_receiver_lane(slot, bundle, lane),
            Side::Sender => self.relay(bundle, lane, hop - 1),
            Side::Receiver => self.relay(bundle, lane, hop),
        }
        self.end_members(bundle, lane);
    }

    /// Removes the ended connections of a lane, and runs the relays beside them.
    pub(super) fn end_members(&mut self, bundle_id: u32, lane: u32) {
        while let Some((hop, slot)) = self.ended_hop(bundle_id, lane) {
            let Some(bundle) = &mut self.bundles[bundle_id as usize] else {
                return;
            };
            let hops = &mut bundle.lanes[lane as usize].hops;
            hops[hop as usize] = Hop::Over;
            let relays = hops.len() as u32 - 1;
            let flow = self.flows.get(slot);
            flow.forget_events(&mut self.net);
            bundle.active_connections -= 1;
            let stats = flow.sender().map(Connection::stats).unwrap_or_default();
            bundle.stats = sum(bundle.stats, stats);
            bundle.sender_retransmitted_segments += if hop == 0 {
                stats.retransmitted_segments
            } else {
                0
            };
            if O::ACTIVE {
                self.net.observer.flow_ended(self.net.now_ns, flow.number());
            }
            self.flows.remove(slot);
            for relay in [hop.checked_sub(1), Some(hop)]
                .into_iter()
                .flatten()
                .filter(|relay| *relay < relays)
            {
                self.relay(bundle_id, lane, relay);
            }
        }
        if self.bundles[bundle_id as usize]
            .as_ref()
            .is_some_and(|bundle| bundle.active_connections == 0)
        {
            let given_up = self.take_bundle(bundle_id, None);
            self.record_finished(given_up);
            self.bundles[bundle_id as usize] = None;
        }
    }

    fn ended_hop(&mut self, bundle_id: u32, lane: u32) -> Option<(u32, u32)> {
        let lane = &self.bundles[bundle_id as usize].as_ref()?.lanes[lane as usize];
        let mut open = (0..lane.hops.len() as u32).filter_map(|hop| Some((hop, lane.slot(hop)?)));
        open.find(|(_, slot)| self.flows.get(*slot).is_over())
    }

    pub(super) fn take_bundle(
        &mut self,
        bundle_id: u32,
        completed_ns: Option<u64>,
    ) -> Option<FinishedTransfer> {
        let bundle = self.bundles[bundle_id as usize].as_mut()?;
        let stats = |slot| {
            self.flows
                .get(slot)
                .sender()
                .map(Connection::stats)
                .unwrap_or_default()
        };
        let active_stats = bundle.slots().map(stats).fold(Stats::default(), sum);
        bundle.take_finished(completed_ns, active_stats)
    }

    /// The results of transfers that had not finished at the end of the run.
    pub(super) fn take_unfinished_bundles(&mut self) -> Vec<FinishedTransfer> {
        (0..self.bundles.len() as u32)
            .filter_map(|bundle_id| self.take_bundle(bundle_id, None))
            .collect()
    }

    pub(super) fn show_sender(&mut self, slot: u32) {
        let flow = self.flows.get(slot);
        if let Some(sender) = flow.sender().filter(|_| O::ACTIVE) {
            self.net
                .observer
                .sender_acted(self.net.now_ns, flow.number(), sender);
        }
    }
}
