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
    }
}

/// A queue in which packets stand for 10 ms: one comes and one goes every 10 us. Only drops shorten
/// it, and are made good by another arrival.
struct Standing {
    queue: CoDel<Numbered>,
    evicted: Evicted<Numbered>,
    now_ns: u64,
}

impl Standing {
    fn new() -> Standing {
        let config = CoDelConfig {
            limit: Limit::Packets(10_000),
            ..CoDelConfig::default()
        };
        let mut standing = Standing {
            queue: CoDel::new(&config),
            evicted: Evicted::new(),
            now_ns: 0,
        };
        (0..1000).for_each(|_| standing.arrive());
        standing
    }

    fn arrive(&mut self) {
        assert_eq!(
            self.queue.enqueue(self.now_ns, packet(), &mut self.evicted),
            Verdict::Queued
        );
    }

    /// Runs until a time; the times of the drops.
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

    /// Takes all but a few out, so that the next ones stand for no time.
    fn empty(&mut self) {
        while self.queue.waiting().packets > 2 {
            self.queue.queue.pop();
        }
        self.run_until(self.now_ns + 20 * US);
    }
}

/// RFC 8289 section 5, `control_law`: the first drop once the standing time was above target for an
/// interval, the next ones interval / sqrt(n) apart.
#[test]
fn drops_follow_the_control_law() {
    let drops_ns = Standing::new().run_until(1000 * MS);
    // The standing time passes 5 ms when the packets of time 0 have stood that long.
    let mut due_ns = 105.0 * MS as f64;
    for (n, at_ns) in drops_ns.iter().enumerate() {
        let late_ns = *at_ns as f64 - due_ns;
        assert!(
            (-10.0..30_000.0).contains(&late_ns),
            "drop {n} at {at_ns} ns, due at {due_ns}"
        );
        // Drop times are counted from the first, which is itself made by the clock of departures.
        due_ns = if n == 0 { *at_ns as f64 } else { due_ns }
            + 100.0 * MS as f64 / ((n + 1) as f64).sqrt();
    }
    assert!(drops_ns.len() > 20);
}

#[test]
fn the_control_law_is_the_interval_over_the_root_rounded_down() {
    let law = Law::default();
    let steps = [1, 2, 4, 100].map(|count| law.control_law(7, count) - 7);
    assert_eq!(steps, [100_000_000, 70_710_678, 50_000_000, 10_000_000]);
}

#[test]
fn a_queue_that_stands_for_less_than_an_interval_loses_nothing() {
    let mut standing = Standing::new();
    for _ in 0..10 {
        assert!(standing.run_until(standing.now_ns + 100 * MS).is_empty());
        standing.empty();
        (0..1000).for_each(|_| standing.arrive());
    }
}

#[test]
fn dropping_ends_with_the_first_packet_that_did_not_stand() {
    let mut standing = Standing::new();
    assert!(!standing.run_until(500 * MS).is_empty() && standing.queue.control.dropping);
    standing.empty();
    assert!(!standing.queue.control.dropping);
}

/// RFC 8289 section 5, `deque`: where the dropping begins again within 16 intervals, it begins with
/// the frequency that it had gained; later, from the start.
#[test]
fn dropping_resumes_where_it_ended_unless_long_ago() {
    let resumed_count = |pause_ns: u64| {
        let mut standing = Standing::new();
        let drops = standing.run_until(600 * MS).len() as u32;
        standing.empty();
        standing.now_ns += pause_ns;
        (0..1000).for_each(|_| standing.arrive());
        let end_ns = standing.now_ns + 112 * MS;
        assert_eq!(standing.run_until(end_ns).len(), 1);
        (standing.queue.control.count, drops - 1)
    };
    let (count, gained) = resumed_count(100 * MS);
    assert!(count == gained && gained > 5);
    assert_eq!(resumed_count(2000 * MS).0, 1);
}

/// RFC 8289 section 5, `dodequeue`: a queue of no more than an MTU is never shortened, however slow
/// the link.
#[test]
fn the_last_packets_are_not_dropped() {
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
fn a_full_queue_refuses() {
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
