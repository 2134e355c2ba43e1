//! Reads a text from disk, up to a limit, whatever its name leads to.

use std::fs::{File, FileType};
use std::io::{self, Read};
use std::path::Path;

/// Why a file was not read. [`Display`](std::fmt::Display) is a part of a sentence.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The file system returned an error.
    #[error("{0}")]
    Failed(io::Error),
    /// The name leads to a directory, a device, a pipe or a socket, which is named with its
    /// article.
    #[error("it is {0}, not a file")]
    NotAFile(&'static str),
    /// The file is larger than the limit.
    #[error("it is larger than {}", crate::units::format_size(*.0))]
    TooLarge(u64),
    /// The file is not UTF-8 text from this byte on, counted from 0, in this line, from 1.
    #[error("byte {offset} is not UTF-8 text")]
    #[allow(missing_docs)]
    NotUtf8 { offset: usize, line: usize },
}

/// The text of a file of at most so many bytes.
///
/// # Errors
/// [`Unreadable`]
pub fn read_text(path: &Path, max_bytes: u64) -> Result<String, Unreadable> {
    // Check the type first: opening a pipe without a writer would wait for ever.
    let metadata = std::fs::metadata(path).map_err(Unreadable::Failed)?;
    if !metadata.is_file() {
        return Err(Unreadable::NotAFile(kind(metadata.file_type())));
    }
    let mut bytes = Vec::new();
    // Files in /proc have no length, and other files may grow.
    File::open(path)
        .and_then(|file| file.take(max_bytes + 1).read_to_end(&mut bytes))
        .map_err(Unreadable::Failed)?;
    if bytes.len() as u64 > max_bytes {
        return Err(Unreadable::TooLarge(max_bytes));
    }
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let newlines = error.as_bytes()[..offset].iter();
        Unreadable::NotUtf8 {
            offset,
            line: newlines.filter(|&&byte| byte == b'\n').count() + 1,
        }
    })
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
