//! RFC 1122, Requirements for Internet Hosts: acknowledgements, and peers that do not answer.

use crate::script::{plain, Script, MS_NS};
use onramp_tcp::{Acks, Config, Failure, Recovery, Timers};

#[test]
fn at_least_every_second_full_segment_is_acknowledged_immediately() {
    // A host that joins segments stretches ACKs.
    let joins = [Acks::Every4, Acks::Every16];
    for &acks in Acks::ALL.iter().filter(|acks| !joins.contains(acks)) {
        let mut script = Script::new(Config {
            acks,
            ..plain(Recovery::Rack)
        });
        let mut unacknowledged = 0;
        for index in 0..50 {
            script.now_ns += MS_NS;
            unacknowledged = if script.data(1000 * index, 1000, 0).is_empty() {
                unacknowledged + 1
            } else {
                0
            };
            //= RFC 1122 section 4.2.3.2: "in a stream of full-sized segments there SHOULD be an ACK
            // for at least every second segment"
            assert!(unacknowledged < 2, "{acks:?}");
        }
    }
}

#[test]
fn no_acknowledgement_is_delayed_by_half_a_second() {
    for &acks in Acks::ALL {
        let mut script = Script::new(Config {
            acks,
            ..plain(Recovery::Rack)
        });
        for index in 0..30 {
            let at_ms = 1000 + 1000 * index as u64;
            script.idle_until(at_ms);
            let immediate = script.data(100 * index, 100, 0);
            //= RFC 1122 section 4.2.3.2: "the delay MUST be less than 0.5 seconds"
            let later = script.until(at_ms + 499);
            assert_eq!(immediate.len() + later.len(), 1, "{acks:?}");
        }
    }
}

#[test]
fn silence_is_tolerated_for_at_least_100_seconds_but_not_for_ever() {
    for &timers in Timers::ALL {
        for &recovery in Recovery::ALL {
            let mut script = Script::new(Config {
                timers,
                ..plain(recovery)
            });
            script.write(5000);
            //= RFC 1122 section 4.2.3.5: "The value of R2 SHOULD correspond to at least 100
            // seconds"
            assert!(!script.until(100_000).is_empty());
            assert_eq!(script.end.failure(), None, "{timers:?} {recovery:?}");
            script.until(10_000_000);
            assert_eq!(
                script.end.failure(),
                Some(Failure::TimedOut),
                "{timers:?} {recovery:?}"
            );
        }
    }
}

#[test]
fn a_reset_that_answers_data_ends_the_connection() {
    let mut script = Script::new(plain(Recovery::Rack));
    script.write(1000);
    let reset = onramp_tcp::Segment {
        flags: onramp_tcp::Flags::RST,
        ..script.bare(1000)
    };
    //= RFC 1122 section 4.2.2.12
    assert!(script.arrives(reset).is_empty());
    assert_eq!(script.end.failure(), Some(Failure::Reset));
}
