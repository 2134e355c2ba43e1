//! The optional elements, each in its place in the link.

use super::*;
use crate::{Aggregation, Change, CoDelConfig, Framing, Jitter, QueueConfig, TokenBucket};
use std::num::NonZeroU32;

fn bucket(rate_bits_per_s: u64, burst_bytes: u32) -> Option<TokenBucket> {
    Some(TokenBucket {
        rate_bits_per_s: NonZeroU64::new(rate_bits_per_s).unwrap(),
        burst_bytes,
    })
}

fn change(at_ns: u64, rate_bits_per_s: Option<u64>, delay_ns: Option<u64>) -> Change {
    let rate_bits_per_s = rate_bits_per_s.map(|rate| NonZeroU64::new(rate).unwrap());
    Change {
        at_ns,
        rate_bits_per_s,
        delay_ns,
        loss_ppm: None,
    }
}

fn change_of_loss(at_ns: u64, loss_ppm: u32) -> Change {
    Change {
        loss_ppm: Some(loss_ppm),
        ..change(at_ns, None, None)
    }
}

/// Offers packets of 1500 bytes at these times and lets all of them leave.
fn run(config: &Config, arrivals_ns: &[u64]) -> Vec<(u64, u32)> {
    let mut link = Link::from_config(config);
    for (number, at_ns) in arrivals_ns.iter().enumerate() {
        link.offer(*at_ns, packet(number as u32, 1500));
    }
    drain(&mut link)
}

#[test]
fn a_policer_drops_packets_beyond_its_burst_on_arrival() {
    let config = Config {
        policer: bucket(12_000_000, 3000),
        ..plain(1_000_000_000, Limit::Packets(10))
    };
    let mut link = Link::from_config(&config);
    let verdicts = [0, 0, 0, MS].map(|at_ns| link.offer(at_ns, packet(0, 1500)));
    assert_eq!(
        verdicts,
        [
            Verdict::Queued,
            Verdict::Queued,
            Verdict::Policed,
            Verdict::Queued
        ]
    );
    assert_eq!(
        link.stats().policed,
        Count {
            packets: 1,
            bytes: 1500
        }
    );
}

#[test]
fn cells_take_the_rate_that_they_occupy() {
    // 1500 bytes are 32 cells of 53 bytes, 40 bytes are one.
    let config = Config {
        framing: Framing::Aal5,
        ..plain(53_000_000, Limit::Packets(10))
    };
    let due: Vec<u64> = run(&config, &[0; 3])
        .into_iter()
        .map(|(due_ns, _)| due_ns - 10 * MS)
        .collect();
    assert_eq!(due, [256_000, 512_000, 768_000]);
    let mut link = Link::from_config(&config);
    link.offer(0, packet(0, 40));
    assert_eq!(drain(&mut link), [(10 * MS + 8_000, 0)]);
}

#[test]
fn a_shaper_passes_its_burst_and_then_its_rate() {
    // A packet takes 1 ms at the shaper's rate and 0.5 ms in the serialiser.
    let config = Config {
        shaper: bucket(12_000_000, 3000),
        ..plain(24_000_000, Limit::Packets(10))
    };
    let due: Vec<u64> = run(&config, &[0; 4])
        .into_iter()
        .map(|(due_ns, _)| due_ns - 10 * MS)
        .collect();
    assert_eq!(due, [MS / 2, MS, MS + MS / 2, 2 * MS + MS / 2]);
}

#[test]
fn a_packet_larger_than_the_shapers_bucket_is_dropped() {
    let config = Config {
        shaper: bucket(12_000_000, 1499),
        ..plain(12_000_000, Limit::Packets(10))
    };
    assert_eq!(
        Link::from_config(&config).offer(0, packet(0, 1500)),
        Verdict::DroppedFull
    );
}

#[test]
fn a_rate_change_applies_to_the_remaining_bits_of_a_packet() {
    // The first packet has 0.25 ms of its 1 ms left, which takes 1 ms at a quarter of the rate. The
    // second packet takes 4 ms.
    let changes = vec![change(3 * MS / 4, Some(3_000_000), None)];
    let config = Config {
        changes,
        ..plain(12_000_000, Limit::Packets(10))
    };
    assert_eq!(
        run(&config, &[0, 0]),
        [(11 * MS + 3 * MS / 4, 0), (15 * MS + 3 * MS / 4, 1)]
    );
}

/// The first packet is in service and the second waits when the outage starts. The last packet is
/// offered when the outage ends.
#[test]
fn an_outage_drops_only_packets_that_are_offered_during_it() {
    let changes = vec![change_of_loss(MS / 2, 1_000_000), change_of_loss(3 * MS, 0)];
    let config = Config {
        changes,
        ..plain(12_000_000, Limit::Packets(10))
    };
    let mut link = Link::from_config(&config);
    let verdicts =
        [0, MS / 2 - 1, MS / 2, 3 * MS - 1, 3 * MS].map(|at_ns| link.offer(at_ns, packet(0, 1500)));
    use Verdict::{LostRandom, Queued};
    assert_eq!(verdicts, [Queued, Queued, LostRandom, LostRandom, Queued]);
    assert_eq!(drain(&mut link), [(11 * MS, 0), (12 * MS, 0), (14 * MS, 0)]);
}

/// The lost ones of 300 packets, with one packet per millisecond.
fn lost(loss: LossConfig, changes: &[Change]) -> Vec<u64> {
    let changes = changes.to_vec();
    let mut link = Link::from_config(&Config {
        loss,
        changes,
        seed: 5,
        ..plain(120_000_000, Limit::Packets(1))
    });
    (0..300)
        .filter(|n| link.offer(n * MS, packet(0, 1500)) == Verdict::LostRandom)
        .collect()
}

#[test]
fn a_change_to_the_current_loss_rate_changes_nothing() {
    let loss = LossConfig::Bernoulli { ppm: 100_000 };
    let unchanged = lost(loss, &[]);
    assert_eq!(lost(loss, &[change_of_loss(100 * MS, 100_000)]), unchanged);
    assert!(unchanged.len() > 20, "{unchanged:?}");
}

#[test]
fn a_change_of_the_loss_rate_does_not_affect_earlier_packets() {
    for loss in [
        LossConfig::None,
        LossConfig::Bernoulli { ppm: 100_000 },
        LossConfig::Periodic {
            every: NonZeroU32::new(7).unwrap(),
        },
        LossConfig::GilbertElliott {
            p_ppm: 100_000,
            r_ppm: 300_000,
            loss_good_ppm: 10_000,
            loss_bad_ppm: 900_000,
        },
    ] {
        let (unchanged, changed) = (
            lost(loss, &[]),
            lost(loss, &[change_of_loss(150 * MS, 500_000)]),
        );
        let before = |lost: &[u64]| {
            lost.iter()
                .copied()
                .take_while(|n| *n < 150)
                .collect::<Vec<_>>()
        };
        assert_eq!(before(&changed), before(&unchanged), "{loss:?}");
        // Half of 150 packets: the standard deviation is 6.
        let after = changed.len() - before(&changed).len();
        assert!(after.abs_diff(75) < 30, "{loss:?}: {after}");
    }
}

#[test]
fn a_change_to_zero_ends_all_losses() {
    let bursts = LossConfig::GilbertElliott {
        p_ppm: 500_000,
        r_ppm: 0,
        loss_good_ppm: 0,
        loss_bad_ppm: 1_000_000,
    };
    let lost = lost(bursts, &[change_of_loss(100 * MS, 0)]);
    assert!(lost.len() > 80 && lost.iter().all(|n| *n < 100), "{lost:?}");
}

#[test]
fn the_next_departure_is_never_reported_too_late() {
    let changes = vec![
        change(MS / 2, Some(120_000_000), None),
        change(MS / 2 + 1, None, Some(0)),
    ];
    let config = Config {
        changes,
        ..plain(12_000_000, Limit::Packets(10))
    };
    let mut link = Link::from_config(&config);
    link.offer(0, packet(0, 1500));
    let mut polls_ns = Vec::new();
    let left = loop {
        let at_ns = link.next_departure_ns().unwrap();
        polls_ns.push(at_ns);
        if let Some(left) = link.poll(at_ns) {
            break left;
        }
    };
    assert_eq!(polls_ns, [MS / 2, MS / 2 + 1, MS / 2 + MS / 20]);
    assert_eq!(left.due_ns, MS / 2 + MS / 20);
}

#[test]
fn a_decrease_of_the_delay_does_not_reorder() {
    let changes = vec![change(MS + 1, None, Some(MS))];
    let config = Config {
        changes,
        ..plain(12_000_000, Limit::Packets(10))
    };
    assert_eq!(
        run(&config, &[0, 0, 11 * MS]),
        [(11 * MS, 0), (11 * MS, 1), (13 * MS, 2)]
    );
}

#[test]
fn a_decrease_of_the_delay_reorders_if_configured() {
    let changes = vec![change(MS + 1, None, Some(MS))];
    let jitter = Some(Jitter {
        max_ns: 0,
        reorder: true,
    });
    let config = Config {
        changes,
        jitter,
        ..plain(12_000_000, Limit::Packets(10))
    };
    assert_eq!(run(&config, &[0, 0]), [(3 * MS, 1), (11 * MS, 0)]);
}

#[test]
fn aggregation_releases_packets_together() {
    let aggregation = Some(Aggregation {
        interval_ns: 5 * MS / 2,
        in_slots: false,
        gap_ns: 0,
        max_packets: NonZeroU32::new(4).unwrap(),
    });
    let config = Config {
        aggregation,
        ..plain(12_000_000, Limit::Packets(10))
    };
    let due: Vec<u64> = run(&config, &[0; 5])
        .into_iter()
        .map(|(due_ns, _)| due_ns)
        .collect();
    assert_eq!(
        due,
        [
            27 * MS / 2,
            27 * MS / 2,
            27 * MS / 2,
            33 * MS / 2,
            33 * MS / 2
        ]
    );
}

#[test]
fn a_copy_leaves_just_before_its_original() {
    let mut link = Link::from_config(&Config {
        duplicate_ppm: 1_000_000,
        ..plain(12_000_000, Limit::Packets(10))
    });
    (0..2).for_each(|number| assert_eq!(link.offer(0, packet(number, 1500)), Verdict::Queued));
    let left: Vec<_> = std::iter::from_fn(|| link.poll(12 * MS))
        .map(|d| (d.due_ns, d.packet.number, d.is_copy))
        .collect();
    assert_eq!(
        left,
        [
            (11 * MS, 0, true),
            (11 * MS, 0, false),
            (12 * MS, 1, true),
            (12 * MS, 1, false)
        ]
    );
    assert_eq!(
        (
            link.stats().duplicated.packets,
            link.stats().delivered.packets
        ),
        (2, 4)
    );
}

#[test]
fn packets_that_a_queue_drops_later_are_returned() {
    let codel = CoDelConfig {
        target_ns: 1,
        interval_ns: MS,
        ..CoDelConfig::default()
    };
    let mut link = Link::from_config(&Config {
        queue: QueueConfig::CoDel(codel),
        ..plain(12_000_000, Limit::Bytes(0))
    });
    (0..20).for_each(|number| assert_eq!(link.offer(0, packet(number, 1500)), Verdict::Queued));
    let left = drain(&mut link).len();
    let dropped = std::iter::from_fn(|| link.take_dropped()).count();
    assert!(dropped > 0 && dropped + left == 20);
    assert_eq!(
        link.stats().evicted,
        Count {
            packets: dropped as u64,
            bytes: 1500 * dropped as u64
        }
    );
}

/// The equation of [`LinkStats`], with packets in every place of the link.
#[test]
fn packets_are_conserved_at_every_moment() {
    let codel = CoDelConfig {
        target_ns: MS,
        interval_ns: MS,
        ..CoDelConfig::default()
    };
    let config = Config {
        queue: QueueConfig::CoDel(codel),
        loss: LossConfig::Bernoulli { ppm: 100_000 },
        policer: bucket(30_000_000, 9000),
        shaper: bucket(11_000_000, 3000),
        duplicate_ppm: 300_000,
        aggregation: Some(Aggregation {
            interval_ns: 2 * MS,
            in_slots: false,
            gap_ns: 0,
            max_packets: NonZeroU32::new(5).unwrap(),
        }),
        ..plain(12_000_000, Limit::Bytes(0))
    };
    let mut link = Link::from_config(&config);
    for number in 0..200 {
        let now_ns = u64::from(number) * MS / 3;
        link.offer(now_ns, packet(number, 1500));
        link.poll(now_ns);
        let inside = link.inside(now_ns);
        let LinkStats {
            offered,
            policed,
            lost,
            dropped,
            evicted,
            duplicated,
            delivered,
            ..
        } = link.stats();
        let gone = [policed, lost, dropped, evicted, delivered]
            .map(|count| count.packets)
            .iter()
            .sum::<u64>();
        assert_eq!(offered.packets + duplicated.packets, gone + inside);
    }
    let stats = link.stats();
    let counts = [
        stats.policed,
        stats.lost,
        stats.evicted,
        stats.duplicated,
        stats.delivered,
    ];
    assert!(counts.iter().all(|count| count.packets > 0), "{stats:?}");
}

impl Link<Numbered> {
    /// Packets in the queue, in service and propagating.
    fn inside(&mut self, now_ns: u64) -> u64 {
        match &mut self.0 {
            Kind::Plain(_) => unreachable!("the link has other elements"),
            Kind::Elements(elements) => elements.inside(now_ns),
        }
    }
}
