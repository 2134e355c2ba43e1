//! `service`: when the link carries bytes.

use super::parameter::{ChannelSource, LinkContext, Parameter};
use super::queue_limit::QueueLimit;
use super::trace::TRACE;
use onramp_config::key::{choice_kinds, keys, AnyKey, Fallback};
use onramp_net::Config;

const STEADY: &str = "steady";
const POISSON: &str = "poisson";

choice_kinds! {
    /// The name of a service.
    ServiceName: &'static str, "service",
        "the name of a service in quotes, for example \"poisson\"",
        [STEADY, POISSON], |name| name;
}

keys! { KEYS:
    SERVICE: ServiceName = "service", Fallback::Text(STEADY),
        "When the link carries bytes: {names}. `poisson` carries 1500 bytes at random moments, \
         whose mean rate is `rate`; a moment at which nothing waits is lost.";
}

pub(crate) struct PoissonService;

impl Parameter for PoissonService {
    type Value = bool;
    const KEYS: &'static [&'static dyn AnyKey] = KEYS;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<bool> {
        let is_poisson = source.one(&SERVICE).map(|name| name == POISSON);
        if is_poisson == Some(true) && source.rate_is_recorded {
            source.exclude(SERVICE.name(), TRACE.name());
        }
        source.is_poisson = is_poisson == Some(true);
        is_poisson.into_iter().collect()
    }

    fn describe(is_poisson: &bool, _: QueueLimit) -> Option<String> {
        is_poisson.then(|| "poisson service".to_owned())
    }

    fn configure(is_poisson: &bool, _: &LinkContext, config: &mut Config) {
        if *is_poisson {
            config.service = onramp_net::Service::Poisson;
        }
    }
}
