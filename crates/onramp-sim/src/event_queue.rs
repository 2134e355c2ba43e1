//! The event queue: an indexed 4-ary heap in which each entity has at most one event.
//!
//! A new time for an entity moves its one entry, so no entity is queued twice and no stale event is
//! ever popped. The order of events is total. Of two events at the same nanosecond, the one with
//! the lower rank comes first: links in the scenario's order, forward before reverse; then
//! connection ends in the order of their creation; then sources.
//!
//! The queue is our own because the order of simultaneous events decides results. It has to stay
//! the same with every version of every library.

/// An entity: its rank among events of the same nanosecond, and its slot in the index of the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entity(u64);

/// The kinds of entities, in the order in which they act in the same nanosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A directed link.
    Link,
    /// An end of a connection.
    End,
    /// A source, which starts flows or sends datagrams.
    Source,
}

const NUMBER_BITS: u32 = 30;

impl Entity {
    /// Acts after all others of the same nanosecond. No entity has this rank.
    pub const LAST: Entity = Entity(u64::MAX);

    /// The `number`-th entity of its kind. No other live entity may have the same slot.
    pub fn new(kind: Kind, number: u32, slot: u32) -> Entity {
        assert!(
            number < 1 << NUMBER_BITS,
            "a run has at most 2^30 entities of a kind"
        );
        let kind = kind as u64;
        Entity(kind << (32 + NUMBER_BITS) | u64::from(number) << 32 | u64::from(slot))
    }

    /// The kind of the entity.
    pub fn kind(self) -> Kind {
        match self.0 >> (32 + NUMBER_BITS) {
            0 => Kind::Link,
            1 => Kind::End,
            _ => Kind::Source,
        }
    }

    /// The slot of the entity.
    pub fn slot(self) -> usize {
        (self.0 as u32) as usize
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    time_ns: u64,
    entity: Entity,
}

impl Entry {
    /// Sort key: time, then rank.
    fn key(self) -> u128 {
        u128::from(self.time_ns) << 64 | u128::from(self.entity.0)
    }
}

/// Position of an entity that is not in the heap.
const NOT_QUEUED: u32 = u32::MAX;

/// The event queue. Its operations take O(log n). It allocates only when there are more entities
/// than ever before.
#[derive(Clone, Debug, Default)]
pub(crate) struct EventQueue {
    heap: Vec<Entry>,
    /// Position in the heap for each slot.
    positions: Vec<u32>,
}

impl EventQueue {
    /// The time and the entity of the next event, which stays in the queue.
    pub fn next(&self) -> Option<(u64, Entity)> {
        self.heap.first().map(|entry| (entry.time_ns, entry.entity))
    }

    /// Sets the time of the entity's event, and replaces its previous event if it has one.
    pub fn schedule(&mut self, entity: Entity, time_ns: u64) {
        let slot = entity.slot();
        if slot >= self.positions.len() {
            self.positions.resize(slot + 1, NOT_QUEUED);
        }
        let entry = Entry { time_ns, entity };
        match self.positions[slot] {
            NOT_QUEUED => {
                self.heap.push(entry);
                self.sift_up(self.heap.len() - 1, entry);
            }
            position => {
                let position = position as usize;
                debug_assert_eq!(
                    self.heap[position].entity, entity,
                    "two live entities in one slot"
                );
                self.reposition(position, entry);
            }
        }
    }

    /// Removes the entity's event, if it has one.
    pub fn cancel(&mut self, entity: Entity) {
        let Some(&position) = self
            .positions
            .get(entity.slot())
            .filter(|position| **position != NOT_QUEUED)
        else {
            return;
        };
        self.positions[entity.slot()] = NOT_QUEUED;
        let last = self.heap.pop().expect("it holds the entity");
        if (position as usize) < self.heap.len() {
            self.reposition(position as usize, last);
        }
    }

    /// Puts an entry at the free `position`, or moves it up or down to its place.
    fn reposition(&mut self, position: usize, entry: Entry) {
        if position > 0 && entry.key() < self.heap[(position - 1) / 4].key() {
            self.sift_up(position, entry);
        } else {
            self.sift_down(position, entry);
        }
    }

    fn put(&mut self, position: usize, entry: Entry) {
        self.positions[entry.entity.slot()] = position as u32;
        self.heap[position] = entry;
    }

    fn sift_up(&mut self, mut position: usize, entry: Entry) {
        while position > 0 {
            let parent = (position - 1) / 4;
            if self.heap[parent].key() <= entry.key() {
                break;
            }
            self.put(position, self.heap[parent]);
            position = parent;
        }
        self.put(position, entry);
    }

    fn sift_down(&mut self, mut position: usize, entry: Entry) {
        while let Some((child_position, child)) = self.min_child(position) {
            if entry.key() <= child.key() {
                break;
            }
            self.put(position, child);
            position = child_position;
        }
        self.put(position, entry);
    }

    fn min_child(&self, position: usize) -> Option<(usize, Entry)> {
        let first = 4 * position + 1;
        // Two rounds of comparisons, which compile to conditional moves instead of jumps.
        if let Some(&[a, b, c, d]) = self.heap.get(first..first + 4) {
            let left = if b.key() < a.key() {
                (first + 1, b)
            } else {
                (first, a)
            };
            let right = if d.key() < c.key() {
                (first + 3, d)
            } else {
                (first + 2, c)
            };
            return Some(if right.1.key() < left.1.key() {
                right
            } else {
                left
            });
        }
        let children = self.heap.get(first..)?.iter().copied();
        (first..).zip(children).min_by_key(|(_, child)| child.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn drain(queue: &mut EventQueue) -> Vec<(u64, Entity)> {
        let mut order = Vec::new();
        while let Some((time_ns, entity)) = queue.next() {
            order.push((time_ns, entity));
            queue.cancel(entity);
        }
        order
    }

    #[test]
    fn in_one_nanosecond_links_act_before_ends_and_ends_before_sources() {
        let entities = [
            Entity::new(Kind::Link, 0, 7),
            Entity::new(Kind::Link, 1, 3),
            Entity::new(Kind::End, 0, 9),
            Entity::new(Kind::End, 1, 1),
            Entity::new(Kind::Source, 0, 0),
            Entity::new(Kind::Source, 5, 2),
        ];
        let mut queue = EventQueue::default();
        for entity in entities.into_iter().rev() {
            queue.schedule(entity, 5);
        }
        assert_eq!(drain(&mut queue), entities.map(|entity| (5, entity)));
    }

    #[test]
    fn an_entity_has_its_kind_and_slot() {
        for kind in [Kind::Link, Kind::End, Kind::Source] {
            let entity = Entity::new(kind, (1 << NUMBER_BITS) - 1, 77);
            assert_eq!((entity.kind(), entity.slot()), (kind, 77));
        }
    }

    proptest! {
        #[test]
        fn the_queue_agrees_with_an_ordered_map(
            steps in prop::collection::vec((0u32..40, prop::option::of(0u64..50)), 0..400),
        ) {
            let mut queue = EventQueue::default();
            let mut model = BTreeMap::new();
            for (slot, time) in steps {
                let entity = Entity::new(Kind::Link, 39 - slot, slot);
                match time {
                    Some(time_ns) => {
                        queue.schedule(entity, time_ns);
                        model.insert(entity, time_ns);
                    }
                    None => {
                        queue.cancel(entity);
                        model.remove(&entity);
                    }
                }
                let first = model.iter().map(|(entity, time_ns)| (*time_ns, *entity)).min();
                prop_assert_eq!(queue.next(), first);
            }
            let rest = model.into_iter().map(|(entity, time_ns)| (time_ns, entity));
            let mut rest: Vec<_> = rest.collect();
            rest.sort_unstable();
            prop_assert_eq!(drain(&mut queue), rest);
        }
    }
}
