//! `onramp reproduce --out DIR`: a page for each paper, the rows as JSON, and for all papers one that leads to them.

use super::Done;
use crate::cli::PaperName;
use crate::failure::DONE;
use crate::verbs::{lab, runs};
use onramp_papers::{file_name, index, page, Paper, Record};
use onramp_report::reproduction::reproduction_page;
use onramp_report::{Error, Meta};
use std::path::{Path, PathBuf};

const ROWS: &str = "reproduction.json";
const INDEX: &str = "index.html";

/// The files of these papers, to be checked before a long run.
pub fn names(name: &PaperName, papers: &[Paper]) -> Vec<String> {
    let pages = papers.iter().map(|paper| file_name(&paper.ledger));
    pages.chain([ROWS.to_owned()]).chain((*name == PaperName::All).then(|| INDEX.to_owned())).collect()
}

/// Writes all files or none. The page to open first.
pub fn write(dir: &Path, name: &PaperName, all: &[Done]) -> Result<PathBuf, Error> {
    let records: Vec<&Record> = all.iter().flat_map(|done| &done.reproduction.records).collect();
    let rows = serde_json::to_string_pretty(&records).expect("our records have string keys") + "\n";
    let mut files = vec![(ROWS.to_owned(), rows)];
    files.extend(all.iter().map(|done| {
        let Done { paper, reproduction, kernel } = done;
        let section = kernel.as_ref().map(|kernel| kernel.section(&paper.ledger.kernel));
        let page = page(paper, reproduction, section, meta(kernel.is_some()));
        (file_name(&paper.ledger), reproduction_page(&page))
    }));
    if *name == PaperName::All {
        let papers: Vec<_> = all.iter().map(|done| (&done.paper, &done.reproduction)).collect();
        files.push((INDEX.to_owned(), with_links(reproduction_page(&index(&papers, meta(false))), all)));
    }
    let paths = onramp_report::write_files(dir, &files)?;
    Ok(paths.into_iter().next_back().unwrap_or_else(|| dir.to_owned()))
}

/// Each cell that says the name of a page leads there.
fn with_links(html: String, all: &[Done]) -> String {
    let names = all.iter().map(|done| file_name(&done.paper.ledger));
    names.fold(html, |html, name| {
        html.replace(&format!(">{name}</td>"), &format!("><a href=\"{name}\">{name}</a></td>"))
    })
}

fn meta(has_kernel: bool) -> Meta {
    match has_kernel {
        true => lab::meta("reproduce", "", &[], &Ok(DONE)),
        false => runs::meta("reproduce", "", &[], &Ok(DONE)),
    }
}
