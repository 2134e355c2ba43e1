//! `jitter` and `reorder`: a delay that varies from packet to packet.

use super::limits::BOTH_DIRECTIONS;
use super::parameter::{ChannelSource, LinkContext, Parameter};
use super::queue_limit::QueueLimit;
use onramp_config::key::{keys, AnyKey, Boolean, Fallback, Time};
use onramp_config::units::format_time;
use onramp_net::{Config, Jitter};

keys! { KEYS:
    JITTER: Time = "jitter", Fallback::Other("none"), ranges &[("1 ns", "60 s")],
        list BOTH_DIRECTIONS,
        "Maximum extra delay of a packet. The extra delay of each packet is drawn evenly from \
         zero to this.";
    REORDER: Boolean = "reorder", Fallback::Text("false"),
        "With `jitter` or a recorded delay: packets may overtake each other. Otherwise each packet \
         waits for those before it.";
}

/// Without an extra delay: packets overtake each other where a recorded delay falls.
const REORDERING: Jitter = Jitter {
    max_ns: 0,
    reorder: true,
};

pub(crate) struct ExtraDelay;

impl Parameter for ExtraDelay {
    type Value = Option<Jitter>;
    const KEYS: &'static [&'static dyn AnyKey] = KEYS;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<Self::Value> {
        let reorder = source.one(&REORDER);
        if !source.delay_is_recorded {
            source.need(&REORDER, &JITTER);
        }
        if !source.section.has(&JITTER) {
            let reorders = source.delay_is_recorded && reorder == Some(true);
            return vec![reorders.then_some(REORDERING)];
        }
        let Some(reorder) = reorder else {
            return Vec::new();
        };
        let jitter = |max_ns| Some(Jitter { max_ns, reorder });
        source.list(&JITTER).into_iter().map(jitter).collect()
    }

    fn describe(jitter: &Self::Value, _: QueueLimit) -> Option<String> {
        let jitter = (*jitter)?;
        if jitter == REORDERING {
            return Some("reordering".to_owned());
        }
        let order = if jitter.reorder { " reordering" } else { "" };
        Some(format!("jitter {}{order}", format_time(jitter.max_ns)))
    }

    fn configure(jitter: &Self::Value, _: &LinkContext, config: &mut Config) {
        config.jitter = *jitter;
    }
}
