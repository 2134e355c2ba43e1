//! Reads a scenario from disk. At most [`MAX_FILE_BYTES`] are read, whatever the name leads to.

use crate::error::{Error, MAX_FILE_BYTES};
use crate::model::Scenario;
use crate::reader::{parse_with, Overrides};
use onramp_config::read_text;
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
    let text = match read_text(path, MAX_FILE_BYTES) {
        Ok(text) => text,
        Err(cause) => return Err(Error::Unreadable { file, cause }),
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    parse_with(overrides, Some(folder), &file, &text)
}
