//! The destination of received data.

use crate::new_file::NewFile;
use onramp_cli::failure::Failure;
use std::io::{self, Write};
use std::path::Path;

/// Receives the data that a peer sends.
pub enum Sink {
    /// A file that appears when it is complete.
    File(Box<NewFile>),
    Stdout,
    /// The data is discarded.
    Nowhere,
}

impl Sink {
    /// The sink that an option names; `-` is standard output.
    pub fn choose(path: Option<&Path>) -> Result<Sink, Failure> {
        Ok(match path {
            None => Sink::Nowhere,
            Some(path) if path == Path::new("-") => Sink::Stdout,
            Some(path) => Sink::File(Box::new(NewFile::create(path, "receive into")?)),
        })
    }

    /// Completes the file: all data has arrived.
    pub fn finish(self) -> Result<(), Failure> {
        match self {
            Sink::File(file) => file.finish(),
            Sink::Stdout | Sink::Nowhere => Ok(()),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Sink::File(file) => file.write(bytes),
            Sink::Stdout => io::stdout().write(bytes),
            Sink::Nowhere => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Sink::File(file) => file.flush(),
            Sink::Stdout => io::stdout().flush(),
            Sink::Nowhere => Ok(()),
        }
    }
}
