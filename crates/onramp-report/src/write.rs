//! `--out DIR`: all files of a report, or none of them.
//!
//! How they get there is in [`crate::out_dir`]; the page is put into its place last. Files that an
//! earlier report listed in its `meta.json` and this one does not have are removed.

use crate::export::{pretty, to_csv, to_json, trace_json, SCHEMA_VERSION};
use crate::out_dir::{io_error, prepare_files, write_staged, Error, Staged};
use crate::page::page;
use crate::run::{Meta, Run};
use onramp_results::Record;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const RESULTS_JSON: &str = "results.json";
const RESULTS_CSV: &str = "results.csv";
const META_JSON: &str = "meta.json";
const REPORT_HTML: &str = "report.html";
const TRACES: &str = "traces";
/// Files at the top of DIR, the page last: what it shows is there when it appears.
const TOP_FILES: [&str; 4] = [RESULTS_JSON, RESULTS_CSV, META_JSON, REPORT_HTML];
/// Places to check before anything is written: those, and that of the traces by its first.
const PLACES: [&str; 5] = [
    "traces/0.json",
    RESULTS_JSON,
    RESULTS_CSV,
    META_JSON,
    REPORT_HTML,
];

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The page.
    pub report: PathBuf,
    /// All files, the page last.
    pub files: Vec<PathBuf>,
}

/// What `meta.json` holds.
#[derive(Serialize)]
struct MetaFile<'a> {
    schema_version: u32,
    #[serde(flatten)]
    meta: &'a Meta,
    /// Relative to DIR.
    files: Vec<String>,
}

/// The part of an earlier `meta.json` that says what may be removed.
#[derive(Deserialize)]
struct Earlier {
    files: Vec<String>,
}

/// Checks, before a long run, that a report can be written to `dir`. Leaves nothing behind, and
/// does not create `dir` itself.
pub fn prepare(dir: &Path) -> Result<(), Error> {
    prepare_files(dir, &PLACES)
}

/// Writes the report's files into `dir`, which is created where it is missing.
///
/// On an error no file of an earlier report has been changed, unless the system refuses a rename
/// after it has allowed others; the page is renamed last. Nothing unfinished is left behind.
pub fn write(dir: &Path, meta: &Meta, runs: &[Run]) -> Result<Written, Error> {
    let earlier = earlier_traces(dir);
    let files = write_staged(dir, &PLACES, |staged| stage(staged, meta, runs))?;
    remove_outdated(dir, &earlier, &files)?;
    Ok(Written {
        report: dir.join(REPORT_HTML),
        files,
    })
}

/// Writes every file, the page last.
fn stage(staged: &mut Staged<'_>, meta: &Meta, runs: &[Run]) -> Result<(), Error> {
    let records: Vec<Record> = runs.iter().map(|run| run.record.clone()).collect();
    let mut names = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let Some(json) = trace_json(index, run) else {
            continue;
        };
        let name = format!("{TRACES}/{index}.json");
        staged.add(&name, json.as_bytes())?;
        names.push(name);
    }
    names.extend(TOP_FILES.map(str::to_owned));
    let meta_file = MetaFile {
        schema_version: SCHEMA_VERSION,
        meta,
        files: names,
    };
    staged.add(RESULTS_JSON, to_json(&records).as_bytes())?;
    staged.add(RESULTS_CSV, to_csv(&records).as_bytes())?;
    staged.add(META_JSON, pretty(&meta_file).as_bytes())?;
    staged.add(REPORT_HTML, page(meta, runs).as_bytes())
}

/// Traces that an earlier report lists. Whatever else its list holds is not ours.
fn earlier_traces(dir: &Path) -> Vec<String> {
    let Ok(text) = fs::read_to_string(dir.join(META_JSON)) else {
        return Vec::new();
    };
    let Ok(earlier) = serde_json::from_str::<Earlier>(&text) else {
        return Vec::new();
    };
    earlier
        .files
        .into_iter()
        .filter(|name| is_trace_name(name))
        .collect()
}

/// Of an earlier report's traces those that the new one did not replace.
fn remove_outdated(dir: &Path, earlier: &[String], written: &[PathBuf]) -> Result<(), Error> {
    let outdated: Vec<PathBuf> = earlier
        .iter()
        .map(|name| dir.join(name))
        .filter(|path| !written.contains(path))
        .collect();
    for path in &outdated {
        match fs::remove_file(path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                return Err(io_error("remove", path, e))
            }
            _ => {}
        }
    }
    if !outdated.is_empty() {
        // Goes only if it is empty.
        let _ = fs::remove_dir(dir.join(TRACES));
    }
    Ok(())
}

/// `traces/12.json`.
fn is_trace_name(name: &str) -> bool {
    let number = name
        .strip_prefix("traces/")
        .and_then(|rest| rest.strip_suffix(".json"));
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}
