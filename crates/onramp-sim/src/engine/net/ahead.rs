//! Links that offer their packets to the next link ahead of time.
//!
//! When a plain link accepts a packet, the time at which the packet reaches the next link is known.
//! If that link is plain too and gets packets from nowhere else, nothing that happens until then
//! changes what becomes of the packet there. So the packet is offered to the next link at once,
//! with that future time, and the first link needs no event:
//!
//! ```text
//!   sender -- access link --> bottleneck -- access link --> receiver
//!               event          no event         event
//! ```
//!
//! The results stay the same. The counters of such links are ahead of the simulated time, so
//! [`Net::stats`] takes back what has not happened yet. An active observer has to receive all
//! packets in their order; with one, no link offers ahead of time.

use super::{Net, NetStats, ScheduledLink};
use crate::event_queue::Entity;
use crate::observe::Observer;
use crate::pool::{Ahead, Handle};
use crate::routes::{Hop, Routes};
use onramp_net::{Config, Count, Verdict};
use std::collections::VecDeque;

/// What feeds a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feeder {
    Nothing,
    /// This link, and nothing else.
    OneLink(u32),
    /// A host, or several links.
    Others,
}

/// A moment of a run: the simulated time, and the entity that acts.
pub(in crate::engine) type Moment = (u64, Entity);

/// What a link has ahead of time.
#[derive(Clone, Debug, Default)]
pub(super) struct LinkAhead {
    /// Whether this link offers its packets ahead of time.
    pub offers: bool,
    /// The largest queue before each of its rises that may still lie ahead, with the moment of that
    /// rise.
    peaks: VecDeque<(Moment, Count)>,
}

/// For each link, whether it can offer its packets ahead of time.
pub(super) fn links_that_offer_ahead(
    configs: &[Config],
    links: &[ScheduledLink],
    routes: &Routes,
) -> Vec<bool> {
    let mut feeders = vec![Feeder::Nothing; links.len()];
    let mut previous = None;
    for place in routes.places() {
        let Hop::Link(link) = *place else {
            previous = None;
            continue;
        };
        let feeder = &mut feeders[link as usize];
        *feeder = match (*feeder, previous) {
            (Feeder::Nothing, Some(link)) => Feeder::OneLink(link),
            (Feeder::OneLink(one), Some(link)) if one == link => Feeder::OneLink(one),
            _ => Feeder::Others,
        };
        previous = Some(link);
    }
    let mut offers: Vec<bool> = links.iter().map(|link| link.link.is_plain()).collect();
    for pair in routes.places().windows(2) {
        if let Hop::Link(first) = pair[0] {
            offers[first as usize] &= matches!(pair[1], Hop::Link(next)
                if links[next as usize].link.is_plain()
                    && takes_time(&configs[next as usize])
                    && feeders[next as usize] == Feeder::OneLink(first));
        }
    }
    offers
}

/// Whether each packet takes a nanosecond at least. Otherwise the order of events within a
/// nanosecond could change.
fn takes_time(config: &Config) -> bool {
    const BITS_OF_AN_IP_HEADER: u64 = 160;
    config.delay_ns > 0 || config.rate_bits_per_s.get() <= BITS_OF_AN_IP_HEADER * 1_000_000_000
}

impl<O: Observer> Net<O> {
    /// A link that offers ahead of time has accepted a packet: offers the packet to the next link,
    /// and further on if that link does the same.
    pub(super) fn offer_ahead(&mut self, first: u32, mut handle: Handle) {
        let mut link = first;
        while self.links[link as usize].ahead.offers {
            let newest = self.links[link as usize].link.newest_mut();
            let due = (
                newest.expect("the link has accepted it").0,
                self.links[link as usize].entity,
            );
            handle = handle.at_next_hop();
            let Hop::Link(next) = self.routes.at(handle.hop()) else {
                unreachable!("a link that offers ahead of time has a link behind it");
            };
            let ahead = self.links[next as usize].accept_ahead(self.now_ns, due, handle);
            if ahead != Ahead::Queued {
                let newest = self.links[link as usize].link.newest_mut();
                newest.expect("it is there").1.set_ahead(ahead);
                return self.pool.remove(handle);
            }
            link = next;
        }
        self.reschedule(link);
    }

    /// Counters at a moment of the run, which is not before any other so far.
    pub fn stats(&self, moment: Moment) -> NetStats {
        let links = self.links.iter().map(|link| link.link.stats()).collect();
        let mut stats = NetStats {
            links,
            sent: self.sent,
            in_flight: self.pool.len(),
        };
        for (number, link) in self.links.iter().enumerate() {
            if link.ahead.offers {
                self.take_back(number, link, moment, &mut stats);
            }
            if let Some((_, peak)) = link.ahead.peaks.iter().find(|(at, _)| *at > moment) {
                stats.links[number].peak_queue = *peak;
            }
        }
        stats
    }

    /// Corrects counters by what `link` has done ahead of time.
    fn take_back(&self, number: usize, link: &ScheduledLink, moment: Moment, stats: &mut NetStats) {
        for &(due_ns, handle) in link.link.packets() {
            let bytes = onramp_net::Packet::wire_bytes(&handle);
            if (due_ns, link.entity) <= moment {
                // It has left the link, which has not been polled since.
                stats.links[number].delivered.add(bytes);
                continue;
            }
            let Hop::Link(next) = self.routes.at(handle.at_next_hop().hop()) else {
                unreachable!("a link that offers ahead of time has a link behind it");
            };
            let counters = &mut stats.links[next as usize];
            counters.offered = counters.offered.without(bytes);
            match handle.ahead() {
                Ahead::Queued => {}
                Ahead::Dropped => {
                    counters.dropped = counters.dropped.without(bytes);
                    stats.in_flight += 1;
                }
                Ahead::Lost => {
                    counters.lost = counters.lost.without(bytes);
                    stats.in_flight += 1;
                }
            }
        }
    }

    /// The last moment, up to and including `until_ns`, at which something happens in the run, if
    /// no event is left until then.
    pub fn last_moment(&self, until_ns: u64) -> Moment {
        let ahead = self.links.iter().filter(|link| link.ahead.offers);
        let times = ahead.flat_map(|link| link.link.packets().map(|(due_ns, _)| *due_ns));
        let last_ns = times.filter(|due_ns| *due_ns <= until_ns).max();
        (self.now_ns.max(last_ns.unwrap_or(0)), Entity::LAST)
    }
}

impl ScheduledLink {
    /// Takes a packet that another link offers ahead of time: for the moment `due`.
    #[inline]
    fn accept_ahead(&mut self, now_ns: u64, due: Moment, handle: Handle) -> Ahead {
        if self.ahead.offers {
            self.forget_departed(now_ns);
        }
        let peak = self.link.peak_queue();
        let verdict = self.link.offer(due.0, handle);
        if self.link.peak_queue() != peak {
            let has_passed = |(at, _): &(Moment, Count)| at.0 < now_ns;
            while self.ahead.peaks.front().is_some_and(has_passed) {
                self.ahead.peaks.pop_front();
            }
            self.ahead.peaks.push_back((due, peak));
        }
        match verdict {
            Verdict::Queued => Ahead::Queued,
            Verdict::DroppedFull => Ahead::Dropped,
            Verdict::LostRandom => Ahead::Lost,
            Verdict::Policed | Verdict::DroppedEarly => unreachable!("a plain link does neither"),
        }
    }

    /// Removes the packets that have left. The next link has them already.
    #[inline]
    pub(super) fn forget_departed(&mut self, now_ns: u64) {
        while self.link.poll(now_ns).is_some() {}
    }
}
