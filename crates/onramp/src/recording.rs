//! What start-ups were told and decided in the kernel, as lines of JSON: one connection's event a line.

use crate::failure::{Failure, BAD_INPUT};
use onramp_kernel::Event;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A line of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The scenario's name.
    pub scenario: String,
    /// Which transfer of the run of `onramp lab`, from 0.
    pub transfer: usize,
    /// The algorithm.
    pub startup: String,
    /// What it was told, and what it decided.
    #[serde(flatten)]
    pub event: Event,
}

/// A recording that is being written. It appears under its name when it is complete.
pub struct Writer {
    path: PathBuf,
    unfinished: PathBuf,
    file: BufWriter<File>,
}

impl Writer {
    /// The name must be free or that of a file: it is replaced at the end, which would be the end of a device, too.
    pub fn create(path: &Path) -> Result<Writer, Failure> {
        let in_the_way =
            |what| Err(Failure::new(BAD_INPUT, format!("cannot record into {}: it is {what}", path.display())));
        match std::fs::metadata(path).map(|metadata| (metadata.is_dir(), metadata.is_file())) {
            Ok((true, _)) => return in_the_way("a directory"),
            Ok((false, false)) => return in_the_way("a device or pipe, not a file"),
            Ok((false, true)) | Err(_) => {} // creating it says what is wrong
        }
        // Not the link, such as /dev/stdout, but the file that it leads to.
        let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(format!(".unfinished-{}", std::process::id()));
        let unfinished = PathBuf::from(unfinished);
        let file = File::create(&unfinished).map_err(|error| failure("create", path, error))?;
        Ok(Writer { path: path.to_owned(), unfinished, file: BufWriter::new(file) })
    }

    pub fn write(&mut self, line: &Line) -> Result<(), Failure> {
        let text = serde_json::to_string(line).expect("our records have string keys");
        writeln!(self.file, "{text}").map_err(|error| failure("write", &self.path, error))
    }

    pub fn finish(mut self) -> Result<(), Failure> {
        self.file.flush().map_err(|error| failure("write", &self.path, error))?;
        std::fs::rename(&self.unfinished, &self.path).map_err(|error| failure("write", &self.path, error))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.unfinished); // it is gone already if all went well
    }
}

/// Read a recording line by line.
pub fn read(path: &Path) -> Result<impl Iterator<Item = Result<(usize, Line), Failure>> + '_, Failure> {
    let file = File::open(path).map_err(|error| failure("open", path, error))?;
    Ok(BufReader::new(file).lines().enumerate().map(move |(index, line)| {
        let number = index + 1;
        let line = line.map_err(|error| failure("read", path, error))?;
        let line = serde_json::from_str(&line).map_err(|error| {
            let place = format!("{}:{number}", path.display());
            Failure::new(BAD_INPUT, format!("{place}: expected a line that `onramp lab --record` wrote: {error}"))
        })?;
        Ok((number, line))
    }))
}

fn failure(tried: &str, path: &Path, error: std::io::Error) -> Failure {
    Failure::new(BAD_INPUT, format!("cannot {tried} {}: {error}", path.display()))
}
