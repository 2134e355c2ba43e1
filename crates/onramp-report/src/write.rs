//! `--out DIR`: all files of a report, or none of them.
//!
//! Everything is written into a hidden directory inside DIR first, so that a full disk is met before
//! anything is replaced; then each file is renamed into its place, the page last. Other files of DIR are
//! left alone. Files that an earlier report listed in its `meta.json` and this one does not have are removed.

use crate::export::{pretty, to_csv, to_json, trace_json, SCHEMA_VERSION};
use crate::{page, Meta, Run};
use onramp_scenario::Record;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

const RESULTS_JSON: &str = "results.json";
const RESULTS_CSV: &str = "results.csv";
const META_JSON: &str = "meta.json";
const REPORT_HTML: &str = "report.html";
const TRACES: &str = "traces";
/// Files at the top of DIR, the page last: what it shows is there when it appears.
const TOP_FILES: [&str; 4] = [RESULTS_JSON, RESULTS_CSV, META_JSON, REPORT_HTML];
/// How the directory of unfinished files begins.
const STAGING: &str = ".onramp-report-";

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The place of the report's directory is taken.
    #[error("{} is not a directory: give --out a directory, or a name that is still free", path.display())]
    NotADirectory {
        /// What stands there.
        path: PathBuf,
    },
    /// A directory has the name of one of the report's files, or the other way round.
    #[error("{} is in the way of the report's {expected} of that name: move it, or give --out another directory", path.display())]
    InTheWay {
        /// What stands there.
        path: PathBuf,
        /// `file` or `directory`.
        expected: &'static str,
    },
    /// The system refused.
    #[error("cannot {tried} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        tried: &'static str,
        /// With which file or directory.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
}

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

/// Checks, before a long run, that a report can be written to `dir`. Leaves nothing behind, and does not
/// create `dir` itself.
pub fn prepare(dir: &Path) -> Result<(), Error> {
    let existing = if fs::metadata(dir).is_ok() { dir } else { nearest_existing(dir) };
    check_places(dir, existing)?;
    let probe = staging(existing)?;
    write_file(probe.path(), existing, RESULTS_JSON, &[b' '; 4096])?;
    close(probe)
}

/// Writes the report's files into `dir`, which is created where it is missing.
///
/// On an error no file of an earlier report has been changed, unless the system refuses a rename after it
/// has allowed others; the page is renamed last. Nothing unfinished is left behind.
pub fn write(dir: &Path, meta: &Meta, runs: &[Run]) -> Result<Written, Error> {
    let existing = if fs::metadata(dir).is_ok() { dir } else { nearest_existing(dir) };
    check_places(dir, existing)?;
    let created = missing(dir);
    let result =
        fs::create_dir_all(dir).map_err(|e| io_error("create", dir, e)).and_then(|()| write_into(dir, meta, runs));
    if result.is_err() {
        // Only empty ones go, so nothing of anyone else's can.
        for dir in created.iter().rev() {
            let _ = fs::remove_dir(dir);
        }
    }
    result
}

fn write_into(dir: &Path, meta: &Meta, runs: &[Run]) -> Result<Written, Error> {
    let staging = staging(dir)?;
    let names = stage(staging.path(), dir, meta, runs)?;
    let outdated = outdated(dir, &names);
    if names.iter().any(|name| name.starts_with(TRACES)) {
        fs::create_dir_all(dir.join(TRACES)).map_err(|e| io_error("create", &dir.join(TRACES), e))?;
    }
    for name in &names {
        let target = dir.join(name);
        fs::rename(staging.path().join(name), &target).map_err(|e| io_error("replace", &target, e))?;
    }
    for name in &outdated {
        match fs::remove_file(dir.join(name)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(io_error("remove", &dir.join(name), e)),
            _ => {}
        }
    }
    if !outdated.is_empty() {
        // Goes only if it is empty.
        let _ = fs::remove_dir(dir.join(TRACES));
    }
    close(staging)?;
    Ok(Written { report: dir.join(REPORT_HTML), files: names.iter().map(|name| dir.join(name)).collect() })
}

/// Writes every file and returns their names, the page's last.
fn stage(staging: &Path, dir: &Path, meta: &Meta, runs: &[Run]) -> Result<Vec<String>, Error> {
    let records: Vec<Record> = runs.iter().map(|run| run.record.clone()).collect();
    let mut names = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let Some(json) = trace_json(index, run) else { continue };
        if names.is_empty() {
            let traces = staging.join(TRACES);
            fs::create_dir(&traces).map_err(|e| io_error("create", &traces, e))?;
        }
        let name = format!("{TRACES}/{index}.json");
        write_file(staging, dir, &name, json.as_bytes())?;
        names.push(name);
    }
    names.extend(TOP_FILES.map(str::to_owned));
    let meta_file = MetaFile { schema_version: SCHEMA_VERSION, meta, files: names.clone() };
    write_file(staging, dir, RESULTS_JSON, to_json(&records).as_bytes())?;
    write_file(staging, dir, RESULTS_CSV, to_csv(&records).as_bytes())?;
    write_file(staging, dir, META_JSON, pretty(&meta_file).as_bytes())?;
    write_file(staging, dir, REPORT_HTML, page(meta, runs).as_bytes())?;
    Ok(names)
}

/// Traces of an earlier report that the new one does not replace. Whatever else its list holds is not ours.
fn outdated(dir: &Path, names: &[String]) -> Vec<String> {
    let Ok(text) = fs::read_to_string(dir.join(META_JSON)) else { return Vec::new() };
    let Ok(earlier) = serde_json::from_str::<Earlier>(&text) else { return Vec::new() };
    earlier.files.into_iter().filter(|name| is_trace_name(name) && !names.contains(name)).collect()
}

/// `traces/12.json`.
fn is_trace_name(name: &str) -> bool {
    let number = name.strip_prefix("traces/").and_then(|rest| rest.strip_suffix(".json"));
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// What stands where files of the report must go; `existing` is `dir` or the nearest directory above it.
fn check_places(dir: &Path, existing: &Path) -> Result<(), Error> {
    let is_dir = fs::metadata(existing).map_err(|e| io_error("look at", existing, e))?.is_dir();
    if !is_dir {
        return Err(Error::NotADirectory { path: existing.to_owned() });
    }
    // A broken link is no place for a directory either.
    if existing != dir && fs::symlink_metadata(dir).is_ok() {
        return Err(Error::NotADirectory { path: dir.to_owned() });
    }
    for name in TOP_FILES {
        let path = dir.join(name);
        if fs::metadata(&path).is_ok_and(|m| m.is_dir()) {
            return Err(Error::InTheWay { path, expected: "file" });
        }
    }
    let traces = dir.join(TRACES);
    if fs::symlink_metadata(&traces).is_ok() && !fs::metadata(&traces).is_ok_and(|m| m.is_dir()) {
        return Err(Error::InTheWay { path: traces, expected: "directory" });
    }
    Ok(())
}

/// The nearest path above `dir` that exists; the current directory for a plain name.
fn nearest_existing(dir: &Path) -> &Path {
    let above = dir.ancestors().skip(1).find(|path| path.as_os_str().is_empty() || fs::symlink_metadata(path).is_ok());
    above.filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// `dir` and the directories above it that are still to be created, outermost first.
fn missing(dir: &Path) -> Vec<PathBuf> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && fs::symlink_metadata(path).is_err();
    let mut missing: Vec<PathBuf> = dir.ancestors().take_while(is_missing).map(Path::to_owned).collect();
    missing.reverse();
    missing
}

/// A directory for unfinished files that removes itself when it is dropped.
fn staging(dir: &Path) -> Result<tempfile::TempDir, Error> {
    tempfile::Builder::new().prefix(STAGING).tempdir_in(dir).map_err(|e| io_error("write to", dir, e))
}

fn close(staging: tempfile::TempDir) -> Result<(), Error> {
    let path = staging.path().to_owned();
    staging.close().map_err(|e| io_error("remove", &path, e))
}

/// Synced, because some file systems report a full disk no earlier. Errors name the file by its place in
/// `dir`: the temporary one means nothing to a reader and is gone by then.
fn write_file(staging: &Path, dir: &Path, name: &str, bytes: &[u8]) -> Result<(), Error> {
    let file = File::create(staging.join(name));
    let written = file.and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
    written.map_err(|e| io_error("write", &dir.join(name), e))
}

fn io_error(tried: &'static str, path: &Path, source: io::Error) -> Error {
    Error::Io { tried, path: path.to_owned(), source }
}
