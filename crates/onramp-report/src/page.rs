//! The report as one page of HTML that needs nothing else: style and plots are in it, scripts are not.

use crate::columns::{Cell, Column, Tone};
use crate::figure::{completion, over_time, series, Figure};
use crate::summary::{groups, Group};
use crate::svg::escape;
use crate::{Meta, Run};
use onramp_scenario::Record;
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");

/// The page: what was run, the summary, and the plots of each group of transfers that can be compared.
pub fn page(meta: &Meta, runs: &[Run]) -> String {
    let records: Vec<Record> = runs.iter().map(|run| run.record.clone()).collect();
    let groups = groups(&records);
    let title = escape(&meta.title);
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    head(&mut html, meta);
    if groups.is_empty() {
        html += "<p>No results.</p>\n";
    } else {
        contents(&mut html, &groups);
        summary(&mut html, &groups);
        for (at, group) in groups.iter().enumerate() {
            section(&mut html, at, group, meta, runs);
        }
    }
    html + "</body>\n</html>\n"
}

fn head(html: &mut String, meta: &Meta) {
    if !meta.what.is_empty() {
        let _ = writeln!(html, "<p>{}</p>", escape(&meta.what));
    }
    let cpus = if meta.cpus > 0 { meta.cpus.to_string() } else { String::new() };
    let facts = [
        ("command", &meta.command),
        ("date", &meta.date),
        ("Onramp", &meta.version),
        ("kernel", &meta.kernel_release),
        ("CPUs", &cpus),
    ];
    html.push_str("<dl class=\"meta\">\n");
    for (name, value) in facts.into_iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(html, "<dt>{name}</dt><dd>{}</dd>", escape(value));
    }
    html.push_str("</dl>\n");
}

fn contents(html: &mut String, groups: &[Group<'_>]) {
    if groups.len() < 2 {
        return;
    }
    html.push_str("<nav><ol>\n");
    for (at, group) in groups.iter().enumerate() {
        let _ = writeln!(html, "<li><a href=\"#g{at}\">{}</a></li>", escape(&group.title()));
    }
    html.push_str("</ol></nav>\n");
}

fn summary(html: &mut String, groups: &[Group<'_>]) {
    let columns = Column::chosen(groups);
    html.push_str("<h2>Summary</h2>\n<div class=\"scroll\"><table>\n<thead><tr>");
    for &column in &columns {
        let (name, unit) = heading(column);
        let class = if column.is_left() { " class=\"left\"" } else { "" };
        let _ = write!(html, "<th{class} title=\"{}\">{name}<small>{unit}</small></th>", escape(column.meaning()));
    }
    html.push_str("</tr></thead>\n");
    for group in groups {
        let (title, conditions) = (escape(&group.title()), escape(&group.conditions()));
        let span = columns.len();
        let _ = writeln!(html, "<tbody><tr><th colspan=\"{span}\">{title}<br><span>{conditions}</span></th></tr>");
        for row in &group.rows {
            table_row(html, "", columns.iter().map(|&column| (column, column.cell(row))));
        }
        if group.bound_s.is_some() {
            let cells = columns.iter().filter_map(|&column| Some((column, column.bound_cell(group)?)));
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
        Column::Lost => ("lost", "packets"),
        other => other.head(),
    }
}

fn table_row(html: &mut String, class: &str, cells: impl Iterator<Item = (Column, Cell)>) {
    let _ = write!(html, "<tr{class}>");
    for (column, cell) in cells {
        let tone = match cell.tone {
            Tone::Plain => "",
            Tone::Better => "better",
            Tone::Worse => "worse",
            Tone::Faint => "faint",
            Tone::Warning => "warning",
        };
        let class = if column.is_left() { format!("left {tone}") } else { tone.to_owned() };
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{}\"", class.trim()) };
        let detail = cell.detail.map(|d| format!(" title=\"{}\"", escape(&d))).unwrap_or_default();
        let _ = write!(html, "<td{class}{detail}>{}</td>", escape(&cell.text));
    }
    html.push_str("</tr>\n");
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
        let _ = writeln!(html, "<p class=\"warning\">{}</p>", escape(&note.replace("\n ", "")));
    }
}

fn section(html: &mut String, at: usize, group: &Group<'_>, meta: &Meta, runs: &[Run]) {
    let _ = writeln!(html, "<h2 id=\"g{at}\">{}</h2>", escape(&group.title()));
    let scenario = &group.first().scenario;
    if let Some((_, description)) = meta.scenarios.iter().find(|(name, _)| name == scenario) {
        let _ = writeln!(html, "<p>{}</p>", escape(description));
    }
    let _ = writeln!(html, "<p class=\"conditions\">{}</p>", escape(&group.conditions()));
    figure(html, &completion::draw(group));
    for plot in over_time(group, &series(group, runs)) {
        figure(html, &plot);
    }
}

fn figure(html: &mut String, figure: &Figure) {
    let _ = writeln!(html, "<figure>\n{}<figcaption>{}</figcaption>\n</figure>", figure.svg, escape(&figure.caption));
}
