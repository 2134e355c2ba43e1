//! The report as one page of HTML that needs nothing else: style and plots are in it, scripts are
//! not.

use crate::columns::{Cell, Column, Tone};
use crate::figure::{completion, over_time, series};
use crate::html;
use crate::summary::{groups, Group};
use crate::svg::escape;
use crate::{Meta, Run};
use onramp_results::Record;
use std::fmt::Write;

/// The page: what was run, the summary, and the plots of each group of transfers that can be
/// compared.
pub fn page(meta: &Meta, runs: &[Run]) -> String {
    let records: Vec<Record> = runs.iter().map(|run| run.record.clone()).collect();
    let groups = groups(&records);
    let mut html = html::begin(&meta.title);
    html::paragraph(&mut html, "", &meta.what);
    html::facts(&mut html, meta);
    if groups.is_empty() {
        html += "<p>No results.</p>\n";
    } else {
        html::contents(
            &mut html,
            &groups.iter().map(Group::title).collect::<Vec<_>>(),
        );
        summary(&mut html, &groups);
        for (at, group) in groups.iter().enumerate() {
            section(&mut html, at, group, meta, runs);
        }
    }
    html::end(html)
}

fn summary(html: &mut String, groups: &[Group<'_>]) {
    let columns = Column::chosen(groups);
    html.push_str("<h2>Summary</h2>\n<div class=\"scroll\"><table>\n<thead><tr>");
    for &column in &columns {
        let (name, unit) = heading(column);
        let class = if column.is_left() {
            " class=\"left\""
        } else {
            ""
        };
        let _ = write!(
            html,
            "<th{class} title=\"{}\">{name}<small>{unit}</small></th>",
            escape(column.meaning())
        );
    }
    html.push_str("</tr></thead>\n");
    for group in groups {
        let (title, conditions) = (escape(&group.title()), escape(&group.conditions()));
        let span = columns.len();
        let _ = writeln!(
            html,
            "<tbody><tr><th colspan=\"{span}\">{title}<br><span>{conditions}</span></th></tr>"
        );
        for row in &group.rows {
            table_row(
                html,
                "",
                columns.iter().map(|&column| (column, column.cell(row))),
            );
        }
        if group.bound_s.is_some() {
            let cells = columns
                .iter()
                .filter_map(|&column| Some((column, column.bound_cell(group)?)));
            table_row(html, " class=\"bound\"", cells);
        }
        html.push_str("</tbody>\n");
    }
    html.push_str("</table></div>\n");
    notes(html, groups, &columns);
}

/// The page has room for a rival's name over both of its columns.
fn heading(column: Column) -> (&'static str, &'static str) {
    match column {
        Column::RivalBefore => ("rival", "before, Mbit/s"),
        Column::RivalDuring => ("rival", "during, Mbit/s"),
        Column::Estimate => ("estimate", "% of link"),
        Column::Resent => ("resent", "segments"),
        Column::Drops => ("drops", "packets"),
        Column::Policed => ("policed", "packets"),
        Column::Lost => ("lost", "packets"),
        other => other.head(),
    }
}

fn table_row(out: &mut String, class: &str, cells: impl Iterator<Item = (Column, Cell)>) {
    let _ = write!(out, "<tr{class}>");
    for (column, cell) in cells {
        let tone = match cell.tone {
            Tone::Plain => "",
            Tone::Better => "better",
            Tone::Worse => "worse",
            Tone::Faint => "faint",
            Tone::Warning => "warning",
        };
        let left = if column.is_left() { "left " } else { "" };
        let class = html::class_attribute(&format!("{left}{tone}"));
        let detail = cell
            .detail
            .map(|d| format!(" title=\"{}\"", escape(&d)))
            .unwrap_or_default();
        let _ = write!(out, "<td{class}{detail}>{}</td>", escape(&cell.text));
    }
    out.push_str("</tr>\n");
}

fn notes(html: &mut String, groups: &[Group<'_>], columns: &[Column]) {
    html.push_str(
        "<p class=\"note\">Completion: from the receiver's connect to its last byte; medians over repeated runs, \
         least and most in brackets. Ratio: to plain cubic, or to a group's first row where there is none. \
         Bound: 2 RTT (handshake and request) + serialisation of every packet. Wasted: (completion − bound) / RTT.",
    );
    if columns.contains(&Column::Estimate) {
        html.push_str(" Estimate: of payload rate, in percent of the payload rate that the path can carry for long.");
    }
    html.push_str("</p>\n");
    if let Some(note) = crate::table::suspect_note(groups) {
        let _ = writeln!(
            html,
            "<p class=\"warning\">{}</p>",
            escape(&note.replace("\n ", ""))
        );
    }
}

fn section(out: &mut String, at: usize, group: &Group<'_>, meta: &Meta, runs: &[Run]) {
    html::heading(out, at, &group.title());
    let scenario = &group.first().scenario;
    if let Some((_, description)) = meta.scenarios.iter().find(|(name, _)| name == scenario) {
        html::paragraph(out, "", description);
    }
    html::paragraph(out, "conditions", &group.conditions());
    let plots = over_time(group, &series(group, runs));
    for plot in [completion::draw(group)].iter().chain(&plots) {
        html::figure(out, &plot.svg, &plot.caption);
    }
}
