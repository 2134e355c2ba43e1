use super::*;
use crate::testing::Numbered;
use crate::{Config, Link, QueueConfig, RedConfig};
use std::num::NonZeroU64;

const MS: u64 = 1_000_000;

fn expedited(number: u32, flow: u32) -> Numbered {
    Numbered {
        number,
        bytes: 1500,
        flow,
        expedited: true,
    }
}

fn other(number: u32) -> Numbered {
    Numbered {
        number,
        bytes: 1500,
        flow: 0,
        expedited: false,
    }
}

fn rate(bits_per_s: u64) -> NonZeroU64 {
    NonZeroU64::new(bits_per_s).unwrap()
}

/// 12 Mbit/s: a packet of 1500 bytes takes 1 ms. A guarantee of 1.2 Mbit/s, or a packet each 10 ms,
/// and of two packets at once.
fn config(limit: Limit) -> Config {
    let profile = TokenBucket {
        rate_bits_per_s: rate(1_200_000),
        burst_bytes: 3000,
    };
    Config {
        expedited: Some(profile),
        ..Config::plain(rate(12_000_000), 0, limit)
    }
}

fn drain(link: &mut Link<Numbered>) -> Vec<(u64, u32)> {
    std::iter::from_fn(|| link.poll(u64::MAX / 2))
        .map(|left| (left.due_ns / MS, left.packet.number))
        .collect()
}

use Verdict::{DroppedFull, Policed, Queued};

#[test]
fn an_expedited_packet_waits_for_the_one_in_service_and_no_other() {
    let mut link = Link::from_config(&config(Limit::Packets(10)));
    (0..3).for_each(|number| assert_eq!(link.offer(0, other(number)), Queued));
    (3..5).for_each(|number| assert_eq!(link.offer(MS / 2, expedited(number, 1)), Queued));
    assert_eq!(drain(&mut link), [(1, 0), (2, 3), (3, 4), (4, 1), (5, 2)]);
}

#[test]
fn each_flow_has_a_profile_of_its_own() {
    let mut link = Link::from_config(&config(Limit::Packets(10)));
    let mut offer = |at_ns, flow| link.offer(at_ns, expedited(0, flow));
    assert_eq!(
        [offer(0, 1), offer(0, 1), offer(0, 1)],
        [Queued, Queued, Policed]
    );
    assert_eq!(
        [offer(0, 2), offer(0, 2), offer(0, 2)],
        [Queued, Queued, Policed]
    );
    assert_eq!(
        [offer(10 * MS - 1, 1), offer(10 * MS, 1), offer(10 * MS, 2)],
        [Policed, Queued, Queued]
    );
    assert_eq!(
        link.stats().policed,
        Count {
            packets: 3,
            bytes: 4500
        }
    );
    assert_eq!(link.stats().dropped, Count::default());
}

#[test]
fn a_packet_that_finds_the_link_idle_is_policed_too() {
    let mut link = Link::from_config(&config(Limit::Packets(10)));
    let verdicts = [0, MS, 2 * MS].map(|at_ns| link.offer(at_ns, expedited(0, 1)));
    assert_eq!(verdicts, [Queued, Queued, Policed]);
}

#[test]
fn others_have_the_whole_queue_and_expedited_ones_none_of_it() {
    let mut link = Link::from_config(&config(Limit::Packets(2)));
    let others = [0, 1, 2, 3].map(|number| link.offer(0, other(number)));
    assert_eq!(others, [Queued, Queued, Queued, DroppedFull]);
    (4..8).for_each(|number| assert_eq!(link.offer(0, expedited(number, number / 2)), Queued));
    assert_eq!(link.stats().peak_queue.packets, 6);
    assert_eq!(drain(&mut link).len(), 7);
}

/// The link is promised five times over: 50 flows of 1.2 Mbit/s on 12 Mbit/s.
#[test]
fn there_is_room_for_the_bursts_of_those_who_have_had_them() {
    let mut link = Link::from_config(&config(Limit::Packets(10)));
    for flow in 0..50 {
        (0..2).for_each(|number| assert_eq!(link.offer(0, expedited(number, flow)), Queued));
    }
    // After 10 ms, 10 of those 100 have been served, one is in service, and each flow may send a
    // packet again.
    (0..50).for_each(|flow| assert_eq!(link.offer(10 * MS, expedited(0, flow)), Queued));
    assert_eq!(link.queue(10 * MS).packets, 139);
    let verdicts: Vec<Verdict> = (0..50)
        .map(|flow| link.offer(10 * MS + 1, expedited(0, flow)))
        .collect();
    assert!(verdicts.iter().all(|verdict| *verdict == Policed));
    // 129 wait after another 10 ms. 50 bursts of 3000 bytes and a packet of 65,535 are 143 packets
    // of 1500 bytes.
    let verdicts: Vec<Verdict> = (0..50)
        .map(|flow| link.offer(20 * MS, expedited(0, flow)))
        .collect();
    assert_eq!(
        verdicts
            .iter()
            .filter(|verdict| **verdict == Queued)
            .count(),
        14
    );
    assert!(verdicts
        .iter()
        .all(|verdict| [Queued, DroppedFull].contains(verdict)));
}

#[test]
fn a_flow_beyond_those_that_fit_is_guaranteed_nothing_until_another_is_idle() {
    let mut link = Link::from_config(&config(Limit::Packets(10)));
    let most = MOST_FLOWS as u32;
    (0..most).for_each(|flow| assert_ne!(link.offer(0, expedited(0, flow)), Policed));
    assert_eq!(link.offer(0, expedited(0, most)), Policed);
    // Their buckets are full again when what they took has come back.
    assert_eq!(link.offer(10 * MS - 1, expedited(0, most)), Policed);
    assert_ne!(link.offer(10 * MS, expedited(0, most)), Policed);
    assert_ne!(link.offer(10 * MS, expedited(0, 0)), Policed);
}

/// RED's average is of the queue that it keeps, whoever keeps the link busy.
#[test]
fn red_counts_while_expedited_packets_are_served() {
    let red = RedConfig {
        limit: Limit::Packets(100),
        weight_shift: 1,
        ..RedConfig::default()
    };
    let mut link = Link::from_config(&Config {
        queue: QueueConfig::Red(red),
        ..config(Limit::Packets(100))
    });
    link.offer(0, expedited(0, 1));
    let dropped = (0..100)
        .filter(|number| link.offer(0, other(*number)) == Verdict::DroppedEarly)
        .count();
    assert!(dropped > 50, "{dropped}");
}
