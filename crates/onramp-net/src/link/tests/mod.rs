//! Links with only a queue, a serialiser and a delay.

use super::*;
use crate::testing::Numbered;
use crate::{Limit, LossConfig};
use std::num::NonZeroU64;

fn packet(number: u32, bytes: u32) -> Numbered {
    Numbered {
        number,
        bytes,
        flow: 0,
        expedited: false,
        ..Numbered::default()
    }
}

/// 12 Mbit/s, so that a packet of 1500 bytes takes 1 ms, and a delay of 10 ms.
fn link(limit: Limit) -> Link<Numbered> {
    link_of(12_000_000, limit)
}

fn link_of(rate_bits_per_s: u64, limit: Limit) -> Link<Numbered> {
    Link::from_config(&plain(rate_bits_per_s, limit))
}

fn plain(rate_bits_per_s: u64, limit: Limit) -> Config {
    Config::plain(NonZeroU64::new(rate_bits_per_s).unwrap(), 10_000_000, limit)
}

fn drain(link: &mut Link<Numbered>) -> Vec<(u64, u32)> {
    std::iter::from_fn(|| link.poll(u64::MAX / 2))
        .map(|left| (left.due_ns, left.packet.number))
        .collect()
}

const MS: u64 = 1_000_000;

#[test]
fn a_single_packet_takes_its_serialisation_time_and_the_delay() {
    let mut link = link(Limit::Packets(0));
    assert_eq!(link.next_departure_ns(), None);
    assert_eq!(link.offer(5, packet(1, 1500)), Verdict::Queued);
    assert_eq!(link.next_departure_ns(), Some(11 * MS + 5));
    assert_eq!(link.poll(11 * MS + 4), None);
    let packet = packet(1, 1500);
    assert_eq!(
        link.poll(11 * MS + 5),
        Some(Departure {
            due_ns: 11 * MS + 5,
            packet,
            is_copy: false
        })
    );
    assert_eq!(link.next_departure_ns(), None);
}

#[test]
fn a_burst_leaves_at_the_rate_and_in_order() {
    let mut link = link(Limit::Packets(10));
    for n in 0..4 {
        link.offer(0, packet(n, 1500));
    }
    assert_eq!(
        drain(&mut link),
        [(11 * MS, 0), (12 * MS, 1), (13 * MS, 2), (14 * MS, 3)]
    );
}

#[test]
fn the_serialisation_time_is_proportional_to_the_size() {
    let mut link = link(Limit::Packets(10));
    link.offer(0, packet(0, 1500));
    link.offer(0, packet(1, 75));
    assert_eq!(drain(&mut link), [(11 * MS, 0), (11 * MS + 50_000, 1)]);
}

#[test]
fn a_limit_in_packets_does_not_count_the_packet_in_service() {
    let mut link = link(Limit::Packets(2));
    let verdicts: Vec<_> = (0..4).map(|n| link.offer(0, packet(n, 40))).collect();
    assert_eq!(
        verdicts,
        [
            Verdict::Queued,
            Verdict::Queued,
            Verdict::Queued,
            Verdict::DroppedFull
        ]
    );
    assert_eq!(
        link.stats().dropped,
        crate::Count {
            packets: 1,
            bytes: 40
        }
    );
    assert_eq!(
        link.stats().peak_queue,
        crate::Count {
            packets: 2,
            bytes: 80
        }
    );
}

#[test]
fn a_limit_in_bytes_drops_a_packet_that_does_not_fit_entirely() {
    let mut link = link(Limit::Bytes(3000));
    link.offer(0, packet(0, 1500));
    assert_eq!(link.offer(0, packet(1, 1500)), Verdict::Queued);
    assert_eq!(link.offer(0, packet(2, 1501)), Verdict::DroppedFull);
    assert_eq!(link.offer(0, packet(3, 1500)), Verdict::Queued);
    assert_eq!(link.offer(0, packet(4, 1)), Verdict::DroppedFull);
}

#[test]
fn room_is_free_again_in_the_nanosecond_in_which_service_ends() {
    let mut link = link(Limit::Packets(1));
    link.offer(0, packet(0, 1500));
    link.offer(0, packet(1, 1500));
    assert_eq!(link.offer(MS - 1, packet(2, 1500)), Verdict::DroppedFull);
    assert_eq!(link.offer(MS, packet(3, 1500)), Verdict::Queued);
    assert_eq!(link.queue(MS).packets, 1);
    assert_eq!(link.queue(2 * MS).packets, 0);
}

#[test]
fn fractions_of_a_nanosecond_are_kept_back_to_back_and_dropped_after_a_pause() {
    // One byte at 7 bit/s takes 8/7 s. The second packet is offered in the nanosecond in which the
    // first ends.
    let mut link = link_of(7, Limit::Packets(10));
    link.offer(0, packet(0, 1));
    link.offer(1_142_857_142, packet(1, 1));
    link.offer(5_000_000_000, packet(2, 1));
    let due: Vec<u64> = drain(&mut link)
        .into_iter()
        .map(|(due_ns, _)| due_ns - 10 * MS)
        .collect();
    assert_eq!(due, [1_142_857_142, 2_285_714_285, 6_142_857_142]);
}

#[test]
fn a_saturated_link_carries_exactly_its_rate() {
    // A prime rate. A thousand packets of 1499 bytes take floor(1000 * 1499 * 8e9 / rate) ns.
    let rate = 99_999_989;
    let mut link = link_of(rate, Limit::Packets(2000));
    for n in 0..1000 {
        link.offer(0, packet(n, 1499));
    }
    assert_eq!(
        drain(&mut link).last().unwrap().0 - 10 * MS,
        1000 * 1499 * 8_000_000_000 / rate
    );
}

#[test]
fn a_lost_packet_takes_no_queue_room_and_no_serialisation_time() {
    let loss = LossConfig::Bernoulli { ppm: 1_000_000 };
    let mut link = Link::from_config(&Config {
        loss,
        ..plain(12_000_000, Limit::Packets(1))
    });
    assert_eq!(link.offer(0, packet(0, 1500)), Verdict::LostRandom);
    assert_eq!(link.next_departure_ns(), None);
    assert_eq!(link.stats().lost.packets, 1);
}

mod elements;

#[test]
fn a_watched_link_notes_when_transmissions_begin() {
    let config = plain(12_000_000, Limit::Packets(2));
    let mut link = Link::watched(&config);
    for n in 0..4 {
        link.offer(5, packet(n, 1500));
    }
    let served = |link: &mut Link<Numbered>| {
        std::iter::from_fn(|| link.take_served())
            .map(|(start_ns, packet)| (start_ns, packet.number))
            .collect::<Vec<_>>()
    };
    assert_eq!(served(&mut link), [(5, 0)]);
    let mut usual = Link::from_config(&config);
    for n in 0..4 {
        usual.offer(5, packet(n, 1500));
    }
    assert_eq!(drain(&mut link), drain(&mut usual));
    assert_eq!(served(&mut link), [(MS + 5, 1), (2 * MS + 5, 2)]);
    assert_eq!(usual.take_served(), None);
}
