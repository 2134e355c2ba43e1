//! Section numbers are those of Floyd & Jacobson 1993.

use super::*;
use crate::testing::Numbered;

fn red(config: &RedConfig) -> Red<Numbered> {
    // 8 Mbit/s: a mean packet of 1000 bytes takes 1 ms.
    Red::new(
        config,
        NonZeroU64::new(8_000_000).unwrap(),
        Framing::Packets,
        1,
    )
}

/// A queue with this average length, in thousandths of a packet.
fn red_at(config: &RedConfig, average_thousandths: u64) -> Red<Numbered> {
    Red {
        average: (average_thousandths << AVERAGE_BITS) / 1000,
        ..red(config)
    }
}

fn packet() -> Numbered {
    Numbered {
        number: 0,
        bytes: 1000,
        flow: 0,
        expedited: false,
        ..Numbered::default()
    }
}

fn average(red: &Red<Numbered>) -> f64 {
    red.average as f64 / f64::from(1 << AVERAGE_BITS)
}

fn p_b(red: &Red<Numbered>) -> Option<f64> {
    red.p_b().map(|p_b| p_b as f64 / ONE as f64)
}

fn close(value: f64, expected: f64, error: f64) {
    assert!(
        (value - expected).abs() <= error,
        "{value} instead of {expected}"
    );
}

const LARGE_QUEUE: RedConfig = RedConfig {
    limit: Limit::Packets(100_000),
    min_threshold: 5,
    max_threshold: 15,
    max_p_ppm: 20_000,
    weight_shift: 9,
    gentle: false,
    mean_packet_bytes: 1000,
    ecn: false,
};

/// Section 6.1, equation 2: as the queue grows from 0 to L packets with L arrivals, the average
/// reaches L + 1 + ((1 - w)^(L+1) - 1) / w.
#[test]
fn the_average_follows_a_growing_queue_as_equation_2_says() {
    let mut queue = red(&LARGE_QUEUE);
    let mut evicted = Evicted::new();
    assert!(queue.pass(0, packet(), &mut evicted).is_ok());
    let w: f64 = 1.0 / 512.0;
    for l in 0..50 {
        assert_eq!(queue.enqueue(0, packet(), &mut evicted), Verdict::Queued);
        let l = f64::from(l);
        close(
            average(&queue),
            l + 1.0 + ((1.0 - w).powf(l + 1.0) - 1.0) / w,
            1e-3,
        );
    }
}

/// Section 4: an idle time counts as if m small packets had arrived at an empty queue.
#[test]
fn the_average_decays_in_an_idle_time() {
    let mut queue = red_at(&LARGE_QUEUE, 4_000);
    assert_eq!(queue.dequeue(7_000_000, &mut Evicted::new()), None);
    assert!(queue
        .pass(107_500_000, packet(), &mut Evicted::new())
        .is_ok());
    close(average(&queue), 4.0 * (511.0f64 / 512.0).powi(100), 1e-5);
}

#[test]
fn the_average_is_zero_after_a_long_idle_time() {
    let mut queue = red_at(&LARGE_QUEUE, 4_000);
    queue.dequeue(0, &mut Evicted::new());
    assert!(queue
        .pass(u64::MAX / 2, packet(), &mut Evicted::new())
        .is_ok());
    assert_eq!(queue.average, 0);
}

/// Section 4: p_b = max_p (avg - min) / (max - min).
#[test]
fn the_drop_probability_rises_between_the_thresholds() {
    assert_eq!(p_b(&red_at(&LARGE_QUEUE, 4_999)), None);
    close(p_b(&red_at(&LARGE_QUEUE, 5_000)).unwrap(), 0.0, 1e-6);
    close(p_b(&red_at(&LARGE_QUEUE, 7_500)).unwrap(), 0.005, 1e-6);
    close(p_b(&red_at(&LARGE_QUEUE, 14_999)).unwrap(), 0.02, 1e-5);
    close(p_b(&red_at(&LARGE_QUEUE, 15_000)).unwrap(), 1.0, 0.0);
}

#[test]
fn gentle_mode_rises_up_to_twice_the_maximum_threshold() {
    let gentle = RedConfig {
        gentle: true,
        ..LARGE_QUEUE
    };
    close(p_b(&red_at(&gentle, 15_000)).unwrap(), 0.02, 1e-6);
    close(p_b(&red_at(&gentle, 22_500)).unwrap(), 0.51, 1e-6);
    close(p_b(&red_at(&gentle, 30_000)).unwrap(), 1.0, 0.0);
}

/// Section 7, method 2: the distance between drops is uniform. With the counting of figure 2, it is
/// uniform from 1 to 1/p_b - 1. Independent drops with probability p_b would be 1/p_b = 100 packets
/// apart on average, and sometimes 500.
#[test]
fn drops_are_spaced_uniformly() {
    let mut queue = red_at(&LARGE_QUEUE, 10_000);
    let mut distances = Vec::new();
    let mut since = 0;
    while distances.len() <= 20_000 {
        since += 1;
        if queue.drops_early(&mut packet(), true, &mut Evicted::new()) {
            distances.push(since);
            since = 0;
        }
    }
    distances.remove(0);
    assert!(distances
        .iter()
        .all(|distance| (1..=100).contains(distance)));
    // Uniform from 1 to 99: the mean is 50 and the standard deviation 28.6. The mean of 20,000
    // values has a standard deviation of 0.2.
    close(
        f64::from(distances.iter().sum::<u32>()) / 20_000.0,
        50.0,
        1.0,
    );
    let in_first_third = distances.iter().filter(|distance| **distance <= 33).count();
    close(in_first_third as f64 / 20_000.0, 1.0 / 3.0, 0.017);
}

#[test]
fn all_packets_are_dropped_above_the_thresholds_and_none_below() {
    let (mut above, mut below) = (red_at(&LARGE_QUEUE, 20_000), red_at(&LARGE_QUEUE, 4_000));
    let drops =
        |queue: &mut Red<Numbered>| queue.drops_early(&mut packet(), true, &mut Evicted::new());
    assert!((0..1000).all(|_| drops(&mut above) && !drops(&mut below)));
}

#[test]
fn a_full_queue_drops_whatever_its_average() {
    let mut queue = red(&RedConfig {
        limit: Limit::Packets(1),
        ..LARGE_QUEUE
    });
    let mut evicted = Evicted::new();
    assert!(queue.pass(0, packet(), &mut evicted).is_ok());
    assert_eq!(queue.enqueue(0, packet(), &mut evicted), Verdict::Queued);
    assert_eq!(
        queue.enqueue(0, packet(), &mut evicted),
        Verdict::DroppedFull
    );
}

#[test]
fn with_a_limit_in_bytes_the_average_is_in_bytes() {
    let mut queue = red(&RedConfig {
        limit: Limit::Bytes(10_000),
        weight_shift: 0,
        ..LARGE_QUEUE
    });
    queue.config.min_threshold = 3_000;
    queue.config.max_threshold = 9_000;
    let mut evicted = Evicted::new();
    assert!(queue.pass(0, packet(), &mut evicted).is_ok());
    (0..3).for_each(|_| assert_eq!(queue.enqueue(0, packet(), &mut evicted), Verdict::Queued));
    close(average(&queue), 2000.0, 0.0);
}

fn ecn_packet() -> Numbered {
    Numbered {
        ecn_capable: true,
        ..packet()
    }
}

/// RFC 3168, section 5: a packet of a connection with ECN is marked where RED would drop it.
#[test]
fn packets_with_ecn_are_marked_as_often_as_others_are_dropped() {
    let config = RedConfig {
        ecn: true,
        ..LARGE_QUEUE
    };
    let (mut marking, mut dropping) = (red_at(&config, 10_000), red_at(&config, 10_000));
    let mut evicted = Evicted::new();
    let mut drops = 0;
    for _ in 0..10_000 {
        let mut marked = ecn_packet();
        let before = evicted.marked.packets;
        assert!(!marking.drops_early(&mut marked, true, &mut evicted));
        assert_eq!(marked.marked, evicted.marked.packets > before);
        drops += u64::from(dropping.drops_early(&mut packet(), true, &mut Evicted::new()));
    }
    assert!(drops > 100);
    assert_eq!(evicted.marked.packets, drops);
    assert_eq!(evicted.marked.bytes, 1000 * drops);
}

/// RFC 7567, section 4.2.1.
#[test]
fn packets_with_ecn_are_dropped_where_all_others_are() {
    for gentle in [false, true] {
        let config = RedConfig {
            ecn: true,
            gentle,
            ..LARGE_QUEUE
        };
        let mut queue = red_at(&config, 30_000);
        let mut evicted = Evicted::new();
        assert!((0..100).all(|_| queue.drops_early(&mut ecn_packet(), true, &mut evicted)));
        assert_eq!(evicted.marked.packets, 0);
    }
}

#[test]
fn a_packet_with_ecn_that_finds_no_room_is_dropped_without_a_mark() {
    let mut queue = red_at(
        &RedConfig {
            limit: Limit::Packets(0),
            max_p_ppm: 1_000_000,
            ecn: true,
            ..LARGE_QUEUE
        },
        10_000,
    );
    queue.idle_since_ns = None;
    let mut evicted = Evicted::new();
    for _ in 0..100 {
        let verdict = queue.enqueue(0, ecn_packet(), &mut evicted);
        assert_ne!(verdict, Verdict::Queued);
    }
    assert_eq!(evicted.marked.packets, 0);
}

/// RFC 8257, section 4.1: "Marking [...] based on the instantaneous queue length" with K = min =
/// max.
const STEP: RedConfig = RedConfig {
    min_threshold: 3,
    max_threshold: 3,
    weight_shift: 0,
    ecn: true,
    ..LARGE_QUEUE
};

#[test]
fn equal_thresholds_mark_each_packet_that_finds_the_step() {
    for gentle in [false, true] {
        let mut queue = red(&RedConfig { gentle, ..STEP });
        let mut evicted = Evicted::new();
        assert!(queue.pass(0, ecn_packet(), &mut evicted).is_ok());
        for _ in 0..10 {
            assert_eq!(
                queue.enqueue(0, ecn_packet(), &mut evicted),
                Verdict::Queued
            );
        }
        let marks: Vec<bool> = (0..10)
            .map(|_| queue.dequeue(1, &mut evicted).unwrap().marked)
            .collect();
        assert_eq!(marks, [3, 7].map(|n| vec![n == 7; n]).concat());
        assert_eq!(evicted.marked.packets, 7);
    }
}

#[test]
fn a_packet_without_ecn_is_dropped_where_the_step_marks() {
    let mut queue = red(&STEP);
    let mut evicted = Evicted::new();
    assert!(queue.pass(0, packet(), &mut evicted).is_ok());
    let verdicts = [(); 5].map(|()| queue.enqueue(0, packet(), &mut evicted));
    let expected = [3, 2].map(|n| match n {
        3 => vec![Verdict::Queued; 3],
        _ => vec![Verdict::DroppedEarly; 2],
    });
    assert_eq!(verdicts.to_vec(), expected.concat());
    assert_eq!(evicted.marked.packets, 0);
}

#[test]
fn a_step_forgets_the_queue_as_soon_as_the_link_is_idle() {
    let mut queue = red(&STEP);
    let mut evicted = Evicted::new();
    (0..5).for_each(|_| {
        queue.enqueue(0, ecn_packet(), &mut evicted);
    });
    while queue.dequeue(1, &mut evicted).is_some() {}
    let marked = evicted.marked.packets;
    assert!(!queue.pass(2, ecn_packet(), &mut evicted).unwrap().marked);
    assert_eq!(evicted.marked.packets, marked);
}
