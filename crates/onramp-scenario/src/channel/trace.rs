//! `trace` and `trace_offset`: a recorded link, which carries bytes at single moments or at a rate
//! that changes.

use super::limits::BOTH_DIRECTIONS;
use super::parameter::{ChannelSource, LinkContext, Parameter};
use super::queue_limit::QueueLimit;
use super::recording::{Recording, Trace, TraceFile};
use crate::seed::case_seed;
use onramp_config::key::{keys, not_a_quantity, AnyKey, Fallback, Key, KeyPlace, Kind, Known};
use onramp_config::units::{format_time, parse_time};
use onramp_config::AnyMistake;
use onramp_net::{Config, Service};
use std::path::Path;

keys! { TRACE_KEYS:
    TRACE: TraceFile = Key::new(
        "trace",
        Fallback::Other("none"),
        "Instead of `rate`: a file with a recorded link, relative to the scenario file. In \
         mahimahi's format each line is a millisecond at which the link carries 1500 bytes. A \
         file `*.csv` has columns with a time and the rate from then on, such as `time_s` and \
         `rate_mbits_per_s`. The file repeats. Its mean rate stands for `rate` elsewhere.",
    );
}

keys! { OFFSET_KEYS:
    TRACE_OFFSET: Offset = Key::new(
        "trace_offset",
        Fallback::Text("0 s"),
        "With `trace`: the time of the recording at which a run begins, or `random`: each repeat \
         begins at another time. The return path has that of the forward path unless it has its \
         own.",
    )
    .ranges(&[("0 s", "1000000 s")])
    .list(BOTH_DIRECTIONS);
}

/// The time of a recording at which a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceOffset {
    /// This time, in nanoseconds.
    At(u64),
    /// Another time in each repeat. In both directions it is the same share of the recording.
    Random,
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

    fn configure(trace: &Self::Value, _: &LinkContext, config: &mut Config) {
        let Some(trace) = trace else { return };
        let offset_ns = 0;
        config.service = match trace.recording.clone() {
            Recording::Opportunities(opportunities) => Service::Trace {
                opportunities,
                offset_ns,
            },
            Recording::Rates(rates) => Service::Rates { rates, offset_ns },
        };
    }
}

/// The number of the random stream of a run from which offsets are drawn. (Numbers of links and of
/// [`crate::random::Element`] are lower.)
const OFFSETS: u64 = 3;

pub(crate) struct RecordedOffset;

impl Parameter for RecordedOffset {
    type Value = TraceOffset;
    const KEYS: &'static [&'static dyn AnyKey] = OFFSET_KEYS;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<TraceOffset> {
        source.need(&TRACE_OFFSET, &TRACE);
        if source.follows.is_some() && !source.section.has(&TRACE_OFFSET) {
            return Vec::new();
        }
        source.list(&TRACE_OFFSET)
    }

    fn configure(offset: &TraceOffset, context: &LinkContext, config: &mut Config) {
        let (length_ns, offset_ns) = match &mut config.service {
            Service::Trace {
                opportunities,
                offset_ns,
            } => (opportunities.length_ns(), offset_ns),
            Service::Rates { rates, offset_ns } => (rates.length_ns(), offset_ns),
            Service::Steady | Service::Poisson => return,
        };
        *offset_ns = match *offset {
            TraceOffset::At(ns) => ns,
            TraceOffset::Random => {
                let drawn = u128::from(case_seed(context.run_seed, OFFSETS));
                ((drawn * u128::from(length_ns)) >> 64) as u64
            }
        };
    }
}

/// The words of an offset in a record. They belong to a trace.
pub(super) fn describe_offset(trace: Option<&Trace>, offset: TraceOffset) -> Option<String> {
    match (trace, offset) {
        (None, _) | (_, TraceOffset::At(0)) => None,
        (_, TraceOffset::At(ns)) => Some(format!("from {} of it", format_time(ns))),
        (_, TraceOffset::Random) => Some("from a random time of it".to_owned()),
    }
}
