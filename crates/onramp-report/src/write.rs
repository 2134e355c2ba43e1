//! `--out DIR`: writes all files of a report, or none of them.
//!
//! [`crate::out_dir`] puts the files into their places, the page last. Traces and charts that an
//! earlier report lists in its `meta.json`, and that the new report does not have, are removed.

use crate::export::{pretty, table_to_csv, to_csv, to_json, trace_json, SCHEMA_VERSION};
use crate::figure::{gain, slowdown};
use crate::out_dir::{io_error, prepare_files, write_staged, Error, Staged};
use crate::page::page;
use crate::run::{Meta, Run};
use crate::summary::groups;
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
const FIGURES: &str = "figures";
const GAIN_CHART: &str = "figures/gain.svg";
const SLOWDOWN_CSV: &str = "slowdown.csv";
/// Files at the top of DIR. The page is last: everything that it describes is there before it.
const TOP_FILES: [&str; 4] = [RESULTS_JSON, RESULTS_CSV, META_JSON, REPORT_HTML];
/// Places to check before anything is written. The first trace stands for all of them.
const PLACES: [&str; 7] = [
    "traces/0.json",
    GAIN_CHART,
    SLOWDOWN_CSV,
    RESULTS_JSON,
    RESULTS_CSV,
    META_JSON,
    REPORT_HTML,
];

/// The files of a report that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Path of the page.
    pub report: PathBuf,
    /// Paths of all files, the page last.
    pub files: Vec<PathBuf>,
}

/// The content of `meta.json`.
#[derive(Serialize)]
struct MetaFile<'a> {
    schema_version: u32,
    #[serde(flatten)]
    meta: &'a Meta,
    /// Names of all files, relative to DIR.
    files: Vec<String>,
}

/// The part of an earlier `meta.json` that lists the files that may be removed.
#[derive(Deserialize)]
struct Earlier {
    files: Vec<String>,
}

/// Checks, before a long run, that a report can be written to `dir`. It leaves nothing behind and
/// does not create `dir`.
///
/// # Errors
/// [`Error`] says what stands in the way: a file or directory, a full or a read-only disk.
pub fn prepare(dir: &Path) -> Result<(), Error> {
    prepare_files(dir, &PLACES)
}

/// Writes the files of the report into `dir`, which is created where it is missing.
///
/// The chart of the gain, `figures/gain.svg`, is one of the files where the results compare plain
/// CUBIC with one start-up over 3 to 12 paths. `slowdown.csv` is one where sizes are drawn.
///
/// # Errors
/// After an error, the files of an earlier report are unchanged and no unfinished file is left. The
/// exception is a system that refuses a rename after it has allowed others; the page is renamed
/// last.
pub fn write(dir: &Path, meta: &Meta, runs: &[Run]) -> Result<Written, Error> {
    let earlier = earlier_files(dir);
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
    if let Some(chart) = gain::draw(&records) {
        staged.add(GAIN_CHART, chart.as_bytes())?;
        names.push(GAIN_CHART.to_owned());
    }
    let slowdowns: Vec<_> = groups(&records).iter().flat_map(slowdown::table).collect();
    if !slowdowns.is_empty() {
        let columns = slowdown::COLUMNS.map(str::to_owned);
        staged.add(SLOWDOWN_CSV, table_to_csv(&columns, &slowdowns).as_bytes())?;
        names.push(SLOWDOWN_CSV.to_owned());
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

/// Traces, charts and tables that an earlier report lists. Any other name in its list is
/// ignored: it could be a file of the user.
fn earlier_files(dir: &Path) -> Vec<String> {
    let Ok(text) = fs::read_to_string(dir.join(META_JSON)) else {
        return Vec::new();
    };
    let Ok(earlier) = serde_json::from_str::<Earlier>(&text) else {
        return Vec::new();
    };
    earlier
        .files
        .into_iter()
        .filter(|name| name == GAIN_CHART || name == SLOWDOWN_CSV || is_trace_name(name))
        .collect()
}

/// Removes the files of an earlier report that the new one did not replace.
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
        // A directory that is not empty stays.
        let _ = fs::remove_dir(dir.join(TRACES));
        let _ = fs::remove_dir(dir.join(FIGURES));
    }
    Ok(())
}

/// Whether this is a name such as `traces/12.json`.
fn is_trace_name(name: &str) -> bool {
    let number = name
        .strip_prefix("traces/")
        .and_then(|rest| rest.strip_suffix(".json"));
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}
