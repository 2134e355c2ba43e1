//! The label at the marked place of a mistake, and the advice on how to correct it.

use super::{relay, Mistake};
use onramp_config::last_part;
use std::ops::Range;

impl onramp_config::Mistake for Mistake {
    fn label(&self) -> String {
        match self {
            Mistake::NeededFor { key, .. } => {
                format!("`{}` is missing in this table", last_part(key))
            }
            Mistake::SameName { .. } => "here again".to_owned(),
            Mistake::RepeatedCase { .. } | Mistake::SameLabel { .. } => {
                "and in this table".to_owned()
            }
            Mistake::Excludes { .. } => "and this".to_owned(),
            _ => "here".to_owned(),
        }
    }

    fn help(&self) -> Option<String> {
        self.help_with_facts()
            .or_else(|| self.help_with_the_whole().map(str::to_owned))
    }

    fn other_place(&self) -> Option<(&'static str, Range<usize>)> {
        let (label, place) = match self {
            Mistake::SameName { first, .. } => ("first here", first),
            Mistake::Excludes { other_at, .. } => ("this", other_at),
            Mistake::RepeatedCase { first, .. } | Mistake::SameLabel { first, .. } => {
                ("in this table", first)
            }
            _ => return None,
        };
        Some((label, place.clone()))
    }
}

impl Mistake {
    /// Help that names facts of the mistake.
    fn help_with_facts(&self) -> Option<String> {
        Some(match self {
            Mistake::NeededFor { expected, .. } => format!("give {expected}"),
            Mistake::SmallBurst { mtu, .. } => {
                format!("the bucket must hold the largest packet: give at least {mtu}")
            }
            Mistake::LargeGuarantee { rate, .. } => {
                format!("expected at most {rate}, the `rate` of this direction")
            }
            Mistake::LargePacket { mtu, .. } => {
                format!("expected at most {mtu}, the `mtu` of this route")
            }
            Mistake::Trace { key, .. } if last_part(key) == "delay_trace" => {
                "give a file `*.csv`, relative to the scenario file: `time_s,delay_ms` in the \
                 first line, then a row for each change of the delay; or a list of delays in \
                 milliseconds, a line for each 10 ms"
                    .to_owned()
            }
            Mistake::Trace { file, .. } if file.to_ascii_lowercase().ends_with(".csv") => {
                "give comma-separated values, relative to the scenario file: `time_s,\
                 rate_mbits_per_s` in the first line, then a row for each change of \
                 the rate; `delay_ms` and `loss_percent` may stand beside it"
                    .to_owned()
            }
            Mistake::Trace { .. } => "give a file in mahimahi's format, relative to the scenario \
                 file: a line with a number of milliseconds for each 1500 bytes; or a file `*.csv`"
                .to_owned(),
            Mistake::NotBetween { route, .. } => relay::help(route),
            Mistake::TooManyCases { max, .. } => {
                format!("the maximum is {max}: shorten a list or split the file")
            }
            Mistake::Excludes { .. } => "leave one of them out".to_owned(),
            Mistake::NotFor { key, .. } => {
                format!("leave `{}` out, or make another choice", last_part(key))
            }
            Mistake::NoChange { keys } => format!("give {keys}, or leave the table out"),
            _ => return None,
        })
    }

    /// Help that is the same for all mistakes of a kind.
    fn help_with_the_whole(&self) -> Option<&'static str> {
        Some(match self {
            Mistake::Syntax { message } if message.starts_with("string values must be quoted") => {
                "words and quantities are written in quotes: rate = \"50 Mbit/s\""
            }
            Mistake::Empty => {
                "a scenario has at least a `name`, a [path] with `rate` and `rtt`, and a \
                 [[transfer]] with `size`"
            }
            Mistake::MissingTable { .. } => {
                "every scenario has one [path], or its [[node]] and [[link]] tables, and at least \
                 one [[transfer]]"
            }
            Mistake::BadName { .. } => {
                "a name has 1 to 64 characters of a-z, 0-9 and -, and does not begin with -"
            }
            Mistake::BadLabel { .. } => {
                "a label has 1 to 40 characters, no control characters, no blank at either end, \
                 and is not `bound`"
            }
            Mistake::LabelOfSeveral { .. } => {
                "make a table for each row, with a label of its own; `size` may be a list"
            }
            Mistake::SameLabel { .. } => "nobody could tell their rows apart",
            Mistake::DelayBeyondRtt { .. } => {
                "the delays of both directions add up to the round-trip time: the reverse delay \
                 can be at most all of it"
            }
            Mistake::RepeatedCase { .. } => {
                "nobody could tell their results apart: use `repeat` to run a case more than once"
            }
            Mistake::OtherUnit { .. } => "give both in packets, both in bytes or both in bdp",
            Mistake::NotInPackets { .. } => {
                "give a number of packets, for example \"1000 packets\""
            }
            Mistake::SmallMtu { .. } => {
                "every link of IPv6 takes packets of 1280 B (RFC 8200): give the route a larger \
                 `mtu`, or use `v4`"
            }
            Mistake::NotLater { .. } => "sort the changes by time, and give each its own time",
            Mistake::SameName { .. } => "links and flows refer to nodes by their names",
            Mistake::NoRoute { .. } => {
                "add the [[link]] that is missing on the route; a link carries both directions"
            }
            Mistake::NeverEnds => {
                "a run waits for all that is measured: give the traffic a `stop`, or a `size` and \
                 a `count`, or give [run] a `duration`"
            }
            Mistake::NoDelay { .. } => "give one of the links of the route a `delay`",
            _ => return None,
        })
    }
}
