//! Token buckets: `shaper_*`, `policer_*`, and `ef_*` for flows with a guaranteed rate.

use super::limits::{BOTH_DIRECTIONS, RATES};
use super::parameter::{not_zero, ChannelSource, LinkContext, Parameter};
use super::queue_limit::QueueLimit;
use crate::mistake::Mistake;
use onramp_config::key::{keys, AnyKey, Fallback, Key, Rate, Size};
use onramp_config::units::{format_rate, format_size};
use onramp_net::Config;

const BURSTS: (&str, &str) = ("1 B", "1 GB");

keys! { SHAPER_KEYS:
    SHAPER_RATE: Rate = "shaper_rate", Fallback::Other("none"), ranges &[RATES],
        list BOTH_DIRECTIONS, "A token bucket of this rate holds packets back in the queue.";
    SHAPER_BURST: Size = "shaper_burst", Fallback::Other("none"), ranges &[BURSTS],
        list BOTH_DIRECTIONS, "Size of the shaper's bucket, which is full at the start.";
}

keys! { POLICER_KEYS:
    POLICER_RATE: Rate = "policer_rate", Fallback::Other("none"), ranges &[RATES],
        list BOTH_DIRECTIONS,
        "A token bucket of this rate drops packets that arrive in excess of it.";
    POLICER_BURST: Size = "policer_burst", Fallback::Other("none"), ranges &[BURSTS],
        list BOTH_DIRECTIONS, "Size of the policer's bucket, which is full at the start.";
}

keys! { EXPEDITED_KEYS:
    EF_RATE: Rate = "ef_rate", Fallback::Other("none"), ranges &[RATES],
        "Expedited forwarding (RFC 3246): the rate guaranteed to each flow with `dscp = \"ef\"`, \
         at most `rate`. Packets of the flow in excess of it are dropped.";
    EF_BURST: Size = "ef_burst", Fallback::Other("none"), ranges &[BURSTS],
        "Size of the token bucket of each such flow, which is full at the start.";
}

/// A token bucket. One token stands for one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    /// The rate at which tokens come.
    pub rate_bits_per_s: u64,
    /// The maximum number of tokens.
    pub burst_bytes: u64,
}

impl TokenBucket {
    fn describe(self, name: &str) -> String {
        let (rate, burst) = (
            format_rate(self.rate_bits_per_s),
            format_size(self.burst_bytes),
        );
        format!("{name} {rate} {burst}")
    }

    fn config(self) -> onramp_net::TokenBucket {
        onramp_net::TokenBucket {
            rate_bits_per_s: not_zero(self.rate_bits_per_s),
            burst_bytes: u32::try_from(self.burst_bytes).unwrap_or(u32::MAX),
        }
    }
}

/// The buckets that the file gives, each rate with each burst; each of both keys needs the other.
fn read(
    source: &mut ChannelSource<'_, '_>,
    rate: &Key<Rate>,
    burst: &Key<Size>,
) -> Vec<Option<TokenBucket>> {
    source.need(rate, burst);
    source.need(burst, rate);
    if !source.section.has(rate) && !source.section.has(burst) {
        return vec![None];
    }
    let (rates, bursts) = (source.list(rate), source.list(burst));
    let mtu_bytes = u64::from(source.mtu_bytes);
    if let Some(min_bytes) = bursts.iter().copied().min().filter(|min| *min < mtu_bytes) {
        let mistake = Mistake::SmallBurst {
            key: source.section.path_of(burst),
            found: format_size(min_bytes),
            mtu: format_size(mtu_bytes),
        };
        source.fault(burst.name(), mistake);
    }
    let with_each_burst = |rate_bits_per_s| {
        let bucket = move |burst_bytes: &u64| {
            Some(TokenBucket {
                rate_bits_per_s,
                burst_bytes: *burst_bytes,
            })
        };
        bursts.iter().map(bucket).collect::<Vec<_>>()
    };
    rates.into_iter().flat_map(with_each_burst).collect()
}

pub(crate) struct Shaper;

impl Parameter for Shaper {
    type Value = Option<TokenBucket>;
    const KEYS: &'static [&'static dyn AnyKey] = SHAPER_KEYS;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<Self::Value> {
        read(source, &SHAPER_RATE, &SHAPER_BURST)
    }

    fn describe(shaper: &Self::Value, _: QueueLimit) -> Option<String> {
        shaper.map(|bucket| bucket.describe("shaper"))
    }

    fn configure(shaper: &Self::Value, _: &LinkContext, config: &mut Config) {
        config.shaper = shaper.map(TokenBucket::config);
    }
}

pub(crate) struct Policer;

impl Parameter for Policer {
    type Value = Option<TokenBucket>;
    const KEYS: &'static [&'static dyn AnyKey] = POLICER_KEYS;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<Self::Value> {
        read(source, &POLICER_RATE, &POLICER_BURST)
    }

    fn describe(policer: &Self::Value, _: QueueLimit) -> Option<String> {
        policer.map(|bucket| bucket.describe("policer"))
    }

    fn configure(policer: &Self::Value, _: &LinkContext, config: &mut Config) {
        config.policer = policer.map(TokenBucket::config);
    }
}

pub(crate) struct Expedited;

impl Parameter for Expedited {
    type Value = Option<TokenBucket>;
    const KEYS: &'static [&'static dyn AnyKey] = EXPEDITED_KEYS;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<Self::Value> {
        let bucket = read(source, &EF_RATE, &EF_BURST).pop().flatten();
        let guaranteed = bucket.map(|bucket| bucket.rate_bits_per_s);
        let min_rate = source.rates_bits_per_s.iter().copied().min();
        // A channel cannot guarantee a flow more than it carries.
        if let (Some(guaranteed), Some(rate)) = (guaranteed, min_rate) {
            if guaranteed > rate {
                let mistake = Mistake::LargeGuarantee {
                    key: source.section.path_of(&EF_RATE),
                    found: format_rate(guaranteed),
                    rate: format_rate(rate),
                };
                source.fault(EF_RATE.name(), mistake);
            }
        }
        vec![bucket]
    }

    fn describe(expedited: &Self::Value, _: QueueLimit) -> Option<String> {
        expedited.map(|bucket| bucket.describe("EF"))
    }

    fn configure(expedited: &Self::Value, _: &LinkContext, config: &mut Config) {
        config.expedited = expedited.map(TokenBucket::config);
    }
}
