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
        ..Numbered::default()
    }
}

fn other(number: u32) -> Numbered {
    Numbered {
        number,
        bytes: 1500,
        flow: 0,
        expedited: false,
        ..Numbered::default()
    }
}

fn rate(bits_per_s: u64) -> NonZeroU64 {
    NonZeroU64::new(bits_per_s).unwrap()
}

/// 12 Mbit/s: a packet of 1500 bytes takes 1 ms. Each flow has a guarantee of 1.2 Mbit/s, or one
/// packet per 10 ms, and a burst of two packets.
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
fn an_expedited_packet_waits_only_for_the_packet_in_service() {
    let mut link = Link::from_config(&config(Limit::Packets(10)));
    (0..3).for_each(|number| assert_eq!(link.offer(0, other(number)), Queued));
    (3..5).for_each(|number| assert_eq!(link.offer(MS / 2, expedited(number, 1)), Queued));
    assert_eq!(drain(&mut link), [(1, 0), (2, 3), (3, 4), (4, 1), (5, 2)]);
}

#[test]
fn each_flow_has_its_own_profile() {
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
fn the_profile_also_applies_on_an_idle_link() {
    let mut link = Link::from_config(&config(Limit::Packets(10)));
    let verdicts = [0, MS, 2 * MS].map(|at_ns| link.offer(at_ns, expedited(0, 1)));
    assert_eq!(verdicts, [Queued, Queued, Policed]);
}

#[test]
fn expedited_packets_take_no_room_in_the_queue_of_the_others() {
    let mut link = Link::from_config(&config(Limit::Packets(2)));
    let others = [0, 1, 2, 3].map(|number| link.offer(0, other(number)));
    assert_eq!(others, [Queued, Queued, Queued, DroppedFull]);
    (4..8).for_each(|number| assert_eq!(link.offer(0, expedited(number, number / 2)), Queued));
    assert_eq!(link.stats().peak_queue.packets, 6);
    assert_eq!(drain(&mut link).len(), 7);
}

/// The link is oversubscribed five times: 50 flows of 1.2 Mbit/s on 12 Mbit/s.
#[test]
fn the_limit_covers_the_bursts_of_all_active_flows() {
    let mut link = Link::from_config(&config(Limit::Packets(10)));
    for flow in 0..50 {
        (0..2).for_each(|number| assert_eq!(link.offer(0, expedited(number, flow)), Queued));
    }
    // After 10 ms, 10 of the 100 packets have been served and one is in service. Each flow may send
    // one packet again.
    (0..50).for_each(|flow| assert_eq!(link.offer(10 * MS, expedited(0, flow)), Queued));
    assert_eq!(link.queue(10 * MS).packets, 139);
    let verdicts: Vec<Verdict> = (0..50)
        .map(|flow| link.offer(10 * MS + 1, expedited(0, flow)))
        .collect();
    assert!(verdicts.iter().all(|verdict| *verdict == Policed));
    // After another 10 ms, 129 packets wait. The limit of 50 bursts of 3000 bytes and a packet of
    // 65,535 bytes is 143 packets of 1500 bytes.
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
fn a_flow_beyond_the_maximum_has_no_guarantee_until_another_is_idle() {
    let mut link = Link::from_config(&config(Limit::Packets(10)));
    let max = MAX_FLOWS as u32;
    (0..max).for_each(|flow| assert_ne!(link.offer(0, expedited(0, flow)), Policed));
    assert_eq!(link.offer(0, expedited(0, max)), Policed);
    // The buckets are full again when the tokens of one packet have returned.
    assert_eq!(link.offer(10 * MS - 1, expedited(0, max)), Policed);
    assert_ne!(link.offer(10 * MS, expedited(0, max)), Policed);
    assert_ne!(link.offer(10 * MS, expedited(0, 0)), Policed);
}

/// RED averages its own queue, even while expedited packets keep the link busy.
#[test]
fn red_updates_its_average_while_expedited_packets_are_served() {
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
