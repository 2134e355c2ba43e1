//! The data to send.

use onramp_cli::failure::{Failure, BAD_INPUT};
use onramp_hq::Content;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Data that can be sent once, or to each peer.
pub enum Source {
    File(PathBuf),
    Generated { size_bytes: u64 },
    Bytes(Vec<u8>),
}

impl Source {
    /// The source that the options name; `None` if they name none. It must be readable now. With
    /// `accepts_stdin`, the file `-` is standard input, which is read to its end.
    pub fn choose(
        file: Option<&Path>,
        size_bytes: Option<u64>,
        accepts_stdin: bool,
    ) -> Result<Option<Source>, Failure> {
        Ok(match (file, size_bytes) {
            (Some(file), _) if accepts_stdin && file == Path::new("-") => {
                let mut bytes = Vec::new();
                let read = io::stdin().lock().read_to_end(&mut bytes);
                read.map_err(|error| {
                    Failure::new(BAD_INPUT, format!("cannot read standard input: {error}"))
                })?;
                Some(Source::Bytes(bytes))
            }
            (Some(file), _) => {
                open(file)?;
                Some(Source::File(file.to_owned()))
            }
            (None, Some(size_bytes)) => Some(Source::Generated { size_bytes }),
            (None, None) => None,
        })
    }

    /// A reader at the first byte.
    pub fn open(&self) -> Result<Box<dyn Read>, Failure> {
        Ok(match self {
            Source::File(path) => Box::new(open(path)?),
            Source::Generated { size_bytes } => Box::new(Generated {
                content: Content::new(),
                position: 0,
                size_bytes: *size_bytes,
            }),
            Source::Bytes(bytes) => Box::new(io::Cursor::new(bytes.clone())),
        })
    }
}

/// A reader of the first `size_bytes` bytes of generated content.
struct Generated {
    content: Content,
    position: u64,
    size_bytes: u64,
}

impl Read for Generated {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let max_bytes = (self.size_bytes - self.position).min(into.len() as u64);
        if max_bytes == 0 {
            return Ok(0);
        }
        let bytes = self.content.from(self.position, max_bytes);
        into[..bytes.len()].copy_from_slice(bytes);
        self.position += bytes.len() as u64;
        Ok(bytes.len())
    }
}

/// Opens a regular file. Devices and pipes are refused, because reading them could block the
/// connections.
fn open(path: &Path) -> Result<File, Failure> {
    let failure = |reason: String| {
        Failure::new(
            BAD_INPUT,
            format!("cannot send {}: {reason}", path.display()),
        )
    };
    let is_file = std::fs::metadata(path)
        .map_err(|error| failure(error.to_string()))?
        .is_file();
    if !is_file {
        return Err(failure("it is not a regular file".to_owned()));
    }
    File::open(path).map_err(|error| failure(error.to_string()))
}
