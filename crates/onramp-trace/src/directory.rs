//! The trace files of all cases, in `DIR/traces`.
//!
//! A file is written into a hidden directory of DIR and renamed when its case is complete, so
//! `traces` contains whole files only, even after an interrupted run. `traces/files.json`, which
//! lists the files, is written last. Files of an earlier list that are not in the new one are
//! removed.

use crate::case_trace::CaseTrace;
use crate::format::Format;
use crate::names;
use crate::output::CaseFiles;
use onramp_scenario::Case;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const TRACES: &str = "traces";
const LIST: &str = "files.json";
const STAGING: &str = ".onramp-traces-";

/// Traces could not be written: what was tried, with which file, and why it failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {tried} {}: {source}", path.display())]
pub struct Error {
    /// What was tried, as a verb such as `write`.
    pub tried: &'static str,
    /// The file or directory.
    pub path: PathBuf,
    /// The error of the system.
    pub source: io::Error,
}

/// An entry of the list of trace files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileEntry {
    /// Its name in `DIR/traces`.
    pub file: String,
    /// Number of the case, from 1.
    pub case: usize,
    /// The case, described in a line.
    pub what: String,
    /// Its format.
    pub format: Format,
    /// The flow in the file, numbered from 0 as flows start; `None`: all flows.
    pub flow: Option<u32>,
    /// Number of lines, packets, events, or segments and ACKs in the file.
    pub entries: u64,
    /// Whether the file ended at its limit: later entries are missing.
    pub limited: bool,
}

/// The trace of one case, written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The files of the case.
    pub files: Vec<FileEntry>,
    /// Number of flows without a file: a case has files for at most 1000 flows.
    pub flows_left_out: u64,
}

/// The part of an entry that is read from an earlier list.
#[derive(Deserialize)]
struct Earlier {
    file: String,
}

/// The trace files of a run of several cases.
pub struct Traces {
    staging: tempfile::TempDir,
    target: PathBuf,
    formats: Vec<Format>,
    max_entries: u64,
    /// The beginning of each case's file names.
    stems: Vec<String>,
}

impl Traces {
    /// Prepares to trace these cases into `out`, which is created where it is missing. A file holds
    /// at most `max_entries` entries: lines, packets, events, or segments and ACKs.
    ///
    /// # Errors
    /// `out` cannot be created or written to.
    pub fn begin(
        out: &Path,
        formats: &[Format],
        max_entries: u64,
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
            max_entries,
            stems: names::stems(cases),
        })
    }

    /// An observer for the run of a case. `index` is the position of the case in the list that was
    /// given to [`Traces::begin`].
    pub fn case(&self, index: usize, case: &Case) -> CaseTrace {
        let directory = Some(self.staging.path().to_owned());
        let files = CaseFiles {
            directory,
            stem: self.stems[index].clone(),
            max_entries: self.max_entries,
        };
        CaseTrace::new(&self.formats, case, &files)
    }

    /// Moves the files of a completed run to `traces`. `index` is that of [`Traces::case`].
    ///
    /// # Errors
    /// A file could not be written or renamed. If it could not be written, none of the files is
    /// moved.
    pub fn keep(&self, index: usize, case: &Case, trace: CaseTrace) -> Result<Kept, Error> {
        let (mut outputs, flows_left_out) = trace.finish();
        let closed = outputs.iter_mut().try_for_each(|output| {
            output
                .close()
                .map_err(|source| error("write", &self.target.join(&output.name), source))
        });
        if closed.is_err() {
            // The other cases need the space on the disk.
            outputs
                .iter()
                .filter_map(|output| output.path.as_ref())
                .for_each(|path| drop(fs::remove_file(path)));
        }
        closed?;
        let mut files = Vec::with_capacity(outputs.len());
        for output in outputs {
            let target = self.target.join(&output.name);
            if let Some(path) = &output.path {
                fs::rename(path, &target).map_err(|source| error("replace", &target, source))?;
            }
            files.push(FileEntry {
                file: output.name,
                case: index + 1,
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

    /// Writes the list of the files and removes files that only an earlier list has. Returns the
    /// path of the list.
    ///
    /// # Errors
    /// The list could not be written, or a file could not be removed.
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
        let is_old =
            |name: &str| is_trace_file(name) && files.iter().all(|entry| entry.file != name);
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

/// Whether a name is one of a trace file. No other file is removed, whatever a list contains.
fn is_trace_file(name: &str) -> bool {
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
        assert!(is_trace_file("case-1-paced-flow-0.sqlog") && is_trace_file("case-2.csv"));
        for other in [
            "0.json",
            "case-1.txt",
            "../case-1.csv",
            "case-/../x.csv",
            "notes.csv",
        ] {
            assert!(!is_trace_file(other), "{other}");
        }
    }
}
