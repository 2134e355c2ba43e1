//! The events of sources: flows start and datagrams leave.

use super::source::SourceKind;
use super::Engine;
use crate::event_queue::{Entity, Kind};
use crate::observe::{Direction, FlowStart, Observer};
use crate::plan::Launch;
use crate::pool::{Content, NO_BYTES};
use onramp_tcp::{IpVersion, Segment};

/// The flow slot of a datagram, which belongs to no TCP flow.
const NO_SLOT: u32 = u32::MAX;

impl<O: Observer> Engine<O> {
    /// Runs a source and schedules its next event.
    pub(super) fn on_source_event(&mut self, entity: Entity) {
        let number = entity.slot() - self.first_source;
        let source = &mut self.sources[number];
        match &mut source.kind {
            SourceKind::Launch(Launch { group, arrivals }) => {
                let (group, copy) = (*group, arrivals.started());
                if let Some(arrival) = arrivals.next() {
                    self.open_transfers += u64::from(source.is_measured);
                    self.launch(group, copy, arrival.size_bytes);
                }
            }
            SourceKind::Datagrams { .. } => {
                self.send_datagram(number);
            }
        }
        self.reschedule_source(number);
    }

    /// Starts the `copy`-th transfer of a group, counted from 0.
    fn launch(&mut self, group: u32, copy: u64, size_bytes: u64) {
        if self.flows.group(group).bundle.is_some() {
            self.start_bundle(group, copy, size_bytes);
        } else {
            let slot = self
                .flows
                .start(group, copy, size_bytes, self.seed, None, &mut self.net);
            let side = self.flows.opens(group);
            self.run_application(slot, side);
        }
    }

    /// Schedules the next event of a source. An exhausted source is never scheduled again. The
    /// slots of sources follow those of links.
    pub(super) fn reschedule_source(&mut self, number: usize) {
        let entity = Entity::new(
            Kind::Source,
            number as u32,
            (self.first_source + number) as u32,
        );
        match self.sources[number].next_ns() {
            Some(next_ns) => self.net.queue.schedule(entity, next_ns),
            None => {
                self.launching_sources -= u32::from(self.sources[number].is_measured);
                self.net.queue.cancel(entity);
            }
        }
    }

    fn send_datagram(&mut self, number: usize) {
        let SourceKind::Datagrams {
            plan, flow, sent, ..
        } = &mut self.sources[number].kind
        else {
            return;
        };
        if O::ACTIVE && flow.is_none() {
            self.net.observer.flow_started(&FlowStart {
                time_ns: self.net.now_ns,
                flow: self.flows.started(),
                transfer: self.flows.started(),
                lane: 0,
                hop: 0,
                traffic: Some(plan.traffic),
                measured: false,
                from: plan.from,
                to: plan.to,
                ip: IpVersion::V4,
                bottleneck: plan.bottleneck,
            });
        }
        let packet_bytes = plan.times.packet_bytes();
        let payload_bytes = plan.times.payload_bytes();
        let content = Content {
            segment: Segment {
                payload_bytes,
                ..Segment::default()
            },
            stream_start: *sent,
            retransmission: false,
            flow: *flow.get_or_insert_with(|| self.flows.take_number()),
            flow_slot: NO_SLOT,
            direction: Direction::Datagram,
            dscp: plan.dscp,
            bytes: NO_BYTES,
        };
        self.net.send(plan.route, packet_bytes, content);
        *sent += 1;
        plan.times.advance();
    }
}
