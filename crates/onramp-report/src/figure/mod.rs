//! The plots of a group of results, and the chart of the gain.

pub(crate) mod by_value;
pub(crate) mod completion;
mod events;
pub(crate) mod gain;
mod rate;
mod sequence;
mod timeline;
mod window;

use crate::run::Run;
use crate::summary::Group;
use onramp_plot::units::significant;
use onramp_results::{Record, Trace};

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

/// The run of each row that the plots over time show: of the runs with a trace, the one whose
/// completion time is nearest to the median.
pub(crate) fn series<'a>(group: &Group<'_>, runs: &'a [Run]) -> Vec<Series<'a>> {
    let mut all = Vec::new();
    for row in &group.rows {
        let median = row.completion.map_or(0.0, |c| c.median);
        let traced = row
            .indices
            .iter()
            .filter_map(|&at| Some((&runs[at].record, runs[at].trace.as_ref()?)));
        let distance = |record: &Record| {
            record
                .completion_s
                .map_or(f64::INFINITY, |s| (s - median).abs())
        };
        let nearest = traced.min_by(|a, b| distance(a.0).total_cmp(&distance(b.0)));
        if let Some((record, trace)) = nearest {
            let of = row.records.len();
            let label = if of > 1 {
                format!("{} (run {})", row.label, record.run)
            } else {
                row.label.clone()
            };
            all.push(Series {
                look: row.look,
                label,
                record,
                trace,
            });
        }
    }
    all
}

/// The plots over time. They share one time axis, which begins at the connect.
pub(crate) fn over_time(group: &Group<'_>, series: &[Series<'_>]) -> Vec<Figure> {
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

    #[test]
    fn the_run_nearest_to_the_median_is_shown() {
        let runs: Vec<Run> = [4.0, 9.0, 5.0]
            .into_iter()
            .zip(1..)
            .map(|(completion_s, run)| Run {
                record: Record {
                    completion_s: Some(completion_s),
                    ..sample::record("a", "none", "cubic", run)
                },
                trace: (run != 3).then(Trace::default),
            })
            .collect();
        let records: Vec<Record> = runs.iter().map(|r| r.record.clone()).collect();
        let groups = crate::summary::groups(&records);
        let series = series(&groups[0], &runs);
        assert_eq!(series.len(), 1);
        assert_eq!(
            series[0].record.run, 1,
            "the median run has no trace, the next nearest has"
        );
    }
}
