//! The network of a run: packets travel from link to link until they reach a host or are dropped.

mod ahead;

pub(super) use ahead::Moment;

use crate::error::Error;
use crate::event_queue::{Entity, EventQueue, Kind};
use crate::observe::{Direction, DropReason, Observer, PacketEvent};
use crate::pool::{Content, Handle, Pool};
use crate::routes::{Hop, Routes};
use ahead::LinkAhead;
use onramp_net::{Link, LinkStats, Packet, Verdict};
use onramp_scenario::pure_ack;

/// Time of an event that never occurs.
const NEVER: u64 = u64::MAX;

/// A directed link, with its event.
#[derive(Clone)]
struct ScheduledLink {
    link: Link<Handle>,
    entity: Entity,
    /// Time of its next event, or [`NEVER`] if the link is empty.
    scheduled_ns: u64,
    ahead: LinkAhead,
}

/// The links, their packets and the event queue.
#[derive(Clone)]
pub(super) struct Net<O> {
    /// Current simulated time.
    pub now_ns: u64,
    /// The event queue.
    pub queue: EventQueue,
    /// The observer of the run.
    pub observer: O,
    links: Vec<ScheduledLink>,
    routes: Routes,
    pool: Pool,
    sent: u64,
}

/// Counters of links and packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NetStats {
    /// Counters of each directed link.
    pub links: Vec<LinkStats>,
    /// Packets sent by hosts.
    pub sent: u64,
    /// Packets still in flight.
    pub in_flight: usize,
}

impl<O: Observer> Net<O> {
    /// Creates an empty network. Links have the first slots of the queue.
    pub fn new(
        configs: &[onramp_net::Config],
        routes: Routes,
        observer: O,
    ) -> Result<Net<O>, Error> {
        let mut links = Vec::with_capacity(configs.len());
        for (number, config) in (0u32..).zip(configs) {
            let direction = if number.is_multiple_of(2) {
                "forward"
            } else {
                "reverse"
            };
            config.check().map_err(|source| Error::Link {
                link: number as usize / 2 + 1,
                direction,
                source,
            })?;
            let entity = Entity::new(Kind::Link, number, number);
            let link = match O::WATCHES_SERVICE {
                true => Link::watched(config),
                false => Link::from_config(config),
            };
            links.push(ScheduledLink {
                link,
                entity,
                scheduled_ns: NEVER,
                ahead: LinkAhead::default(),
            });
        }
        if !O::ACTIVE {
            let offers = ahead::links_that_offer_ahead(configs, &links, &routes);
            for (link, offers) in links.iter_mut().zip(offers) {
                link.ahead.offers = offers;
            }
        }
        let (queue, pool) = Default::default();
        Ok(Net {
            now_ns: 0,
            queue,
            observer,
            links,
            routes,
            pool,
            sent: 0,
        })
    }

    /// A host sends a packet on a route.
    pub fn send(&mut self, route: u32, wire_bytes: u32, content: Content) {
        self.sent += 1;
        let handle = Handle::new(self.pool.insert(content), wire_bytes, &content, route);
        if O::ACTIVE {
            self.observer
                .sent(&packet_event(self.now_ns, handle, &content));
        }
        match self.routes.at(route) {
            Hop::Link(link) => self.offer(link, handle),
            Hop::Host(_) => unreachable!("a route has at least one link"),
        }
    }

    /// A host sends a packet of QUIC, with these bytes, on a route.
    #[cfg(feature = "quic")]
    pub fn send_bytes(&mut self, route: u32, wire_bytes: u32, content: Content, bytes: &[u8]) {
        let bytes = self.pool.insert_bytes(bytes);
        self.send(route, wire_bytes, Content { bytes, ..content });
    }

    /// Takes the next packet that has reached the far end of a link. A packet that has another link
    /// ahead is offered to it. A packet that has reached its host is returned, with its direction.
    /// `None`: no more packets at this time.
    pub fn poll(&mut self, link: u32) -> Option<(Handle, Direction)> {
        loop {
            let departure = self.links[link as usize].link.poll(self.now_ns);
            self.report_served(link);
            self.collect_evicted(link);
            let Some(departure) = departure else {
                self.reschedule(link);
                debug_assert!(
                    self.links[link as usize].scheduled_ns > self.now_ns,
                    "an empty poll must leave a later event"
                );
                return None;
            };
            let mut handle = departure.packet;
            if handle.is_marked() {
                self.pool.mark(handle);
            }
            if departure.is_copy {
                handle = handle.of_copy(self.pool.insert(*self.pool.get(handle)));
            }
            if O::ACTIVE {
                self.observer.departed(
                    link,
                    &packet_event(self.now_ns, handle, self.pool.get(handle)),
                );
            }
            let handle = handle.at_next_hop();
            match self.routes.at(handle.hop()) {
                Hop::Link(next) => self.offer(next, handle),
                Hop::Host(direction) => return Some((handle, direction)),
            }
        }
    }

    /// The packet that has reached its host, with its bytes if it is of QUIC. Its host has it now:
    /// [`remove`](Net::remove) it then.
    pub fn arrived(&mut self, handle: Handle) -> (&Content, &[u8]) {
        let content = self.pool.get(handle);
        if O::ACTIVE {
            self.observer
                .arrived(&packet_event(self.now_ns, handle, content));
        }
        (content, self.pool.bytes(content))
    }

    /// Removes a packet that has [arrived](Net::arrived) from the network.
    pub fn remove(&mut self, handle: Handle) {
        self.pool.remove(handle);
    }

    fn offer(&mut self, link: u32, handle: Handle) {
        if O::WATCHES_SERVICE {
            // Brings the link up to date: what happened before this packet is reported before it.
            self.links[link as usize].link.queue(self.now_ns);
            self.report_served(link);
        }
        let (pool, scheduled) = (&self.pool, &mut self.links[link as usize]);
        if scheduled.ahead.offers {
            scheduled.forget_departed(self.now_ns);
        }
        let read = |handle: &Handle| pure_ack(&pool.get(*handle).segment);
        let verdict = scheduled.link.offer_with_parser(self.now_ns, handle, read);
        let why = match verdict {
            Verdict::Queued => {
                if O::ACTIVE {
                    self.observer.entered(
                        link,
                        &packet_event(self.now_ns, handle, self.pool.get(handle)),
                    );
                }
                None
            }
            Verdict::Policed => Some(DropReason::Policer),
            Verdict::LostRandom => Some(DropReason::Random),
            Verdict::DroppedFull => Some(DropReason::QueueFull),
            Verdict::DroppedEarly => Some(DropReason::Early),
        };
        let offers_ahead = scheduled.ahead.offers;
        match why {
            Some(why) => self.lose(link, why, handle),
            None if O::WATCHES_SERVICE => self.report_served(link),
            None if offers_ahead => self.offer_ahead(link, handle),
            None => {}
        }
        if !offers_ahead {
            self.collect_evicted(link);
            self.reschedule(link);
        }
    }

    /// Reports the packets whose transmission has begun.
    fn report_served(&mut self, link: u32) {
        if !O::WATCHES_SERVICE {
            return;
        }
        while let Some((start_ns, handle)) = self.links[link as usize].link.take_served() {
            self.observer
                .served(link, &packet_event(start_ns, handle, self.pool.get(handle)));
        }
    }

    fn collect_evicted(&mut self, link: u32) {
        while let Some(handle) = self.links[link as usize].link.take_dropped() {
            // A queue with an ACK filter evicts nothing but ACKs.
            let why = match self.links[link as usize].link.filters_acks() {
                true => DropReason::Thinned,
                false => DropReason::Evicted,
            };
            self.lose(link, why, handle);
        }
    }

    fn lose(&mut self, link: u32, why: DropReason, handle: Handle) {
        if O::ACTIVE {
            let content = self.pool.get(handle);
            self.observer
                .dropped(link, why, &packet_event(self.now_ns, handle, content));
        }
        self.pool.remove(handle);
    }

    fn reschedule(&mut self, link: u32) {
        let scheduled = &mut self.links[link as usize];
        let next_ns = scheduled.link.next_departure_ns().unwrap_or(NEVER);
        if next_ns == scheduled.scheduled_ns {
            return;
        }
        scheduled.scheduled_ns = next_ns;
        match next_ns {
            NEVER => self.queue.cancel(scheduled.entity),
            // The next departure can be in the past if a packet was offered to the link before the
            // link's own event of this nanosecond.
            _ => self
                .queue
                .schedule(scheduled.entity, next_ns.max(self.now_ns)),
        }
    }
}

fn packet_event(time_ns: u64, handle: Handle, content: &Content) -> PacketEvent<'_> {
    PacketEvent {
        time_ns,
        flow: content.flow,
        direction: content.direction,
        segment: &content.segment,
        stream_start: content.stream_start,
        retransmission: content.retransmission,
        dscp: content.dscp,
        wire_bytes: handle.wire_bytes(),
        slot: handle.slot() as u32,
    }
}
