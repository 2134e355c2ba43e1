//! The delay and the loss of a recorded link: in the file of `trace`, or in that of `delay_trace`.

use super::loss::LOSS_KEYS;
use super::parameter::{ChannelSource, LinkContext, Parameter};
use super::queue_limit::QueueLimit;
use super::recording::{RecordedQuantity, Trace};
use super::trace::{is_unreadable, DELAY_TRACE, TRACE};
use crate::mistake::Mistake;
use onramp_config::units::format_time;
use onramp_net::{Config, RecordedTable, RecordedValues};
use std::sync::Arc;

/// The key of a direction's own delay, in `[path.reverse]` and `[link.reverse]`.
const OWN_DELAY: &str = "delay";

/// What one of the two files has a column of. It is a mistake if both have it.
fn quantity(
    source: &mut ChannelSource<'_, '_>,
    column: fn(&RecordedTable) -> Option<&Arc<RecordedValues>>,
) -> Option<RecordedQuantity> {
    let files = [
        (TRACE.name(), source.trace.as_ref()),
        (DELAY_TRACE.name(), source.delay_trace.as_ref()),
    ];
    let main = files.iter().find_map(|(_, trace)| *trace)?;
    let span_ns = main.recording.length_ns();
    let of = |(key, trace): (&'static str, Option<&Trace>)| {
        Some(RecordedQuantity {
            key,
            file: trace?.file.clone(),
            values: column(trace?.recording.table()?)?.clone(),
            span_ns,
        })
    };
    let [first, second] = files.map(of);
    if let (Some(_), Some(second)) = (&first, &second) {
        let mistake = Mistake::Trace {
            key: source.section.path_of(&DELAY_TRACE),
            file: second.file.clone(),
            why: "the file of `trace` has such a column too".to_owned(),
        };
        source.fault(DELAY_TRACE.name(), mistake);
    }
    first.or(second)
}

pub(crate) struct RecordedDelay;

impl Parameter for RecordedDelay {
    type Value = Option<RecordedQuantity>;

    /// The reverse direction has the recorded delay of the forward one unless it has its own delay.
    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<Self::Value> {
        let recorded = quantity(source, |table| table.delays.as_ref());
        let forward = source
            .follows
            .filter(|_| recorded.is_none() && !source.section.has_name(OWN_DELAY));
        source.delay_is_recorded =
            recorded.is_some() || forward.is_some_and(|forward| forward.delay_is_recorded);
        if forward.is_some() || is_unreadable(source) {
            return Vec::new();
        }
        vec![recorded]
    }

    fn describe(recorded: &Self::Value, _: QueueLimit) -> Option<String> {
        let recorded = recorded.as_ref()?;
        let (min_ns, max_ns) = recorded.values.range();
        let [file, min, max] = [
            recorded.file_name(),
            format_time(min_ns),
            format_time(max_ns),
        ];
        Some(format!("delays of {file} from {min} to {max}"))
    }

    fn configure(recorded: &Self::Value, context: &LinkContext, config: &mut Config) {
        let in_run = |recorded: &RecordedQuantity| recorded.in_run(context.recording);
        config.recorded_delay = recorded.as_ref().map(in_run);
    }
}

pub(crate) struct RecordedLoss;

impl Parameter for RecordedLoss {
    type Value = Option<RecordedQuantity>;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<Self::Value> {
        let recorded = quantity(source, |table| table.losses.as_ref());
        for name in LOSS_KEYS {
            if let Some(recorded) = &recorded {
                source.exclude(recorded.key, name);
            }
        }
        vec![recorded]
    }

    fn describe(recorded: &Self::Value, _: QueueLimit) -> Option<String> {
        Some(format!("losses of {}", recorded.as_ref()?.file_name()))
    }

    fn configure(recorded: &Self::Value, context: &LinkContext, config: &mut Config) {
        let in_run = |recorded: &RecordedQuantity| recorded.in_run(context.recording);
        config.recorded_loss = recorded.as_ref().map(in_run);
    }
}
