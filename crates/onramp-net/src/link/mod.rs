//! One direction of a path. Most links of a simulation are [plain](plain::Plain), which takes the
//! least work for a packet. All others have [elements](elements::Elements).

mod elements;
mod plain;

use crate::{Config, Count, LinkStats, Packet, PureAck, Verdict};
use elements::Elements;
use plain::Plain;

/// A packet that reached the far end of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure<P> {
    /// Arrival time of its last bit at the far end, rounded down to a whole nanosecond.
    pub due_ns: u64,
    /// The packet.
    pub packet: P,
    /// Whether this is a clone made by duplication. The original is still in the link and leaves
    /// next. Where packets are handles, the driver must now duplicate the object that the handle
    /// refers to.
    pub is_copy: bool,
}

/// A link. Packets enter through [`offer`](Link::offer) and leave through [`poll`](Link::poll).
/// They keep their order, with three exceptions: FQ-CoDel queues flows separately,
/// [expedited](Config::expedited) packets are served first, and [jitter](crate::Jitter) may
/// reorder. With CoDel, FQ-CoDel or the ACK filter, packets also leave through
/// [`take_dropped`](Link::take_dropped).
///
/// Events at the same nanosecond: a packet that is offered when another packet's serialisation ends
/// finds the serialiser free. A change of the link precedes a packet that is offered at the same
/// time.
#[derive(Clone, Debug)]
pub struct Link<P>(Kind<P>);

#[expect(
    clippy::large_enum_variant,
    reason = "a plain link has the least work for a packet, and a box would add to it"
)]
#[derive(Clone, Debug)]
enum Kind<P> {
    Plain(Plain<P>),
    Elements(Box<Elements<P>>),
}

impl<P: Packet> Link<P> {
    /// Builds an idle link.
    ///
    /// # Panics
    /// If [`Config::check`] returns an error.
    pub fn from_config(config: &Config) -> Link<P> {
        if let Err(error) = config.check() {
            panic!("{error}");
        }
        Link(match Plain::new(config) {
            Some(plain) => Kind::Plain(plain),
            None => Kind::Elements(Box::new(Elements::new(config))),
        })
    }

    /// Builds an idle link that notes when the transmission of each packet begins. The driver
    /// [takes](Link::take_served) these notes after each [`offer`](Link::offer) and
    /// [`poll`](Link::poll). Everything else is the same as with [`Link::from_config`], but
    /// no link is [plain](Link::is_plain).
    ///
    /// # Panics
    /// If [`Config::check`] returns an error.
    pub fn watched(config: &Config) -> Link<P> {
        if let Err(error) = config.check() {
            panic!("{error}");
        }
        let mut elements = Elements::new(config);
        elements.note_served();
        Link(Kind::Elements(Box::new(elements)))
    }

    /// Returns a packet whose transmission has begun, and that time, rounded down to a whole
    /// nanosecond. The earliest comes first. Only a [watched](Link::watched) link has such notes.
    #[inline]
    pub fn take_served(&mut self) -> Option<(u64, P)> {
        match &mut self.0 {
            Kind::Plain(_) => None,
            Kind::Elements(elements) => elements.take_served(),
        }
    }

    /// Allocates memory for this many packets in the queue, as far as its limit allows, and for as
    /// many propagating packets. The link then does not allocate later.
    pub fn reserve(&mut self, packets: usize) {
        match &mut self.0 {
            Kind::Plain(plain) => plain.reserve(packets),
            Kind::Elements(elements) => elements.reserve(packets),
        }
    }

    /// Offers a packet at the entrance of the link.
    #[inline]
    pub fn offer(&mut self, now_ns: u64, packet: P) -> Verdict {
        self.offer_with_parser(now_ns, packet, |_| None)
    }

    /// Whether the link inspects pure ACKs and [drops](Link::take_dropped) superseded ones.
    #[inline]
    pub fn filters_acks(&self) -> bool {
        match &self.0 {
            Kind::Plain(_) => false,
            Kind::Elements(elements) => elements.filters_acks(),
        }
    }

    /// The same as [`offer`](Link::offer), with a parser for ACKs. A link that [filters
    /// ACKs](Link::filters_acks) calls `read` for a packet that has to wait. If the packet is a
    /// pure ACK, the link drops the queued ACKs of the same [flow](Packet::flow_hash) that it
    /// supersedes.
    #[inline(always)]
    pub fn offer_with_parser(
        &mut self,
        now_ns: u64,
        packet: P,
        read: impl FnOnce(&P) -> Option<PureAck>,
    ) -> Verdict {
        match &mut self.0 {
            Kind::Plain(plain) => plain.offer(now_ns, packet),
            Kind::Elements(elements) => elements.offer_with_parser(now_ns, packet, read),
        }
    }

    /// Time at which to call [`poll`](Link::poll) next. It is never later than the arrival of the
    /// next packet at the far end. It can be earlier, and a poll can then find nothing, if rate or
    /// delay change, or if the link aggregates or adds jitter. Otherwise it is exact. `None` means
    /// that the link is empty.
    #[inline(always)]
    pub fn next_departure_ns(&self) -> Option<u64> {
        match &self.0 {
            Kind::Plain(plain) => plain.next_departure_ns(),
            Kind::Elements(elements) => elements.next_departure_ns(),
        }
    }

    /// Removes and returns the next packet that has reached the far end.
    #[inline(always)]
    pub fn poll(&mut self, now_ns: u64) -> Option<Departure<P>> {
        match &mut self.0 {
            Kind::Plain(plain) => plain.poll(now_ns),
            Kind::Elements(elements) => elements.poll(now_ns),
        }
    }

    /// Returns a packet that the queue dropped after it had accepted it, the earliest first. Only
    /// CoDel, FQ-CoDel and the ACK filter do this; the other queues drop packets on arrival only.
    /// The link keeps such packets until they are taken. A driver with one of these queues
    /// therefore calls this after each `offer` and `poll`, until it returns `None`.
    #[inline]
    pub fn take_dropped(&mut self) -> Option<P> {
        match &mut self.0 {
            Kind::Plain(_) => None,
            Kind::Elements(elements) => elements.take_dropped(),
        }
    }

    /// Whether the link is plain: a rate, a delay, a drop-tail queue and possibly random loss, none
    /// of which changes. When such a link accepts a packet, its arrival time at the far end is
    /// known, and [`newest_mut`](Link::newest_mut) has it.
    pub fn is_plain(&self) -> bool {
        matches!(self.0, Kind::Plain(_))
    }

    /// The packet that a [plain](Link::is_plain) link accepted last, unless it has left, with its
    /// arrival time at the far end. A driver may change the packet, but not its size. `None` if the
    /// link is empty or not plain.
    #[inline(always)]
    pub fn newest_mut(&mut self) -> Option<&mut (u64, P)> {
        match &mut self.0 {
            Kind::Plain(plain) => plain.newest_mut(),
            Kind::Elements(_) => None,
        }
    }

    /// The packets in a [plain](Link::is_plain) link, the oldest first, each with its arrival time
    /// at the far end. Nothing if the link is not plain.
    pub fn packets(&self) -> impl Iterator<Item = &(u64, P)> {
        let plain = match &self.0 {
            Kind::Plain(plain) => Some(plain),
            Kind::Elements(_) => None,
        };
        plain.into_iter().flat_map(Plain::packets)
    }

    /// Counters since the link was built.
    #[inline]
    pub fn stats(&self) -> LinkStats {
        match &self.0 {
            Kind::Plain(plain) => *plain.stats(),
            Kind::Elements(elements) => elements.stats(),
        }
    }

    /// The largest queue since the link was built.
    #[inline(always)]
    pub fn peak_queue(&self) -> Count {
        match &self.0 {
            Kind::Plain(plain) => plain.stats().peak_queue,
            Kind::Elements(elements) => elements.stats().peak_queue,
        }
    }

    /// Packets and bytes in the queue at `now_ns`.
    pub fn queue(&mut self, now_ns: u64) -> Count {
        match &mut self.0 {
            Kind::Plain(plain) => plain.queue(now_ns),
            Kind::Elements(elements) => elements.queue(now_ns),
        }
    }
}

#[cfg(test)]
mod tests;
