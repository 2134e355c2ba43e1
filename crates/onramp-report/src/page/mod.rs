//! The report as one page of HTML: what was run, the overview, the tables, and the plots.

mod plots;
mod tables;

use crate::html;
use crate::overview::{self, Names, Overview};
use crate::run::{Meta, Run};
use crate::summary::{groups, Group};
use maud::html;
use onramp_results::Record;

/// The page: what was run, an overview where there are many paths and sizes, the tables of all
/// groups of transfers that can be compared, and plots of some of them.
///
/// The page is self-contained: it has no scripts and fetches nothing. Its size is limited: beyond
/// some hundreds of groups, only those with the lowest and the highest ratios have plots, and
/// beyond some thousands of rows, tables.
pub fn page(meta: &Meta, runs: &[Run]) -> String {
    let records: Vec<Record> = runs.iter().map(|run| run.record.clone()).collect();
    let groups = groups(&records);
    let names = Names::of(&groups);
    let overview = Overview::of(&groups, &names);
    let plotted = plots::plotted(&groups, &names, meta, runs);
    let headings: Vec<String> = plotted.iter().map(|one| one.name.clone()).collect();
    let body = html! {
        (html::paragraph(None, &meta.what))
        @if let Some(description) = only_description(meta) {
            (html::paragraph(None, description))
        }
        (html::paragraph(Some("conditions"), &names.common()))
        (html::facts(meta))
        @if groups.is_empty() {
            p { "No results." } "\n"
        } @else {
            (html::contents(&headings))
            @if let Some(overview) = &overview {
                (overview::section(overview))
            }
            (tables::section(&groups, &names, overview.as_ref()))
            (plots::sections(&plotted, groups.len()))
        }
    };
    html::page(&meta.title, &body)
}

/// The description of the only scenario.
fn only_description(meta: &Meta) -> Option<&str> {
    match meta.scenarios.as_slice() {
        [(_, description)] => Some(description),
        _ => None,
    }
}

/// Of `groups`, as many as cost no more than `limit` together, in their order: all of them if that
/// is possible, else those with the lowest and the highest ratios.
fn most_notable(groups: &[Group<'_>], limit: usize, cost: impl Fn(usize) -> usize) -> Vec<usize> {
    let all = 0..groups.len();
    if all.clone().map(&cost).sum::<usize>() <= limit {
        return all.collect();
    }
    let ratios = |at: usize| {
        let rows = groups[at].rows.iter().filter(|row| !row.is_baseline);
        rows.filter_map(|row| row.ratio)
    };
    let lowest = |at: &usize| ratios(*at).fold(f64::INFINITY, f64::min);
    let highest = |at: &usize| ratios(*at).fold(0.0, f64::max);
    let (mut low, mut high): (Vec<usize>, Vec<usize>) = (all.clone().collect(), all.collect());
    low.sort_by(|a, b| lowest(a).total_cmp(&lowest(b)));
    high.sort_by(|a, b| highest(b).total_cmp(&highest(a)));
    let mut chosen: Vec<usize> = Vec::new();
    let mut spent = 0;
    for at in low
        .into_iter()
        .zip(high)
        .flat_map(|(low, high)| [low, high])
    {
        if chosen.contains(&at) || cost(at) == 0 {
            continue;
        }
        spent += cost(at);
        if spent > limit {
            break;
        }
        chosen.push(at);
    }
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_testing::samples::record;

    #[test]
    fn where_not_all_fit_the_extremes_stay() {
        let ratios = [0.9, 0.3, 1.0, 1.4, 0.8, 0.5];
        let mut records = Vec::new();
        for (ratio, size_bytes) in ratios.iter().zip(1..) {
            for (startup, time_s) in [("none", 1.0), ("paced", *ratio)] {
                let mut one = record("a", startup, "cubic", 1);
                one.size_bytes = size_bytes;
                one.complete(time_s);
                records.push(one);
            }
        }
        let groups = groups(&records);
        assert_eq!(most_notable(&groups, 6, |_| 1), [0, 1, 2, 3, 4, 5]);
        assert_eq!(most_notable(&groups, 3, |_| 1), [1, 3, 5]);
        assert_eq!(most_notable(&groups, 5, |_| 2), [1, 3]);
        assert_eq!(most_notable(&groups, 0, |_| 1), [0_usize; 0]);
    }
}
