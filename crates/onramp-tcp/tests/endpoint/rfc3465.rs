//! Appropriate Byte Counting, and what the stacks have of it.

use crate::script::{plain, Script, MS_NS};
use onramp_tcp::{Avoidance, ByteCounting, Config, InitialWindow, Recovery, Stack};
use std::num::NonZeroU8;

/// ACKs; a limit; none.
const LIMITS: [ByteCounting; 3] = [
    ByteCounting::ACKS,
    ByteCounting::Segments(NonZeroU8::new(2).expect("it is not zero")),
    ByteCounting::Unlimited,
];

/// With 12 segments outstanding, all that its window permits.
fn sending(byte_counting: ByteCounting, config: Config) -> Script {
    let config = Config {
        byte_counting,
        initial_window: InitialWindow::Segments(12),
        ..config
    };
    let mut script = Script::new(config);
    script.write(1_000_000);
    script.now_ns = 200 * MS_NS;
    script
}

#[test]
fn an_acknowledgement_raises_the_window_by_the_limit_at_most() {
    for stack in Stack::ALL {
        for startup in [None, Some("standard")] {
            let grown = LIMITS.map(|limit| {
                let own = Config {
                    stack: *stack,
                    startup,
                    ..plain(Recovery::NewReno)
                };
                let mut script = sending(limit, own);
                script.ack(4_000);
                script.window().0 - 12
            });
            //= RFC 3465 section 2.2: by what was acknowledged, and by L segments at most
            assert_eq!(grown, [1, 2, 4], "{stack:?} {startup:?}");
        }
    }
}

#[test]
fn less_than_the_limit_counts_for_what_it_is() {
    let mut script = sending(
        LIMITS[1],
        Config {
            stack: Stack::Lite,
            ..plain(Recovery::NewReno)
        },
    );
    script.ack(500);
    assert_eq!(script.end.window().cwnd_bytes, 12_500);
}

#[test]
fn every_avoidance_starts_slowly_by_it() {
    for avoidance in Avoidance::ALL {
        let mut script = sending(
            LIMITS[1],
            Config {
                avoidance: *avoidance,
                ..plain(Recovery::NewReno)
            },
        );
        script.ack(4_000);
        assert_eq!(script.window().0, 14, "{avoidance:?}");
    }
}

#[test]
fn after_a_timeout_it_is_one_segment() {
    let grown = LIMITS.map(|limit| {
        let mut script = sending(
            limit,
            Config {
                sack: false,
                ..plain(Recovery::NewReno)
            },
        );
        script.until(3_000);
        assert_eq!(script.window(), (1, 6), "a timeout");
        //= RFC 3465 section 2.3: L is one segment in a slow start that follows a retransmission
        //timeout
        script.ack(4_000);
        script.window().0
    });
    assert_eq!(grown, [2, 2, 5]);
}

/// To Tahoe the third duplicate is an early timeout, and the acknowledgement of its repair as
/// large.
#[test]
fn a_fast_retransmission_of_tahoe_is_a_timeout_too() {
    let grown = LIMITS.map(|limit| {
        let mut script = sending(limit, plain(Recovery::Tahoe));
        (0..3).for_each(|_| drop(script.ack(0)));
        assert_eq!(script.window().0, 1);
        script.now_ns = 300 * MS_NS;
        script.ack(4_000);
        script.window().0
    });
    assert_eq!(grown, [2, 2, 5]);
}

#[test]
fn the_stacks_have_theirs() {
    assert_eq!(
        Config::of(Stack::Linux, 1500).byte_counting,
        ByteCounting::Unlimited
    );
    //= RFC 5681 section 3.1 equation 2
    assert_eq!(
        Config::of(Stack::Lite, 1500).byte_counting,
        ByteCounting::ACKS
    );
}
