//! core/measure/eligible_rate.h at its edges: first ACKs, silences, ACKs at one time, extreme
//! paths.

use crate::eligible_rate::{after, at, late, stream, windows, Shape, EVEN, MSS};
use crate::exact_rate::reading;
use crate::flights::MS;
use onramp_core::eligible_rate::EligibleRate;
use onramp_core::Ack;

#[test]
fn the_first_acks_sample_is_the_first_estimate() {
    let acks = stream(EVEN, &[(1, 2)]);
    assert_eq!(
        after(&acks, 0).bytes_per_s(),
        10_000,
        "a segment in a round trip"
    );
}

#[test]
fn a_silence_leaves_nothing_of_the_past_but_its_last_sample() {
    let mut acks = stream(EVEN, &windows(1));
    let last = *acks.last().unwrap();
    let delivered_bytes = last.delivered_bytes + 8 * MSS;
    acks.push(Ack {
        now_ns: last.now_ns + 4_000 * MS,
        acked_bytes: 8 * MSS,
        delivered_bytes,
        ..last
    });
    assert_eq!(
        after(&acks, reading("latest")).bytes_per_s(),
        2_000,
        "eight segments in four seconds"
    );
    let before = after(&acks[..acks.len() - 1], 0).sample_bytes_per_s();
    assert!(after(&acks, 0).bytes_per_s().abs_diff((2_000 + before) / 2) <= 1);
}

/// Hosts report no ACKs in congestion avoidance. After a timeout, the total of the next ACK
/// includes them.
#[test]
fn unreported_acks_did_not_arrive_at_once() {
    let acks = stream(EVEN, &[(100, 100); 20]);
    let last = *acks.last().unwrap();
    let mut rate = EligibleRate::new(0);
    acks.iter().for_each(|ack| rate.ack(ack));
    for ack in &acks {
        let (now_ns, delivered_bytes) = (
            ack.now_ns + 15_000 * MS,
            ack.delivered_bytes + last.delivered_bytes + 15_000 * MSS,
        );
        rate.ack(&Ack {
            now_ns,
            delivered_bytes,
            ..*ack
        });
        assert!(
            rate.throughput_bytes_per_s() <= 1_100_000,
            "of 1 MB/s: {}",
            rate.throughput_bytes_per_s()
        );
    }
}

/// The host's clock ticks every 10 ms, or its network delivers ten ACKs at a time.
#[test]
fn acks_at_one_time_count_in_full() {
    let mut acks = stream(EVEN, &windows(1));
    acks.iter_mut()
        .for_each(|ack| ack.now_ns = ack.now_ns.next_multiple_of(10 * MS));
    let estimate = after(&acks, 0).bytes_per_s();
    assert!(
        estimate.abs_diff(1_000_000) <= 10_000,
        "{estimate} bytes per second"
    );
}

/// Acknowledged bytes are remembered for sixteen parts of the RTT at that time.
#[test]
fn while_the_rtt_grows_the_throughput_is_that_of_less_than_a_round_trip() {
    // The queueing delay grows by half of the elapsed time, and the delivery rate is constant. cwnd
    // is the delivery rate times the RTT.
    let mut acks = stream(EVEN, &windows(1));
    let growing = acks.len() / 2;
    for (index, ack) in acks.iter_mut().enumerate().skip(growing) {
        ack.srtt_ns += (index - growing) as u64 * MS / 2;
        ack.cwnd_bytes = ack.srtt_ns / MS * MSS;
    }
    let mut rate = EligibleRate::new(0);
    let mut least = u64::MAX;
    for (index, ack) in acks.iter().enumerate() {
        rate.ack(ack);
        if index >= growing {
            least = least.min(rate.throughput_bytes_per_s());
            assert!(
                rate.bytes_per_s().abs_diff(1_000_000) <= 10_000,
                "{} bytes per second",
                rate.bytes_per_s()
            );
        }
    }
    assert!(
        (800_000..850_000).contains(&least),
        "{least} bytes per second"
    );
}

/// A simulation begins at time 0. The smoothed RTT of a coarse clock may be longer than the time
/// since then.
#[test]
fn the_start_of_the_clock_does_not_matter() {
    let late = stream(EVEN, &[(50, 100)]);
    let since_ns = late[0].now_ns - MS;
    let early: Vec<_> = late
        .iter()
        .map(|ack| Ack {
            now_ns: ack.now_ns - since_ns,
            ..*ack
        })
        .collect();
    assert!(early.iter().all(|ack| ack.now_ns < ack.srtt_ns));
    assert_eq!(
        after(&early, 0).bytes_per_s(),
        after(&late, 0).bytes_per_s()
    );
}

/// 100 Gbit/s and 600 ms. An ACK covers 12.5 MB, so every step needs 64 bits.
#[test]
fn the_largest_paths_are_measured() {
    let shape = Shape {
        rtt_ns: 600 * MS,
        ..late(MS / 10, 1)
    };
    for times in [1, 3] {
        let mut acks = stream(shape, &vec![(600, 600 * times); 40]);
        for ack in &mut acks {
            (ack.acked_bytes, ack.delivered_bytes) =
                (ack.acked_bytes * 12_500, ack.delivered_bytes * 12_500);
            ack.cwnd_bytes *= 12_500;
        }
        let estimate = after(&acks, 0).bytes_per_s();
        assert!(
            estimate.abs_diff(12_500_000_000) <= 500_000_000,
            "{times}: {estimate} bytes per second"
        );
    }
}

/// 1 kbit/s and 10 s: two segments of 500 bytes in a round trip, and 250 bytes in flight between
/// them.
#[test]
fn the_smallest_paths_are_measured() {
    let shape = Shape {
        rtt_ns: 10_000 * MS,
        ..at(4_000 * MS, 1)
    };
    let mut acks = stream(shape, &[(3, 3); 40]);
    for ack in &mut acks {
        (ack.acked_bytes, ack.delivered_bytes) = (ack.acked_bytes / 2, ack.delivered_bytes / 2);
        ack.cwnd_bytes = 1_250;
    }
    let estimate = after(&acks, 0).bytes_per_s();
    assert!(
        (120..=126).contains(&estimate),
        "{estimate} bytes per second"
    );
}
