use super::*;
use crate::testing::Numbered;
use crate::{Config, Link, QueueConfig};
use std::num::NonZeroU64;

const MS: u64 = 1_000_000;

fn packet(number: u32, flow: u32) -> Numbered {
    Numbered {
        number,
        bytes: 50,
        flow,
        expedited: false,
        ..Numbered::default()
    }
}

fn ack(ack: u32) -> PureAck {
    PureAck::new(ack, 0, Some((ack, ack)), &[])
}

fn sacking(ack: u32, sack: &[(u32, u32)]) -> PureAck {
    PureAck::new(ack, 0, Some((100, 100)), sack)
}

/// 400 kbit/s: a packet of 50 bytes takes 1 ms.
fn link(limit: Limit) -> Link<Numbered> {
    let config = Config::plain(NonZeroU64::new(400_000).unwrap(), 0, limit);
    Link::from_config(&Config {
        queue: QueueConfig::AckFilter(limit),
        ..config
    })
}

fn drain(link: &mut Link<Numbered>) -> Vec<(u64, u32)> {
    std::iter::from_fn(|| link.poll(u64::MAX / 2))
        .map(|left| (left.due_ns / MS, left.packet.number))
        .collect()
}

#[test]
fn a_later_ack_supersedes_all_waiting_acks() {
    let mut link = link(Limit::Packets(3));
    assert!(link.filters_acks());
    // The first ACK is in service and cannot be dropped.
    (0..6).for_each(|number| {
        assert_eq!(
            link.offer_with_parser(0, packet(number, 1), |_| Some(ack(number))),
            Verdict::Queued
        )
    });
    assert_eq!(
        std::iter::from_fn(|| link.take_dropped())
            .map(|thinned| thinned.number)
            .collect::<Vec<_>>(),
        [1, 2, 3, 4]
    );
    let stats = link.stats();
    assert_eq!(
        stats.thinned,
        Count {
            packets: 4,
            bytes: 200
        }
    );
    assert_eq!(
        (stats.dropped, stats.evicted, stats.peak_queue.packets),
        (Count::default(), Count::default(), 1)
    );
    assert_eq!(drain(&mut link), [(1, 0), (2, 5)]);
}

#[test]
fn other_flows_and_data_packets_keep_their_order() {
    let mut link = link(Limit::Packets(10));
    link.offer(0, packet(0, 9));
    link.offer_with_parser(0, packet(1, 1), |_| Some(ack(10)));
    link.offer_with_parser(0, packet(2, 2), |_| Some(ack(10)));
    link.offer(0, packet(3, 1));
    link.offer_with_parser(0, packet(4, 1), |_| Some(ack(20)));
    assert_eq!(
        drain(&mut link)
            .iter()
            .map(|(_, number)| *number)
            .collect::<Vec<_>>(),
        [0, 2, 3, 4]
    );
}

#[test]
fn an_ack_that_does_not_fit_drops_no_other_ack() {
    let mut link = link(Limit::Bytes(120));
    link.offer(0, packet(0, 9));
    link.offer(0, packet(1, 9));
    link.offer_with_parser(0, packet(2, 1), |_| Some(ack(1)));
    let large = Numbered {
        bytes: 80,
        ..packet(3, 1)
    };
    assert_eq!(
        link.offer_with_parser(0, large, |_| Some(ack(2))),
        Verdict::DroppedFull
    );
    assert_eq!(
        link.offer_with_parser(0, packet(4, 1), |_| Some(ack(2))),
        Verdict::Queued
    );
    assert_eq!(
        drain(&mut link)
            .iter()
            .map(|(_, number)| *number)
            .collect::<Vec<_>>(),
        [0, 1, 4]
    );
    assert_eq!(
        (link.stats().dropped.packets, link.stats().thinned.packets),
        (1, 1)
    );
}

#[test]
fn without_a_filter_all_acks_are_kept() {
    let mut link: Link<Numbered> = Link::from_config(&Config::plain(
        NonZeroU64::new(400_000).unwrap(),
        0,
        Limit::Packets(10),
    ));
    assert!(!link.filters_acks());
    (0..4).for_each(|number| {
        assert_eq!(
            link.offer_with_parser(0, packet(number, 1), |_| Some(ack(number))),
            Verdict::Queued
        )
    });
    assert_eq!(drain(&mut link).len(), 4);
}

#[test]
fn a_duplicate_ack_is_kept() {
    assert!(!ack(7).supersedes(&ack(7)));
    assert!(ack(8).supersedes(&ack(7)));
    assert!(!ack(7).supersedes(&ack(8)));
    // Sequence numbers and timestamps wrap around.
    assert!(ack(5).supersedes(&ack(u32::MAX - 5)));
}

#[test]
fn sack_blocks_must_be_covered_by_the_later_ack() {
    let older = sacking(10, &[(20, 30), (40, 50)]);
    assert!(sacking(10, &[(40, 60), (20, 30)]).supersedes(&older));
    assert!(sacking(11, &[(40, 50), (20, 30)]).supersedes(&older));
    // An identical ACK counts as a duplicate.
    assert!(!sacking(10, &[(20, 30), (40, 50)]).supersedes(&older));
    assert!(!sacking(11, &[(40, 60)]).supersedes(&older));
    assert!(!sacking(60, &[]).supersedes(&older));
    assert!(sacking(11, &[(20, 30)]).supersedes(&sacking(10, &[])));
}

#[test]
fn a_duplicate_sack_is_kept() {
    assert!(!sacking(20, &[(5, 9)]).supersedes(&sacking(10, &[(5, 9)])));
}

#[test]
fn changed_ecn_bits_and_newer_timestamps_are_kept() {
    let ecn = |bits| PureAck::new(10, bits, None, &[]);
    assert!(!PureAck::new(11, 0, None, &[]).supersedes(&ecn(0x40)));
    assert!(PureAck::new(11, 0x40, None, &[]).supersedes(&ecn(0x40)));
    let stamped = |ack, timestamps| PureAck::new(ack, 0, Some(timestamps), &[]);
    assert!(!stamped(11, (4, 9)).supersedes(&stamped(10, (5, 5))));
    assert!(!stamped(11, (9, 4)).supersedes(&stamped(10, (5, 5))));
}
