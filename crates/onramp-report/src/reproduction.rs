//! The page of a paper whose tables and figures were computed again.

use crate::html;
use crate::html::text;
use crate::run::Meta;
use maud::{html, Markup};
use onramp_plot::units::{is_numeric, printable};

/// A table with this many rows or more scrolls within a limited height on a small screen.
const LONG_TABLE_ROWS: usize = 16;
/// A cell with more characters than this may be wrapped.
const MAX_LINE_CHARS: usize = 24;

/// The page of a paper. All text is plain text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReproductionPage {
    /// Heading of the page.
    pub title: String,
    /// Authors, title, place and year of the paper.
    pub citation: String,
    /// Paragraphs before the contents.
    pub intro: Vec<String>,
    /// The parts of the page, in order. Where there are several, a list of links leads to them.
    pub sections: Vec<Section>,
    /// Where and how the numbers were made: command, date, version, kernel and CPUs. Empty ones are
    /// left out. Title and text of the page come from the fields above.
    pub meta: Meta,
}

/// A part of the page: paragraphs, then tables, then figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Heading of the part.
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
    /// The sentence above the table. May be empty.
    pub caption: String,
    /// Names of the columns, with units.
    pub head: Vec<String>,
    /// The rows. A row with too few cells gets empty ones. A column in which every cell begins like
    /// a number is flush right.
    pub rows: Vec<Vec<PageCell>>,
}

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageCell {
    /// The text.
    pub text: String,
    /// How the text is to be read.
    pub tone: PageTone,
}

/// How the text of a cell is to be read. Colour is not the only difference: the text of a good or
/// bad cell begins with a sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageTone {
    /// No special meaning.
    #[default]
    Plain,
    /// As expected: `✓` and the text.
    Good,
    /// Not as expected: `✗` and the text.
    Bad,
    /// Faint: it has less weight.
    Muted,
}

/// A figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageFigure {
    /// A figure of [`onramp_plot`]. The page contains it unchanged and unescaped, so it must not
    /// come from elsewhere.
    pub svg: String,
    /// The sentence below the figure.
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

/// The page as self-contained HTML: it has no scripts and fetches nothing. It follows the light or
/// dark scheme of the reader and can be printed. On a small screen, its wide tables scroll by
/// themselves.
pub fn reproduction_page(page: &ReproductionPage) -> String {
    let headings: Vec<String> = page.sections.iter().map(|s| s.heading.clone()).collect();
    let body = html! {
        (html::paragraph(Some("citation"), &page.citation))
        @for paragraph in &page.intro {
            (html::paragraph(None, paragraph))
        }
        (html::facts(&page.meta))
        (html::contents(&headings))
        @for (number, section) in page.sections.iter().enumerate() {
            (html::heading(number, &section.heading))
            @for paragraph in &section.paragraphs {
                (html::paragraph(None, paragraph))
            }
            @for table in &section.tables {
                (draw_table(table))
            }
            @for figure in &section.figures {
                (html::figure(&figure.svg, &figure.caption))
            }
        }
    };
    html::page(&page.title, &body)
}

/// The frame around a table scrolls. It can be reached with the keyboard and has a name for screen
/// readers.
pub(crate) fn draw_table(table: &PageTable) -> Markup {
    let columns = table
        .rows
        .iter()
        .map(Vec::len)
        .fold(table.head.len(), usize::max);
    let sides: Vec<&str> = (0..columns)
        .map(|column| {
            if is_numeric(texts(table, column)) {
                ""
            } else {
                "left"
            }
        })
        .collect();
    let is_long = table.rows.len() >= LONG_TABLE_ROWS;
    let name = if table.caption.is_empty() {
        "table"
    } else {
        &table.caption
    };
    let empty = PageCell::default();
    html! {
        @if columns > 0 {
            div.scroll.long[is_long] tabindex="0" role="region" aria-label=(printable(name)) {
                table.data { "\n"
                    @if !table.caption.is_empty() {
                        caption { (text(&table.caption)) } "\n"
                    }
                    @if !table.head.is_empty() {
                        thead { tr {
                            @for (column, side) in sides.iter().enumerate() {
                                th scope="col" class=[html::classes(&[side])] {
                                    (text(table.head.get(column).map_or("", String::as_str)))
                                }
                            }
                        } } "\n"
                    }
                    tbody { "\n"
                        @for row in &table.rows {
                            tr {
                                @for (column, side) in sides.iter().enumerate() {
                                    (draw_cell(side, row.get(column).unwrap_or(&empty)))
                                }
                            } "\n"
                        }
                    }
                }
            } "\n"
        }
    }
}

fn draw_cell(side: &str, cell: &PageCell) -> Markup {
    let (tone, sign) = match cell.tone {
        PageTone::Plain => ("", ""),
        PageTone::Good => ("better", "✓ "),
        PageTone::Bad => ("worse", "✗ "),
        PageTone::Muted => ("faint", ""),
    };
    let is_long = cell.text.chars().count() > MAX_LINE_CHARS;
    let class = html::classes(&[side, tone, if is_long { "wrap" } else { "" }]);
    html! {
        td class=[class] { (sign) (text(&cell.text)) }
    }
}

fn texts(table: &PageTable, column: usize) -> impl Iterator<Item = &str> + Clone {
    table
        .rows
        .iter()
        .filter_map(move |row| row.get(column))
        .map(|cell| cell.text.as_str())
}
