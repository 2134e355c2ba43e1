//! Ensembles (`core/parts/ensemble.h`): connections that are starting up count each other, under
//! any sequence of events.

use onramp_core::ensemble::{Ensemble, Member, MAX_MEMBERS, PERIOD_NS};
use proptest::prelude::*;

/// Members of an ensemble that have just started.
fn started(count: usize, now_ns: u64) -> (Ensemble, Vec<Member>) {
    let mut ensemble = Ensemble::default();
    let mut members = vec![Member::default(); count];
    for member in &mut members {
        ensemble.renew(member, now_ns);
    }
    (ensemble, members)
}

#[test]
fn each_of_ten_sees_nine_others() {
    let (ensemble, members) = started(10, 5);
    for member in &members {
        assert_eq!(ensemble.siblings(member, 6), 9);
    }
    assert_eq!(ensemble.siblings(&Member::default(), 6), 10);
}

#[test]
fn a_member_is_counted_once_however_often_it_renews() {
    let (mut ensemble, mut members) = started(2, 0);
    for step in 0..40 {
        ensemble.renew(&mut members[0], step * PERIOD_NS / 8);
        ensemble.renew(&mut members[1], step * PERIOD_NS / 8);
        assert_eq!(ensemble.siblings(&members[0], step * PERIOD_NS / 8), 1);
    }
}

#[test]
fn a_member_that_leaves_is_no_longer_counted_and_leaves_once() {
    let (mut ensemble, mut members) = started(3, 0);
    for _ in 0..5 {
        ensemble.leave(&mut members[2]);
        assert_eq!(ensemble.siblings(&members[0], 1), 1);
    }
    // In the next period, when the others have not renewed yet
    ensemble.leave(&mut members[1]);
    assert_eq!(ensemble.siblings(&members[0], PERIOD_NS), 0);
}

#[test]
fn a_member_that_is_silent_is_counted_for_one_period_at_least_and_two_at_most() {
    for start_ns in [0, 1, PERIOD_NS / 2, PERIOD_NS - 1] {
        let (ensemble, _silent) = started(1, start_ns);
        let stranger = Member::default();
        assert_eq!(ensemble.siblings(&stranger, start_ns + PERIOD_NS), 1);
        assert_eq!(ensemble.siblings(&stranger, start_ns + 2 * PERIOD_NS), 0);
    }
}

#[test]
fn a_clock_that_is_behind_changes_nothing() {
    let (mut ensemble, mut members) = started(2, 3 * PERIOD_NS);
    ensemble.renew(&mut members[0], 3 * PERIOD_NS - 1);
    let mut late = Member::default();
    ensemble.renew(&mut late, 3 * PERIOD_NS - 1);
    assert_eq!(ensemble.siblings(&members[0], 3 * PERIOD_NS), 2);
    assert_eq!(ensemble.siblings(&late, 3 * PERIOD_NS - 1), 2);
}

#[test]
fn members_beyond_the_largest_number_are_not_counted_and_see_the_others() {
    let (mut ensemble, mut members) = started(MAX_MEMBERS as usize, 0);
    let mut extra = Member::default();
    ensemble.renew(&mut extra, 0);
    assert_eq!(extra, Member::default());
    assert_eq!(ensemble.siblings(&extra, 0), MAX_MEMBERS);
    ensemble.leave(&mut extra);
    assert_eq!(ensemble.siblings(&members[0], 0), MAX_MEMBERS - 1);
    // There is room when one has left.
    ensemble.leave(&mut members[0]);
    ensemble.renew(&mut extra, 0);
    assert_eq!(ensemble.siblings(&extra, 0), MAX_MEMBERS - 1);
}

/// A lost entry: the map was full.
#[test]
fn members_of_a_lost_entry_are_counted_again_in_the_next_period() {
    let (_, mut members) = started(4, 0);
    let mut ensemble = Ensemble::default();
    ensemble.leave(&mut members[3]);
    for member in &mut members[..3] {
        ensemble.renew(member, PERIOD_NS);
    }
    assert_eq!(ensemble.siblings(&members[0], PERIOD_NS), 2);
}

/// An event of one of the members.
#[derive(Clone, Copy, Debug)]
enum Event {
    Renew,
    Leave,
    Wait,
}

fn events() -> impl Strategy<Value = Vec<(usize, Event, u64)>> {
    let event = prop_oneof![
        6 => Just(Event::Renew),
        2 => Just(Event::Leave),
        1 => Just(Event::Wait),
    ];
    let gap_ns = prop_oneof![
        8 => 0..PERIOD_NS / 4,
        1 => 0..4 * PERIOD_NS,
    ];
    prop::collection::vec((0..8usize, event, gap_ns), 1..200)
}

/// The number of others that renewed in this period or in the one before, and did not leave since.
fn expected(renewed_ns: &[Option<u64>], own: usize, now_ns: u64) -> u64 {
    let is_counted = |renewed_ns: &u64| now_ns / PERIOD_NS - renewed_ns / PERIOD_NS <= 1;
    let others = renewed_ns
        .iter()
        .enumerate()
        .filter(|(number, _)| *number != own);
    others
        .filter(|(_, renewed_ns)| renewed_ns.as_ref().is_some_and(is_counted))
        .count() as u64
}

proptest! {
    #[test]
    fn the_count_is_that_of_the_members_with_recent_events(
        events in events(),
        begin_ns in 0..100 * PERIOD_NS,
    ) {
        let mut ensemble = Ensemble::default();
        let mut members = [Member::default(); 8];
        let mut renewed_ns = [None; 8];
        let mut now_ns = begin_ns;
        for (number, event, gap_ns) in events {
            now_ns += gap_ns;
            match event {
                Event::Renew => {
                    ensemble.renew(&mut members[number], now_ns);
                    renewed_ns[number] = Some(now_ns);
                }
                Event::Leave => {
                    ensemble.leave(&mut members[number]);
                    renewed_ns[number] = None;
                }
                Event::Wait => {}
            }
            for (own, member) in members.iter().enumerate() {
                prop_assert_eq!(
                    ensemble.siblings(member, now_ns),
                    expected(&renewed_ns, own, now_ns)
                );
            }
        }
    }

    /// Whatever the host did to an entry, two periods later the count is right again.
    #[test]
    fn every_mistake_ends_after_two_periods(
        previous in 0..=MAX_MEMBERS,
        present in 0..=MAX_MEMBERS,
        period in 0u64..1000,
        late_ns in 0..3 * PERIOD_NS,
    ) {
        let mut ensemble = Ensemble { counts: (period + 1) << 32 | previous << 16 | present };
        let now_ns = (period + 2) * PERIOD_NS + late_ns;
        prop_assert_eq!(ensemble.siblings(&Member::default(), now_ns), 0);
        let mut members = [Member::default(); 3];
        for member in &mut members {
            ensemble.renew(member, now_ns);
        }
        prop_assert_eq!(ensemble.siblings(&members[0], now_ns), 2);
    }

    /// Any numbers: nothing overflows, and nothing is counted below 0.
    #[test]
    fn any_counts_are_taken(counts: u64, now_ns: u64, then_ns: u64) {
        let mut ensemble = Ensemble { counts };
        let mut member = Member::default();
        ensemble.renew(&mut member, now_ns);
        ensemble.leave(&mut member);
        ensemble.renew(&mut member, then_ns);
        prop_assert!(ensemble.siblings(&member, now_ns) <= 2 * MAX_MEMBERS);
    }
}
