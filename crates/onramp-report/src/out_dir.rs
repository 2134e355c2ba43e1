//! Files into a directory: all of them, or none.
//!
//! Everything is written into a hidden directory inside DIR first, so that a full disk is met
//! before anything is replaced; then each file is renamed into its place, in the order in which
//! they were given. Other files of DIR are left alone.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

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
    /// A name that is no place of its own inside the directory.
    #[error("cannot write {name:?}: files of a report have relative names without `.` and `..`, and each its own")]
    BadName {
        /// The name as it was given.
        name: String,
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

/// Checks, before a long run, that files of these names can be written to `dir`: see
/// [`write_files`] for what they may be. Leaves nothing behind, and does not create `dir` itself.
pub fn prepare_files<N: AsRef<str>>(dir: &Path, names: &[N]) -> Result<(), Error> {
    let existing = check_places(dir, names)?;
    let staging = staging(existing)?;
    write_file(staging.path(), existing, "probe", &[b' '; 4096])?;
    close(staging)
}

/// Writes files, each a name and its contents, into `dir`, which is created where it is missing.
/// Returns their paths. Names are relative to `dir`, may have directories in them
/// (`data/figure-4.json`), and are all different.
///
/// On an error no earlier file has been changed, unless the system refuses a rename after it has
/// allowed others: give the file last that people open. Nothing unfinished is left behind. Files of
/// the same names are replaced, all others are left alone.
pub fn write_files<N: AsRef<str>, C: AsRef<[u8]>>(
    dir: &Path,
    files: &[(N, C)],
) -> Result<Vec<PathBuf>, Error> {
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_ref()).collect();
    write_staged(dir, &names, |staged| {
        files
            .iter()
            .try_for_each(|(name, contents)| staged.add(name.as_ref(), contents.as_ref()))
    })
}

/// Files that have been written, but not yet to their places.
pub(crate) struct Staged<'a> {
    dir: &'a Path,
    staging: tempfile::TempDir,
    names: Vec<String>,
}

/// Writes the files that `stage` adds. The places of `expected` ones are checked before the first
/// is written.
pub(crate) fn write_staged<N: AsRef<str>>(
    dir: &Path,
    expected: &[N],
    stage: impl FnOnce(&mut Staged<'_>) -> Result<(), Error>,
) -> Result<Vec<PathBuf>, Error> {
    check_places(dir, expected)?;
    let created = missing(dir);
    let result = fs::create_dir_all(dir)
        .map_err(|e| io_error("create", dir, e))
        .and_then(|()| {
            let mut staged = Staged {
                dir,
                staging: staging(dir)?,
                names: Vec::new(),
            };
            stage(&mut staged)?;
            staged.publish()
        });
    if result.is_err() {
        // Only empty ones go, so nothing of anyone else's can.
        for dir in created.iter().rev() {
            let _ = fs::remove_dir(dir);
        }
    }
    result
}

impl Staged<'_> {
    pub(crate) fn add(&mut self, name: &str, contents: &[u8]) -> Result<(), Error> {
        if let Some(parent) = parent(name) {
            let parent = self.staging.path().join(parent);
            fs::create_dir_all(&parent).map_err(|e| io_error("create", &parent, e))?;
        }
        write_file(self.staging.path(), self.dir, name, contents)?;
        self.names.push(name.to_owned());
        Ok(())
    }

    /// Renames the files into their places.
    fn publish(self) -> Result<Vec<PathBuf>, Error> {
        for parent in self
            .names
            .iter()
            .filter_map(|name| parent(name))
            .collect::<BTreeSet<_>>()
        {
            let parent = self.dir.join(parent);
            fs::create_dir_all(&parent).map_err(|e| io_error("create", &parent, e))?;
        }
        for name in &self.names {
            let target = self.dir.join(name);
            fs::rename(self.staging.path().join(name), &target)
                .map_err(|e| io_error("replace", &target, e))?;
        }
        close(self.staging)?;
        Ok(self.names.iter().map(|name| self.dir.join(name)).collect())
    }
}

/// The directories in a file's name.
fn parent(name: &str) -> Option<&Path> {
    Path::new(name)
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
}

/// Refuses names that are no places of their own, and what stands where files or directories must
/// go. Returns `dir`, or the nearest directory above it that exists.
pub(crate) fn check_places<'a, N: AsRef<str>>(
    dir: &'a Path,
    names: &[N],
) -> Result<&'a Path, Error> {
    check_names(names)?;
    let existing = if fs::metadata(dir).is_ok() {
        dir
    } else {
        nearest_existing(dir)
    };
    let is_dir = fs::metadata(existing)
        .map_err(|e| io_error("look at", existing, e))?
        .is_dir();
    if !is_dir {
        return Err(Error::NotADirectory {
            path: existing.to_owned(),
        });
    }
    // A broken link is no place for a directory either.
    if existing != dir && fs::symlink_metadata(dir).is_ok() {
        return Err(Error::NotADirectory {
            path: dir.to_owned(),
        });
    }
    for name in names {
        let path = dir.join(name.as_ref());
        if fs::metadata(&path).is_ok_and(|m| m.is_dir()) {
            return Err(Error::InTheWay {
                path,
                expected: "file",
            });
        }
        let parents = parent(name.as_ref()).into_iter().flat_map(Path::ancestors);
        for parent in parents.filter(|parent| !parent.as_os_str().is_empty()) {
            let path = dir.join(parent);
            if fs::symlink_metadata(&path).is_ok() && !fs::metadata(&path).is_ok_and(|m| m.is_dir())
            {
                return Err(Error::InTheWay {
                    path,
                    expected: "directory",
                });
            }
        }
    }
    Ok(existing)
}

fn check_names<N: AsRef<str>>(names: &[N]) -> Result<(), Error> {
    // Files, and the directories that others need.
    let mut places: BTreeSet<&Path> = BTreeSet::new();
    for name in names.iter().map(AsRef::as_ref) {
        let path = Path::new(name);
        // Components drop what is superfluous, such as a slash at the end: the name must be all of
        // them.
        let plain: PathBuf = path
            .components()
            .filter(|c| matches!(c, Component::Normal(_)))
            .collect();
        if name.is_empty()
            || name.contains('\0')
            || plain.as_os_str() != path.as_os_str()
            || !places.insert(path)
        {
            return Err(Error::BadName {
                name: name.to_owned(),
            });
        }
    }
    let is_both = |name: &&str| {
        Path::new(name)
            .ancestors()
            .skip(1)
            .any(|parent| places.contains(parent))
    };
    match names.iter().map(AsRef::as_ref).find(is_both) {
        Some(name) => Err(Error::BadName {
            name: name.to_owned(),
        }),
        None => Ok(()),
    }
}

/// The nearest path above `dir` that exists; the current directory for a plain name.
fn nearest_existing(dir: &Path) -> &Path {
    let above = dir
        .ancestors()
        .skip(1)
        .find(|path| path.as_os_str().is_empty() || fs::symlink_metadata(path).is_ok());
    above
        .filter(|path| !path.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// `dir` and the directories above it that are still to be created, outermost first.
fn missing(dir: &Path) -> Vec<PathBuf> {
    let is_missing =
        |path: &&Path| !path.as_os_str().is_empty() && fs::symlink_metadata(path).is_err();
    let mut missing: Vec<PathBuf> = dir
        .ancestors()
        .take_while(is_missing)
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    missing
}

/// A directory for unfinished files that removes itself when it is dropped.
fn staging(dir: &Path) -> Result<tempfile::TempDir, Error> {
    tempfile::Builder::new()
        .prefix(STAGING)
        .tempdir_in(dir)
        .map_err(|e| io_error("write to", dir, e))
}

fn close(staging: tempfile::TempDir) -> Result<(), Error> {
    let path = staging.path().to_owned();
    staging.close().map_err(|e| io_error("remove", &path, e))
}

/// Synced, because some file systems report a full disk no earlier. Errors name the file by its
/// place in `dir`: the temporary one means nothing to a reader and is gone by then.
fn write_file(staging: &Path, dir: &Path, name: &str, bytes: &[u8]) -> Result<(), Error> {
    let file = File::create(staging.join(name));
    let written = file.and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
    written.map_err(|e| io_error("write", &dir.join(name), e))
}

pub(crate) fn io_error(tried: &'static str, path: &Path, source: io::Error) -> Error {
    Error::Io {
        tried,
        path: path.to_owned(),
        source,
    }
}
