//! The plots of some groups: completion times, and the course of transfers that were traced.

use super::most_notable;
use crate::figure::{completion, over_time, series, slowdown};
use crate::html;
use crate::overview::Names;
use crate::run::{Meta, Run};
use crate::summary::Group;
use maud::{html, Markup};

/// More groups than this have a chart of completion times only together with plots over time.
const MAX_CHARTS: usize = 50;
/// With more lines than this in the plots over time of a page, not all groups have plots. A line
/// takes some 10 to 50 kB.
const MAX_SERIES: usize = 100;
/// Number of lines then, and the size of all plots in bytes: beside the long tables of such a page
/// they are a part of its size.
const NOTABLE_SERIES: usize = 40;
const NOTABLE_BYTES: usize = 1_200_000;
/// More groups than this open on demand.
const MAX_OPEN_GROUPS: usize = 6;

/// A group that has plots.
pub(super) struct Plotted {
    /// Its position.
    group: usize,
    /// Its name among the groups of the page.
    pub(super) name: String,
    content: Markup,
}

/// The groups that have plots. Where there are too many, these are the groups with the lowest and
/// the highest ratios.
pub(super) fn plotted(
    groups: &[Group<'_>],
    names: &Names,
    meta: &Meta,
    runs: &[Run],
) -> Vec<Plotted> {
    let traced = |at: usize| {
        let is_traced = |indices: &[usize]| indices.iter().any(|&run| runs[run].trace.is_some());
        let rows = groups[at].rows.iter();
        rows.filter(|row| is_traced(&row.indices)).count()
    };
    let draw = |group: usize| Plotted {
        group,
        name: names.name(&groups[group]),
        content: section(&groups[group], meta, runs),
    };
    let lines: usize = (0..groups.len()).map(traced).sum();
    let is_few = groups.len() <= MAX_CHARTS;
    if lines <= MAX_SERIES {
        let chosen = (0..groups.len()).filter(|&at| is_few || traced(at) > 0);
        return chosen.map(draw).collect();
    }
    let chosen = most_notable(groups, NOTABLE_SERIES, traced).into_iter();
    let mut drawn: Vec<Plotted> = chosen.map(draw).collect();
    let bytes = |at: usize| {
        let own = drawn.iter().find(|plotted| plotted.group == at);
        own.map_or(0, |plotted| plotted.content.0.len())
    };
    let kept = most_notable(groups, NOTABLE_BYTES, bytes);
    drawn.retain(|plotted| kept.contains(&plotted.group));
    drawn
}

/// The parts of the page with plots.
pub(super) fn sections(plotted: &[Plotted], groups: usize) -> Markup {
    let is_open = plotted.len() <= MAX_OPEN_GROUPS;
    html! {
        @if !plotted.is_empty() && plotted.len() < groups {
            h2 { "Plots" } "\n"
            (html::paragraph(None, &format!(
                "{} of {groups} paths and sizes have plots here, those with the lowest and the \
                 highest ratios. The folder traces has the course of every transfer that was \
                 traced.",
                plotted.len()
            )))
        } @else if !is_open {
            h2 { "Plots" } "\n"
        }
        @for (number, one) in plotted.iter().enumerate() {
            @if is_open {
                (html::heading(number, &one.name))
                (one.content)
            } @else {
                // A link to a place inside opens the part.
                (html::details(&one.name, &html! {
                    div id={ "g" (number) } { (one.content) }
                }))
            }
        }
    }
}

fn section(group: &Group<'_>, meta: &Meta, runs: &[Run]) -> Markup {
    let scenario = &group.first().scenario;
    let description = meta.scenarios.iter().find(|(name, _)| name == scenario);
    let description = description.filter(|_| meta.scenarios.len() > 1);
    let plots = over_time(group, &series(group, runs), runs);
    html! {
        @if let Some((_, description)) = description {
            (html::paragraph(None, description))
        }
        (html::paragraph(Some("conditions"), &group.conditions()))
        @for plot in [completion::draw(group)].iter().chain(&slowdown::draw(group)).chain(&plots) {
            (html::figure(&plot.svg, &plot.caption))
        }
    }
}
