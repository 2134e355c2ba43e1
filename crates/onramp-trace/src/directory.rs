//! The trace files of all cases, in `DIR/traces`.
//!
//! A file is written into a hidden directory of DIR and renamed into its place when its case is
//! complete. So whatever breaks a run off, what is in `traces` is whole. `traces/files.json` lists
//! the files, last of all; those of an earlier list are removed.

use crate::case_trace::CaseTrace;
use crate::format::Format;
use crate::names;
use crate::output::Place;
use onramp_scenario::Case;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const TRACES: &str = "traces";
const LIST: &str = "files.json";
const STAGING: &str = ".onramp-traces-";

/// Why traces could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot {tried} {}: {source}", path.display())]
pub struct Error {
    /// What was tried, as a verb.
    pub tried: &'static str,
    /// With which file or directory.
    pub path: PathBuf,
    /// Why it failed.
    pub source: io::Error,
}

/// A trace file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileEntry {
    /// Its name in `DIR/traces`.
    pub file: String,
    /// Number of the case, from 1.
    pub case: usize,
    /// The case in a line.
    pub what: String,
    /// What it is.
    pub format: Format,
    /// The flow that it is about, from 0 as flows start; `None`: all.
    pub flow: Option<u32>,
    /// Lines, packets, events or marks in it.
    pub entries: u64,
    /// It ends where its limit was reached.
    pub limited: bool,
}

/// What is left of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Its files.
    pub files: Vec<FileEntry>,
    /// Flows that have no file of their own because too many have.
    pub flows_left_out: u64,
}

/// What is read of an earlier list.
#[derive(Deserialize)]
struct Earlier {
    file: String,
}

/// The files of a run of cases.
pub struct Traces {
    staging: tempfile::TempDir,
    target: PathBuf,
    formats: Vec<Format>,
    most_entries: u64,
    /// By the cases' places.
    stems: Vec<String>,
}

impl Traces {
    /// Prepares to trace these cases. `out` is created where it is missing.
    ///
    /// # Errors
    /// It cannot be written to.
    pub fn begin(
        out: &Path,
        formats: &[Format],
        most_entries: u64,
        cases: &[&Case],
    ) -> Result<Traces, Error> {
        let target = out.join(TRACES);
        fs::create_dir_all(&target).map_err(|source| error("create", &target, source))?;
        let staging = tempfile::Builder::new().prefix(STAGING).tempdir_in(out);
        let staging = staging.map_err(|source| error("write to", out, source))?;
        let wanted = |format: &Format| formats.contains(format);
        let formats = Format::ALL.into_iter().filter(wanted).collect();
        Ok(Traces {
            staging,
            target,
            formats,
            most_entries,
            stems: names::stems(cases),
        })
    }

    /// An observer for the run of a case.
    pub fn case(&self, place: usize, case: &Case) -> CaseTrace {
        let directory = self.staging.path().to_owned();
        let place = Place {
            directory,
            stem: self.stems[place].clone(),
            most_entries: self.most_entries,
        };
        CaseTrace::new(&self.formats, case, &place)
    }

    /// Puts the files of a run that is over into their places.
    ///
    /// # Errors
    /// One of them could not be written; then none is there.
    pub fn keep(&self, place: usize, case: &Case, trace: CaseTrace) -> Result<Kept, Error> {
        let (mut outputs, flows_left_out) = trace.finish();
        let closed = outputs.iter_mut().try_for_each(|output| {
            output
                .close()
                .map_err(|source| error("write", &self.target.join(&output.name), source))
        });
        if closed.is_err() {
            // The other cases need the room that they take.
            outputs
                .iter()
                .for_each(|output| drop(fs::remove_file(&output.path)));
        }
        closed?;
        let mut files = Vec::with_capacity(outputs.len());
        for output in outputs {
            let target = self.target.join(&output.name);
            fs::rename(&output.path, &target)
                .map_err(|source| error("replace", &target, source))?;
            files.push(FileEntry {
                file: output.name,
                case: place + 1,
                what: names::describe(case),
                format: output.format,
                flow: output.flow,
                entries: output.entries,
                limited: output.limited,
            });
        }
        files.sort_by_key(|entry| (entry.format.name(), entry.flow));
        Ok(Kept {
            files,
            flows_left_out,
        })
    }

    /// Writes the list of the files, and removes those that only an earlier list has. The list's
    /// path.
    ///
    /// # Errors
    /// As the system says.
    pub fn finish(self, files: &[FileEntry]) -> Result<PathBuf, Error> {
        let list = self.target.join(LIST);
        let earlier = fs::read(&list)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Vec<Earlier>>(&bytes).ok());
        let text = serde_json::to_string_pretty(files)
            .expect("numbers and text always fit into JSON")
            + "\n";
        let staged = self.staging.path().join(LIST);
        let written = fs::write(&staged, text).and_then(|()| fs::rename(&staged, &list));
        written.map_err(|source| error("write", &list, source))?;
        let is_old = |name: &str| is_ours(name) && files.iter().all(|entry| entry.file != name);
        for old in earlier
            .unwrap_or_default()
            .iter()
            .filter(|old| is_old(&old.file))
        {
            match fs::remove_file(self.target.join(&old.file)) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(error("remove", &self.target.join(&old.file), source));
                }
                _ => {}
            }
        }
        let path = self.staging.path().to_owned();
        self.staging
            .close()
            .map_err(|source| error("remove", &path, source))?;
        Ok(list)
    }
}

/// Whatever else stands in a list is not removed.
fn is_ours(name: &str) -> bool {
    let ends = Format::ALL
        .iter()
        .any(|format| name.ends_with(&format!(".{}", format.extension())));
    name.starts_with("case-") && ends && !name.contains(['/', '\\'])
}

fn error(tried: &'static str, path: &Path, source: io::Error) -> Error {
    Error {
        tried,
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trace_files_are_removed_by_name() {
        assert!(is_ours("case-1-paced-flow-0.sqlog") && is_ours("case-2.csv"));
        for other in [
            "0.json",
            "case-1.txt",
            "../case-1.csv",
            "case-/../x.csv",
            "notes.csv",
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }
}
