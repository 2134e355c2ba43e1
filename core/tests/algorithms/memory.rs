//! The memory of paths (`core/parts/path_memory.h`) against the rules of RFC 9959, and under any
//! sequence of events.

use onramp_core::memory::{
    fits, news, window, Entry, News, HALVING_NS, JUMP_SEGMENTS, KEEP_NS, LIFETIME_NS,
};
use onramp_core::{Decision, Start, OPTION_RESUME_AT_ONCE, UNLIMITED};
use proptest::prelude::*;

const MS: u64 = 1_000_000;
const S: u64 = 1_000 * MS;
const WINDOW: u64 = 14_480;

fn learned(bytes: u64, rtt_ns: u64) -> Decision {
    Decision {
        learned_bytes: bytes,
        learned_rtt_ns: rtt_ns,
        ..Decision::default()
    }
}

/// A decision that the pipe was full with this BDP.
fn full(bytes: u64, rtt_ns: u64) -> Decision {
    Decision {
        is_full: 1,
        ..learned(bytes, rtt_ns)
    }
}

/// The start of a connection whose handshake took this long.
fn start(srtt_ns: u64, options: u32) -> Start {
    Start {
        cwnd_bytes: WINDOW,
        mss_bytes: 1448,
        srtt_ns,
        options,
        ..Start::default()
    }
}

/// An entry of 600 kB in 100 ms. A connection that has ended saved it at 1 s.
fn entry() -> Entry {
    Entry {
        bytes: 600_000,
        rtt_ns: 100 * MS,
        saved_ns: S,
        user: 0,
        used_ns: 0,
        author: 1,
        confirmed_bytes: 600_000,
        confirmed_ns: S,
    }
}

fn taken(entry: &mut Entry, user: u64, now_ns: u64, srtt_ns: u64) -> Option<(u64, u64)> {
    let mut start = start(srtt_ns, 0);
    let has_it = entry.take(user, now_ns, 0, &mut start);
    assert_eq!(has_it, start.remembered_bytes != 0);
    has_it.then_some((start.remembered_bytes, start.remembered_rtt_ns))
}

/// RFC 9959, section 4.2.1.
#[test]
fn a_round_trip_of_half_or_of_more_than_ten_times_is_of_another_path() {
    let seen = [0, 1, 49, 50, 51, 100, 999, 1000, 1001].map(|ms| fits(100 * MS, ms * MS));
    assert_eq!(
        seen,
        [false, false, false, false, true, true, true, true, false]
    );
    assert!(!fits(100, 50) && fits(100, 51) && fits(100, 1000) && !fits(100, 1001));
    assert!(
        !fits(0, 0)
            && !fits(0, 1)
            && !fits(1, 0)
            && fits(UNLIMITED, UNLIMITED)
            && !fits(UNLIMITED, UNLIMITED / 2)
    );
}

#[test]
fn the_remembered_bdp_is_used_where_the_rtt_fits() {
    for (srtt_ms, fits) in [
        (100, true),
        (51, true),
        (50, false),
        (1000, true),
        (1001, false),
    ] {
        assert_eq!(
            taken(&mut entry(), 7, 2 * S, srtt_ms * MS),
            fits.then_some((600_000, 100 * MS)),
            "{srtt_ms} ms"
        );
    }
}

#[test]
fn without_a_handshake_rtt_the_entry_waits_for_one() {
    let take = |options| {
        let mut start = start(0, options);
        (
            entry().take(7, 2 * S, 0, &mut start),
            start.remembered_bytes,
        )
    };
    assert_eq!(take(0), (true, 600_000));
    assert_eq!(
        take(OPTION_RESUME_AT_ONCE),
        (false, 0),
        "that does not wait"
    );
}

/// The jump of a connection that would resume at once, with this cap; 0: it resumes carefully.
fn jump(entry: &Entry, now_ns: u64, max_jump_bytes: u64, srtt_ns: u64) -> u64 {
    let mut entry = Entry { user: 0, ..*entry };
    let mut start = start(
        if srtt_ns == 0 { entry.rtt_ns } else { srtt_ns },
        OPTION_RESUME_AT_ONCE,
    );
    let fits = entry.take(9, now_ns, max_jump_bytes, &mut start);
    let is_at_once = start.options == OPTION_RESUME_AT_ONCE;
    assert!(!fits || is_at_once == (start.jump_bytes > 0), "{start:?}");
    start.jump_bytes
}

#[test]
fn a_jump_at_once_is_half_of_what_two_connections_have_measured_and_a_hundred_segments() {
    let of = |confirmed_bytes| {
        let entry = Entry {
            confirmed_bytes,
            ..entry()
        };
        jump(&entry, S, 0, 100 * MS)
    };
    let hundred = u64::from(JUMP_SEGMENTS) * 1448;
    assert_eq!(hundred, 144_800);
    assert_eq!(
        [0, 2 * WINDOW - 1, 2 * WINDOW, 200_000, 600_000, UNLIMITED].map(of),
        [0, 0, WINDOW, 100_000, hundred, hundred]
    );
    // The user's cap, which may be larger than the default.
    let capped = |max_bytes| jump(&entry(), S, max_bytes, 100 * MS);
    assert_eq!(
        [WINDOW - 1, WINDOW, 50_000, 10_000_000].map(capped),
        [0, WINDOW, 50_000, 300_000]
    );
}

#[test]
fn a_jump_at_once_is_halved_for_each_minute_since_it_was_confirmed() {
    let after = |ns| jump(&entry(), S + ns, 0, 100 * MS);
    assert_eq!(HALVING_NS, 60 * S);
    assert_eq!(
        [
            0,
            HALVING_NS - 1,
            HALVING_NS,
            3 * HALVING_NS,
            4 * HALVING_NS
        ]
        .map(after),
        [144_800, 144_800, 72_400, 18_100, 0]
    );
    assert_eq!(after(100 * HALVING_NS), 0);
    assert_eq!(
        jump(&entry(), 0, 0, 100 * MS),
        144_800,
        "a clock that is behind"
    );
}

#[test]
fn only_another_connection_confirms_what_was_measured() {
    let mut entry = Entry::default();
    let confirmed = |entry: &Entry| (entry.confirmed_bytes, entry.confirmed_ns);
    entry.save(1, &learned(400_000, 100 * MS), S);
    entry.save(1, &learned(600_000, 100 * MS), 2 * S);
    assert_eq!(confirmed(&entry), (0, 0), "the same connection");
    entry.give_back(1);
    // What both have measured: the smaller of the two.
    entry.save(2, &learned(500_000, 90 * MS), 3 * S);
    assert_eq!(confirmed(&entry), (500_000, 3 * S));
    entry.save(2, &learned(900_000, 90 * MS), 4 * S);
    assert_eq!(
        (entry.bytes, confirmed(&entry)),
        (900_000, (600_000, 4 * S))
    );
    entry.save(2, &learned(950_000, 90 * MS), 5 * S);
    assert_eq!(confirmed(&entry), (600_000, 4 * S), "it is the author now");
    // Half of what is confirmed is a jump, so it confirms that.
    entry.save(3, &learned(300_000, 90 * MS), 6 * S);
    entry.save(3, &learned(299_999, 90 * MS), 7 * S);
    assert_eq!(confirmed(&entry), (600_000, 6 * S));
    // A full pipe of less is the truth, whoever finds it. Another path confirms nothing.
    entry.save(4, &full(200_000, 90 * MS), 8 * S);
    assert_eq!((entry.bytes, entry.confirmed_bytes), (200_000, 200_000));
    entry.save(5, &learned(800_000, 9 * MS), 9 * S);
    assert_eq!((entry.bytes, entry.confirmed_bytes), (800_000, 0));
}

/// Section 3.2.
#[test]
fn one_connection_at_a_time_uses_the_entry() {
    let mut entry = entry();
    assert!(taken(&mut entry, 1, 2 * S, 100 * MS).is_some());
    assert!(taken(&mut entry, 2, 2 * S + 1, 100 * MS).is_none());
    entry.give_back(2);
    assert!(
        taken(&mut entry, 2, 2 * S + 2, 100 * MS).is_none(),
        "it had nothing to give back"
    );
    entry.give_back(1);
    assert!(taken(&mut entry, 2, 2 * S + 3, 100 * MS).is_some());
}

#[test]
fn a_connection_that_does_not_use_the_entry_leaves_it_to_others() {
    let mut entry = entry();
    assert!(taken(&mut entry, 1, 2 * S, 10 * MS).is_none());
    assert!(taken(&mut entry, 2, 2 * S, 100 * MS).is_some());
}

#[test]
fn a_silent_connection_loses_the_entry() {
    let mut entry = entry();
    assert!(taken(&mut entry, 1, 2 * S, 100 * MS).is_some());
    assert!(entry.keep(1, 3 * S) && !entry.keep(2, 3 * S));
    assert!(entry.is_in_use(2, 4 * S) && entry.is_in_use(0, 4 * S) && !entry.is_in_use(1, 4 * S));
    assert!(taken(&mut entry, 2, 4 * S, 100 * MS).is_none());
    assert!(
        taken(&mut entry, 2, 4 * S + 1, 100 * MS).is_some(),
        "after a second"
    );
    assert!(!entry.keep(1, 4 * S + 2));
    entry.give_back(1);
    assert!(
        entry.is_in_use(3, 4 * S + 3),
        "it was not the first one's any more"
    );

    let mut far = Entry {
        rtt_ns: 600 * MS,
        ..self::entry()
    };
    assert!(taken(&mut far, 1, 2 * S, 600 * MS).is_some());
    assert!(
        taken(&mut far, 2, 4 * S + 400 * MS, 600 * MS).is_none(),
        "within four round trips"
    );
    assert!(taken(&mut far, 2, 4 * S + 400 * MS + 1, 600 * MS).is_some());
}

/// Section 3.1: a BDP below four initial windows need not be saved. If the pipe was full, such a
/// BDP shows that a larger remembered one is wrong.
#[test]
fn a_small_bdp_is_not_remembered_and_a_wrong_one_is_forgotten() {
    let of = |bytes, rtt_ns| news(&full(bytes, rtt_ns), WINDOW);
    assert_eq!(news(&Decision::default(), WINDOW), News::None);
    assert_eq!(
        [4 * WINDOW, 4 * WINDOW - 1, 1].map(|bytes| of(bytes, MS)),
        [News::Save, News::Forget, News::Forget]
    );
    let little = [4 * WINDOW, 4 * WINDOW - 1, 1].map(|bytes| news(&learned(bytes, MS), WINDOW));
    assert_eq!(
        little,
        [News::Save, News::None, News::None],
        "a connection that did not fill the pipe knows only a lower bound"
    );
    assert_eq!(
        [of(UNLIMITED, MS), of(UNLIMITED, 0), of(600_000, 0)],
        [News::Forget; 3]
    );
    assert_eq!(
        news(&full(UNLIMITED - 1, 1), UNLIMITED),
        News::Forget,
        "of any window"
    );
}

#[test]
fn small_means_small_compared_with_the_initial_window_or_ten_segments() {
    let of = |cwnd_bytes, is_new| {
        window(
            &Start {
                cwnd_bytes,
                mss_bytes: 1448,
                ..Start::default()
            },
            is_new,
        )
    };
    assert_eq!(
        [of(WINDOW, true), of(1448, true), of(4 * WINDOW, true)],
        [WINDOW, WINDOW, 4 * WINDOW]
    );
    assert_eq!(
        of(4 * WINDOW, false),
        WINDOW,
        "that of a connection that has sent is no initial window"
    );
}

#[test]
fn the_newest_bdp_replaces_the_older_and_its_connection_uses_the_entry() {
    let mut entry = Entry::default();
    assert!(
        taken(&mut entry, 1, S, 100 * MS).is_none(),
        "nothing is remembered yet"
    );
    assert!(entry.save(1, &learned(600_000, 100 * MS), S));
    assert!(
        taken(&mut entry, 2, S + 1, 100 * MS).is_none(),
        "the first connection uses the entry"
    );
    // The second has measured a smaller BDP without filling the pipe: it is only a lower bound.
    assert!(!entry.save(2, &learned(300_000, 90 * MS), S + 1));
    assert_eq!(
        (entry.bytes, entry.rtt_ns, entry.saved_ns, entry.user),
        (600_000, 100 * MS, S, 1)
    );
    // After the second has filled the pipe, the BDP is its share. The first still uses the entry.
    assert!(!entry.save(2, &full(300_000, 90 * MS), S + 2));
    assert_eq!(
        (entry.bytes, entry.rtt_ns, entry.saved_ns, entry.user),
        (300_000, 90 * MS, S + 2, 1)
    );
    entry.give_back(1);
    assert_eq!(
        taken(&mut entry, 3, S + 3, 100 * MS),
        Some((300_000, 90 * MS))
    );
    // A larger BDP is news, and so is the BDP of another path.
    assert!(entry.save(3, &learned(400_000, 90 * MS), S + 4));
    assert!(entry.save(3, &learned(200_000, 45 * MS), S + 5));
    assert_eq!(
        (entry.bytes, entry.rtt_ns, entry.saved_ns),
        (200_000, 45 * MS, S + 5)
    );
}

/// Section 4.3.1. The clock of a processor may be a little behind that of the one that saved.
#[test]
fn an_entry_ends_with_its_lifetime() {
    let entry = entry();
    assert!(
        !entry.is_over(S + LIFETIME_NS, LIFETIME_NS)
            && entry.is_over(S + LIFETIME_NS + 1, LIFETIME_NS)
    );
    assert!(!entry.is_over(S - 1, 0) && !entry.is_over(0, LIFETIME_NS));
    const { assert!(KEEP_NS < S / 2, "the user renews its use in time") };
}

#[derive(Clone, Debug)]
enum Act {
    Begins {
        user: u64,
        srtt_ns: u64,
        options: u32,
    },
    Hears {
        user: u64,
    },
    Learns {
        user: u64,
        bytes: u64,
        rtt_ns: u64,
        is_full: bool,
    },
    Ends {
        user: u64,
    },
}

fn acts() -> impl Strategy<Value = Vec<(u64, Act)>> {
    let user = || 1u64..5;
    let rtt_ns = || prop_oneof![Just(0), 1u64..5 * S, Just(UNLIMITED)];
    let bytes = prop_oneof![Just(0), 0..20 * WINDOW, Just(UNLIMITED)];
    let act = prop_oneof![
        (
            user(),
            rtt_ns(),
            prop_oneof![Just(0), Just(OPTION_RESUME_AT_ONCE)]
        )
            .prop_map(|(user, srtt_ns, options)| Act::Begins {
                user,
                srtt_ns,
                options
            }),
        user().prop_map(|user| Act::Hears { user }),
        (user(), bytes, rtt_ns(), any::<bool>()).prop_map(|(user, bytes, rtt_ns, is_full)| {
            Act::Learns {
                user,
                bytes,
                rtt_ns,
                is_full,
            }
        }),
        user().prop_map(|user| Act::Ends { user }),
    ];
    prop::collection::vec((prop_oneof![0..S / 4, 0..3 * S], act), 1..100)
}

/// At most one connection has renewed its use within a second and is still the user. Either every
/// connection may take the entry, or only its user.
fn has_one_user(entry: &Entry, renewed: &[Option<u64>; 5], now_ns: u64) -> bool {
    let users = (1..5u64).filter(|user| {
        entry.user == *user && renewed[*user as usize].is_some_and(|at| now_ns - at <= S)
    });
    let others = (1..5u64)
        .filter(|user| !entry.is_in_use(*user, now_ns))
        .count();
    users.count() <= 1 && (others == 4 || others <= 1)
}

proptest! {
    /// In any sequence of events, at most one connection uses the entry. A connection gets only a
    /// BDP that was saved and that it may use.
    #[test]
    fn an_entry_has_one_user_and_the_bdp_that_was_saved_last(acts in acts()) {
        let (mut entry, mut now_ns) = (Entry::default(), 0);
        let mut last: Option<(u64, u64)> = None;
        // When each connection last renewed its use of the entry, as far as it knows.
        let mut has: [Option<u64>; 5] = [None; 5];
        for (pause_ns, act) in acts {
            now_ns += pause_ns;
            match act {
                Act::Begins {
                    user,
                    srtt_ns,
                    options,
                } => {
                    let mut start = start(srtt_ns, options);
                    let before = entry;
                    let has_it = entry.take(user, now_ns, 0, &mut start);
                    prop_assert_eq!(
                        has_it.then_some((start.remembered_bytes, start.remembered_rtt_ns)),
                        last.filter(|_| has_it)
                    );
                    // Nothing that is left of a jump at once: it is used carefully.
                    let at_once = jump(&before, now_ns, 0, srtt_ns) > 0;
                    let waits = srtt_ns == 0 && (options == 0 || !at_once);
                    prop_assert!(start.jump_bytes <= before.confirmed_bytes / 2);
                    prop_assert_eq!(start.jump_bytes > 0, has_it && options != 0 && at_once);
                    let may = last.is_some_and(|(_, rtt_ns)| waits || fits(rtt_ns, srtt_ns));
                    prop_assert_eq!(has_it, may && !before.is_in_use(user, now_ns));
                    has[user as usize] = has_it.then_some(now_ns).or(has[user as usize]);
                }
                Act::Hears { user } => {
                    let still = entry.keep(user, now_ns);
                    prop_assert_eq!(still, entry.user == user);
                    has[user as usize] = still.then_some(now_ns);
                }
                Act::Learns {
                    user,
                    bytes,
                    rtt_ns,
                    is_full,
                } => {
                    let learned = if is_full {
                        full(bytes, rtt_ns)
                    } else {
                        learned(bytes, rtt_ns)
                    };
                    match news(&learned, WINDOW) {
                        News::None => prop_assert!(bytes == 0 || bytes < 4 * WINDOW && !is_full),
                        News::Save => {
                            prop_assert!(bytes >= 4 * WINDOW && bytes != UNLIMITED && rtt_ns > 0);
                            let has_it = entry.save(user, &learned, now_ns);
                            let stays = last.filter(|(before, rtt)| {
                                !is_full && bytes < *before && fits(*rtt, rtt_ns)
                            });
                            last = stays.or(Some((bytes, rtt_ns)));
                            has[user as usize] = has_it.then_some(now_ns);
                        }
                        News::Forget => (entry, last) = (Entry::default(), None),
                    }
                }
                Act::Ends { user } => {
                    entry.give_back(user);
                    has[user as usize] = None;
                }
            }
            prop_assert!(has_one_user(&entry, &has, now_ns));
        }
    }
}
