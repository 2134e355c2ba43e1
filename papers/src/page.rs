//! The page of a paper, and the index of several pages.

use crate::{
    Changed, Choice, Figure, Influence, Ledger, Note, Paper, PartView, Record, Reproduction, Table,
    Verdict,
};
use onramp_report::reproduction::{PageCell, PageTable, PageTone, ReproductionPage, Section};
use onramp_report::{head, Meta};

/// The page of a paper. `kernel` is the section about a real kernel, which comes last.
pub fn page(
    paper: &Paper,
    reproduction: &Reproduction,
    kernel: Option<Section>,
    meta: Meta,
) -> ReproductionPage {
    let ledger = &paper.ledger;
    let mut sections: Vec<Section> = reproduction
        .views()
        .map(|part| of_part(ledger, &part))
        .collect();
    if !ledger.choices.is_empty() {
        sections.push(left_open(ledger, reproduction));
    }
    sections.extend(changed(ledger));
    sections.extend(kernel);
    ReproductionPage {
        title: ledger.title.clone(),
        citation: ledger.citation.clone(),
        intro: ledger
            .about
            .iter()
            .cloned()
            .chain([summary(ledger, reproduction)])
            .collect(),
        sections,
        meta,
    }
}

/// The index of several papers' pages. The cells of its column `page` are the file names of
/// [`file_name`].
pub fn index(papers: &[(&Paper, &Reproduction)], meta: Meta) -> ReproductionPage {
    let row = |(paper, reproduction): &(&Paper, &Reproduction)| {
        let counts = Verdict::ALL.map(|verdict| {
            let count = reproduction.count(verdict);
            let tone = if count == 0 {
                PageTone::Muted
            } else {
                tone(verdict)
            };
            PageCell::new(count.to_string(), tone)
        });
        let names = [
            PageCell::from(file_name(&paper.ledger)),
            paper.ledger.title.as_str().into(),
            paper.ledger.citation.as_str().into(),
            reproduction.records.len().to_string().into(),
        ];
        names.into_iter().chain(counts).collect()
    };
    let names = head("page | paper | by whom | rows").into_iter();
    let table = PageTable {
        caption: String::new(),
        head: names
            .chain(Verdict::ALL.map(|verdict| verdict.name().to_owned()))
            .collect(),
        rows: papers.iter().map(row).collect(),
    };
    ReproductionPage {
        title: "Papers, reproduced".to_owned(),
        intro: vec![
            "What these papers measured, measured again by Onramp's simulator. A row is a number \
             or a statement of the paper."
                .to_owned(),
            MEANING.to_owned(),
        ],
        sections: vec![Section {
            heading: "The papers".to_owned(),
            tables: vec![table],
            ..Section::default()
        }],
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
    let some = if measured < all {
        format!("{measured} rows of its {all} were measured. ")
    } else {
        String::new()
    };
    format!("{some}{}. {MEANING}", Reproduction::sums([reproduction]))
}

const MEANING: &str = "Where chance has a part, a number is the median of many seeds, beside the \
    central half of the seeds and the share of them that agree with the paper by the row's rule. A \
    row is reproduced where the whole half clearly agrees, and consistent where the whole half \
    clearly disagrees, but at least 5 % of the seeds agree and the paper's value lies within the \
    central 90 % of them. It is missed without these, and undecided otherwise. Clearly means by \
    two standard errors of a share of the seeds. Rows of algebra could not miss, and do not count.";

fn of_part(ledger: &Ledger, part: &PartView<'_>) -> Section {
    let row = |record: &Record| {
        vec![
            PageCell::from(record.id.as_str()),
            record.what.as_str().into(),
            format!("§ {}", record.section).into(),
            record.with_unit(&record.expected).into(),
            record.measured_text().into(),
            PageCell::new(record.half_text(), PageTone::Muted),
            record.rule.to_string().into(),
            PageCell::new(record.within_text(), PageTone::Muted),
            PageCell::new(record.verdict.name(), tone(record.verdict)),
        ]
    };
    let mut table = PageTable {
        caption: String::new(),
        head: head(
            "row | what | section | paper | measured | half of the seeds | rule | seeds | \
                 verdict",
        ),
        rows: part.records.iter().map(row).collect(),
    };
    drop_if_empty(&mut table, 7);
    drop_if_empty(&mut table, 5);
    let note = |note: Note<'_>| {
        let tone = if note.is_cause {
            PageTone::Bad
        } else {
            PageTone::Plain
        };
        vec![
            PageCell::new(note.ids.join(", "), tone),
            (*note.text).into(),
        ]
    };
    let notes = PageTable {
        caption: "Notes (✗: why it misses)".to_owned(),
        head: Vec::new(),
        rows: part.notes(ledger).into_iter().map(note).collect(),
    };
    let tables = [table, notes]
        .into_iter()
        .filter(|table| !table.rows.is_empty());
    Section {
        heading: part.title.to_owned(),
        paragraphs: part.remarks.to_vec(),
        tables: tables
            .chain(part.tables.iter().map(Table::page_table))
            .collect(),
        figures: part.figures.iter().map(Figure::page_figure).collect(),
    }
}

fn tone(verdict: Verdict) -> PageTone {
    match verdict {
        Verdict::Reproduced => PageTone::Good,
        Verdict::Undecided | Verdict::Consistent => PageTone::Plain,
        Verdict::Missed => PageTone::Bad,
        Verdict::Algebra => PageTone::Muted,
    }
}

/// Leaves out a column without any text.
fn drop_if_empty(table: &mut PageTable, column: usize) {
    if table.rows.iter().all(|row| row[column].text.is_empty()) {
        table.head.remove(column);
        table
            .rows
            .iter_mut()
            .for_each(|row| drop(row.remove(column)));
    }
}

/// The open questions, with a table of the changed rows below each question that changes some.
fn left_open(ledger: &Ledger, reproduction: &Reproduction) -> Section {
    let tables = ledger.choices.iter().flat_map(|choice| {
        let influence = reproduction
            .influences
            .iter()
            .find(|influence| influence.question == choice.question);
        let changes = influence.and_then(|influence| changes(influence, reproduction));
        std::iter::once(decision(choice, influence, reproduction)).chain(changes)
    });
    let what =
        "Below each question are the rows that another answer changes by more than 1 % (=: no \
         such change), green where the median agrees by the rule. These are medians of nine seeds \
         and no verdicts.";
    Section {
        heading: "What the paper leaves open".to_owned(),
        paragraphs: vec![
            "Each question was decided once, for all rows.".to_owned(),
            if reproduction.influences.is_empty() {
                String::new()
            } else {
                what.to_owned()
            },
        ],
        tables: tables.collect(),
        ..Section::default()
    }
}

/// The changes of rules, expected values and choices.
fn changed(ledger: &Ledger) -> Option<Section> {
    let known = |is_known: bool| if is_known { "yes" } else { "no" };
    let row = |change: &Changed| {
        vec![
            PageCell::from(change.rows.as_str()),
            change.reason.as_str().into(),
            known(change.after_measuring).into(),
            PageCell::new(change.commit.clone(), PageTone::Muted),
        ]
    };
    (!ledger.changed.is_empty()).then(|| Section {
        heading: "Rules, expected values and choices that were changed".to_owned(),
        tables: vec![PageTable {
            caption: String::new(),
            head: head("what | change and reason | results known | commit"),
            rows: ledger.changed.iter().map(row).collect(),
        }],
        ..Section::default()
    })
}

fn decision(
    choice: &Choice,
    influence: Option<&Influence>,
    reproduction: &Reproduction,
) -> PageTable {
    let others = reproduction.others(choice);
    let changes = influence
        .map(|influence| in_numbers(influence, reproduction))
        .unwrap_or_default();
    let said = [
        ("decided", &choice.decided),
        ("why", &choice.reason),
        ("else", &others),
        ("changes", &changes),
    ];
    let said = said.into_iter().filter(|(_, said)| !said.is_empty());
    let row = |(what, said): (&str, &String)| {
        vec![PageCell::new(what, PageTone::Muted), said.as_str().into()]
    };
    PageTable {
        caption: choice.question.clone(),
        head: Vec::new(),
        rows: said.map(row).collect(),
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
        let tone = if record.agrees() {
            PageTone::Good
        } else {
            PageTone::Bad
        };
        PageCell::new(record.measured_text(), tone)
    };
    let rows = changes.iter().map(|change| {
        let decided = change.decided;
        let mut row = vec![
            PageCell::from(decided.id.as_str()),
            decided.with_unit(&decided.expected).into(),
            decided.rule.to_string().into(),
            value(decided),
        ];
        let unchanged = || PageCell::new("=", PageTone::Muted);
        row.extend(
            change
                .alternatives
                .iter()
                .map(|record| record.map_or_else(unchanged, value)),
        );
        row
    });
    let names = influence.alternatives.iter().map(|(name, _)| name.clone());
    (!changes.is_empty()).then(|| PageTable {
        caption: String::new(),
        head: head("row | paper | rule | as decided")
            .into_iter()
            .chain(names)
            .collect(),
        rows: rows.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;
    use onramp_report::reproduction::reproduction_page;

    const LEDGER: &str = r#"
        id = "someone-1999"
        title = "A paper"
        citation = "Someone, 1999."
        about = []

        [[row]]
        id = "X.one"
        what = "the first"
        section = "1"
        expected = "yes"
        rule = "exact"
        note = "Measured at the receiver."
    "#;

    fn sweep() -> Table {
        Table {
            name: "sweep".to_owned(),
            caption: "Completion, by bandwidth.".to_owned(),
            head: vec!["bandwidth, Mbit/s".to_owned(), "start-up".to_owned()],
            rows: vec![vec!["10".to_owned(), "none & paced".to_owned()]],
        }
    }

    fn shown(records: &[Record]) -> Section {
        let tables = [sweep()];
        let part = PartView {
            title: "A part",
            records,
            figures: &[],
            tables: &tables,
            remarks: &[],
        };
        of_part(&Ledger::read(LEDGER), &part)
    }

    #[test]
    fn tables_come_after_the_rows_and_their_notes() {
        let row = &Ledger::read(LEDGER).rows[0];
        let record = Record {
            paper: "someone-1999".to_owned(),
            id: row.id.clone(),
            what: row.what.clone(),
            expected: row.expected.clone(),
            measured: Value::Text("yes".to_owned()),
            unit: String::new(),
            rule: row.rule,
            verdict: Verdict::Reproduced,
            seeds: None,
            note: row.note.clone(),
            section: row.section.clone(),
        };
        let section = shown(&[record]);
        let captions: Vec<&str> = section.tables.iter().map(|table| &*table.caption).collect();
        assert_eq!(
            captions,
            ["", "Notes (✗: why it misses)", "Completion, by bandwidth."]
        );
        let html = reproduction_page(&ReproductionPage {
            sections: vec![section],
            ..ReproductionPage::default()
        });
        let row = "<tr><td>10</td><td class=\"left\">none &amp; paced</td></tr>";
        assert!(
            html.contains("<caption>Completion, by bandwidth.</caption>") && html.contains(row),
            "{html}"
        );
    }

    #[test]
    fn a_study_without_rows_has_its_tables_alone() {
        assert_eq!(shown(&[]).tables, [sweep().page_table()]);
    }
}
