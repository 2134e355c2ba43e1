//! Properties that hold for every congestion avoidance, whatever happens.

use super::*;
use crate::window::UNLIMITED;
use crate::Stack;
use proptest::prelude::*;

const SECOND_NS: u64 = 1_000_000_000;

#[derive(Clone, Copy, Debug)]
enum Event {
    Ack {
        gap_ns: u64,
        delivered: u64,
        rtt_ns: Option<u64>,
        cwnd_limited: bool,
        startup: bool,
    },
    Mark,
    Loss,
    Timeout,
    Idle(u64),
}

fn usual() -> impl Strategy<Value = Event> {
    let ack = (
        0..SECOND_NS / 10,
        0..30_000u64,
        prop::option::weighted(0.9, 1..SECOND_NS),
        0..10u32,
        0..10u32,
    );
    let ack = ack.prop_map(|(gap_ns, delivered, rtt_ns, limited, startup)| Event::Ack {
        gap_ns,
        delivered,
        rtt_ns,
        cwnd_limited: limited > 0,
        startup: startup == 0,
    });
    prop_oneof![
        60 => ack,
        2 => Just(Event::Mark),
        2 => Just(Event::Loss),
        1 => Just(Event::Timeout),
        1 => (0..100 * SECOND_NS).prop_map(Event::Idle),
    ]
}

/// Any values of the types.
fn unusual() -> impl Strategy<Value = Event> {
    let any_size = || prop_oneof![any::<u64>(), 0..3u64, Just(u64::MAX)];
    let ack = (
        any_size(),
        any_size(),
        prop::option::of(any_size()),
        any::<bool>(),
        any::<bool>(),
    );
    let ack = ack.prop_map(
        |(gap_ns, delivered, rtt_ns, cwnd_limited, startup)| Event::Ack {
            gap_ns,
            delivered,
            rtt_ns,
            cwnd_limited,
            startup,
        },
    );
    prop_oneof![
        20 => ack,
        2 => Just(Event::Mark),
        2 => Just(Event::Loss),
        1 => Just(Event::Timeout),
        1 => any_size().prop_map(Event::Idle),
    ]
}

fn choices() -> impl Strategy<Value = (crate::Avoidance, Stack)> {
    (
        prop::sample::select(crate::Avoidance::ALL),
        prop::sample::select(Stack::ALL),
    )
}

/// Reports events to a congestion avoidance as a connection would, and checks the window.
struct Host {
    avoidance: AnyAvoidance,
    /// Only Vegas reduces cwnd without a loss.
    lowers: bool,
    window: Window,
    now_ns: u64,
    una: u64,
}

impl Host {
    fn new((choice, stack): (crate::Avoidance, Stack), window: Window) -> Host {
        let lowers = choice == crate::Avoidance::Vegas;
        let config = Config {
            avoidance: choice,
            ..Config::of(stack, 1500)
        };
        Host {
            avoidance: new(&config),
            lowers,
            window,
            now_ns: 0,
            una: 0,
        }
    }

    fn play(&mut self, event: Event) {
        match event {
            Event::Ack {
                gap_ns,
                delivered,
                rtt_ns,
                cwnd_limited,
                startup,
            } => {
                self.now_ns = self.now_ns.saturating_add(gap_ns);
                self.una = self.una.saturating_add(delivered);
                self.acknowledge(&AckSample {
                    now_ns: self.now_ns,
                    delivered_bytes: delivered,
                    has_ece: delivered % 3 == 0,
                    lost_bytes: 0,
                    una: self.una,
                    nxt: self.una.saturating_add(self.window.cwnd_bytes),
                    inflight_bytes: self.window.cwnd_bytes,
                    rtt_ns,
                    srtt_ns: rtt_ns.unwrap_or(0),
                    cwnd_limited,
                    startup,
                });
            }
            Event::Mark => {
                let window = self.window;
                self.window.ssthresh_bytes =
                    self.avoidance
                        .ssthresh_after_mark(&window, self.now_ns, window.cwnd_bytes);
                self.window.cwnd_bytes = window.cwnd_bytes.min(self.window.ssthresh_bytes);
            }
            Event::Loss => {
                self.reduce();
                self.window.cwnd_bytes = self.window.ssthresh_bytes;
            }
            Event::Timeout => {
                self.reduce();
                self.avoidance.timeout();
                self.window.cwnd_bytes = u64::from(self.window.mss_bytes);
            }
            Event::Idle(idle_ns) => {
                let since_ns = self.now_ns;
                self.now_ns = self.now_ns.saturating_add(idle_ns);
                self.avoidance.resume(since_ns, self.now_ns);
            }
        }
        assert!(
            self.window.cwnd_bytes >= u64::from(self.window.mss_bytes),
            "{:?}",
            self.window
        );
        assert!(
            self.window.ssthresh_bytes >= 2 * u64::from(self.window.mss_bytes),
            "{:?}",
            self.window
        );
    }

    fn acknowledge(&mut self, ack: &AckSample) {
        let before = self.window;
        self.avoidance.measure(&mut self.window, ack);
        assert_eq!(
            self.window.cwnd_bytes, before.cwnd_bytes,
            "measuring does not change cwnd"
        );
        assert!(
            self.window.ssthresh_bytes <= before.ssthresh_bytes,
            "measuring does not raise ssthresh"
        );
        if ack.startup {
            return;
        }
        let before = self.window;
        self.avoidance.raise(&mut self.window, ack);
        assert!(
            self.lowers || self.window.cwnd_bytes >= before.cwnd_bytes,
            "{before:?} to {:?}",
            self.window
        );
        if before.in_slow_start() {
            // A part of a segment may have been carried over from the previous ACK.
            let max = ack
                .delivered_bytes
                .saturating_add(u64::from(before.mss_bytes));
            let growth = self.window.cwnd_bytes.saturating_sub(before.cwnd_bytes);
            assert!(growth <= max, "{growth} for {}", ack.delivered_bytes);
        }
    }

    fn reduce(&mut self) {
        self.window.ssthresh_bytes =
            self.avoidance
                .ssthresh(&self.window, self.now_ns, self.window.cwnd_bytes);
    }
}

fn window(segments: u64, mss_bytes: u32) -> Window {
    Window {
        cwnd_bytes: segments * u64::from(mss_bytes),
        ssthresh_bytes: UNLIMITED,
        mss_bytes,
    }
}

proptest! {
    #[test]
    fn windows_stay_within_their_bounds(
        choice in choices(),
        segments in 1..40u64,
        mss in 536..9000u32,
        events in prop::collection::vec(usual(), 1..300),
    ) {
        let mut host = Host::new(choice, window(segments, mss));
        events.iter().for_each(|event| host.play(*event));
    }

    #[test]
    fn no_value_breaks_the_limits(
        choice in choices(),
        mss in 1..65_536u32,
        events in prop::collection::vec(unusual(), 1..60),
    ) {
        let mut host = Host::new(choice, window(10, mss));
        events.iter().for_each(|event| host.play(*event));
    }
}
