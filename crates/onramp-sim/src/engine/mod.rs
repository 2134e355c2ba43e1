//! The engine: takes the next event and lets its entity act, until every measured transfer is done.
//!
//! ```text
//!   Source --starts--> Flow = two Ends + applications
//!   Source --datagrams--.        |  ^     a transfer is one flow, or a bundle of flows:
//!                       v        v  |     in series, in parallel, or both
//!                      Net: links, routes, packet pool, event queue
//! ```
//!
//! Time is in integer nanoseconds and never decreases. An entity is a directed link, an end of a
//! connection or a source. Each entity has at most one event.
//! [`event_queue`](crate::event_queue) defines the order of events at the same nanosecond.

mod adaptive;
mod branch;
mod bundle;
mod finished;
mod flow;
mod flow_params;
mod flows;
mod lanes;
mod members;
mod meter;
mod net;
mod page;
mod relay;
mod run_result;
mod sender_app;
mod source;
mod source_events;
mod startup;

pub(crate) use finished::FinishedTransfer;
pub(crate) use run_result::RunResult;

use crate::error::Error;
use crate::event_queue::{Entity, Kind};
use crate::observe::{Direction, Observer};
use crate::plan::{Load, Plan};
use bundle::Bundle;
use flow::Side;
use flows::Flows;
use meter::Meter;
use net::{Moment, Net};
use onramp_net::LinkStats;
use source::Source;
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of events between checks of the stop flag.
const EVENTS_BETWEEN_STOP_CHECKS: u64 = 1 << 16;

/// Maximum time for which a run continues after the last measured transfer, to read the meter. This
/// covers the 20 round trips of the meter's window for all but the longest paths.
const METER_MAX_NS: u64 = 60_000_000_000;

/// An active run.
pub(crate) struct Engine<O> {
    net: Net<O>,
    flows: Flows,
    sources: Vec<Source>,
    /// Slot of the first source in the queue. Links have the slots before, connection ends those
    /// after the sources.
    first_source: usize,
    /// Number of active measured transfers.
    open_transfers: u64,
    /// Number of sources that will start more measured transfers.
    launching_sources: u32,
    /// Transfers with several connections.
    bundles: Vec<Option<Box<Bundle>>>,
    finished: Vec<FinishedTransfer>,
    /// Counters of the links when the last measured transfer finished.
    links_at_completion: Option<Vec<LinkStats>>,
    meter: Meter,
    until_ns: u64,
    seed: u64,
    events: u64,
    /// The latest event.
    moment: Moment,
}

impl<O: Observer> Engine<O> {
    /// Prepares a run.
    pub fn new(plan: Plan, observer: O) -> Result<Engine<O>, Error> {
        let net = Net::new(&plan.links, plan.routes, observer)?;
        let first_source = plan.links.len();
        let slots_before_ends = first_source + plan.loads.len();
        let source = |load: Load| {
            let is_measured = load.is_measured(&plan.groups);
            Source::new(load, is_measured)
        };
        let sources: Vec<Source> = plan.loads.into_iter().map(source).collect();
        let launching_sources = sources.iter().filter(|source| source.is_measured).count() as u32;
        let mut engine = Engine {
            net,
            flows: Flows::new(plan.groups, slots_before_ends as u32),
            sources,
            first_source,
            open_transfers: 0,
            launching_sources,
            bundles: Vec::new(),
            finished: Vec::new(),
            links_at_completion: None,
            meter: Meter::new(plan.meter_ns),
            until_ns: plan.until_ns,
            seed: plan.seed,
            events: 0,
            moment: (0, Entity::LAST),
        };
        (0..engine.sources.len()).for_each(|number| engine.reschedule_source(number));
        Ok(engine)
    }

    /// Runs until the end, or until `stop` is set.
    pub fn run(mut self, stop: &AtomicBool) -> Result<(RunResult, O), Error> {
        while self.has_work() {
            if !self.step() {
                self.moment = self.net.last_moment(self.until_ns);
                break;
            }
            self.check_stop(stop)?;
        }
        self.finished.extend(self.flows.take_unfinished());
        let bundles = self.take_unfinished_bundles();
        self.finished.extend(bundles);
        self.finished.sort_by_key(|finished| finished.flow);
        self.finished.extend(
            self.sources
                .iter()
                .flat_map(|source| self.flows.not_started(source)),
        );
        let net = self.net.stats(self.moment);
        let result = RunResult {
            finished: self.finished,
            // No event occurs between the last event and the end.
            meter: self.meter.finish(self.until_ns),
            until_ns: self.until_ns,
            links_at_completion: self
                .links_at_completion
                .unwrap_or_else(|| net.links.clone()),
            net,
            flows: self.flows.started(),
            active_flows: self.flows.active(),
            events: self.events,
            end_ns: self.moment.0,
        };
        Ok((result, self.net.observer))
    }

    fn check_stop(&self, stop: &AtomicBool) -> Result<(), Error> {
        let is_due = self.events.is_multiple_of(EVENTS_BETWEEN_STOP_CHECKS);
        match is_due && stop.load(Ordering::Relaxed) {
            true => Err(Error::Stopped),
            false => Ok(()),
        }
    }

    fn has_work(&self) -> bool {
        self.open_transfers > 0 || self.launching_sources > 0 || !self.meter.is_done()
    }

    /// Processes the next event. Returns `false` if there is none before the end.
    fn step(&mut self) -> bool {
        let Some((time_ns, entity)) = self.net.queue.next() else {
            return false;
        };
        if time_ns > self.until_ns {
            return false;
        }
        assert!(time_ns >= self.net.now_ns, "time must not decrease");
        if self.meter.is_due(time_ns) {
            if let Some(read_ns) = self.meter.read(time_ns) {
                self.moment = self.net.last_moment(read_ns);
            }
            return true;
        }
        self.net.now_ns = time_ns;
        self.moment = (time_ns, entity);
        self.events += 1;
        match entity.kind() {
            Kind::Link => self.on_link_event(entity.slot() as u32),
            Kind::End => self.on_end_event(entity),
            Kind::Source => self.on_source_event(entity),
        }
        true
    }

    /// Processes the packets that reach the far end of a link.
    fn on_link_event(&mut self, link: u32) {
        let now_ns = self.net.now_ns;
        while let Some((handle, direction)) = self.net.poll(link) {
            let (content, bytes) = self.net.arrived(handle);
            let side = match direction {
                Direction::Data => Some(Side::Receiver),
                Direction::Ack => Some(Side::Sender),
                Direction::Datagram => {
                    self.meter.bytes += u64::from(content.segment.payload_bytes);
                    None
                }
            };
            let flow_slot = content.flow_slot;
            let side = side.filter(|side| self.flows.on_packet(*side, now_ns, content, bytes));
            self.net.remove(handle);
            if let Some(side) = side {
                self.run_application(flow_slot, side);
            }
        }
    }

    fn on_end_event(&mut self, end: Entity) {
        let (slot, side) = self.flows.end_of(end);
        self.flows.get(slot).on_event(side, self.net.now_ns);
        self.run_application(slot, side);
    }

    /// Runs the application of an end that has had an event.
    fn run_application(&mut self, slot: u32, side: Side) {
        let now_ns = self.net.now_ns;
        let flow = self.flows.get(slot);
        if let Some(member) = flow.member {
            return self.run_member_application(slot, side, member);
        }
        match side {
            Side::Receiver => {
                let got_bytes = flow.drive_receiver(&mut self.net);
                if O::ACTIVE && got_bytes > 0 {
                    self.net
                        .observer
                        .delivered(now_ns, flow.number(), got_bytes);
                }
                if !flow.is_measured {
                    self.meter.bytes += got_bytes;
                } else if flow.is_complete() {
                    let finished = flow.take_finished(Some(now_ns));
                    self.record_finished(finished);
                }
            }
            Side::Sender => {
                flow.drive_sender(&mut self.net);
                flow.log_startup(now_ns);
                if let Some(sender) = flow.sender().filter(|_| O::ACTIVE) {
                    self.net
                        .observer
                        .sender_acted(now_ns, flow.number(), sender);
                }
            }
        }
        if self.flows.get(slot).is_over() {
            self.end_flow(slot);
        }
    }

    /// Records a finished or failed transfer. After the last one the run only continues to read the
    /// meter, for a limited time.
    fn record_finished(&mut self, finished: Option<FinishedTransfer>) {
        let Some(finished) = finished else { return };
        self.finished.push(finished);
        self.open_transfers -= 1;
        if self.open_transfers == 0 && self.launching_sources == 0 {
            self.links_at_completion = Some(self.net.stats(self.moment).links);
            self.until_ns = self
                .until_ns
                .min(self.net.now_ns.saturating_add(METER_MAX_NS));
        }
    }

    fn end_flow(&mut self, slot: u32) {
        let flow = self.flows.get(slot);
        flow.forget_events(&mut self.net);
        if O::ACTIVE {
            self.net.observer.flow_ended(self.net.now_ns, flow.number());
        }
        let given_up = flow.take_finished(None);
        self.record_finished(given_up);
        self.flows.remove(slot);
    }
}

#[cfg(test)]
mod tests;
