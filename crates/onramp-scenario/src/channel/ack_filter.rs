//! `ack_filter`: removes waiting acknowledgements that a later one makes superfluous.

use super::parameter::{ChannelSource, LinkContext, Parameter};
use super::queue_limit::QueueLimit;
use onramp_config::key::{keys, AnyKey, Boolean, Fallback};
use onramp_net::{Config, QueueConfig};

keys! { KEYS:
    ACK_FILTER: Boolean = "ack_filter", Fallback::Text("false"),
        "With `drop-tail`: removes an acknowledgement that waits in the queue when a later one of \
         its connection acknowledges at least as much.";
}

pub(crate) struct AckFilter;

impl Parameter for AckFilter {
    type Value = bool;
    const KEYS: &'static [&'static dyn AnyKey] = KEYS;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<bool> {
        let is_on = source.one(&ACK_FILTER);
        let other = source.discipline.filter(|name| *name != "drop-tail");
        if let Some(chosen) = other.filter(|_| is_on == Some(true)) {
            source.refuse(ACK_FILTER.name(), "discipline `drop-tail`", chosen);
        }
        is_on.into_iter().collect()
    }

    fn describe(is_on: &bool, _: QueueLimit) -> Option<String> {
        is_on.then(|| "ACK filter".to_owned())
    }

    fn configure(is_on: &bool, _: &LinkContext, config: &mut Config) {
        if let (true, QueueConfig::DropTail(limit)) = (*is_on, &config.queue) {
            config.queue = QueueConfig::AckFilter(*limit);
        }
    }
}
