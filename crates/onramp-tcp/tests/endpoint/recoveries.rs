//! Properties of all loss recoveries.

use crate::pair::{clean, Crossing, End, Pair, DELAY_NS};
use onramp_tcp::{Config, Recovery, Stack};

#[test]
fn nothing_is_retransmitted_on_a_clean_path() {
    for &recovery in Recovery::ALL {
        for stack in [Stack::Linux, Stack::Lite] {
            let config = Config {
                recovery,
                ..Config::of(stack, 1500)
            };
            let mut pair = Pair::new(Config::of(stack, 1500), config);
            pair.download(1_000_000, 100_000_000_000, &mut clean);
            assert_eq!(
                pair.end(End::Server).stats().retransmitted_segments,
                0,
                "{recovery:?} {stack:?}"
            );
            assert_eq!(
                pair.end(End::Server).stats().timeouts,
                0,
                "{recovery:?} {stack:?}"
            );
        }
    }
}

#[test]
fn one_lost_segment_is_retransmitted_once_and_without_a_timeout() {
    for &recovery in Recovery::ALL {
        let config = Config {
            recovery,
            ..Config::of(Stack::Linux, 1500)
        };
        let mut pair = Pair::new(Config::of(Stack::Linux, 1500), config);
        let mut path = |crossing: &Crossing| match (crossing.from, crossing.number) {
            (End::Server, 20) => vec![],
            _ => vec![DELAY_NS],
        };
        pair.download(500_000, 100_000_000_000, &mut path);
        let stats = pair.end(End::Server).stats();
        assert_eq!(stats.timeouts, 0, "{recovery:?}");
        if recovery != Recovery::Tahoe {
            assert_eq!(stats.retransmitted_segments, 1, "{recovery:?}");
            assert_eq!(stats.recoveries, 1, "{recovery:?}");
        }
    }
}

#[test]
fn many_losses_are_repaired() {
    for &recovery in Recovery::ALL {
        for every in [4, 7, 10, 50] {
            let config = Config {
                recovery,
                ..Config::of(Stack::Linux, 1500)
            };
            let mut pair = Pair::new(Config::of(Stack::Linux, 1500), config);
            let mut path = |crossing: &Crossing| match crossing.number % every {
                2 => vec![],
                _ => vec![DELAY_NS],
            };
            pair.download(300_000, 10_000_000_000_000, &mut path);
        }
    }
}
