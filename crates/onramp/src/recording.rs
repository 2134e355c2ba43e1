//! Recordings: the inputs and decisions of start-ups in the kernel, as lines of JSON. Each line is
//! an event of one connection.

use crate::failure::{Failure, BAD_INPUT};
use crate::new_file::NewFile;
use onramp_kernel::Event;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// A line of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The name of the scenario.
    pub scenario: String,
    /// The number of the transfer in the run of `onramp lab`, from 0.
    pub transfer: usize,
    /// The start-up algorithm.
    pub startup: String,
    /// The input, and the decision.
    #[serde(flatten)]
    pub event: Event,
}

/// A recording that is being written. It appears under its name when it is complete.
pub struct Writer(NewFile);

impl Writer {
    pub fn create(path: &Path) -> Result<Writer, Failure> {
        NewFile::create(path, "record into").map(Writer)
    }

    pub fn write(&mut self, line: &Line) -> Result<(), Failure> {
        let text = serde_json::to_string(line).expect("our records have string keys");
        writeln!(self.0, "{text}").map_err(|error| self.0.failure(error))
    }

    pub fn finish(self) -> Result<(), Failure> {
        self.0.finish()
    }
}

/// Reads a recording line by line, with the numbers of the lines from 1.
pub fn read(
    path: &Path,
) -> Result<impl Iterator<Item = Result<(usize, Line), Failure>> + '_, Failure> {
    let file = File::open(path).map_err(|error| failure("open", path, error))?;
    Ok(BufReader::new(file)
        .lines()
        .enumerate()
        .map(move |(index, line)| {
            let number = index + 1;
            let line = line.map_err(|error| failure("read", path, error))?;
            let line = serde_json::from_str(&line).map_err(|error| {
                let place = format!("{}:{number}", path.display());
                Failure::new(
                    BAD_INPUT,
                    format!("{place}: expected a line that `onramp lab --record` wrote: {error}"),
                )
            })?;
            Ok((number, line))
        }))
}

fn failure(tried: &str, path: &Path, error: std::io::Error) -> Failure {
    Failure::new(
        BAD_INPUT,
        format!("cannot {tried} {}: {error}", path.display()),
    )
}
