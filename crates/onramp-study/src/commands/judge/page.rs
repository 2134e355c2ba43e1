//! The advice as one self-contained page.

use super::table;
use onramp_advise::{Advice, Comparison};
use onramp_report::reproduction::{
    reproduction_page, PageCell, PageTable, ReproductionPage, Section,
};
use onramp_report::Meta;

/// The page. `meta` says how it was made.
pub fn page(advice: &Advice, comparison: Option<&Option<Comparison>>, meta: Meta) -> String {
    let mut sections = Vec::new();
    sections.extend(comparison.map(|comparison| {
        let (text, tables) = match comparison {
            Some(comparison) => (
                table::compared_verdict(comparison),
                vec![table_of("", table::compared(comparison))],
            ),
            None => (table::NOT_COMPARED.to_owned(), Vec::new()),
        };
        section("Prediction and measurement", text, tables)
    }));
    if advice.judged > 0 {
        let tables = vec![
            table_of("", table::candidates(advice)),
            table_of(table::BY_SIZE, table::sizes(advice)),
        ];
        sections.push(section("What a host could do", String::new(), tables));
    }
    if !advice.classes.is_empty() {
        let mut text = table::notes(advice);
        if let Some(line) = table::not_shown(advice) {
            text = format!("{line}. {text}");
        }
        let tables = vec![table_of("", table::classes(advice))];
        sections.push(section("Classes of connections", text, tables));
    }
    reproduction_page(&ReproductionPage {
        title: "What would Onramp gain here?".to_owned(),
        intro: vec![table::verdict(advice)],
        sections,
        meta,
        ..ReproductionPage::default()
    })
}

fn section(heading: &str, text: String, tables: Vec<PageTable>) -> Section {
    Section {
        heading: heading.to_owned(),
        paragraphs: vec![text],
        tables,
        ..Section::default()
    }
}

/// A table from its rows, the first of which has the names of the columns.
fn table_of(caption: &str, rows: Vec<Vec<String>>) -> PageTable {
    let mut rows = rows.into_iter();
    PageTable {
        caption: caption.to_owned(),
        head: rows.next().unwrap_or_default(),
        rows: rows
            .map(|row| row.into_iter().map(PageCell::from).collect())
            .collect(),
    }
}
