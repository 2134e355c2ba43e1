//! A file that appears under its name when it is complete. An incomplete file is removed.

use onramp_cli::failure::Failure;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A file that is being written under a temporary name.
pub struct NewFile {
    path: PathBuf,
    unfinished: PathBuf,
    file: BufWriter<File>,
}

impl NewFile {
    /// Creates the temporary file. The path must be free or a regular file, which is replaced at
    /// the end. A device would be replaced too, so it is refused. `purpose` is part of messages, as
    /// in "cannot record into FILE".
    pub fn create(path: &Path, purpose: &str) -> Result<NewFile, Failure> {
        let refuse = |what| Err(Failure::at(purpose, path, format!("it is {what}")));
        match std::fs::metadata(path).map(|metadata| (metadata.is_dir(), metadata.is_file())) {
            Ok((true, _)) => return refuse("a directory"),
            Ok((false, false)) => return refuse("a device or pipe, not a file"),
            Ok((false, true)) | Err(_) => {} // other problems are reported by creating the file
        }
        // A symbolic link, such as /dev/stdout, stands for the file that it points to.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let unfinished = unfinished_name(&path);
        match create_anew(&unfinished) {
            Ok(file) => Ok(NewFile {
                path,
                unfinished,
                file: BufWriter::new(file),
            }),
            Err(error) => Err(Failure::at("create", &path, error)),
        }
    }

    /// The failure for an error in writing the file.
    pub fn failure(&self, error: io::Error) -> Failure {
        Failure::at("write", &self.path, error)
    }

    /// Completes the file, and gives it its name.
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
        let _ = std::fs::remove_file(&self.unfinished); // after `finish` there is no such file
    }
}

/// Creates a file. What has its name is removed first: a killed process left it, or somebody has
/// planted a link there, which must not be followed.
fn create_anew(path: &Path) -> io::Result<File> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => File::create_new(path),
    }
}

/// A temporary name that no other file of this process has.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_is_planted_in_the_place_of_the_temporary_file_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let precious = folder.path().join("precious");
        std::fs::write(&precious, "precious").unwrap();
        let unfinished = folder.path().join("unfinished");
        std::os::unix::fs::symlink(&precious, &unfinished).unwrap();
        create_anew(&unfinished).unwrap().write_all(b"new").unwrap();
        assert_eq!(std::fs::read(&precious).unwrap(), b"precious");
        assert_eq!(std::fs::read(&unfinished).unwrap(), b"new");
    }
}
