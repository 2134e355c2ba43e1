//! The labels beside a lifeline: times and what was sent at them.

use crate::svg::axes::Scale;
use crate::svg::{beside, text_width};
use crate::units::fixed;

/// Height of a line of text.
pub(super) const LINE: f64 = 15.0;
/// Maximum number of lines of a label, where there is room.
const PILE: usize = 3;
/// Maximum number of texts that are joined in one line.
const JOINED: usize = 8;

/// A time, or a range of times, with the texts of what was sent then.
pub(super) struct Label<'a> {
    from_s: f64,
    to_s: f64,
    texts: Vec<&'a str>,
}

/// A time in seconds, as labels and tooltips show it.
pub(super) fn clock(time_s: f64) -> String {
    fixed(time_s, 3)
}

/// Labels from times with or without a text. Times that read the same share a label.
pub(super) fn time_labels(mut events: Vec<(f64, Option<&str>)>) -> Vec<Label<'_>> {
    events.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut labels: Vec<Label<'_>> = Vec::new();
    let mut before = String::new();
    for (time_s, text) in events {
        let label = Label {
            from_s: time_s,
            to_s: time_s,
            texts: text.filter(|t| !t.is_empty()).into_iter().collect(),
        };
        let reads = clock(time_s);
        match labels.last_mut() {
            Some(last) if reads == before => last.merge(label),
            _ => labels.push(label),
        }
        before = reads;
    }
    labels
}

/// Number of lines of text that the labels need.
pub(super) fn lines(labels: &[Label<'_>]) -> usize {
    labels.iter().map(|label| label.piled().len().max(1)).sum()
}

impl<'a> Label<'a> {
    fn merge(&mut self, next: Label<'a>) {
        self.to_s = next.to_s;
        self.texts.extend(next.texts);
    }

    /// The texts, one below the other.
    fn piled(&self) -> Vec<String> {
        let own = |texts: &[&str]| {
            texts
                .iter()
                .map(|&text| text.to_owned())
                .collect::<Vec<_>>()
        };
        match self.texts.len() {
            n if n <= PILE => own(&self.texts),
            n => [
                own(&self.texts[..PILE - 1]),
                vec![format!("and {} more", n - PILE + 1)],
            ]
            .concat(),
        }
    }

    /// The texts in one line.
    fn joined(&self) -> Vec<String> {
        match self.texts.len() {
            0 => Vec::new(),
            1 => vec![self.texts[0].to_owned()],
            n => vec![format!("{n}: {}", self.texts[..n.min(JOINED)].join("; "))],
        }
    }

    fn time(&self) -> String {
        match (clock(self.from_s), clock(self.to_s)) {
            (from, to) if from == to => from,
            (from, to) => format!("{from}–{to}"),
        }
    }
}

/// The labels of a lifeline, with their places.
pub(super) struct Column {
    pub(super) labels: Vec<Placed>,
}

/// A label with its place.
pub(super) struct Placed {
    /// The upper edge of its first line, in pixels.
    pub(super) top: f64,
    pub(super) from_s: f64,
    pub(super) to_s: f64,
    /// The time or range as text.
    pub(super) time: String,
    /// The texts beside it, each in its own line.
    pub(super) lines: Vec<String>,
}

impl Column {
    /// Places labels beside a lifeline from `top` to `bottom`. If there is no room for all lines,
    /// the texts of each label go into one line. If there is still no room, labels that are closer
    /// than a line merge.
    pub(super) fn new(labels: Vec<Label<'_>>, time: &Scale, top: f64, bottom: f64) -> Column {
        // The first and the last label may reach half a line beyond the lifeline.
        let (top, bottom) = (top - LINE / 2.0, bottom + LINE / 2.0);
        let room = ((bottom - top) / LINE) as usize;
        let has_room = lines(&labels) <= room;
        let labels = if labels.len() <= room {
            labels
        } else {
            merged(labels, time)
        };
        let texts = |label: &Label<'_>| {
            if has_room {
                label.piled()
            } else {
                label.joined()
            }
        };
        let lines: Vec<Vec<String>> = labels.iter().map(texts).collect();
        let middle = |label: &Label<'_>| (time.px(label.from_s) + time.px(label.to_s)) / 2.0;
        let wanted: Vec<f64> = labels
            .iter()
            .map(|label| middle(label) - LINE / 2.0)
            .collect();
        let heights: Vec<f64> = lines
            .iter()
            .map(|lines| lines.len().max(1) as f64 * LINE)
            .collect();
        let tops = beside::spread(&wanted, &heights, top, bottom);
        let placed = |((label, lines), top): ((&Label<'_>, Vec<String>), f64)| Placed {
            top,
            from_s: label.from_s,
            to_s: label.to_s,
            time: label.time(),
            lines,
        };
        Column {
            labels: labels.iter().zip(lines).zip(tops).map(placed).collect(),
        }
    }

    /// Width of the widest time.
    pub(super) fn time_width(&self) -> f64 {
        self.labels
            .iter()
            .map(|label| text_width(&label.time))
            .fold(0.0, f64::max)
    }

    /// Width of the widest text.
    pub(super) fn text_width(&self) -> f64 {
        self.labels
            .iter()
            .flat_map(|label| &label.lines)
            .map(|line| text_width(line))
            .fold(0.0, f64::max)
    }
}

/// Merges labels that begin less than a line apart.
fn merged<'a>(labels: Vec<Label<'a>>, time: &Scale) -> Vec<Label<'a>> {
    let mut merged: Vec<Label<'a>> = Vec::new();
    for label in labels {
        match merged.last_mut() {
            Some(last) if time.px(label.from_s) - time.px(last.from_s) < LINE => last.merge(label),
            _ => merged.push(label),
        }
    }
    merged
}
