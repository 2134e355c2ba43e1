//! The tables of a page: one for all groups, or one for each value of a condition.

use super::most_notable;
use crate::columns::{Cell, Column, Tone};
use crate::condition::Condition;
use crate::html;
use crate::html::text;
use crate::overview::{Axis, Names, Overview};
use crate::summary::Group;
use maud::{html, Markup};
use onramp_plot::units::printable;

/// More groups than this are divided into parts that open on demand.
const MAX_OPEN_GROUPS: usize = 40;
/// Maximum number of rows on a page. A row takes some 250 bytes.
const MAX_ROWS: usize = 6000;

/// The tables, what their columns mean, and which runs are suspect.
pub(super) fn section(
    groups: &[Group<'_>],
    names: &Names,
    overview: Option<&Overview<'_>>,
) -> Markup {
    let columns = Column::chosen(groups);
    let listed = most_notable(groups, MAX_ROWS, |at| groups[at].rows.len());
    let tables = Tables {
        groups,
        names,
        columns: &columns,
        listed: &listed,
    };
    let heading = match overview {
        Some(_) => "Every path and size",
        None => "Summary",
    };
    html! {
        h2 { (heading) } "\n"
        @if listed.len() < groups.len() {
            (html::paragraph(None, &format!(
                "{} of {} paths and sizes are listed, those with the lowest and the highest \
                 ratios. results.csv has all of them.",
                listed.len(),
                groups.len()
            )))
        }
        @if groups.len() <= MAX_OPEN_GROUPS {
            (tables.table("results", None, |_| true))
        } @else {
            (tables.parts(overview))
        }
        @if let Some(note) = crate::table::suspect_note(groups) {
            p.warning { (text(&note.replace("\n ", ""))) } "\n"
        }
        (meanings(&columns))
    }
}

/// What the tables are made from.
struct Tables<'a> {
    groups: &'a [Group<'a>],
    names: &'a Names,
    columns: &'a [Column],
    /// The groups with a table: positions.
    listed: &'a [usize],
}

impl Tables<'_> {
    /// A part for each value of the first condition by which the groups differ.
    fn parts(&self, overview: Option<&Overview<'_>>) -> Markup {
        let differing = self.names.differing().iter();
        let axis = differing
            .filter_map(|one| Axis::of(*one, self.groups))
            .next();
        let Some(axis) = axis else {
            let all = self.table("results", None, |_| true);
            return html::details("All of them", &all);
        };
        html! {
            @for (at, name) in axis.names.iter().enumerate() {
                @let is_inside = |group: usize| axis.of_group[group] == at;
                @if self.listed.iter().any(|&group| is_inside(group)) {
                    (html::details(&self.summary(&axis, name, overview, &is_inside), &html! {
                        (self.table(name, Some(axis.condition), is_inside))
                    }))
                }
            }
        }
    }

    /// `RTT 20 ms: 252 paths and sizes; onramp + cubic 0.71`.
    fn summary(
        &self,
        axis: &Axis,
        name: &str,
        overview: Option<&Overview<'_>>,
        is_inside: &dyn Fn(usize) -> bool,
    ) -> String {
        let count = self
            .listed
            .iter()
            .filter(|&&group| is_inside(group))
            .count();
        let mut summary = format!("{} {name}: {count} paths and sizes", axis.condition.name());
        for contestant in overview.iter().flat_map(|overview| &overview.contestants) {
            if let Some(mean) = contestant.mean(is_inside) {
                summary += &format!("; {} {mean:.2}", contestant.label);
            }
        }
        summary
    }

    /// The table of the listed groups in a part. It scrolls by itself where it is too wide.
    fn table(
        &self,
        name: &str,
        known: Option<Condition>,
        is_inside: impl Fn(usize) -> bool,
    ) -> Markup {
        let inside = || self.listed.iter().filter(|&&group| is_inside(group));
        html! {
            div.scroll tabindex="0" role="region" aria-label=(printable(name)) { table { "\n"
                thead { tr {
                    @for &column in self.columns {
                        @let (name, unit) = heading(column);
                        th scope="col" class=[column.is_left().then_some("left")] {
                            (name) small { (unit) }
                        }
                    }
                } } "\n"
                @for &group in inside() {
                    (self.body(&self.groups[group], known))
                }
            } } "\n"
        }
    }

    /// The rows of a group, below its name. Tooltips are left out where there are many rows.
    fn body(&self, group: &Group<'_>, known: Option<Condition>) -> Markup {
        let has_details = self.groups.len() <= MAX_OPEN_GROUPS;
        let bound = self
            .columns
            .iter()
            .filter_map(|&column| Some((column, column.bound_cell(group)?)));
        let own = self.names.own(group);
        html! {
            tbody {
                tr {
                    th colspan=(self.columns.len()) scope="rowgroup" {
                        (text(&self.names.name_without(group, known)))
                        @if !own.is_empty() { br; span { (text(&own)) } }
                    }
                } "\n"
                @for row in &group.rows {
                    tr {
                        @for &column in self.columns {
                            (cell(column, &column.cell(row), has_details))
                        }
                    } "\n"
                }
                @if group.bound_s.is_some() {
                    tr.bound {
                        @for (column, bound) in bound { (cell(column, &bound, has_details)) }
                    } "\n"
                }
            } "\n"
        }
    }
}

/// Name and unit of a column. The page has room for longer units than the terminal has, and for the
/// name `rival` above both columns of the competing traffic.
fn heading(column: Column) -> (&'static str, &'static str) {
    match column {
        Column::CompetingBefore => ("rival", "before, Mbit/s"),
        Column::CompetingDuring => ("rival", "during, Mbit/s"),
        Column::Estimate => ("estimate", "% of link"),
        Column::Retransmitted => ("resent", "segments"),
        Column::Drops => ("drops", "packets"),
        Column::Policed => ("policed", "packets"),
        Column::Lost => ("lost", "packets"),
        other => other.head(),
    }
}

fn cell(column: Column, cell: &Cell, has_details: bool) -> Markup {
    let tone = match cell.tone {
        Tone::Plain => "",
        Tone::Better => "better",
        Tone::Worse => "worse",
        Tone::Faint => "faint",
        Tone::Warning => "warning",
    };
    let class = html::classes(&[if column.is_left() { "left" } else { "" }, tone]);
    let detail = cell.detail.as_deref().filter(|_| has_details);
    html! {
        td class=[class] title=[detail.map(printable)] { (text(&cell.text)) }
    }
}

/// What each column means.
fn meanings(columns: &[Column]) -> Markup {
    html! {
        h3 { "What the columns mean" } "\n"
        dl.columns { "\n"
            @for &column in columns {
                @let (name, unit) = heading(column);
                dt { (name) @if !unit.is_empty() { ", " (unit) } }
                dd { (column.meaning()) "." } "\n"
            }
        } "\n"
    }
}
