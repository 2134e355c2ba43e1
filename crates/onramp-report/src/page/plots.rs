//! The plots of some groups: completion times, and the course of transfers that were traced.

use super::most_notable;
use crate::figure::{completion, over_time, series};
use crate::html;
use crate::overview::Names;
use crate::run::{Meta, Run};
use crate::summary::Group;
use maud::{html, Markup};

/// More groups than this have a chart of completion times only together with plots over time.
const MAX_CHARTS: usize = 50;
/// With more lines than this in the plots over time of a page, not all groups have plots. A line
/// takes some 10 to 30 kB.
const MAX_SERIES: usize = 100;
/// Number of lines then: beside the long tables of such a page they are a part of its size.
const NOTABLE_SERIES: usize = 40;
/// More groups than this open on demand.
const MAX_OPEN_GROUPS: usize = 6;

/// The groups that have plots: positions. Where there are too many, these are the groups with the
/// lowest and the highest ratios.
pub(super) fn plotted(groups: &[Group<'_>], runs: &[Run]) -> Vec<usize> {
    let traced = |at: usize| {
        let is_traced = |indices: &[usize]| indices.iter().any(|&run| runs[run].trace.is_some());
        let rows = groups[at].rows.iter();
        rows.filter(|row| is_traced(&row.indices)).count()
    };
    let has_traces = (0..groups.len()).any(|at| traced(at) > 0);
    let is_few = groups.len() <= MAX_CHARTS;
    match has_traces {
        true => {
            let all = (0..groups.len()).map(traced).sum::<usize>();
            let limit = match all <= MAX_SERIES {
                true => MAX_SERIES,
                false => NOTABLE_SERIES,
            };
            let mut plotted = most_notable(groups, limit, traced);
            plotted.retain(|&at| is_few || traced(at) > 0);
            plotted
        }
        false if is_few => (0..groups.len()).collect(),
        false => Vec::new(),
    }
}

/// The parts of the page with plots.
pub(super) fn sections(
    groups: &[Group<'_>],
    names: &Names,
    plotted: &[usize],
    meta: &Meta,
    runs: &[Run],
) -> Markup {
    let is_open = plotted.len() <= MAX_OPEN_GROUPS;
    html! {
        @if !is_open {
            h2 { "Plots" } "\n"
            @if plotted.len() < groups.len() {
                (html::paragraph(None, &format!(
                    "{} of {} paths and sizes have plots here, those with the lowest and the \
                     highest ratios. The folder traces has the course of every transfer that was \
                     traced.",
                    plotted.len(),
                    groups.len()
                )))
            }
        }
        @for (number, &at) in plotted.iter().enumerate() {
            @let name = names.name(&groups[at]);
            @let content = section(&groups[at], meta, runs);
            @if is_open {
                (html::heading(number, &name))
                (content)
            } @else {
                // A link to a place inside opens the part.
                (html::details(&name, &html! { div id={ "g" (number) } { (content) } }))
            }
        }
    }
}

fn section(group: &Group<'_>, meta: &Meta, runs: &[Run]) -> Markup {
    let scenario = &group.first().scenario;
    let description = meta.scenarios.iter().find(|(name, _)| name == scenario);
    let description = description.filter(|_| meta.scenarios.len() > 1);
    let plots = over_time(group, &series(group, runs));
    html! {
        @if let Some((_, description)) = description {
            (html::paragraph(None, description))
        }
        (html::paragraph(Some("conditions"), &group.conditions()))
        @for plot in [completion::draw(group)].iter().chain(&plots) {
            (html::figure(&plot.svg, &plot.caption))
        }
    }
}
