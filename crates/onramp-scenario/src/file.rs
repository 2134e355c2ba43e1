//! Reads a scenario from disk. At most [`MAX_FILE_BYTES`] are read, whatever the name leads to.

use crate::error::{Error, MAX_FILE_BYTES};
use crate::model::Scenario;
use crate::reader::{parse_with, Overrides};
use std::fs::{File, FileType};
use std::io::Read;
use std::path::Path;

/// Reads and checks a scenario file.
///
/// # Errors
/// The file cannot be read, is not a regular file, is larger than [`MAX_FILE_BYTES`], is not UTF-8
/// text, or has mistakes.
pub fn read(path: &Path) -> Result<Scenario, Error> {
    read_with(Overrides::default(), path)
}

/// [`read`] with other values than those of the file.
///
/// # Errors
/// Those of [`read`].
pub fn read_with(overrides: Overrides, path: &Path) -> Result<Scenario, Error> {
    let file = path.display().to_string();
    let unreadable = |cause| Error::Unreadable {
        file: file.clone(),
        cause,
    };
    // Check the type first: opening a pipe without a writer would wait for ever.
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(Error::NotAFile {
            what: kind(metadata.file_type()),
            file,
        });
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Err(Error::TooLarge { file });
    }
    let mut bytes = Vec::new();
    // Apply the limit here too: files in /proc have no length, and other files may grow.
    File::open(path)
        .and_then(|f| f.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Error::TooLarge { file });
    }
    let text = String::from_utf8(bytes).map_err(|error| Error::NotUtf8 {
        offset: error.utf8_error().valid_up_to(),
        file: file.clone(),
    })?;
    let folder = path.parent().unwrap_or(Path::new("."));
    parse_with(overrides, Some(folder), &file, &text)
}

#[cfg(unix)]
fn kind(file_type: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;

    if file_type.is_dir() {
        "a directory"
    } else if file_type.is_fifo() {
        "a pipe"
    } else if file_type.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

/// WebAssembly has no files at all.
#[cfg(not(unix))]
fn kind(_: FileType) -> &'static str {
    "a directory or a device"
}
