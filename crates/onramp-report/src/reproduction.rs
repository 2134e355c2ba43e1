//! The page of a paper whose tables and figures were computed again.

use crate::html::{self, class_attribute};
use crate::svg::escape;
use crate::Meta;
use std::fmt::Write;

/// From so many rows on a table has a height of its own on a small screen, and scrolls.
const LONG: usize = 16;
/// Up to so many characters a cell stays on one line.
const SHORT: usize = 24;

/// The page. All text is plain text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReproductionPage {
    /// Heading of the page.
    pub title: String,
    /// Authors, title, place and year of the paper.
    pub citation: String,
    /// Paragraphs before the contents.
    pub intro: Vec<String>,
    /// The page's parts, in order. Where there are several, the contents link to them.
    pub sections: Vec<Section>,
    /// Where and how the numbers were made: command, date, version, kernel and CPUs are shown where
    /// they are not empty. The page has its own title and text.
    pub meta: Meta,
}

/// A part of the page: paragraphs, then tables, then figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Its heading.
    pub heading: String,
    /// Text below the heading.
    pub paragraphs: Vec<String>,
    /// Tables below the text.
    pub tables: Vec<PageTable>,
    /// Figures below the tables.
    pub figures: Vec<PageFigure>,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageTable {
    /// Stands above it. May be empty.
    pub caption: String,
    /// Names of the columns, with units.
    pub head: Vec<String>,
    /// The rows. One that is shorter than the head is filled up with empty cells. A column in which
    /// every cell begins like a number is set flush right.
    pub rows: Vec<Vec<PageCell>>,
}

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageCell {
    /// What it says.
    pub text: String,
    /// What that means.
    pub tone: PageTone,
}

/// What a cell's text means. Colour is not all that says so: good and bad ones begin with a sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageTone {
    /// Nothing in particular.
    #[default]
    Plain,
    /// As expected: `✓` and the text.
    Good,
    /// Not as expected: `✗` and the text.
    Bad,
    /// Of less weight: faint.
    Muted,
}

/// A figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageFigure {
    /// As [`draw_plot`](crate::plot::draw_plot), [`trace_graph`](crate::trace_graph::trace_graph)
    /// and [`draw_ladder`](crate::ladder::draw_ladder) make it. It goes into the page unchanged: no
    /// text of others.
    pub svg: String,
    /// Stands below it.
    pub caption: String,
}

impl PageCell {
    /// A cell of this tone.
    pub fn new(text: impl Into<String>, tone: PageTone) -> PageCell {
        PageCell {
            text: text.into(),
            tone,
        }
    }
}

/// A plain cell.
impl<T: Into<String>> From<T> for PageCell {
    fn from(text: T) -> PageCell {
        PageCell::new(text, PageTone::Plain)
    }
}

/// The page as HTML that needs nothing but itself: no network, no script. It follows the reader's
/// light or dark scheme, prints, and on a phone its wide tables scroll by themselves.
pub fn reproduction_page(page: &ReproductionPage) -> String {
    let mut html = html::begin(&page.title);
    html::paragraph(&mut html, "citation", &page.citation);
    for paragraph in &page.intro {
        html::paragraph(&mut html, "", paragraph);
    }
    html::facts(&mut html, &page.meta);
    html::contents(
        &mut html,
        &page
            .sections
            .iter()
            .map(|s| s.heading.clone())
            .collect::<Vec<_>>(),
    );
    for (at, section) in page.sections.iter().enumerate() {
        html::heading(&mut html, at, &section.heading);
        for paragraph in &section.paragraphs {
            html::paragraph(&mut html, "", paragraph);
        }
        for table in &section.tables {
            draw_table(&mut html, table);
        }
        for figure in &section.figures {
            html::figure(&mut html, &figure.svg, &figure.caption);
        }
    }
    html::end(html)
}

/// The frame around a table scrolls, so it can be reached with the keyboard and has a name.
fn draw_table(out: &mut String, table: &PageTable) {
    let columns = table
        .rows
        .iter()
        .map(Vec::len)
        .fold(table.head.len(), usize::max);
    if columns == 0 {
        return;
    }
    let left: Vec<bool> = (0..columns)
        .map(|column| !is_numeric(texts(table, column)))
        .collect();
    let class = |column: usize, more: &str| {
        let side = if left[column] { "left " } else { "" };
        class_attribute(&format!("{side}{more}"))
    };
    let long = if table.rows.len() >= LONG {
        " long"
    } else {
        ""
    };
    let name = if table.caption.is_empty() {
        "table"
    } else {
        &table.caption
    };
    let _ = write!(
        out,
        "<div class=\"scroll{long}\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">",
        escape(name)
    );
    out.push_str("<table class=\"data\">\n");
    if !table.caption.is_empty() {
        let _ = writeln!(out, "<caption>{}</caption>", escape(&table.caption));
    }
    if !table.head.is_empty() {
        out.push_str("<thead><tr>");
        for column in 0..columns {
            let name = table.head.get(column).map_or("", String::as_str);
            let _ = write!(
                out,
                "<th scope=\"col\"{}>{}</th>",
                class(column, ""),
                escape(name)
            );
        }
        out.push_str("</tr></thead>\n");
    }
    out.push_str("<tbody>\n");
    let empty = PageCell::default();
    for row in &table.rows {
        out.push_str("<tr>");
        for column in 0..columns {
            let cell = row.get(column).unwrap_or(&empty);
            let (tone, sign) = match cell.tone {
                PageTone::Plain => ("", ""),
                PageTone::Good => ("better", "✓ "),
                PageTone::Bad => ("worse", "✗ "),
                PageTone::Muted => ("faint", ""),
            };
            let wrap = if cell.text.chars().count() > SHORT {
                " wrap"
            } else {
                ""
            };
            let _ = write!(
                out,
                "<td{}>{sign}{}</td>",
                class(column, &format!("{tone}{wrap}")),
                escape(&cell.text)
            );
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
}

fn texts(table: &PageTable, column: usize) -> impl Iterator<Item = &str> + Clone {
    table
        .rows
        .iter()
        .filter_map(move |row| row.get(column))
        .map(|cell| cell.text.as_str())
}

/// Whether each cell of a column that is not empty begins like a number, or stands for one that is
/// missing.
pub(crate) fn is_numeric<'a>(cells: impl Iterator<Item = &'a str> + Clone) -> bool {
    let begins = |text: &str| {
        let digits =
            text.trim_start_matches(['+', '-', '−', '±', '~', '≈', '<', '>', '≤', '≥', '.', ' ']);
        text.chars().count() <= SHORT && digits.starts_with(|c: char| c.is_ascii_digit())
    };
    let is_number_or_none =
        |text: &str| text.is_empty() || matches!(text, "–" | "—" | "-" | "n/a") || begins(text);
    let mut cells = cells.map(str::trim);
    cells.clone().any(begins) && cells.all(is_number_or_none)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_numbers_are_flush_right_and_others_left() {
        let column = |texts: &[&str]| is_numeric(texts.iter().copied());
        assert!(column(&["30.52", "−4 %", "", "–", "≥ 2"]));
        assert!(!column(&["30.52", "none"]) && !column(&["", "–"]) && !column(&[]));
        assert!(
            !column(&["8 senders each over the whole of the path"]),
            "a sentence"
        );
    }
}
