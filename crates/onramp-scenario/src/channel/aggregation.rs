//! `aggregate` and `aggregate_most`: packets that arrive together, as over a wireless network.

use super::parameter::{ChannelSource, LinkContext, Parameter};
use super::queue_limit::QueueLimit;
use crate::key::{keys, AnyKey, Fallback, Integer, Key, Time};
use crate::units::format_time;
use onramp_net::Config;
use std::num::NonZeroU32;

keys! { KEYS:
    AGGREGATE: Time = Key::new(
        "aggregate",
        Fallback::Other("none"),
        "At the end of the channel packets are held for this time after the first of them, then \
         arrive together.",
    )
    .ranges(&[("1 ns", "60 s")]);
    AGGREGATE_MOST: Integer<u32> = Key::new(
        "aggregate_most",
        Fallback::Text("64"),
        "With `aggregate`: the packets arrive as soon as this many are held.",
    )
    .ranges(&[("1", "1000000")]);
}

/// Packets are held and released together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aggregation {
    /// Time from the first held packet to the release of all.
    pub interval_ns: u64,
    /// The packets are released as soon as this many are held.
    pub max_packets: u32,
}

pub(crate) struct PacketAggregation;

impl Parameter for PacketAggregation {
    type Value = Option<Aggregation>;
    const KEYS: &'static [&'static dyn AnyKey] = KEYS;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<Self::Value> {
        let interval_ns = source.one(&AGGREGATE);
        let max_packets = source.one(&AGGREGATE_MOST);
        source.need(&AGGREGATE_MOST, &AGGREGATE);
        let aggregation = interval_ns
            .zip(max_packets)
            .map(|(interval_ns, max_packets)| Aggregation {
                interval_ns,
                max_packets,
            });
        vec![aggregation]
    }

    fn describe(aggregation: &Self::Value, _: QueueLimit) -> Option<String> {
        let aggregation = (*aggregation)?;
        let interval = format_time(aggregation.interval_ns);
        Some(format!(
            "aggregate {interval} or {}",
            aggregation.max_packets
        ))
    }

    fn configure(aggregation: &Self::Value, _: &LinkContext, config: &mut Config) {
        config.aggregation = aggregation.map(|aggregation| onramp_net::Aggregation {
            interval_ns: aggregation.interval_ns,
            max_packets: NonZeroU32::new(aggregation.max_packets).unwrap_or(NonZeroU32::MIN),
        });
    }
}
