//! Section numbers are those of RFC 9332.

use super::*;
use crate::testing::Numbered;

const MS: u64 = 1_000_000;
const US: u64 = 1_000;

fn classic() -> Numbered {
    Numbered {
        bytes: 1500,
        ..Numbered::default()
    }
}

fn classic_ecn() -> Numbered {
    Numbered {
        ecn_capable: true,
        ..classic()
    }
}

fn l4s() -> Numbered {
    Numbered {
        l4s: true,
        ..classic_ecn()
    }
}

fn dual(config: &DualPi2Config) -> DualPi2<Numbered> {
    DualPi2::new(config, 1)
}

/// A queue with this base probability, in thousandths, which no update changes.
fn fixed(thousandths: u64) -> DualPi2<Numbered> {
    let mut queue = dual(&DualPi2Config {
        alpha: 0,
        beta: 0,
        ..DualPi2Config::default()
    });
    queue.controller.probability = thousandths * ONE / 1000;
    queue
}

/// How many of 10,000 packets of this kind are dropped and marked, with others behind them.
fn dropped_and_marked(thousandths: u64, packet: &Numbered) -> (u64, u64) {
    let mut queue = fixed(thousandths);
    let mut evicted = Evicted::new();
    for _ in 0..50 {
        queue.enqueue(0, packet.clone(), &mut evicted);
    }
    for _ in 0..10_000 {
        queue.enqueue(0, packet.clone(), &mut evicted);
        let missing = queue.waiting().packets;
        queue.dequeue(0, &mut evicted);
        // Another one for each packet that was dropped.
        for _ in queue.waiting().packets + 1..missing {
            queue.enqueue(0, packet.clone(), &mut evicted);
        }
    }
    (evicted.count.packets, evicted.marked.packets)
}

fn near(found: u64, expected: u64) {
    let error = 4.0 * (expected as f64).sqrt();
    assert!(
        (found as f64 - expected as f64).abs() <= error,
        "{found} instead of {expected}"
    );
}

//= RFC 9332 section 2.1: p_C = p'^2 and p_CL = k * p'
#[test]
fn classic_packets_are_dropped_by_the_square_of_what_half_marks_the_others() {
    let (drops, marks) = dropped_and_marked(200, &classic());
    // A packet is drawn for until one is forwarded: 0.04 / 0.96.
    near(drops, 417);
    assert_eq!(marks, 0);
    let (drops, marks) = dropped_and_marked(200, &classic_ecn());
    near(marks, 400);
    assert_eq!(drops, 0);
    let (drops, marks) = dropped_and_marked(200, &l4s());
    near(marks, 4000);
    assert_eq!(drops, 0);
}

//= RFC 9332 section 4.2.3: overload, where p_CL would exceed 1
#[test]
fn in_overload_both_queues_drop_by_the_classic_probability() {
    let (drops, marks) = dropped_and_marked(600, &l4s());
    // 0.36 / 0.64. Of what is forwarded, all is marked.
    near(drops, 5625);
    assert_eq!(marks, 10_000);
    let (drops, marks) = dropped_and_marked(600, &classic_ecn());
    near(drops, 5625);
    assert_eq!(marks, 0);
}

#[test]
fn fewer_than_two_large_packets_are_left_alone() {
    let mut queue = fixed(1000);
    let mut evicted = Evicted::new();
    for packet in [l4s(), classic()] {
        queue.enqueue(0, packet.clone(), &mut evicted);
        queue.enqueue(0, packet, &mut evicted);
        while let Some(packet) = queue.dequeue(0, &mut evicted) {
            assert!(!packet.marked);
        }
    }
    assert_eq!(evicted.count.packets, 0);
}

//= RFC 9332 appendix A.1: the native AQM of the L queue marks above a threshold of its delay
#[test]
fn an_l4s_packet_that_waited_longer_than_the_step_is_marked() {
    let mut queue = fixed(0);
    let mut evicted = Evicted::new();
    queue.enqueue(0, l4s(), &mut evicted);
    queue.enqueue(1, l4s(), &mut evicted);
    queue.enqueue(1, classic_ecn(), &mut evicted);
    let leaves = |queue: &mut DualPi2<Numbered>, evicted: &mut _, at_ns| {
        let packet = queue.dequeue(at_ns, evicted).unwrap();
        (packet.l4s, packet.marked)
    };
    assert_eq!(leaves(&mut queue, &mut evicted, MS), (true, false));
    assert_eq!(leaves(&mut queue, &mut evicted, MS + 2), (true, true));
    assert_eq!(leaves(&mut queue, &mut evicted, 9 * MS), (false, false));
}

//= RFC 9331 section 5.1: packets with ECT(1) or CE are L4S packets
#[test]
fn a_packet_with_a_mark_is_in_the_low_latency_queue() {
    let mut queue = fixed(0);
    let mut evicted = Evicted::new();
    queue.enqueue(0, classic_ecn(), &mut evicted);
    let marked = Numbered {
        number: 1,
        marked: true,
        ..classic_ecn()
    };
    queue.enqueue(0, marked, &mut evicted);
    assert_eq!(queue.dequeue(0, &mut evicted).unwrap().number, 1);
}

//= RFC 9332 section 2.5.1: p' += alpha * (delay - target) + beta * (delay - previous delay)
#[test]
fn the_controller_follows_the_delay() {
    let config = DualPi2Config::default();
    let mut queue = dual(&config);
    let mut evicted = Evicted::new();
    (0..4).for_each(|_| {
        queue.enqueue(0, classic(), &mut evicted);
    });
    let probability = |queue: &DualPi2<Numbered>| queue.controller.probability as f64 / ONE as f64;
    let (alpha, beta) = (41.0 / 256.0, 819.0 / 256.0);
    queue.update_until(16 * MS);
    let first = alpha * 0.001 + beta * 0.016;
    assert!((probability(&queue) - first).abs() < 1e-6);
    queue.update_until(32 * MS);
    let second = first + alpha * 0.017 + beta * 0.016;
    assert!((probability(&queue) - second).abs() < 1e-6);
}

#[test]
fn a_pause_without_calls_gives_the_same_probability_as_many_calls() {
    let (mut often, mut once) = (
        dual(&DualPi2Config::default()),
        dual(&DualPi2Config::default()),
    );
    let mut evicted = Evicted::new();
    for queue in [&mut often, &mut once] {
        for _ in 0..20 {
            queue.enqueue(5 * MS, l4s(), &mut evicted);
        }
    }
    (5..900).for_each(|ms| often.update_until(ms * MS));
    once.update_until(899 * MS);
    assert_eq!(often.controller.probability, once.controller.probability);
    assert!(once.controller.probability > ONE / 10);
    // An empty queue lets the probability decay to zero, and time stands still no longer.
    for queue in [&mut often, &mut once] {
        while queue.dequeue(900 * MS, &mut evicted).is_some() {}
        queue.update_until(1 << 60);
        assert_eq!(queue.controller.probability, 0);
        assert!(queue.controller.next_update_ns > 1 << 60);
    }
}

//= RFC 9332 section 4.2.2: a persistent L queue must not starve the C queue
#[test]
fn a_full_low_latency_queue_leaves_a_tenth_to_the_classic_one() {
    let mut queue = fixed(0);
    let mut evicted = Evicted::new();
    for _ in 0..1000 {
        queue.enqueue(0, l4s(), &mut evicted);
        queue.enqueue(0, classic(), &mut evicted);
    }
    let served: Vec<bool> = (0..1000)
        .map(|_| queue.dequeue(0, &mut evicted).unwrap().l4s)
        .collect();
    assert!(served[0], "the L queue begins");
    let low_latency = served.iter().filter(|l4s| **l4s).count();
    assert!((895..=905).contains(&low_latency), "{low_latency}");
}

#[test]
fn an_l4s_packet_overtakes_a_classic_queue() {
    let mut queue = fixed(0);
    let mut evicted = Evicted::new();
    for _ in 0..100 {
        queue.enqueue(0, classic(), &mut evicted);
    }
    (0..9).for_each(|_| {
        queue.dequeue(0, &mut evicted);
    });
    queue.enqueue(US, l4s(), &mut evicted);
    assert!(queue.dequeue(US, &mut evicted).unwrap().l4s);
}

#[test]
fn the_limit_is_that_of_both_queues() {
    let mut queue = dual(&DualPi2Config {
        limit: Limit::Packets(3),
        ..DualPi2Config::default()
    });
    let mut evicted = Evicted::new();
    let verdicts = [l4s(), classic(), l4s(), classic(), l4s()]
        .map(|packet| queue.enqueue(0, packet, &mut evicted));
    assert_eq!(verdicts[..3], [Verdict::Queued; 3]);
    assert_eq!(verdicts[3..], [Verdict::DroppedFull; 2]);
    assert_eq!(queue.waiting().bytes, 4500);
}
