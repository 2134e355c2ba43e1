//! The network of a run: packets travel from link to link, until they are at a host or lost.

use crate::error::Error;
use crate::observe::{Direction, DropReason, Observer, PacketEvent};
use crate::pool::{Content, Handle, Pool};
use crate::queue::{Entity, EventQueue, Kind};
use crate::routes::{Hop, Routes};
use onramp_net::{Link, LinkStats, Packet, Verdict};
use onramp_scenario::pure_ack;

/// No event.
const NEVER: u64 = u64::MAX;

/// A directed link and its event.
struct ScheduledLink {
    link: Link<Handle>,
    entity: Entity,
    /// When the link is looked at next, [`NEVER`] if it is empty.
    scheduled_ns: u64,
}

/// The links, what is on them, and what happens next.
pub(super) struct Net<O> {
    /// The time.
    pub now_ns: u64,
    /// What happens next.
    pub queue: EventQueue,
    /// Who looks on.
    pub observer: O,
    links: Vec<ScheduledLink>,
    routes: Routes,
    pool: Pool,
    sent: u64,
}

/// What links and packets did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NetStats {
    /// Of each directed link.
    pub links: Vec<LinkStats>,
    /// Packets that hosts sent.
    pub sent: u64,
    /// Packets that are still under way.
    pub in_flight: usize,
}

impl<O: Observer> Net<O> {
    /// An empty network. Links have the first slots of the queue.
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
            links.push(ScheduledLink {
                link: Link::from_config(config),
                entity,
                scheduled_ns: NEVER,
            });
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

    /// The next packet that has reached a link's far end. It goes on to its next link, or is
    /// returned with what it is to the host at which it has arrived; `None`: no more at this
    /// moment.
    pub fn poll(&mut self, link: u32) -> Option<(Handle, Direction)> {
        loop {
            let departure = self.links[link as usize].link.poll(self.now_ns);
            self.collect_evicted(link);
            let Some(departure) = departure else {
                self.reschedule(link);
                debug_assert!(
                    self.links[link as usize].scheduled_ns > self.now_ns,
                    "a link has nothing, and nothing later"
                );
                return None;
            };
            let mut handle = departure.packet;
            if departure.is_copy {
                handle.slot = self.pool.insert(*self.pool.get(handle));
            }
            if O::ACTIVE {
                self.observer.departed(
                    link,
                    &packet_event(self.now_ns, handle, self.pool.get(handle)),
                );
            }
            handle.hop += 1;
            match self.routes.at(handle.hop) {
                Hop::Link(next) => self.offer(next, handle),
                Hop::Host(direction) => return Some((handle, direction)),
            }
        }
    }

    /// A packet is at its host: it is taken out of the network.
    pub fn arrive(&mut self, handle: Handle) -> Content {
        let content = self.pool.remove(handle);
        if O::ACTIVE {
            self.observer
                .arrived(&packet_event(self.now_ns, handle, &content));
        }
        content
    }

    /// Counters, at the end.
    pub fn stats(&self) -> NetStats {
        let links = self
            .links
            .iter()
            .map(|scheduled| scheduled.link.stats())
            .collect();
        NetStats {
            links,
            sent: self.sent,
            in_flight: self.pool.len(),
        }
    }

    fn offer(&mut self, link: u32, handle: Handle) {
        let (pool, scheduled) = (&self.pool, &mut self.links[link as usize]);
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
        if let Some(why) = why {
            self.lose(link, why, handle);
        }
        self.collect_evicted(link);
        self.reschedule(link);
    }

    fn collect_evicted(&mut self, link: u32) {
        let scheduled = &mut self.links[link as usize];
        // A queue that filters acknowledgements throws nothing else out.
        let why = if scheduled.link.filters_acks() {
            DropReason::Thinned
        } else {
            DropReason::Evicted
        };
        while let Some(handle) = self.links[link as usize].link.take_dropped() {
            self.lose(link, why, handle);
        }
    }

    fn lose(&mut self, link: u32, why: DropReason, handle: Handle) {
        let content = self.pool.remove(handle);
        if O::ACTIVE {
            self.observer
                .dropped(link, why, &packet_event(self.now_ns, handle, &content));
        }
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
            // A link that looks back was offered a packet before its own event of this nanosecond
            // came.
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
    }
}
