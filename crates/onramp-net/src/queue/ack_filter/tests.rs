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
fn a_later_acknowledgement_takes_the_place_of_all_that_wait() {
    let mut link = link(Limit::Packets(3));
    assert!(link.filters_acks());
    // The first is in service, and goes.
    (0..6).for_each(|number| {
        assert_eq!(
            link.offer_reading(0, packet(number, 1), |_| Some(ack(number))),
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
fn other_flows_and_what_is_no_pure_acknowledgement_stay_in_their_order() {
    let mut link = link(Limit::Packets(10));
    link.offer(0, packet(0, 9));
    link.offer_reading(0, packet(1, 1), |_| Some(ack(10)));
    link.offer_reading(0, packet(2, 2), |_| Some(ack(10)));
    link.offer(0, packet(3, 1));
    link.offer_reading(0, packet(4, 1), |_| Some(ack(20)));
    assert_eq!(
        drain(&mut link)
            .iter()
            .map(|(_, number)| *number)
            .collect::<Vec<_>>(),
        [0, 2, 3, 4]
    );
}

#[test]
fn what_finds_no_room_after_thinning_thins_nothing() {
    let mut link = link(Limit::Bytes(120));
    link.offer(0, packet(0, 9));
    link.offer(0, packet(1, 9));
    link.offer_reading(0, packet(2, 1), |_| Some(ack(1)));
    let large = Numbered {
        bytes: 80,
        ..packet(3, 1)
    };
    assert_eq!(
        link.offer_reading(0, large, |_| Some(ack(2))),
        Verdict::DroppedFull
    );
    assert_eq!(
        link.offer_reading(0, packet(4, 1), |_| Some(ack(2))),
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
fn without_a_filter_acknowledgements_are_packets_like_others() {
    let mut link: Link<Numbered> = Link::from_config(&Config::plain(
        NonZeroU64::new(400_000).unwrap(),
        0,
        Limit::Packets(10),
    ));
    assert!(!link.filters_acks());
    (0..4).for_each(|number| {
        assert_eq!(
            link.offer_reading(0, packet(number, 1), |_| Some(ack(number))),
            Verdict::Queued
        )
    });
    assert_eq!(drain(&mut link).len(), 4);
}

#[test]
fn a_duplicate_is_not_superfluous() {
    assert!(!ack(7).makes_superfluous(&ack(7)));
    assert!(ack(8).makes_superfluous(&ack(7)));
    assert!(!ack(7).makes_superfluous(&ack(8)));
    // Sequence numbers and timestamps wrap around.
    assert!(ack(5).makes_superfluous(&ack(u32::MAX - 5)));
}

#[test]
fn blocks_have_to_be_in_those_of_the_later_one() {
    let older = sacking(10, &[(20, 30), (40, 50)]);
    assert!(sacking(10, &[(40, 60), (20, 30)]).makes_superfluous(&older));
    assert!(sacking(11, &[(40, 50), (20, 30)]).makes_superfluous(&older));
    // The same once more counts as a duplicate.
    assert!(!sacking(10, &[(20, 30), (40, 50)]).makes_superfluous(&older));
    assert!(!sacking(11, &[(40, 60)]).makes_superfluous(&older));
    assert!(!sacking(60, &[]).makes_superfluous(&older));
    assert!(sacking(11, &[(20, 30)]).makes_superfluous(&sacking(10, &[])));
}

#[test]
fn a_duplicate_sack_is_never_superfluous() {
    assert!(!sacking(20, &[(5, 9)]).makes_superfluous(&sacking(10, &[(5, 9)])));
}

#[test]
fn news_of_ecn_and_newer_timestamps_are_kept() {
    let ecn = |bits| PureAck::new(10, bits, None, &[]);
    assert!(!PureAck::new(11, 0, None, &[]).makes_superfluous(&ecn(0x40)));
    assert!(PureAck::new(11, 0x40, None, &[]).makes_superfluous(&ecn(0x40)));
    let stamped = |ack, timestamps| PureAck::new(ack, 0, Some(timestamps), &[]);
    assert!(!stamped(11, (4, 9)).makes_superfluous(&stamped(10, (5, 5))));
    assert!(!stamped(11, (9, 4)).makes_superfluous(&stamped(10, (5, 5))));
}
