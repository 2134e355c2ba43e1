//! Writes files into a directory: all of them, or none.
//!
//! Files are written into a hidden directory inside DIR first, so that a full disk is found before
//! any file is replaced. Then each file is renamed into its place, in the given order. Other files
//! of DIR are not touched.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

/// The beginning of the name of the directory for unfinished files.
const STAGING: &str = ".onramp-report-";

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The path of the directory exists and is no directory.
    #[error(
        "{} is not a directory: give --out a directory, or a name that does not exist yet",
        path.display()
    )]
    NotADirectory {
        /// The path that is no directory.
        path: PathBuf,
    },
    /// A directory has the name of a file of the report, or a file the name of a directory.
    #[error(
        "{} is in the way of the report's {expected} of that name: move it, or give --out another \
         directory",
        path.display()
    )]
    InTheWay {
        /// The file or directory that is in the way.
        path: PathBuf,
        /// What the report needs there: `file` or `directory`.
        expected: &'static str,
    },
    /// A file name that is empty, absolute, used twice or leads out of the directory.
    #[error(
        "cannot write {name:?}: names of report files must be relative and different, without `.` \
         and `..`"
    )]
    BadName {
        /// The given name.
        name: String,
    },
    /// The system returned an error.
    #[error("cannot {tried} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb such as `write`.
        tried: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

/// Checks, before a long run, that files of these names can be written to `dir`. [`write_files`]
/// says which names are possible. The check leaves nothing behind and does not create `dir`.
///
/// # Errors
/// [`Error`] says what stands in the way.
pub fn prepare_files<N: AsRef<str>>(dir: &Path, names: &[N]) -> Result<(), Error> {
    let existing = check_places(dir, names)?;
    let staging = staging(existing)?;
    write_file(staging.path(), existing, "probe", &[b' '; 4096])?;
    close(staging)
}

/// Writes files, each a name and its contents, into `dir`, which is created where it is missing.
/// Returns their paths.
///
/// Names are relative to `dir`, may contain directories (`data/figure-4.json`), and must all be
/// different. Existing files of these names are replaced; all others are not touched.
///
/// # Errors
/// After an error, existing files are unchanged and no unfinished file is left. The exception is a
/// system that refuses a rename after it has allowed others. Therefore the file that people open
/// should be the last one.
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

/// Files that are written but not renamed into their places yet.
pub(crate) struct Staged<'a> {
    dir: &'a Path,
    staging: tempfile::TempDir,
    names: Vec<String>,
}

/// Writes the files that `stage` adds. Before the first one is written, the places of the
/// `expected` files are checked.
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
        // Only empty directories are removed, so no file of the user can be lost.
        for dir in created.iter().rev() {
            let _ = fs::remove_dir(dir);
        }
    }
    result
}

impl Staged<'_> {
    /// Writes a file, but not to its place yet.
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

/// The directories in the name of a file.
fn parent(name: &str) -> Option<&Path> {
    Path::new(name)
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
}

/// Checks that the names are possible, and that nothing is in the way of the files and their
/// directories. Returns `dir`, or the nearest directory above it that exists.
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
    // A broken symbolic link exists, but no directory can be created there.
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
    // The names of all files.
    let mut places: BTreeSet<&Path> = BTreeSet::new();
    for name in names.iter().map(AsRef::as_ref) {
        let path = Path::new(name);
        // `components` drops superfluous parts, such as a slash at the end. A name must have none.
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
    let is_file_and_directory = |name: &&str| {
        Path::new(name)
            .ancestors()
            .skip(1)
            .any(|parent| places.contains(parent))
    };
    match names.iter().map(AsRef::as_ref).find(is_file_and_directory) {
        Some(name) => Err(Error::BadName {
            name: name.to_owned(),
        }),
        None => Ok(()),
    }
}

/// The nearest path above `dir` that exists. For a plain name, it is the current directory.
fn nearest_existing(dir: &Path) -> &Path {
    let above = dir
        .ancestors()
        .skip(1)
        .find(|path| path.as_os_str().is_empty() || fs::symlink_metadata(path).is_ok());
    above
        .filter(|path| !path.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// `dir` and the directories above it that do not exist yet, outermost first.
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

/// A directory for unfinished files, which is removed when the value is dropped.
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

/// Writes a file and syncs it, because some file systems report a full disk only then. An error
/// names the file by its place in `dir`: the temporary file does not exist any more when the error
/// is read.
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
