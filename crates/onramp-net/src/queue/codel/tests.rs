use super::*;
use crate::testing::Numbered;

const MS: u64 = 1_000_000;
const US: u64 = 1_000;

fn packet() -> Numbered {
    Numbered {
        number: 0,
        bytes: 1000,
        flow: 0,
        expedited: false,
        ..Numbered::default()
    }
}

/// A queue with a sojourn time of 10 ms. One packet arrives and one leaves every 10 us. Only drops
/// shorten the queue, and another arrival replaces each dropped packet.
struct PersistentQueue {
    queue: CoDel<Numbered>,
    evicted: Evicted<Numbered>,
    now_ns: u64,
    packet: Numbered,
}

impl PersistentQueue {
    fn new() -> PersistentQueue {
        PersistentQueue::of(packet(), false)
    }

    /// A queue with or without ECN, of packets like this one.
    fn of(packet: Numbered, ecn: bool) -> PersistentQueue {
        let config = CoDelConfig {
            limit: Limit::Packets(10_000),
            ecn,
            ..CoDelConfig::default()
        };
        let mut persistent = PersistentQueue {
            queue: CoDel::new(&config),
            evicted: Evicted::new(),
            now_ns: 0,
            packet,
        };
        (0..1000).for_each(|_| persistent.arrive());
        persistent
    }

    fn arrive(&mut self) {
        assert_eq!(
            self.queue
                .enqueue(self.now_ns, self.packet.clone(), &mut self.evicted),
            Verdict::Queued
        );
    }

    /// Runs until `end_ns`. Returns the times of the marks.
    fn marks_until(&mut self, end_ns: u64) -> Vec<u64> {
        let mut marks_ns = Vec::new();
        while self.now_ns < end_ns {
            self.now_ns += 10 * US;
            self.arrive();
            let left = self.queue.dequeue(self.now_ns, &mut self.evicted);
            if left.is_some_and(|packet| packet.marked) {
                marks_ns.push(self.now_ns);
            }
        }
        marks_ns
    }

    /// Runs until `end_ns`. Returns the times of the drops.
    fn run_until(&mut self, end_ns: u64) -> Vec<u64> {
        let mut drops_ns = Vec::new();
        while self.now_ns < end_ns {
            self.now_ns += 10 * US;
            self.arrive();
            self.queue.dequeue(self.now_ns, &mut self.evicted);
            while self.evicted.packets.pop_front().is_some() {
                drops_ns.push(self.now_ns);
                self.arrive();
            }
        }
        drops_ns
    }

    /// Empties the queue up to two packets, so that the next packets have a sojourn time near zero.
    fn empty(&mut self) {
        while self.queue.waiting().packets > 2 {
            self.queue.queue.pop();
        }
        self.run_until(self.now_ns + 20 * US);
    }
}

/// RFC 8289 section 5, `control_law`: the first drop comes when the sojourn time has been above
/// target for an interval. The next drops are interval / sqrt(n) apart.
#[test]
fn drops_follow_the_control_law() {
    let drops_ns = PersistentQueue::new().run_until(1000 * MS);
    // The sojourn time exceeds 5 ms when the packets that arrived at time 0 have waited that long.
    let mut due_ns = 105.0 * MS as f64;
    for (n, at_ns) in drops_ns.iter().enumerate() {
        let late_ns = *at_ns as f64 - due_ns;
        assert!(
            (-10.0..30_000.0).contains(&late_ns),
            "drop {n} at {at_ns} ns, due at {due_ns}"
        );
        // Drop times are relative to the first drop, whose time depends on the departures.
        due_ns = if n == 0 { *at_ns as f64 } else { due_ns }
            + 100.0 * MS as f64 / ((n + 1) as f64).sqrt();
    }
    assert!(drops_ns.len() > 20);
}

#[test]
fn the_control_law_divides_the_interval_by_the_square_root_rounded_down() {
    let config = CoDelConfig::default();
    let steps = [1, 2, 4, 100].map(|count| config.control_law(7, count) - 7);
    assert_eq!(steps, [100_000_000, 70_710_678, 50_000_000, 10_000_000]);
}

#[test]
fn a_queue_that_drains_within_an_interval_drops_nothing() {
    let mut persistent = PersistentQueue::new();
    for _ in 0..10 {
        assert!(persistent
            .run_until(persistent.now_ns + 100 * MS)
            .is_empty());
        persistent.empty();
        (0..1000).for_each(|_| persistent.arrive());
    }
}

#[test]
fn dropping_ends_with_the_first_packet_below_target() {
    let mut persistent = PersistentQueue::new();
    assert!(!persistent.run_until(500 * MS).is_empty() && persistent.queue.control.dropping);
    persistent.empty();
    assert!(!persistent.queue.control.dropping);
}

/// RFC 8289 section 5, `deque`: if dropping starts again within 16 intervals, it starts with the
/// frequency that it had reached. Later it starts from the beginning.
#[test]
fn dropping_resumes_at_its_frequency_within_16_intervals() {
    let resumed_count = |pause_ns: u64| {
        let mut persistent = PersistentQueue::new();
        let drops = persistent.run_until(600 * MS).len() as u32;
        persistent.empty();
        persistent.now_ns += pause_ns;
        (0..1000).for_each(|_| persistent.arrive());
        let end_ns = persistent.now_ns + 112 * MS;
        assert_eq!(persistent.run_until(end_ns).len(), 1);
        (persistent.queue.control.count, drops - 1)
    };
    let (count, reached) = resumed_count(100 * MS);
    assert!(count == reached && reached > 5);
    assert_eq!(resumed_count(2000 * MS).0, 1);
}

/// RFC 8289 section 5, `dodequeue`: a queue of at most one MTU is never shortened, even on a slow
/// link.
#[test]
fn a_queue_of_one_mtu_drops_nothing() {
    let mut queue = CoDel::new(&CoDelConfig::default());
    let mut evicted = Evicted::new();
    for second in 0..100u64 {
        queue.enqueue(second * 1000 * MS, packet(), &mut evicted);
        queue.enqueue(second * 1000 * MS, packet(), &mut evicted);
        assert!(queue
            .dequeue(second * 1000 * MS + 900 * MS, &mut evicted)
            .is_some());
        assert!(queue
            .dequeue(second * 1000 * MS + 990 * MS, &mut evicted)
            .is_some());
    }
    assert_eq!(evicted.count.packets, 0);
}

#[test]
fn a_full_queue_drops_the_arriving_packet() {
    let mut queue = CoDel::new(&CoDelConfig {
        limit: Limit::Packets(1),
        ..CoDelConfig::default()
    });
    let mut evicted = Evicted::new();
    assert_eq!(queue.enqueue(0, packet(), &mut evicted), Verdict::Queued);
    assert_eq!(
        queue.enqueue(0, packet(), &mut evicted),
        Verdict::DroppedFull
    );
}

/// As in Linux: a mark takes the place of a drop, at the times of the control law.
#[test]
fn packets_with_ecn_are_marked_when_others_would_be_dropped() {
    let capable = Numbered {
        ecn_capable: true,
        ..packet()
    };
    let mut marking = PersistentQueue::of(capable.clone(), true);
    let marks_ns = marking.marks_until(1000 * MS);
    assert_eq!(marking.evicted.count.packets, 0);
    assert_eq!(marking.evicted.marked.packets, marks_ns.len() as u64);
    // A drop makes room for another arrival, and a mark does not. Otherwise both are the same.
    let drops_ns = PersistentQueue::new().run_until(1000 * MS);
    assert!(marks_ns.len() > 20 && marks_ns.len().abs_diff(drops_ns.len()) <= 1);
    for (mark_ns, drop_ns) in marks_ns.iter().zip(&drops_ns) {
        assert!(mark_ns.abs_diff(*drop_ns) <= MS, "{mark_ns} and {drop_ns}");
    }
    // Without ECN at the queue or at the ends, packets are dropped.
    for (packet, ecn) in [(capable, false), (packet(), true)] {
        let mut dropping = PersistentQueue::of(packet, ecn);
        assert_eq!(dropping.run_until(1000 * MS), drops_ns);
        assert_eq!(dropping.evicted.marked.packets, 0);
    }
}
