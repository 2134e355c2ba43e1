//! `duplicate`: packets that arrive twice.

use super::limits::LOSSES;
use super::parameter::{ChannelSource, LinkContext, Parameter};
use super::queue_limit::QueueLimit;
use onramp_config::key::{keys, AnyKey, Fallback, Percent};
use onramp_config::units::format_percent;
use onramp_net::Config;

keys! { KEYS:
    DUPLICATE: Percent = "duplicate", Fallback::Text("0 %"), ranges &[LOSSES],
        "Probability with which each packet arrives twice.";
}

pub(crate) struct Duplication;

impl Parameter for Duplication {
    type Value = u32;
    const KEYS: &'static [&'static dyn AnyKey] = KEYS;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<u32> {
        source.one(&DUPLICATE).into_iter().collect()
    }

    fn describe(ppm: &u32, _: QueueLimit) -> Option<String> {
        (*ppm > 0).then(|| format!("duplicate {}", format_percent(*ppm)))
    }

    fn configure(ppm: &u32, _: &LinkContext, config: &mut Config) {
        config.duplicate_ppm = *ppm;
    }
}
