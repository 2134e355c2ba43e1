//! Propagation: packets between the serialiser and the far end.

use crate::jitter::ExtraDelay;
use crate::Config;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The propagating packets, each with the time at which it reaches the far end.
///
/// Packets stay in order, unless jitter is configured to reorder. A packet that would overtake the
/// packet before it arrives at the same time as that packet.
#[derive(Clone, Debug)]
pub(crate) struct Propagation<P> {
    delay_ns: u64,
    latest_due_ns: u64,
    in_order: VecDeque<(u64, P)>,
    jitter: Option<Box<JitterState<P>>>,
}

/// State that only a link with jitter needs.
#[derive(Clone, Debug)]
struct JitterState<P> {
    extra: ExtraDelay,
    reordered: Option<Reordered<P>>,
}

/// Propagating packets ordered by arrival time. Packets with the same arrival time keep the order
/// in which they left the serialiser.
#[derive(Clone, Debug)]
struct Reordered<P> {
    next_sequence: u64,
    packets: BinaryHeap<Reverse<Due<P>>>,
}

/// A packet, ordered by its arrival time and its sequence number.
#[derive(Clone, Debug)]
struct Due<P> {
    order: (u64, u64),
    packet: (u64, P),
}

impl<P> PartialEq for Due<P> {
    fn eq(&self, other: &Due<P>) -> bool {
        self.order == other.order
    }
}

impl<P> Eq for Due<P> {}

impl<P> PartialOrd for Due<P> {
    fn partial_cmp(&self, other: &Due<P>) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> Ord for Due<P> {
    fn cmp(&self, other: &Due<P>) -> std::cmp::Ordering {
        self.order.cmp(&other.order)
    }
}

impl<P> Propagation<P> {
    pub fn new(config: &Config) -> Propagation<P> {
        let jitter = config.jitter.map(|jitter| {
            let reordered = jitter.reorder.then(|| Reordered {
                next_sequence: 0,
                packets: BinaryHeap::new(),
            });
            Box::new(JitterState {
                extra: ExtraDelay::new(&jitter, config.seed),
                reordered,
            })
        });
        Propagation {
            delay_ns: config.delay_ns,
            latest_due_ns: 0,
            in_order: VecDeque::new(),
            jitter,
        }
    }

    pub fn reserve(&mut self, packets: usize) {
        match self.reordered_mut() {
            Some(reordered) => reordered.packets.reserve(packets),
            None => self.in_order.reserve(packets),
        }
    }

    /// Minimum time to the far end for a packet that leaves the serialiser now.
    pub fn delay_ns(&self) -> u64 {
        self.delay_ns
    }

    /// Sets the delay of packets that leave the serialiser from now on.
    pub fn set_delay_ns(&mut self, delay_ns: u64) {
        self.delay_ns = delay_ns;
    }

    /// Whether packets always arrive in the order in which they left the serialiser.
    pub fn keeps_order(&self) -> bool {
        self.reordered().is_none()
    }

    /// A packet leaves the serialiser at `start_ns`.
    #[inline(always)]
    pub fn push(&mut self, start_ns: u64, packet: P) {
        let due_ns = start_ns + self.delay_ns;
        match &self.jitter {
            None => self.push_in_order(due_ns, packet),
            Some(_) => self.push_jittered(due_ns, packet),
        }
    }

    #[inline(always)]
    fn push_in_order(&mut self, due_ns: u64, packet: P) {
        self.latest_due_ns = self.latest_due_ns.max(due_ns);
        self.in_order.push_back((self.latest_due_ns, packet));
    }

    #[inline(never)]
    fn push_jittered(&mut self, due_ns: u64, packet: P) {
        let due_ns = due_ns
            + self
                .jitter
                .as_mut()
                .map_or(0, |jitter| jitter.extra.draw_ns());
        let Some(reordered) = self.reordered_mut() else {
            return self.push_in_order(due_ns, packet);
        };
        reordered.next_sequence += 1;
        reordered.packets.push(Reverse(Due {
            order: (due_ns, reordered.next_sequence),
            packet: (due_ns, packet),
        }));
    }

    /// The propagating packet that arrives next, with its arrival time.
    pub fn front(&self) -> Option<&(u64, P)> {
        match self.reordered() {
            None => self.in_order.front(),
            Some(reordered) => reordered.packets.peek().map(|Reverse(due)| &due.packet),
        }
    }

    /// The same as `front`, for propagation that [keeps order](Propagation::keeps_order).
    #[inline(always)]
    pub fn front_in_order(&self) -> Option<&(u64, P)> {
        self.in_order.front()
    }

    /// Removes the packet of `front_in_order`.
    #[inline(always)]
    pub fn pop_in_order(&mut self) -> Option<(u64, P)> {
        self.in_order.pop_front()
    }

    /// Removes the next packet if it has arrived.
    pub fn pop(&mut self, now_ns: u64) -> Option<(u64, P)> {
        if self.front()?.0 > now_ns {
            return None;
        }
        match self.reordered_mut() {
            None => self.in_order.pop_front(),
            Some(reordered) => reordered.packets.pop().map(|Reverse(due)| due.packet),
        }
    }

    /// Number of propagating packets.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.in_order.len()
            + self
                .reordered()
                .map_or(0, |reordered| reordered.packets.len())
    }

    fn reordered(&self) -> Option<&Reordered<P>> {
        self.jitter
            .as_ref()
            .and_then(|jitter| jitter.reordered.as_ref())
    }

    fn reordered_mut(&mut self) -> Option<&mut Reordered<P>> {
        self.jitter
            .as_mut()
            .and_then(|jitter| jitter.reordered.as_mut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Jitter, Limit};
    use std::num::NonZeroU64;

    /// 200 packets, 1 us apart, with up to 20 us of jitter: their arrival times and numbers in
    /// order of arrival.
    fn arrivals(reorder: bool) -> Vec<(u64, u64)> {
        let mut config = Config::plain(NonZeroU64::MIN, 5_000, Limit::Packets(0));
        config.jitter = Some(Jitter {
            max_ns: 20_000,
            reorder,
        });
        let mut line = Propagation::new(&config);
        (0..200).for_each(|number| line.push(number * 1000, number));
        std::iter::from_fn(|| line.pop(u64::MAX)).collect()
    }

    #[test]
    fn jitter_without_reordering_keeps_the_order() {
        let arrivals = arrivals(false);
        assert!(arrivals
            .windows(2)
            .all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 < pair[1].1));
        assert!(arrivals.windows(2).any(|pair| pair[1].0 - pair[0].0 > 1000));
    }

    #[test]
    fn jitter_with_reordering_reorders_within_its_bounds() {
        let arrivals = arrivals(true);
        assert!(arrivals.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        assert!(arrivals.windows(2).any(|pair| pair[0].1 > pair[1].1));
        assert!(arrivals
            .iter()
            .all(|(at_ns, number)| (5_000..=25_000).contains(&(at_ns - number * 1000))));
    }

    #[test]
    fn packets_with_the_same_due_time_keep_their_order() {
        let mut config = Config::plain(NonZeroU64::MIN, 1_000, Limit::Packets(0));
        config.jitter = Some(Jitter {
            max_ns: 0,
            reorder: true,
        });
        let mut line = Propagation::new(&config);
        (0..50).for_each(|number| line.push(0, number));
        assert!(std::iter::from_fn(|| line.pop(1_000))
            .map(|(_, number)| number)
            .eq(0..50));
    }

    #[test]
    fn a_decrease_of_the_delay_does_not_reorder() {
        let mut line = Propagation::new(&Config::plain(NonZeroU64::MIN, 10_000, Limit::Packets(0)));
        line.push(0, 'a');
        line.set_delay_ns(1_000);
        line.push(2_000, 'b');
        line.push(9_500, 'c');
        assert_eq!(line.pop(9_999), None);
        assert!(std::iter::from_fn(|| line.pop(u64::MAX)).eq([
            (10_000, 'a'),
            (10_000, 'b'),
            (10_500, 'c')
        ]));
    }
}
