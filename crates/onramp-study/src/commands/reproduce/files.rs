//! `onramp reproduce --out DIR`: a page for each paper, its figures as SVG, the tables of its
//! studies as CSV, the rows as JSON, and for all papers together an index page and the table of the
//! ledger's entries.

use super::Done;
use crate::cli::PaperName;
use crate::commands::{lab, runs};
use onramp_cli::failure::DONE;
use onramp_papers::{changes_table, entries_table, file_name, index, page, rows_table};
use onramp_papers::{Ledger, Paper, Record};
use onramp_report::reproduction::reproduction_page;
use onramp_report::{Error, Meta};
use std::path::{Path, PathBuf};

const ROWS: &str = "reproduction.json";
const INDEX: &str = "index.html";
const ENTRIES: &str = "ledger.md";

/// The files of these papers. They are checked before a long run.
pub fn names(name: &PaperName, papers: &[Paper]) -> Vec<String> {
    let pages = papers.iter().map(|paper| file_name(&paper.ledger));
    // Only the run determines tables and figures, but their directories can be checked before.
    let tables = papers
        .iter()
        .map(|paper| table_name(&paper.ledger, "table"));
    pages
        .chain(tables)
        .chain([ROWS.to_owned()])
        .chain(
            [INDEX, ENTRIES]
                .into_iter()
                .filter(|_| *name == PaperName::All)
                .map(str::to_owned),
        )
        .collect()
}

/// Writes all files or none. Returns the page to open first.
pub fn write(dir: &Path, name: &PaperName, all: &[Done]) -> Result<PathBuf, Error> {
    let records: Vec<&Record> = all
        .iter()
        .flat_map(|done| &done.reproduction.records)
        .collect();
    let rows = serde_json::to_string_pretty(&records).expect("our records have string keys") + "\n";
    let mut files = vec![(ROWS.to_owned(), rows)];
    files.extend(all.iter().flat_map(tables));
    files.extend(all.iter().flat_map(figures));
    files.extend(all.iter().map(|done| {
        let Done {
            paper,
            reproduction,
            kernel,
        } = done;
        let section = kernel
            .as_ref()
            .map(|kernel| kernel.section(&paper.ledger.kernel));
        let page = page(paper, reproduction, section, meta(kernel.is_some()));
        (file_name(&paper.ledger), reproduction_page(&page))
    }));
    if *name == PaperName::All {
        let papers: Vec<_> = all
            .iter()
            .map(|done| (&done.paper, &done.reproduction))
            .collect();
        files.push((ENTRIES.to_owned(), entries(all)));
        files.push((
            INDEX.to_owned(),
            with_links(reproduction_page(&index(&papers, meta(false))), all),
        ));
    }
    let paths = onramp_report::write_files(dir, &files)?;
    Ok(paths
        .into_iter()
        .next_back()
        .unwrap_or_else(|| dir.to_owned()))
}

/// The tables of the ledger's entries, of its rows and of its changes.
fn entries(all: &[Done]) -> String {
    let records = all.iter().flat_map(|done| &done.reproduction.records);
    let records: Vec<Record> = records.cloned().collect();
    let ledgers = all.iter().map(|done| done.paper.ledger.clone());
    let ledgers: Vec<Ledger> = ledgers.collect();
    format!(
        "{}\n## Rows\n\n{}\n## Changes\n\n{}",
        entries_table(&records, &ledgers),
        rows_table(&records),
        changes_table(&ledgers)
    )
}

/// The tables of a paper: names of files and their text.
fn tables(done: &Done) -> impl Iterator<Item = (String, String)> + '_ {
    let tables = done.reproduction.parts.iter().flat_map(|part| &part.tables);
    tables.map(|table| (table_name(&done.paper.ledger, &table.name), table.csv()))
}

/// The figures of a paper: names of files and their text.
fn figures(done: &Done) -> impl Iterator<Item = (String, String)> + '_ {
    let drawn = done
        .reproduction
        .parts
        .iter()
        .flat_map(|part| &part.figures);
    let on_kernel = done.kernel.iter().flat_map(|kernel| &kernel.figures);
    let id = &done.paper.ledger.id;
    drawn
        .chain(on_kernel)
        .map(move |figure| (format!("{id}/{}.svg", figure.name), figure.file()))
}

fn table_name(ledger: &Ledger, table: &str) -> String {
    format!("{}/{table}.csv", ledger.id)
}

/// Turns each cell with the name of a page into a link to that page.
fn with_links(html: String, all: &[Done]) -> String {
    let names = all.iter().map(|done| file_name(&done.paper.ledger));
    names.fold(html, |html, name| {
        html.replace(
            &format!(">{name}</td>"),
            &format!("><a href=\"{name}\">{name}</a></td>"),
        )
    })
}

fn meta(has_kernel: bool) -> Meta {
    match has_kernel {
        true => lab::meta("reproduce", "", &[], &Ok(DONE)),
        false => runs::meta("reproduce", "", &[], &Ok(DONE)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_paper::{done, sweep};
    use super::*;
    use std::fs;

    #[test]
    fn each_table_is_a_csv_file_in_the_papers_directory() {
        let dir = tempfile::tempdir().unwrap();
        let mut done = done();
        done.reproduction.parts[0].tables = vec![sweep()];
        let first = write(
            dir.path(),
            &PaperName::One("someone-1999".to_owned()),
            &[done],
        )
        .unwrap();
        assert_eq!(
            first,
            dir.path().join("someone-1999.html"),
            "the page is opened first"
        );
        let csv = fs::read_to_string(dir.path().join("someone-1999/sweep.csv")).unwrap();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(
            lines[0],
            "\"bandwidth, Mbit/s\",start-up,\"none, s\",\"paced, s\",\"saved, %\""
        );
        assert_eq!(
            lines[1..],
            [
                "1,\"slow, alone\",9.21,9.20,0.1",
                "100,slow,1.5,0.625,58.3",
                "1000,fast,1.4,–,–"
            ]
        );
    }

    #[test]
    fn a_file_in_place_of_the_directory_of_tables_is_reported_before_the_run() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("someone-1999"), "mine").unwrap();
        let names = names(&PaperName::All, &[done().paper]);
        let refused = onramp_report::prepare_files(dir.path(), &names).unwrap_err();
        assert!(
            refused.to_string().contains("someone-1999 is in the way"),
            "{refused}"
        );
    }
}
