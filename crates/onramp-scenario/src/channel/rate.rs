//! `rate`: the rate of the serialiser.

use super::limits::RATES;
use super::parameter::{not_zero, ChannelSource, LinkContext, Parameter};
use crate::key::{keys, AnyKey, Fallback, Key, List, Rate};
use onramp_net::Config;

keys! { KEYS:
    RATE: Rate = Key::new(
        "rate",
        Fallback::Required,
        "Rate of the serialiser, counted in IP packets. The reverse direction has the forward \
         rate unless it has its own.",
    )
    .ranges(&[RATES])
    .list(List::FactorOfPath);
}

pub(crate) struct SerialiserRate;

impl Parameter for SerialiserRate {
    type Value = u64;
    const KEYS: &'static [&'static dyn AnyKey] = KEYS;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<u64> {
        if let Some(forward) = source.follows.filter(|_| !source.section.has(&RATE)) {
            source.rates_bits_per_s = forward.rates_bits_per_s.to_vec();
            return Vec::new();
        }
        source.rates_bits_per_s = source.list(&RATE);
        source.rates_bits_per_s.clone()
    }

    fn configure(rate_bits_per_s: &u64, _: &LinkContext, config: &mut Config) {
        config.rate_bits_per_s = not_zero(*rate_bits_per_s);
    }
}
