//! What a server remembers of its paths, in a file.

use crate::new_file::NewFile;
use onramp_cli::failure::Failure;
use onramp_hq::{Paths, Remembered};
use std::io;
use std::path::Path;

/// Adds what an earlier server saved, if it did. Refuses a file that could not be saved again.
pub fn restore(paths: &Paths, file: &Path) -> Result<(), Failure> {
    let refuse = |reason: String| Failure::at("read the memory", file, reason);
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return new(file).map(drop),
        Err(error) => return Err(refuse(error.to_string())),
    };
    let saved: Vec<Remembered> = serde_json::from_str(&text)
        .map_err(|error| refuse(format!("{error}; expected what `--memory-file` wrote")))?;
    paths.restore(saved);
    new(file).map(drop)
}

/// Saves what is remembered.
pub fn save(paths: &Paths, file: &Path) -> Result<(), Failure> {
    let mut new = new(file)?;
    let written = serde_json::to_writer_pretty(&mut new, &paths.remembered());
    written.map_err(|error| new.failure(error.into()))?;
    new.finish()
}

fn new(file: &Path) -> Result<NewFile, Failure> {
    NewFile::create(file, "save the memory as")
}
