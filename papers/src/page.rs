//! A paper as a page, and the page that leads to several.

use crate::{Choice, Influence, Ledger, Paper, PartView, Record, Reproduction};
use onramp_report::reproduction::{PageCell, PageFigure, PageTable, PageTone, ReproductionPage, Section};
use onramp_report::Meta;

/// The page of a paper. `kernel` is what a real kernel showed, and comes last.
pub fn page(paper: &Paper, reproduction: &Reproduction, kernel: Option<Section>, meta: Meta) -> ReproductionPage {
    let ledger = &paper.ledger;
    let mut sections: Vec<Section> = reproduction.views().map(|part| of_part(&part)).collect();
    if !ledger.choices.is_empty() {
        sections.push(left_open(ledger, reproduction));
    }
    sections.extend(kernel);
    ReproductionPage {
        title: ledger.title.clone(),
        citation: ledger.citation.clone(),
        intro: ledger.about.iter().cloned().chain([summary(ledger, reproduction)]).collect(),
        sections,
        meta,
    }
}

/// The page that leads to those of several papers, each in a file named as [`file_name`] says. What the cells of the
/// column `page` say are these names.
pub fn index(papers: &[(&Paper, &Reproduction)], meta: Meta) -> ReproductionPage {
    let row = |(paper, reproduction): &(&Paper, &Reproduction)| {
        let (rows, reproduced) = (reproduction.records.len(), reproduction.reproduced());
        let missed = rows - reproduced;
        let tone = if missed == 0 { PageTone::Muted } else { PageTone::Bad };
        vec![
            PageCell::from(file_name(&paper.ledger)),
            paper.ledger.title.as_str().into(),
            paper.ledger.citation.as_str().into(),
            rows.to_string().into(),
            PageCell::new(reproduced.to_string(), PageTone::Good),
            PageCell::new(missed.to_string(), tone),
        ]
    };
    let table = PageTable {
        caption: String::new(),
        head: head(["page", "paper", "by whom", "rows", "reproduced", "missed"]),
        rows: papers.iter().map(row).collect(),
    };
    ReproductionPage {
        title: "Papers, reproduced".to_owned(),
        intro: vec![
            "What these papers measured, measured again by Onramp's simulator. A row is a number or a statement \
                     of the paper; it is reproduced where the measurement agrees by the rule that was set before."
                .to_owned(),
        ],
        sections: vec![Section { heading: "The papers".to_owned(), tables: vec![table], ..Section::default() }],
        meta,
        ..ReproductionPage::default()
    }
}

/// The name of a paper's page.
pub fn file_name(ledger: &Ledger) -> String {
    format!("{}.html", ledger.id)
}

fn summary(ledger: &Ledger, reproduction: &Reproduction) -> String {
    let (measured, all) = (reproduction.records.len(), ledger.rows.len());
    let some = if measured < all { format!(" of its {all}") } else { String::new() };
    let reproduced = reproduction.reproduced();
    format!(
        "{measured} rows{some}: {reproduced} reproduced, {} missed. Where chance has a part, a number is the median of {} \
         seeds, and the spread is the least and the most of them.",
        measured - reproduced,
        reproduction.seeds
    )
}

fn of_part(part: &PartView<'_>) -> Section {
    let row = |record: &Record| {
        vec![
            PageCell::from(record.id.as_str()),
            record.what.as_str().into(),
            format!("§ {}", record.section).into(),
            record.with_unit(&record.expected).into(),
            record.measured_text().into(),
            PageCell::new(record.range_text(), PageTone::Muted),
            record.rule.to_string().into(),
            verdict(record),
            PageCell::new(record.note.as_str(), PageTone::Muted),
        ]
    };
    let mut table = PageTable {
        caption: String::new(),
        head: head(["row", "what", "section", "paper", "measured", "spread", "rule", "verdict", "note"]),
        rows: part.records.iter().map(row).collect(),
    };
    drop_if_empty(&mut table, 8);
    drop_if_empty(&mut table, 5);
    Section {
        heading: part.title.to_owned(),
        paragraphs: part.remarks.to_vec(),
        tables: vec![table],
        figures: part
            .figures
            .iter()
            .map(|figure| PageFigure { svg: figure.svg.clone(), caption: figure.caption.clone() })
            .collect(),
    }
}

fn verdict(record: &Record) -> PageCell {
    match record.reproduced {
        true => PageCell::new("reproduced", PageTone::Good),
        false => PageCell::new("missed", PageTone::Bad),
    }
}

/// Leaves out a column that says nothing.
fn drop_if_empty(table: &mut PageTable, column: usize) {
    if table.rows.iter().all(|row| row[column].text.is_empty()) {
        table.head.remove(column);
        table.rows.iter_mut().for_each(|row| drop(row.remove(column)));
    }
}

/// The open questions, and a table for each that changes rows.
fn left_open(ledger: &Ledger, reproduction: &Reproduction) -> Section {
    let influence = |choice: &Choice| reproduction.influences.iter().find(|of| of.question == choice.question);
    let row = |choice: &Choice| {
        vec![
            PageCell::from(choice.question.as_str()),
            choice.decided.as_str().into(),
            choice.reason.as_str().into(),
            choice.names().collect::<Vec<_>>().join("; ").into(),
            influence(choice).map_or(String::new(), |of| in_numbers(of, reproduction)).into(),
        ]
    };
    let mut decisions = PageTable {
        caption: String::new(),
        head: head(["question", "decided", "why", "else", "which then changes"]),
        rows: ledger.choices.iter().map(row).collect(),
    };
    drop_if_empty(&mut decisions, 4);
    let tables = reproduction.influences.iter().filter_map(|influence| changes(influence, reproduction));
    let what =
        "What follows for the rows is below: those that change by more than 1 %, and whether they are reproduced.";
    Section {
        heading: "What the paper leaves open".to_owned(),
        paragraphs: vec![
            "Each question was decided once, for all rows, before they were judged.".to_owned(),
            if reproduction.influences.is_empty() { String::new() } else { what.to_owned() },
        ],
        tables: std::iter::once(decisions).chain(tables).collect(),
        ..Section::default()
    }
}

/// `4 rows of 31`.
fn in_numbers(influence: &Influence, reproduction: &Reproduction) -> String {
    match reproduction.changes(influence).len() {
        0 => "no row".to_owned(),
        changed => format!("{changed} rows of {}", reproduction.records.len()),
    }
}

fn changes(influence: &Influence, reproduction: &Reproduction) -> Option<PageTable> {
    let changes = reproduction.changes(influence);
    let value = |record: &Record| {
        let tone = if record.reproduced { PageTone::Good } else { PageTone::Bad };
        PageCell::new(record.measured_text(), tone)
    };
    let rows = changes.iter().map(|change| {
        let decided = change.decided;
        let mut row = vec![
            PageCell::from(decided.id.as_str()),
            decided.what.as_str().into(),
            decided.with_unit(&decided.expected).into(),
            decided.rule.to_string().into(),
            value(decided),
        ];
        row.extend(change.alternatives.iter().map(|record| value(record)));
        row
    });
    let names = influence.alternatives.iter().map(|(name, _)| name.clone());
    (!changes.is_empty()).then(|| PageTable {
        caption: influence.question.clone(),
        head: head(["row", "what", "paper", "rule", "as decided"]).into_iter().chain(names).collect(),
        rows: rows.collect(),
    })
}

fn head<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}
