//! `aggregate` and `aggregate_most`: packets that arrive together, as over a wireless network.

use super::limits::BOTH_DIRECTIONS;
use super::parameter::{ChannelSource, LinkContext, Parameter};
use super::queue_limit::QueueLimit;
use onramp_config::key::{keys, AnyKey, Boolean, Fallback, Integer, Time};
use onramp_config::units::format_time;
use onramp_net::Config;
use std::num::NonZeroU32;

keys! { KEYS:
    AGGREGATE: Time = "aggregate", Fallback::Other("none"), ranges &[("1 ns", "60 s")],
        list BOTH_DIRECTIONS,
        "At the end of the channel packets are held for this time after the first of them, then \
         arrive together.";
    AGGREGATE_SLOTS: Boolean = "aggregate_slots", Fallback::Text("false"),
        "With `aggregate`: packets arrive at multiples of that time instead, as with interrupts \
         and with grants of a medium. The first one is at a random time of each run.";
    AGGREGATE_GAP: Time = "aggregate_gap", Fallback::Text("0 s"), ranges &[("0 s", "1 s")],
        "With `aggregate`: time from one packet of an aggregate to the next as they arrive. A \
         kernel takes some microseconds for each.";
    AGGREGATE_MOST: Integer<u32> = "aggregate_most", Fallback::Text("64"),
        ranges &[("1", "1000000")],
        "With `aggregate`: the packets arrive as soon as this many are held.";
}

/// Packets are held and released together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregation {
    /// Time from the first held packet to the release of all.
    pub interval_ns: u64,
    /// The release is at multiples of that time instead.
    pub in_slots: bool,
    /// Time from one packet of an aggregate to the next as they arrive.
    pub gap_ns: u64,
    /// The packets are released as soon as this many are held.
    pub max_packets: u32,
}

pub(crate) struct PacketAggregation;

impl Parameter for PacketAggregation {
    type Value = Option<Aggregation>;
    const KEYS: &'static [&'static dyn AnyKey] = KEYS;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<Self::Value> {
        let slots = source.one(&AGGREGATE_SLOTS);
        let most = source.one(&AGGREGATE_MOST);
        let gap_ns = source.one(&AGGREGATE_GAP);
        source.need(&AGGREGATE_GAP, &AGGREGATE);
        source.need(&AGGREGATE_SLOTS, &AGGREGATE);
        source.need(&AGGREGATE_MOST, &AGGREGATE);
        if !source.section.has(&AGGREGATE) {
            return vec![None];
        }
        let Some(((in_slots, max_packets), gap_ns)) = slots.zip(most).zip(gap_ns) else {
            return Vec::new();
        };
        let aggregation = |interval_ns| {
            Some(Aggregation {
                interval_ns,
                in_slots,
                gap_ns,
                max_packets,
            })
        };
        source
            .list(&AGGREGATE)
            .into_iter()
            .map(aggregation)
            .collect()
    }

    fn describe(aggregation: &Self::Value, _: QueueLimit) -> Option<String> {
        let aggregation = (*aggregation)?;
        let interval = format_time(aggregation.interval_ns);
        let slots = if aggregation.in_slots { " slots" } else { "" };
        let gap = match aggregation.gap_ns {
            0 => String::new(),
            gap_ns => format!(", {} apart", format_time(gap_ns)),
        };
        Some(format!(
            "aggregate {interval}{slots} or {}{gap}",
            aggregation.max_packets
        ))
    }

    fn configure(aggregation: &Self::Value, _: &LinkContext, config: &mut Config) {
        config.aggregation = aggregation.map(|aggregation| onramp_net::Aggregation {
            interval_ns: aggregation.interval_ns,
            in_slots: aggregation.in_slots,
            gap_ns: aggregation.gap_ns,
            max_packets: NonZeroU32::new(aggregation.max_packets).unwrap_or(NonZeroU32::MIN),
        });
    }
}
