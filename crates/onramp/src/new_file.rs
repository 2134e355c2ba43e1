//! A file that appears under its name when it is complete, and not at all if that never comes.

use crate::failure::{Failure, BAD_INPUT};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A file that is being written, under another name.
pub struct NewFile {
    path: PathBuf,
    unfinished: PathBuf,
    file: BufWriter<File>,
}

impl NewFile {
    /// The name must be free or that of a file: it is replaced at the end, which would be the end
    /// of a device, too. `purpose` says what it is for, as in "cannot record into FILE".
    pub fn create(path: &Path, purpose: &str) -> Result<NewFile, Failure> {
        let in_the_way = |what| {
            Err(Failure::new(
                BAD_INPUT,
                format!("cannot {purpose} {}: it is {what}", path.display()),
            ))
        };
        match std::fs::metadata(path).map(|metadata| (metadata.is_dir(), metadata.is_file())) {
            Ok((true, _)) => return in_the_way("a directory"),
            Ok((false, false)) => return in_the_way("a device or pipe, not a file"),
            Ok((false, true)) | Err(_) => {} // creating it says what is wrong
        }
        // Not the link, such as /dev/stdout, but the file that it leads to.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let unfinished = unfinished_name(&path);
        match File::create(&unfinished) {
            Ok(file) => Ok(NewFile {
                path,
                unfinished,
                file: BufWriter::new(file),
            }),
            Err(error) => Err(failure("create", &path, error)),
        }
    }

    /// What to say of an error in writing it.
    pub fn failure(&self, error: io::Error) -> Failure {
        failure("write", &self.path, error)
    }

    /// It is complete.
    pub fn finish(mut self) -> Result<(), Failure> {
        let renamed = self
            .file
            .flush()
            .and_then(|()| std::fs::rename(&self.unfinished, &self.path));
        renamed.map_err(|error| self.failure(error))
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.unfinished); // it is gone already if all went well
    }
}

/// One that no other file has that this process writes.
fn unfinished_name(path: &Path) -> PathBuf {
    static FILES: AtomicU32 = AtomicU32::new(0);
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".unfinished-{}", std::process::id()));
    match FILES.fetch_add(1, Ordering::Relaxed) {
        0 => {}
        number => name.push(format!("-{number}")),
    }
    PathBuf::from(name)
}

fn failure(tried: &str, path: &Path, error: io::Error) -> Failure {
    Failure::new(
        BAD_INPUT,
        format!("cannot {tried} {}: {error}", path.display()),
    )
}
