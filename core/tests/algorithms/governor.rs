//! The governor: which averages make new connections begin with slow start, and that it recovers.

use onramp_core::governor::{
    counts, share_ppm, Average, BOUND_PPM, DESTINATION_STARTUPS, HOST_STARTUPS, LIFETIME_NS, PPM,
    TRY_INTERVAL,
};
use proptest::prelude::*;

const NS_PER_S: u64 = 1_000_000_000;

/// The share of slow start that meets a full drop-tail queue: it has sent 4 windows, and loses one.
const SLOW_START_PPM: u32 = PPM / 5;

/// A destination, with connections that begin and end one after the other, one per second.
#[derive(Default)]
struct Destination {
    average: Average,
    now_ns: u64,
}

impl Destination {
    fn is_governed(&self) -> bool {
        self.average
            .exceeds(BOUND_PPM, DESTINATION_STARTUPS, self.now_ns)
    }

    /// True: the connection used its start-up, which had this share.
    fn connection(&mut self, share_ppm: u32) -> bool {
        self.now_ns += NS_PER_S;
        let starts = !self.is_governed() || self.average.starts_nevertheless();
        if starts {
            self.average
                .add(share_ppm, DESTINATION_STARTUPS, self.now_ns);
        }
        starts
    }

    fn after(connections: u32, share_ppm: u32) -> Destination {
        let mut destination = Destination::default();
        for _ in 0..connections {
            destination.connection(share_ppm);
        }
        destination
    }
}

#[test]
fn what_slow_start_loses_at_a_full_queue_is_tolerated() {
    assert_eq!(share_ppm(5, 1), SLOW_START_PPM);
    assert!(!Destination::after(1000, SLOW_START_PPM).is_governed());
}

#[test]
fn a_path_on_which_start_ups_lose_more_is_governed_after_half_of_an_average() {
    let bad = PPM * 3 / 10;
    assert!(!Destination::after(DESTINATION_STARTUPS / 2 - 1, bad).is_governed());
    assert!(Destination::after(DESTINATION_STARTUPS / 2, bad).is_governed());
}

#[test]
fn one_connection_of_sixteen_starts_while_the_bound_is_exceeded() {
    let mut destination = Destination::after(DESTINATION_STARTUPS, PPM / 2);
    let started = (0..10 * TRY_INTERVAL).filter(|_| destination.connection(PPM / 2));
    assert_eq!(started.count(), 10);
}

#[test]
fn a_path_that_is_good_again_is_found_by_the_connections_that_try() {
    let all_start = DESTINATION_STARTUPS / 2;
    let mut destination = Destination::after(all_start + 10 * TRY_INTERVAL, PPM * 4 / 10);
    let connections = (1..)
        .find(|_| {
            destination.connection(0);
            !destination.is_governed()
        })
        .unwrap();
    // 40 % * (15/16)^8 < 25 %
    assert_eq!(connections, 8 * TRY_INTERVAL);
    assert!((0..100).all(|_| destination.connection(0)));
}

#[test]
fn an_average_is_forgotten_after_its_lifetime_without_a_start_up() {
    let mut destination = Destination::after(DESTINATION_STARTUPS / 2, PPM);
    destination.now_ns += LIFETIME_NS;
    assert!(destination.is_governed());
    destination.now_ns += 1;
    assert!(!destination.is_governed());
    destination.average.add_late(PPM, destination.now_ns);
    destination.connection(0);
    let Average {
        share_ppm,
        startups,
        ..
    } = destination.average;
    assert_eq!((share_ppm, startups), (0, 1));
}

#[test]
fn the_first_start_ups_of_an_average_have_equal_weights() {
    let mut average = Average::default();
    for share_ppm in [300_000, 0, 0, 100_000] {
        average.add(share_ppm, HOST_STARTUPS, NS_PER_S);
    }
    assert_eq!((average.share_ppm, average.startups), (100_000, 4));
}

#[test]
fn retransmissions_after_the_end_of_a_start_up_count_as_if_they_were_before() {
    let (mut at_once, mut late) = (Average::default(), Average::default());
    for share_ppm in [0, 200_000, 50_000] {
        at_once.add(share_ppm, HOST_STARTUPS, NS_PER_S);
        late.add(0, HOST_STARTUPS, NS_PER_S);
        late.add_late(share_ppm, NS_PER_S);
    }
    let difference = at_once.share_ppm.abs_diff(late.share_ppm);
    assert!(difference <= 3, "{at_once:?} {late:?}");
    let mut none = Average::default();
    none.add_late(PPM, NS_PER_S);
    assert_eq!(none, Average::default());
}

#[test]
fn start_ups_within_the_initial_window_do_not_count() {
    assert_eq!([0, 1, 10, 11].map(counts), [false, false, false, true]);
}

/// A client that spoils its own start-ups is governed before it decides for all others.
#[test]
fn four_destinations_that_are_bad_on_purpose_do_not_govern_the_host() {
    let mut host = Average::default();
    for _ in 0..HOST_STARTUPS {
        host.add(0, HOST_STARTUPS, NS_PER_S);
    }
    for _ in 0..4 * DESTINATION_STARTUPS / 2 {
        host.add(PPM, HOST_STARTUPS, NS_PER_S);
    }
    assert!(!host.exceeds(BOUND_PPM, HOST_STARTUPS, NS_PER_S));
    for _ in 0..DESTINATION_STARTUPS / 2 {
        host.add(PPM, HOST_STARTUPS, NS_PER_S);
    }
    assert!(host.exceeds(BOUND_PPM, HOST_STARTUPS, NS_PER_S));
}

proptest! {
    #[test]
    fn an_average_lies_between_its_smallest_and_its_largest_share(
        shares in prop::collection::vec(0..=PPM, 1..300),
        n in 1u32..200,
    ) {
        let mut average = Average::default();
        for &share_ppm in &shares {
            average.add(share_ppm, n, NS_PER_S);
        }
        prop_assert!(average.share_ppm >= *shares.iter().min().unwrap());
        prop_assert!(average.share_ppm <= *shares.iter().max().unwrap());
        prop_assert_eq!(average.startups, n.min(shares.len() as u32));
    }

    #[test]
    fn the_first_start_ups_give_their_mean(shares in prop::collection::vec(0..=PPM, 1..128)) {
        let mut average = Average::default();
        for &share_ppm in &shares {
            average.add(share_ppm, HOST_STARTUPS, NS_PER_S);
        }
        let sum: u64 = shares.iter().map(|&share| u64::from(share)).sum();
        let mean = (sum / shares.len() as u64) as u32;
        // Each addition rounds by less than one part per million.
        prop_assert!(average.share_ppm.abs_diff(mean) <= shares.len() as u32);
    }

    /// Whatever came before, good start-ups end the governing.
    #[test]
    fn the_governor_always_recovers(shares in prop::collection::vec(0..=PPM, 0..200)) {
        let mut destination = Destination::default();
        for &share_ppm in &shares {
            destination.connection(share_ppm);
        }
        // 100 % * (15/16)^22 < 25 %
        for _ in 0..22 * TRY_INTERVAL {
            destination.connection(0);
        }
        prop_assert!(!destination.is_governed());
    }

    /// Start-ups cannot do more damage than their bound and their tries.
    #[test]
    fn of_a_thousand_bad_connections_few_start(share_ppm in BOUND_PPM + 100..=PPM) {
        let mut destination = Destination::default();
        let started = (0..1000).filter(|_| destination.connection(share_ppm)).count();
        prop_assert!(started <= 8 + 1000 / TRY_INTERVAL as usize);
    }

    #[test]
    fn no_input_is_undefined_behaviour(
        sent: u64, retransmitted: u64, share: u32, late: u32, startups: u32, n: u32,
        updated_ns: u64, now_ns: u64, held in 0..u64::MAX, bound: u32, average_ppm: u32,
    ) {
        prop_assert!(share_ppm(sent, retransmitted) <= PPM);
        let share_before = average_ppm.min(PPM);
        let mut average = Average { share_ppm: share_before, startups, updated_ns, held };
        average.add(share, n, now_ns);
        prop_assert!(average.share_ppm <= PPM && average.startups <= n.max(1));
        average.add_late(late, now_ns);
        prop_assert!(average.share_ppm <= PPM);
        average.exceeds(bound, n, now_ns);
        average.starts_nevertheless();
    }
}
