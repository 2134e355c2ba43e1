//! RFC 3465: TCP Congestion Control with Appropriate Byte Counting, and its use in each stack.

use crate::script::{plain, Script, MS_NS};
use onramp_tcp::{Avoidance, ByteCounting, Config, InitialWindow, Recovery, Stack};
use std::num::NonZeroU8;

/// One segment per ACK, a limit of two segments, and no limit.
const LIMITS: [ByteCounting; 3] = [
    ByteCounting::ACKS,
    ByteCounting::Segments(NonZeroU8::new(2).expect("it is not zero")),
    ByteCounting::Unlimited,
];

/// A sender with 12 segments in flight, which fill its cwnd.
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
fn an_acknowledgement_raises_cwnd_by_at_most_the_limit() {
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
            //= RFC 3465 section 2.2: by the acknowledged bytes, and by at most L segments
            assert_eq!(grown, [1, 2, 4], "{stack:?} {startup:?}");
        }
    }
}

#[test]
fn an_ack_of_less_than_the_limit_counts_by_its_bytes() {
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

/// But not to BBR, whose cwnd follows what is delivered.
#[test]
fn the_limit_applies_to_every_congestion_avoidance() {
    let counting = Avoidance::ALL.iter();
    for avoidance in
        counting.filter(|avoidance| !matches!(avoidance, Avoidance::Bbr | Avoidance::Bbr3))
    {
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
fn after_a_timeout_the_limit_is_one_segment() {
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
        // timeout
        script.ack(4_000);
        script.window().0
    });
    assert_eq!(grown, [2, 2, 5]);
}

/// For Tahoe the third duplicate ACK is an early timeout, and the acknowledgement of its
/// retransmission may be as large.
#[test]
fn a_fast_retransmit_of_tahoe_counts_as_a_timeout() {
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
fn each_stack_has_its_own_limit() {
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
