//! `late` and `late_after`: a timer that fires late after an idle time.

use super::limits::BOTH_DIRECTIONS;
use super::parameter::{ChannelSource, LinkContext, Parameter};
use super::queue_limit::QueueLimit;
use onramp_config::key::{keys, AnyKey, Fallback, Time};
use onramp_config::units::format_time;
use onramp_net::{Config, LateTimer};

keys! { KEYS:
    LATE: Time = "late", Fallback::Other("none"), ranges &[("1 ns", "60 s")], list BOTH_DIRECTIONS,
        "Maximum lateness of the timer at the end of the channel after an idle time, as that of a \
         host that sleeps. Packets that are due in the meantime arrive with the first one.";
    LATE_AFTER: Time = "late_after", Fallback::Text("1 ms"), ranges &[("0 s", "60 s")],
        list BOTH_DIRECTIONS,
        "With `late`: the timer is late where no packet has arrived for longer than this.";
}

pub(crate) struct Lateness;

impl Parameter for Lateness {
    type Value = Option<LateTimer>;
    const KEYS: &'static [&'static dyn AnyKey] = KEYS;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<Self::Value> {
        source.need(&LATE_AFTER, &LATE);
        let idles_ns = source.list(&LATE_AFTER);
        if !source.section.has(&LATE) {
            return vec![None];
        }
        let timer = |max_ns| {
            let with = move |idle_ns: &u64| {
                Some(LateTimer {
                    max_ns,
                    idle_ns: *idle_ns,
                })
            };
            idles_ns.iter().map(with).collect::<Vec<_>>()
        };
        source.list(&LATE).into_iter().flat_map(timer).collect()
    }

    fn describe(late: &Self::Value, _: QueueLimit) -> Option<String> {
        let late = (*late)?;
        let [max, idle] = [late.max_ns, late.idle_ns].map(format_time);
        Some(format!("late by {max} after {idle}"))
    }

    fn configure(late: &Self::Value, _: &LinkContext, config: &mut Config) {
        config.late = *late;
    }
}
