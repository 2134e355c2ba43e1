//! Section numbers are those of RFC 8290.

use super::*;
use crate::testing::Numbered;

const MS: u64 = 1_000_000;

struct Queue {
    fq: FqCoDel<Numbered>,
    evicted: Evicted<Numbered>,
}

impl Queue {
    fn new(config: FqCoDelConfig) -> Queue {
        Queue {
            fq: FqCoDel::new(&config, 1),
            evicted: Evicted::new(),
        }
    }

    fn arrive(&mut self, flow: u32, numbers: std::ops::Range<u32>, bytes: u32) {
        for number in numbers {
            let verdict = self.fq.enqueue(
                0,
                Numbered {
                    number,
                    bytes,
                    flow,
                    expedited: false,
                    ..Numbered::default()
                },
                &mut self.evicted,
            );
            assert_eq!(verdict, Verdict::Queued);
        }
    }

    fn next(&mut self) -> Option<(u32, u32)> {
        self.fq
            .dequeue(0, &mut self.evicted)
            .map(|packet| (packet.flow, packet.number))
    }

    fn dropped(&mut self) -> Vec<(u32, u32)> {
        self.evicted
            .packets
            .drain(..)
            .map(|packet| (packet.flow, packet.number))
            .collect()
    }
}

/// Section 4.2: a new queue is served before the old ones.
#[test]
fn a_sparse_flow_does_not_wait_for_a_backlogged_one() {
    let mut queue = Queue::new(FqCoDelConfig::default());
    queue.arrive(1, 0..100, 1500);
    assert_eq!(
        [queue.next(), queue.next(), queue.next()],
        [Some((1, 0)), Some((1, 1)), Some((1, 2))]
    );
    queue.arrive(2, 0..1, 100);
    assert_eq!([queue.next(), queue.next()], [Some((2, 0)), Some((1, 3))]);
}

/// Section 4.2: quanta are counted in bytes.
#[test]
fn two_backlogged_flows_send_the_same_bytes() {
    let mut queue = Queue::new(FqCoDelConfig::default());
    queue.arrive(1, 0..400, 1500);
    queue.arrive(2, 0..2000, 300);
    let mut sent_bytes = [0u64; 2];
    for _ in 0..1200 {
        let (flow, _) = queue.next().unwrap();
        sent_bytes[flow as usize - 1] += if flow == 1 { 1500 } else { 300 };
    }
    assert!(
        sent_bytes[0].abs_diff(sent_bytes[1]) <= 2 * 1514,
        "{sent_bytes:?}"
    );
}

#[test]
fn packets_of_a_flow_keep_their_order() {
    let mut queue = Queue::new(FqCoDelConfig::default());
    (0..50).for_each(|number| (1..4).for_each(|flow| queue.arrive(flow, number..number + 1, 700)));
    let left: Vec<_> = std::iter::from_fn(|| queue.next()).collect();
    for flow in 1..4 {
        assert!(left
            .iter()
            .filter(|(of, _)| *of == flow)
            .map(|(_, number)| *number)
            .eq(0..50));
    }
}

/// Section 4.1: when the limit is exceeded, half of the longest queue is dropped at its head, but
/// at most 64 packets.
#[test]
fn a_full_queue_drops_from_its_longest_flow() {
    let mut queue = Queue::new(FqCoDelConfig {
        limit_packets: 20,
        ..FqCoDelConfig::default()
    });
    queue.arrive(1, 0..15, 1500);
    queue.arrive(2, 0..5, 1500);
    assert!(queue.dropped().is_empty());
    queue.arrive(2, 5..6, 1500);
    assert_eq!(
        queue.dropped(),
        (0..8).map(|number| (1, number)).collect::<Vec<_>>()
    );
    assert_eq!(
        queue.fq.waiting(),
        Count {
            packets: 13,
            bytes: 13 * 1500
        }
    );
    assert_eq!(queue.evicted.count.packets, 8);

    let mut queue = Queue::new(FqCoDelConfig {
        limit_packets: 200,
        ..FqCoDelConfig::default()
    });
    queue.arrive(1, 0..201, 1500);
    assert_eq!(queue.dropped().len(), 64);
}

#[test]
fn the_longest_flow_is_the_one_with_the_most_bytes() {
    let mut queue = Queue::new(FqCoDelConfig {
        limit_packets: 10,
        drop_batch_packets: 1,
        ..FqCoDelConfig::default()
    });
    queue.arrive(1, 0..7, 100);
    queue.arrive(2, 0..4, 1500);
    assert_eq!(queue.dropped(), [(2, 0)]);
}

/// Section 4.2: otherwise a flow of single packets, each in a new queue, could starve the old
/// queues.
#[test]
fn an_emptied_new_queue_waits_for_the_old_ones() {
    let mut queue = Queue::new(FqCoDelConfig::default());
    queue.arrive(1, 0..10, 1500);
    assert_eq!([queue.next(), queue.next()], [Some((1, 0)), Some((1, 1))]);
    queue.arrive(2, 0..1, 100);
    assert_eq!([queue.next(), queue.next()], [Some((2, 0)), Some((1, 2))]);
    // Flow 2 is still active: it is an old queue behind flow 1, which has some of its quantum left.
    queue.arrive(2, 1..2, 100);
    assert_eq!(queue.next(), Some((2, 1)));
    assert!(queue.fq.new.is_empty());
}

#[test]
fn each_flow_has_its_own_codel_instance() {
    let mut queue = Queue::new(FqCoDelConfig::default());
    queue.arrive(1, 0..1000, 1500);
    for ms in 0..400 {
        queue.fq.enqueue(
            ms * MS,
            Numbered {
                number: 0,
                bytes: 100,
                flow: 2,
                expedited: false,
                ..Numbered::default()
            },
            &mut queue.evicted,
        );
        queue.fq.dequeue(ms * MS, &mut queue.evicted);
        queue.fq.dequeue(ms * MS, &mut queue.evicted);
    }
    let dropped = queue.dropped();
    assert!(
        dropped.len() == 5 && dropped.iter().all(|(flow, _)| *flow == 1),
        "{dropped:?}"
    );
}

#[test]
fn an_emptied_queue_has_no_active_flows() {
    let mut queue = Queue::new(FqCoDelConfig::default());
    queue.arrive(1, 0..3, 1500);
    queue.arrive(2, 0..3, 1500);
    assert_eq!(std::iter::from_fn(|| queue.next()).count(), 6);
    assert!(queue.fq.flows.iter().all(|flow| !flow.is_active));
    assert_eq!(queue.fq.waiting(), Count::default());
}
