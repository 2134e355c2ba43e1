//! The report as one page of HTML: what was run, the summary, and the plots of each group.

use crate::columns::{Cell, Column, Tone};
use crate::figure::{completion, over_time, series};
use crate::html;
use crate::html::text;
use crate::run::{Meta, Run};
use crate::summary::{groups, Group};
use crate::units::printable;
use maud::{html, Markup};
use onramp_results::Record;

/// The page: what was run, the summary, and the plots of each group of transfers that can be
/// compared.
///
/// The page is self-contained: it has no scripts and fetches nothing.
pub fn page(meta: &Meta, runs: &[Run]) -> String {
    let records: Vec<Record> = runs.iter().map(|run| run.record.clone()).collect();
    let groups = groups(&records);
    let titles: Vec<String> = groups.iter().map(Group::title).collect();
    let body = html! {
        (html::paragraph(None, &meta.what))
        (html::facts(meta))
        @if groups.is_empty() {
            p { "No results." } "\n"
        } @else {
            (html::contents(&titles))
            (summary(&groups))
            @for (number, group) in groups.iter().enumerate() {
                (section(number, group, meta, runs))
            }
        }
    };
    html::page(&meta.title, &body)
}

fn summary(groups: &[Group<'_>]) -> Markup {
    let columns = Column::chosen(groups);
    html! {
        h2 { "Summary" } "\n"
        div.scroll { table { "\n"
            thead { tr {
                @for &column in &columns {
                    @let (name, unit) = heading(column);
                    th class=[column.is_left().then_some("left")] title=(column.meaning()) {
                        (name) small { (unit) }
                    }
                }
            } } "\n"
            @for group in groups {
                (body(group, &columns))
            }
        } } "\n"
        (notes(groups, &columns))
    }
}

/// The rows of a group, below its title.
fn body(group: &Group<'_>, columns: &[Column]) -> Markup {
    let bound = columns
        .iter()
        .filter_map(|&column| Some((column, column.bound_cell(group)?)));
    html! {
        tbody {
            tr {
                th colspan=(columns.len()) {
                    (text(&group.title())) br; span { (text(&group.conditions())) }
                }
            } "\n"
            @for row in &group.rows {
                tr {
                    @for &column in columns { (cell(column, &column.cell(row))) }
                } "\n"
            }
            @if group.bound_s.is_some() {
                tr.bound {
                    @for (column, bound) in bound { (cell(column, &bound)) }
                } "\n"
            }
        } "\n"
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

fn cell(column: Column, cell: &Cell) -> Markup {
    let tone = match cell.tone {
        Tone::Plain => "",
        Tone::Better => "better",
        Tone::Worse => "worse",
        Tone::Faint => "faint",
        Tone::Warning => "warning",
    };
    let class = html::classes(&[if column.is_left() { "left" } else { "" }, tone]);
    html! {
        td class=[class] title=[cell.detail.as_deref().map(printable)] { (text(&cell.text)) }
    }
}

fn notes(groups: &[Group<'_>], columns: &[Column]) -> Markup {
    html! {
        p.note {
            "Completion: from the receiver's connect to its last byte; medians over repeated runs, "
            "least and most in brackets. Ratio: to plain cubic, or to a group's first row where "
            "there is none. Bound: 2 RTT (handshake and request) + serialisation of every packet. "
            "Wasted: (completion − bound) / RTT."
            @if columns.contains(&Column::Estimate) {
                " Estimate: of payload rate, in percent of the payload rate that the path can "
                "carry for long."
            }
        } "\n"
        @if let Some(note) = crate::table::suspect_note(groups) {
            p.warning { (text(&note.replace("\n ", ""))) } "\n"
        }
    }
}

fn section(number: usize, group: &Group<'_>, meta: &Meta, runs: &[Run]) -> Markup {
    let scenario = &group.first().scenario;
    let description = meta.scenarios.iter().find(|(name, _)| name == scenario);
    let plots = over_time(group, &series(group, runs));
    html! {
        (html::heading(number, &group.title()))
        @if let Some((_, description)) = description {
            (html::paragraph(None, description))
        }
        (html::paragraph(Some("conditions"), &group.conditions()))
        @for plot in [completion::draw(group)].iter().chain(&plots) {
            (html::figure(&plot.svg, &plot.caption))
        }
    }
}
