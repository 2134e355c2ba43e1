//! `rate`: the rate of the serialiser.

use super::limits::{FORWARD, RATES};
use super::parameter::{not_zero, ChannelSource, LinkContext, Parameter};
use super::recording::Trace;
use super::trace::{read_files, TRACE};
use crate::mistake::Mistake;
use onramp_config::key::{keys, AnyKey, Fallback, Rate};
use onramp_net::Config;

keys! { KEYS:
    RATE: Rate = "rate", Fallback::Required, ranges &[RATES], list FORWARD,
        "Rate of the serialiser, counted in IP packets, or in what `framing` says. The reverse \
         direction has the forward rate unless it has its own.";
}

pub(crate) struct SerialiserRate;

impl Parameter for SerialiserRate {
    type Value = u64;
    const KEYS: &'static [&'static dyn AnyKey] = KEYS;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<u64> {
        read_files(source);
        if source.rate_is_recorded {
            return mean_of_trace(source);
        }
        if let Some(forward) = source.follows.filter(|_| !source.section.has(&RATE)) {
            source.rates_bits_per_s = forward.rates_bits_per_s.to_vec();
            return Vec::new();
        }
        if let Some(trace) = source.trace.as_ref().filter(|_| !source.section.has(&RATE)) {
            let mistake = Mistake::Trace {
                key: source.section.path_of(&TRACE),
                file: trace.file.clone(),
                why: "it has no column of rates, and `rate` is not given".to_owned(),
            };
            source.fault(TRACE.name(), mistake);
            return Vec::new();
        }
        source.rates_bits_per_s = source.list(&RATE);
        source.rates_bits_per_s.clone()
    }

    fn configure(rate_bits_per_s: &u64, _: &LinkContext, config: &mut Config) {
        config.rate_bits_per_s = not_zero(*rate_bits_per_s);
    }
}

/// The mean rate of a recorded link, which stands for its rate.
fn mean_of_trace(source: &mut ChannelSource<'_, '_>) -> Vec<u64> {
    source.exclude(TRACE.name(), RATE.name());
    let mean = |trace: &Trace| trace.recording.mean_bits_per_s();
    source.rates_bits_per_s = source.trace.iter().filter_map(mean).collect();
    source.rates_bits_per_s.clone()
}
