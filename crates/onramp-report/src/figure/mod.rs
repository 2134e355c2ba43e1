//! The plots of a group of results, and the chart of the gain.

pub(crate) mod by_value;
pub(crate) mod completion;
mod delay;
mod events;
mod flows;
pub(crate) mod gain;
mod queue;
mod rate;
mod sequence;
pub(crate) mod slowdown;
mod timeline;
mod window;

use crate::run::Run;
use crate::summary::{Group, Row};
use onramp_plot::units::significant;
use onramp_results::{Record, Trace};
use std::collections::BTreeSet;

/// A start-up in the plots over time, shown by one run of its repeats.
pub(crate) struct Series<'a> {
    /// Selects colour and marker.
    pub(crate) look: usize,
    pub(crate) label: String,
    pub(crate) record: &'a Record,
    pub(crate) trace: &'a Trace,
}

impl Series<'_> {
    /// When the start-up ended: the time of its exit event, else the time in its record.
    pub(crate) fn exit_time_s(&self) -> Option<f64> {
        let event = self
            .trace
            .events
            .iter()
            .find(|e| e.kind == "exit")
            .map(|e| e.time_s);
        event.or(self.record.exit_time_s).filter(|t| t.is_finite())
    }

    /// Extends a line of the sender's state to the end of the transfer. The last sample may be that
    /// of the last send, long before the last byte arrives, and the value holds until then.
    pub(crate) fn until_the_end(&self, mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
        let end_s = self.record.completion_s.filter(|end_s| end_s.is_finite());
        if let (Some(&(last_s, value)), Some(end_s)) = (points.last(), end_s) {
            points.extend((end_s > last_s).then_some((end_s, value)));
        }
        points
    }
}

/// A plot and the sentence below it.
pub(crate) struct Figure {
    pub(crate) svg: String,
    pub(crate) caption: String,
}

/// The run of each row that the plots over time show: the same repeat for all rows, so that they
/// have met the same events, and the one in which completion times are nearest to the medians.
/// Without a repeat of which all rows have a trace, each row shows its own nearest run.
pub(crate) fn series<'a>(group: &Group<'_>, runs: &'a [Run]) -> Vec<Series<'a>> {
    let rows: Vec<_> = group
        .rows
        .iter()
        .map(|row| Candidates::of(row, runs))
        .collect();
    let with_traces = || rows.iter().filter(|row| !row.traced.is_empty());
    let repeats: BTreeSet<u32> = with_traces()
        .flat_map(|row| row.traced.iter().map(|(record, _)| record.run))
        .collect();
    let distance = |repeat: u32| with_traces().map(|row| row.distance(repeat)).sum::<f64>();
    let shown = repeats
        .into_iter()
        .filter(|repeat| distance(*repeat).is_finite())
        .min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
    rows.iter().filter_map(|row| row.series(shown)).collect()
}

/// The distance of a run that did not finish from the median of those that did.
const UNFINISHED: f64 = 1e6;

/// The runs of a row that have a trace.
struct Candidates<'a, 'b> {
    row: &'b Row<'b>,
    traced: Vec<(&'a Record, &'a Trace)>,
}

impl<'a, 'b> Candidates<'a, 'b> {
    fn of(row: &'b Row<'b>, runs: &'a [Run]) -> Candidates<'a, 'b> {
        let run = |&at: &usize| Some((&runs[at].record, runs[at].trace.as_ref()?));
        Candidates {
            row,
            traced: row.indices.iter().filter_map(run).collect(),
        }
    }

    /// How far the completion time of a record is from the row's median, as a share of it.
    fn distance_of(&self, record: &Record) -> f64 {
        let median = self
            .row
            .completion
            .map_or(0.0, |completion| completion.median);
        record
            .completion_s
            .map_or(UNFINISHED, |s| (s - median).abs() / median)
    }

    /// The distance of the nearest record of a repeat; infinite if none has a trace.
    fn distance(&self, repeat: u32) -> f64 {
        let of_repeat = self
            .traced
            .iter()
            .filter(|(record, _)| record.run == repeat);
        of_repeat
            .map(|(record, _)| self.distance_of(record))
            .fold(f64::INFINITY, f64::min)
    }

    /// The record that is nearest to the median, in this repeat if there is one.
    fn series(&self, repeat: Option<u32>) -> Option<Series<'a>> {
        let of_repeat = self
            .traced
            .iter()
            .filter(|(record, _)| repeat.is_none_or(|repeat| record.run == repeat));
        let (record, trace) =
            of_repeat.min_by(|a, b| self.distance_of(a.0).total_cmp(&self.distance_of(b.0)))?;
        let label = match self.row.records.len() {
            1 => self.row.label.clone(),
            _ => format!("{} (run {})", self.row.label, record.run),
        };
        Some(Series {
            look: self.row.look,
            label,
            record,
            trace,
        })
    }
}

/// The plots over time. They share one time axis, which begins at the connect. The delay of packets
/// follows, and plots of each flow, where a run has several.
pub(crate) fn over_time(group: &Group<'_>, series: &[Series<'_>], runs: &[Run]) -> Vec<Figure> {
    if series.is_empty() {
        return Vec::new();
    }
    let link = group.link();
    let end_s = end_s(series);
    let mut figures = Vec::new();
    figures.extend(events::draw(series, end_s));
    figures.push(sequence::draw(group, series, &link, end_s));
    figures.push(window::draw(series, &link, end_s));
    figures.push(rate::draw(series, &link, end_s));
    figures.extend(queue::draw(series, end_s));
    figures.extend(delay::draw(series));
    figures.extend(flows::draw(group, series, runs));
    figures
}

/// The last time that any of the plots shows.
fn end_s(series: &[Series<'_>]) -> f64 {
    let mut end = 0.0;
    for one in series {
        let sender = one.trace.sender.iter().map(|s| s.time_s);
        let segments = one.trace.segments.iter().map(|s| s.time_s);
        let events = one.trace.events.iter().map(|e| e.time_s);
        let times = sender
            .chain(segments)
            .chain(events)
            .chain(one.record.completion_s)
            .chain([one.record.bound_s]);
        end = times.filter(|t| t.is_finite()).fold(end, f64::max);
    }
    end
}

/// `2.01 s`.
fn seconds(time_s: f64) -> String {
    format!("{} s", significant(time_s, 4))
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_testing::samples as sample;

    /// Runs of a start-up, in order, with these completion times; the last one has no trace.
    fn runs(startup: &str, completions_s: [f64; 3]) -> impl Iterator<Item = Run> + use<'_> {
        completions_s
            .into_iter()
            .zip(1..)
            .map(move |(completion_s, run)| Run {
                record: Record {
                    completion_s: Some(completion_s),
                    ..sample::record("a", startup, "cubic", run)
                },
                trace: (run != 3).then(Trace::default),
            })
    }

    fn shown(runs: &[Run]) -> Vec<u32> {
        let records: Vec<Record> = runs.iter().map(|run| run.record.clone()).collect();
        let groups = crate::summary::groups(&records);
        let series = series(&groups[0], runs);
        series.iter().map(|one| one.record.run).collect()
    }

    #[test]
    fn the_run_nearest_to_the_median_is_shown() {
        let runs: Vec<Run> = runs("none", [4.0, 9.0, 5.0]).collect();
        let why = "the median run has no trace, the next nearest has";
        assert_eq!(shown(&runs), [1], "{why}");
    }

    #[test]
    fn all_start_ups_show_the_same_run() {
        let all = |other| {
            runs("none", [4.0, 9.0, 5.0])
                .chain(runs("paced", other))
                .collect()
        };
        let one: Vec<Run> = all([3.0, 2.0, 2.1]);
        assert_eq!(
            shown(&one),
            [1, 1],
            "run 2 is further from one median than run 1 from both"
        );
        let other: Vec<Run> = all([9.0, 2.0, 2.1]);
        assert_eq!(shown(&other), [2, 2]);
    }

    #[test]
    fn without_a_common_run_each_start_up_shows_its_own() {
        let mut all: Vec<Run> = runs("none", [4.0, 9.0, 5.0])
            .chain(runs("paced", [1.0; 3]))
            .collect();
        all[0].trace = None;
        all[4].trace = None;
        assert_eq!(shown(&all), [2, 1]);
    }
}
