//! Recordings: the inputs and decisions of start-ups in the kernel, as lines of JSON. Each line is
//! an event of one connection.

use crate::new_file::NewFile;
use onramp_cli::failure::{Failure, BAD_INPUT};
use onramp_core::Parameters;
use onramp_kernel::{Event, Input};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Maximum length of a line. The longest that `onramp lab --record` writes has some 2,000 bytes.
const MAX_LINE_BYTES: usize = 64 << 10;

/// A line of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The name of the scenario.
    pub scenario: String,
    /// The number of the transfer in the run of `onramp lab`, from 0.
    pub transfer: usize,
    /// The start-up algorithm.
    pub startup: String,
    /// At the start of a connection: the parameters of the algorithm that do not have their
    /// defaults, by their names in C.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, u64>,
    /// The input, and the decision.
    #[serde(flatten)]
    pub event: Event,
}

/// The parameters that the line of an event has.
pub fn parameters_at(
    event: &Event,
    parameters: Parameters,
    startup: &str,
) -> BTreeMap<String, u64> {
    match event.input {
        Input::Start(_) => parameters
            .changed(startup)
            .map(|(parameter, value)| (parameter.c_name().to_owned(), value))
            .collect(),
        _ => BTreeMap::new(),
    }
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

/// Reads a recording line by line, with the numbers of the lines from 1. A line of more than
/// [`MAX_LINE_BYTES`], and a file that is a device, are refused: they may have no end.
pub fn read(
    path: &Path,
) -> Result<impl Iterator<Item = Result<(usize, Line), Failure>> + '_, Failure> {
    let file = File::open(path).map_err(|error| Failure::at("open", path, error))?;
    let kind = file
        .metadata()
        .map_err(|error| Failure::at("read", path, error))?
        .file_type();
    if !(kind.is_file() || kind.is_fifo() || kind.is_dir()) {
        let message = format!(
            "cannot read {}: it is a device or a socket, and may have no end; expected a file or a \
             pipe with a recording",
            path.display()
        );
        return Err(Failure::new(BAD_INPUT, message));
    }
    let mut reader = BufReader::new(file);
    let mut number = 0;
    Ok(std::iter::from_fn(move || {
        number += 1;
        match read_line(&mut reader) {
            Err(error) => Some(Err(Failure::at("read", path, error))),
            Ok(None) => None,
            Ok(Some(bytes)) => Some(parse(path, number, &bytes).map(|line| (number, line))),
        }
    }))
}

/// The next line without its end; at most one byte more than [`MAX_LINE_BYTES`] of it. `None`: the
/// file has ended.
fn read_line(reader: &mut impl BufRead) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    // The end of the line may follow the longest line.
    reader
        .take(MAX_LINE_BYTES as u64 + 1)
        .read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
    Ok(Some(bytes))
}

fn parse(path: &Path, number: usize, bytes: &[u8]) -> Result<Line, Failure> {
    let bad_line = |reason: String| {
        let place = format!("{}:{number}", path.display());
        Err(Failure::new(
            BAD_INPUT,
            format!("{place}: expected a line that `onramp lab --record` wrote: {reason}"),
        ))
    };
    if bytes.len() > MAX_LINE_BYTES {
        return bad_line(format!("it has more than {MAX_LINE_BYTES} bytes"));
    }
    serde_json::from_slice(bytes).or_else(|error| bad_line(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_end_is_read_to_its_maximum_only() {
        let mut endless = BufReader::new(std::io::repeat(b'['));
        let line = read_line(&mut endless).unwrap().unwrap();
        assert_eq!(line.len(), MAX_LINE_BYTES + 1);
        let refused = parse(Path::new("x"), 1, &line).unwrap_err().to_string();
        assert!(
            refused.ends_with("it has more than 65536 bytes"),
            "{refused}"
        );
    }

    #[test]
    fn the_longest_line_keeps_its_length() {
        let text = [&vec![b' '; MAX_LINE_BYTES][..], b"\nnext"].concat();
        let mut reader = BufReader::new(&text[..]);
        let mut next = || read_line(&mut reader).unwrap().map(|line| line.len());
        assert_eq!(
            [next(), next(), next()],
            [Some(MAX_LINE_BYTES), Some(4), None]
        );
    }
}
