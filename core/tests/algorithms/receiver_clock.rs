//! The receiver's clock (core/measure/receiver_clock.h): which timestamps are used as its time.

use crate::flights::{start, Receiver, MS};
use onramp_core::receiver_clock::ReceiverClock;
use onramp_core::{Ack, Start, OPTION_TIMESTAMPS};
use proptest::prelude::*;

const US: u64 = 1000;
/// The ticks of usual hosts.
const TICKS: [u64; 4] = [MS, US, 4 * MS, 10 * MS];

/// An ACK that arrives this time after the handshake.
fn ack(start: &Start, elapsed_ns: u64, tsval: u64) -> Ack {
    Ack {
        now_ns: start.now_ns + elapsed_ns,
        tsval,
        ..Ack::default()
    }
}

/// The times of the ACKs that arrive at these times after the handshake.
fn times(
    tsval: impl Fn(u64) -> u64,
    elapsed_ns: impl IntoIterator<Item = u64>,
) -> (Vec<Option<u64>>, ReceiverClock) {
    let start = Start {
        now_ns: 77 * MS,
        options: OPTION_TIMESTAMPS,
        tsval: tsval(0),
        ..start()
    };
    let mut clock = ReceiverClock::begin(&start);
    let times = elapsed_ns
        .into_iter()
        .map(|elapsed_ns| clock.time_ns(&ack(&start, elapsed_ns, tsval(elapsed_ns))))
        .collect();
    (times, clock)
}

#[test]
fn the_ticks_of_usual_hosts_are_recognised() {
    for tick_ns in TICKS {
        let receiver = Receiver {
            tick_ns,
            first_tsval: 123_456_789,
        };
        let (times, clock) = times(|at_ns| receiver.tsval(at_ns), [100 * MS, 107 * MS]);
        assert_eq!(clock.tick_ns(), Some(tick_ns));
        let expected = [100 * MS, 107 * MS / tick_ns * tick_ns];
        assert_eq!(times, expected.map(Some), "{tick_ns} ns");
    }
}

/// Seven ticks may be any of several lengths.
#[test]
fn eight_ticks_are_needed() {
    for tick_ns in TICKS {
        let receiver = Receiver {
            tick_ns,
            first_tsval: 5,
        };
        let (times, _) = times(
            |at_ns| receiver.tsval(at_ns),
            [0, 1, 7, 8, 9].map(|ticks| ticks * tick_ns),
        );
        let known = [None, None, None, Some(8 * tick_ns), Some(9 * tick_ns)];
        assert_eq!(times, known, "{tick_ns} ns");
    }
}

#[test]
fn without_timestamps_there_is_no_time() {
    let receiver = Receiver {
        tick_ns: MS,
        first_tsval: 9,
    };
    let start = Start {
        options: 0,
        ..receiver.start()
    };
    let mut clock = ReceiverClock::begin(&start);
    let ack = ack(&start, 100 * MS, receiver.tsval(100 * MS));
    assert_eq!((clock.time_ns(&ack), clock.tick_ns()), (None, None));
}

/// A clock may be an eighth too fast or too slow. What is farther from every usual length is not
/// used.
#[test]
fn an_unusual_tick_is_not_used() {
    for (tick_ns, used) in [
        (MS * 10 / 11, true),
        (MS * 11 / 10, true),
        (MS * 4 / 5, false),
        (MS * 5 / 4, false),
        (2 * MS, false),
        (100 * US, false),
        (100, false),
        (10 * US, false),
        (20 * MS, false),
        (1000 * MS, false),
    ] {
        let receiver = Receiver {
            tick_ns,
            first_tsval: 1,
        };
        let (times, clock) = times(|at_ns| receiver.tsval(at_ns), (100..2000).map(|ms| ms * MS));
        assert_eq!(clock.tick_ns().is_some(), used, "{tick_ns} ns");
        assert!(times.iter().all(|time| time.is_some() == used));
    }
}

#[test]
fn a_clock_that_is_constant_or_runs_backwards_is_not_used() {
    let constant = |_| 4242;
    let backwards = |at_ns| u64::from(1_000_000_u32.wrapping_sub((at_ns / MS) as u32));
    for tsval in [constant, backwards] {
        let (times, clock) = times(tsval, (0..2000).map(|ms| ms * MS));
        assert_eq!(clock.tick_ns(), None);
        assert!(times.iter().all(Option::is_none));
    }
}

#[test]
fn random_timestamps_are_not_used() {
    let random = |at_ns: u64| (at_ns + 1).wrapping_mul(0xd129_42a0_92f3_8ba5) >> 32;
    let (times, clock) = times(random, (0..200).map(|ms| ms * MS + 1));
    assert_eq!(clock.tick_ns(), None);
    assert!(times.iter().all(Option::is_none));
}

/// An ACK that was overtaken on the return path has an older timestamp. One from before the
/// handshake has no time.
#[test]
fn a_timestamp_from_before_the_handshake_has_no_time() {
    let receiver = Receiver {
        tick_ns: MS,
        first_tsval: 3,
    };
    let start = receiver.start();
    let mut clock = ReceiverClock::begin(&start);
    for (elapsed_ns, tsval, time_ns) in [
        (100 * MS, receiver.tsval(100 * MS), Some(100 * MS)),
        (101 * MS, receiver.tsval(99 * MS), Some(99 * MS)),
        (102 * MS, 2, None),
        (103 * MS, u64::from(u32::MAX), None),
        (104 * MS, receiver.tsval(104 * MS), Some(104 * MS)),
    ] {
        assert_eq!(clock.time_ns(&ack(&start, elapsed_ns, tsval)), time_ns);
    }
}

#[test]
fn the_wrap_of_32_bits_changes_nothing() {
    for tick_ns in TICKS {
        for before_wrap in [0, 1, 8, 20] {
            let receiver = Receiver {
                tick_ns,
                first_tsval: u32::MAX - before_wrap,
            };
            let elapsed_ns = (8..40).map(|ticks| ticks * tick_ns);
            let (times, _) = times(|at_ns| receiver.tsval(at_ns), elapsed_ns.clone());
            assert_eq!(times, elapsed_ns.map(Some).collect::<Vec<_>>());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Whatever the return path does to ACKs, up to an eighth of the elapsed time.
    #[test]
    fn a_recognised_time_is_a_tick_early_at_most(
        place in 0usize..TICKS.len(),
        first_tsval in any::<u32>(),
        gaps_ns in prop::collection::vec((0..20 * MS, 0u64..=8), 1..200),
    ) {
        let receiver = Receiver { tick_ns: TICKS[place], first_tsval };
        let start = receiver.start();
        let mut clock = ReceiverClock::begin(&start);
        let mut sent_ns = 0;
        for (gap_ns, share) in gaps_ns {
            sent_ns += gap_ns;
            let late_ns = sent_ns / 80 * share;
            let time_ns = clock.time_ns(&ack(&start, sent_ns + late_ns, receiver.tsval(sent_ns)));
            prop_assert!(clock.tick_ns().is_none_or(|tick_ns| tick_ns == receiver.tick_ns));
            prop_assert_eq!(
                time_ns,
                clock.tick_ns().map(|tick_ns| sent_ns / tick_ns * tick_ns).filter(|ns| *ns > 0)
            );
            prop_assert!(time_ns.is_some() || sent_ns < 8 * receiver.tick_ns);
        }
    }

    /// A clock of another length that is known is known for good.
    #[test]
    fn nothing_a_receiver_sends_changes_a_known_tick(
        tsvals in prop::collection::vec((0..50 * MS, any::<u64>()), 0..100),
    ) {
        let receiver = Receiver { tick_ns: 4 * MS, first_tsval: 1_000_000 };
        let start = receiver.start();
        let mut clock = ReceiverClock::begin(&start);
        let mut elapsed_ns = 100 * MS;
        clock.time_ns(&ack(&start, elapsed_ns, receiver.tsval(elapsed_ns)));
        for (gap_ns, tsval) in tsvals {
            elapsed_ns += gap_ns;
            clock.time_ns(&ack(&start, elapsed_ns, tsval));
            prop_assert_eq!(clock.tick_ns(), Some(4 * MS));
        }
    }
}
