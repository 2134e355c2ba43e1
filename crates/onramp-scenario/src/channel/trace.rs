//! `trace`, `delay_trace` and `trace_offset`: a recorded link. It carries bytes at single moments
//! or at a rate that changes; its delay and its loss may be recorded too.

use super::limits::BOTH_DIRECTIONS;
use super::parameter::{ChannelSource, LinkContext, Parameter};
use super::queue_limit::QueueLimit;
use super::recording::{DelayFile, Recording, Trace, TraceFile, TraceOffset};
use onramp_config::document::Section;
use onramp_config::key::{keys, not_a_quantity, AnyKey, Fallback, KeyPlace, Kind, Known};
use onramp_config::units::{format_time, parse_time};
use onramp_config::AnyMistake;
use onramp_net::{Config, Service};
use std::path::Path;

keys! { TRACE_KEYS:
    TRACE: TraceFile = "trace", Fallback::Other("none"),
        "Instead of `rate`: a file with a recorded link, relative to the scenario file. In \
         mahimahi's format each line is a millisecond at which the link carries 1500 bytes. A \
         file `*.csv` has columns with a time and the rate, the one-way delay or the loss from \
         then on, such as `time_s`, `rate_mbits_per_s`, `delay_ms` and `loss_percent`. The file \
         repeats. Its mean rate stands for `rate` elsewhere; a file without rates needs `rate`.";
    DELAY_TRACE: DelayFile = "delay_trace", Fallback::Other("none"),
        "A file with the recorded delay, or loss, where the file of `trace` has none: a file \
         `*.csv` with columns such as `time_s`, `delay_ms` and `loss_percent`; or a list of \
         one-way delays in milliseconds, a line for each 10 ms. The file repeats.";
}

keys! { OFFSET_KEYS:
    TRACE_OFFSET: Offset = "trace_offset", Fallback::Text("0 s"), ranges &[("0 s", "1000000 s")],
        list BOTH_DIRECTIONS,
        "With `trace` or `delay_trace`: the time of the recording at which a run begins, or \
         `random`: each repeat begins at another time. The return path has that of the forward \
         path unless it has its own.";
}

/// The time of a recording.
#[derive(Debug)]
pub(crate) struct Offset;

impl Kind for Offset {
    type Value = TraceOffset;
    const NAME: &'static str = "time, or `random`";
    const EXPECTED: &'static str = "a time in quotes, for example \"12 s\", or \"random\"";

    fn measure(offset: &TraceOffset) -> Option<(u8, u64)> {
        match offset {
            TraceOffset::At(ns) => Some((0, *ns)),
            TraceOffset::Random => None,
        }
    }

    fn parse(text: &str, _: &Known, place: &KeyPlace) -> Result<TraceOffset, AnyMistake> {
        match text {
            "random" => Ok(TraceOffset::Random),
            _ => parse_time(text)
                .map(TraceOffset::At)
                .map_err(|error| not_a_quantity(place, error)),
        }
    }
}

/// Reads the files of a channel's recording.
pub(super) fn read_files(source: &mut ChannelSource<'_, '_>) {
    source.trace = source.one(&TRACE);
    source.delay_trace = source.one(&DELAY_TRACE);
    let has_rate = |trace: &Trace| trace.recording.mean_bits_per_s().is_some();
    // A file that cannot be read may have rates.
    source.rate_is_recorded =
        source.section.has(&TRACE) && source.trace.as_ref().is_none_or(has_rate);
}

/// Whether a table names a file with a recording.
pub(crate) fn names_recording(section: &Section) -> bool {
    section.has(&TRACE) || section.has(&DELAY_TRACE)
}

/// Whether a file of the channel's recording could not be read.
pub(super) fn is_unreadable(source: &ChannelSource<'_, '_>) -> bool {
    source.section.has(&TRACE) && source.trace.is_none()
        || source.section.has(&DELAY_TRACE) && source.delay_trace.is_none()
}

pub(crate) struct RecordedLink;

impl Parameter for RecordedLink {
    type Value = Option<Trace>;
    const KEYS: &'static [&'static dyn AnyKey] = TRACE_KEYS;

    /// The rate, which comes before, has read the file.
    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<Self::Value> {
        vec![source.trace.clone()]
    }

    fn describe(trace: &Self::Value, _: QueueLimit) -> Option<String> {
        let name = Path::new(&trace.as_ref()?.file).file_name()?;
        Some(format!("trace {}", name.to_string_lossy()))
    }

    fn configure(trace: &Self::Value, context: &LinkContext, config: &mut Config) {
        let Some(trace) = trace else { return };
        let offset_ns = context.recording.offset_ns(trace.recording.length_ns());
        match &trace.recording {
            Recording::Opportunities(opportunities) => {
                config.service = Service::Trace {
                    opportunities: opportunities.clone(),
                    offset_ns,
                };
            }
            Recording::Table(table) => {
                if let Some(rates) = table.rates.clone() {
                    config.service = Service::Rates { rates, offset_ns };
                }
            }
        }
    }
}

pub(crate) struct RecordedOffset;

impl Parameter for RecordedOffset {
    type Value = TraceOffset;
    const KEYS: &'static [&'static dyn AnyKey] = OFFSET_KEYS;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<TraceOffset> {
        if !source.section.has(&DELAY_TRACE) {
            source.need(&TRACE_OFFSET, &TRACE);
        }
        if source.follows.is_some() && !source.section.has(&TRACE_OFFSET) {
            return Vec::new();
        }
        source.list(&TRACE_OFFSET)
    }

    /// The [context](LinkContext::recording) has the offset, for all quantities of the recording.
    fn configure(_: &TraceOffset, _: &LinkContext, _: &mut Config) {}
}

/// The words of an offset in a record. They belong to a recording.
pub(super) fn describe_offset(has_recording: bool, offset: TraceOffset) -> Option<String> {
    match offset {
        _ if !has_recording => None,
        TraceOffset::At(0) => None,
        TraceOffset::At(ns) => Some(format!("from {} of it", format_time(ns))),
        TraceOffset::Random => Some("from a random time of it".to_owned()),
    }
}
