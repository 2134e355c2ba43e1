//! Arbitrary inputs of the properties: starts, and events that change what a host reports.

use crate::ack_train::any_size;
use onramp_core::{
    Ack, Clock, Decision, Start, ACK_CWND_LIMITED, ACK_RECOVERING, OPTION_PAIRS,
    OPTION_PAPER_INITIAL_WINDOW, OPTION_TIMESTAMPS, UNLIMITED,
};
use proptest::prelude::*;

/// An ACK as a host sees it change. The rest follows from the previous ACK.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) gap_ns: u64,
    pub(crate) acked_segments: u64,
    /// The filled part of cwnd, in 1/256.
    pub(crate) window_filled: u64,
    pub(crate) flags: u32,
    /// The interval of a pair that the peer reports; mostly none.
    pub(crate) pair_interval_ns: u64,
}

/// A flight of the size of cwnd with some spacing, and sometimes an odd value.
pub(crate) fn changes() -> impl Strategy<Value = Vec<Change>> {
    let usual = (1u32..20).prop_map(|_| ACK_CWND_LIMITED);
    let flags = prop_oneof![30 => usual, 1 => 0..4u32];
    let gap_ns = prop_oneof![200 => Just(0u64), 10 => 1u64..100_000, 1 => 1u64..1_000_000_000];
    let window_filled = prop_oneof![40 => Just(256u64), 1 => 0u64..=256];
    let interval_ns = prop_oneof![20 => Just(0u64), 1 => 1u64..100_000_000];
    let change = (gap_ns, 1u64..3, window_filled, flags, interval_ns).prop_map(
        |(gap_ns, acked_segments, window_filled, flags, pair_interval_ns)| Change {
            gap_ns,
            acked_segments,
            window_filled,
            flags,
            pair_interval_ns,
        },
    );
    (prop::collection::vec(change, 1..600), 100u64..5_000_000).prop_map(
        |(mut changes, spacing_ns)| {
            changes
                .iter_mut()
                .for_each(|change| change.gap_ns += spacing_ns);
            changes
        },
    )
}

/// A possible or impossible report of a host.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// A loss of this kind; `None`: an ACK.
    pub(crate) loss: Option<u32>,
    /// The step of the clock, sometimes backwards.
    pub(crate) gap_ns: i64,
    pub(crate) acked_segments: u64,
    pub(crate) lost_bytes: u64,
    /// Values that contradict the previous record.
    pub(crate) inflight_bytes: Option<u64>,
    pub(crate) cwnd_bytes: Option<u64>,
    pub(crate) delivered_bytes: Option<u64>,
    pub(crate) mss_bytes: Option<u32>,
    pub(crate) srtt_ns: u64,
    pub(crate) rtt_ns: u64,
    pub(crate) flags: u32,
}

pub(crate) fn event() -> impl Strategy<Value = Event> {
    // Up to a petabyte.
    let any_bytes = || any_size().prop_map(|size| size >> 14);
    let rarely =
        |strategy: BoxedStrategy<u64>| prop_oneof![30 => Just(None), 1 => strategy.prop_map(Some)];
    let loss = prop_oneof![150 => Just(None), 1 => (1u32..=3).prop_map(Some)];
    let gap_ns =
        prop_oneof![30 => 1_000i64..1_000_000, 3 => 0i64..1_000_000_000, 1 => -1_000_000_000i64..0];
    let rtt_ns = prop_oneof![
        20 => 99_000_000u64..108_000_000,
        20 => 108_000_000u64..120_000_000,
        2 => Just(0u64),
        1 => any_size(),
    ];
    let lost_bytes = prop_oneof![10 => Just(0u64), 1 => 0u64..100_000];
    let mss_bytes = prop_oneof![50 => Just(None), 1 => (1u32..70_000).prop_map(Some)];
    let flags = prop_oneof![
        1 => Just(ACK_CWND_LIMITED),
        30 => Just(ACK_CWND_LIMITED | ACK_RECOVERING),
        2 => any::<u32>(),
    ];
    let odd = (
        rarely(any_bytes().boxed()),
        rarely((1u64..1 << 50).boxed()),
        rarely(any_bytes().boxed()),
        prop_oneof![20 => 99_000_000u64..120_000_000, 1 => any_size()],
    );
    (
        loss,
        gap_ns,
        1u64..3,
        lost_bytes,
        mss_bytes,
        rtt_ns,
        flags,
        odd,
    )
        .prop_map(
            |(loss, gap_ns, acked_segments, lost_bytes, mss_bytes, rtt_ns, flags, odd)| {
                let (inflight_bytes, cwnd_bytes, delivered_bytes, srtt_ns) = odd;
                Event {
                    loss,
                    gap_ns,
                    acked_segments,
                    lost_bytes,
                    inflight_bytes,
                    cwnd_bytes,
                    delivered_bytes,
                    mss_bytes,
                    srtt_ns,
                    rtt_ns,
                    flags,
                }
            },
        )
}

impl Event {
    /// The record of the event, after the last one.
    pub(crate) fn reported(&self, last: &Ack, decision: &Decision) -> Ack {
        let mss_bytes = self.mss_bytes.unwrap_or(last.mss_bytes);
        let acked_bytes = self.acked_segments * u64::from(mss_bytes);
        let cwnd_bytes = self.cwnd_bytes.unwrap_or(decision.cwnd_bytes);
        Ack {
            now_ns: last.now_ns.wrapping_add_signed(self.gap_ns),
            acked_bytes,
            delivered_bytes: self
                .delivered_bytes
                .unwrap_or(last.delivered_bytes + acked_bytes),
            lost_bytes: last.lost_bytes + self.lost_bytes,
            inflight_bytes: self
                .inflight_bytes
                .unwrap_or(cwnd_bytes.saturating_sub(acked_bytes)),
            srtt_ns: self.srtt_ns,
            rtt_ns: self.rtt_ns,
            cwnd_bytes,
            ssthresh_bytes: decision.ssthresh_bytes,
            // Every third ACK has a reply, with a plausible interval or any other.
            pair_interval_ns: if self.rtt_ns.is_multiple_of(3) {
                last.now_ns.wrapping_sub(1_000_000_000) >> (self.gap_ns & 1)
            } else {
                0
            },
            pair_bytes: last.delivered_bytes,
            peer_window_bytes: self.cwnd_bytes.unwrap_or(0),
            // The receiver's clock counts microseconds, milliseconds, or anything.
            tsval: match self.rtt_ns % 5 {
                0 => self.rtt_ns,
                unit => last.now_ns / [1, 1_000, 1_000_000, 10_000_000][(unit as usize) - 1],
            },
            mss_bytes,
            flags: self.flags,
            // Often none, sometimes any number
            siblings: self.srtt_ns.wrapping_shl(self.flags) >> (self.rtt_ns % 64),
        }
    }
}

pub(crate) fn starts() -> impl Strategy<Value = Start> {
    let options = prop::sample::subsequence(
        vec![OPTION_PAPER_INITIAL_WINDOW, OPTION_PAIRS, OPTION_TIMESTAMPS],
        0..=3,
    )
    .prop_map(|bits| bits.iter().sum());
    // Those of the algorithm with the most variants
    let variant = prop_oneof![Just(0), 0u64..1 << 16];
    (
        536u32..9000,
        1u64..40,
        prop_oneof![3 => Just(UNLIMITED), 1 => 10_000u64..1_000_000],
        options,
        variant,
        0u32..30,
    )
        .prop_map(
            |(mss_bytes, segments, ssthresh_bytes, options, variant, event_bits)| Start {
                now_ns: 1_000_000_000,
                clock: Clock {
                    measure_ns: 1,
                    event_ns: (1 << event_bits) - 1,
                },
                cwnd_bytes: segments * u64::from(mss_bytes),
                ssthresh_bytes,
                mss_bytes,
                options,
                variant,
                ..Start::default()
            },
        )
}
