//! What is sent.

use crate::failure::{Failure, BAD_INPUT};
use onramp_lab::parts::Content;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Something that can be sent, once or to each peer.
pub enum ToSend {
    File(PathBuf),
    Generated(Rc<Content>, u64),
    Bytes(Vec<u8>),
}

impl ToSend {
    /// What the options ask for, which must be readable now. `-` is standard input, read to its
    /// end.
    pub fn choose(
        file: Option<&Path>,
        size: Option<u64>,
        takes_stdin: bool,
    ) -> Result<Option<ToSend>, Failure> {
        Ok(match (file, size) {
            (Some(file), _) if takes_stdin && file == Path::new("-") => {
                let mut bytes = Vec::new();
                let read = io::stdin().lock().read_to_end(&mut bytes);
                read.map_err(|error| {
                    Failure::new(BAD_INPUT, format!("cannot read standard input: {error}"))
                })?;
                Some(ToSend::Bytes(bytes))
            }
            (Some(file), _) => {
                open(file)?;
                Some(ToSend::File(file.to_owned()))
            }
            (None, Some(size)) => Some(ToSend::Generated(Rc::new(Content::new()), size)),
            (None, None) => None,
        })
    }

    /// From its first byte.
    pub fn open(&self) -> Result<Box<dyn Read>, Failure> {
        Ok(match self {
            ToSend::File(path) => Box::new(open(path)?),
            ToSend::Generated(content, size) => Box::new(Generated {
                content: Rc::clone(content),
                position: 0,
                size: *size,
            }),
            ToSend::Bytes(bytes) => Box::new(io::Cursor::new(bytes.clone())),
        })
    }
}

/// A file, and nothing else: reading must never wait for somebody.
fn open(path: &Path) -> Result<File, Failure> {
    let failure =
        |what: String| Failure::new(BAD_INPUT, format!("cannot send {}: {what}", path.display()));
    let is_file = std::fs::metadata(path)
        .map_err(|error| failure(error.to_string()))?
        .is_file();
    if !is_file {
        return Err(failure("it is not a file".to_owned()));
    }
    File::open(path).map_err(|error| failure(error.to_string()))
}

struct Generated {
    content: Rc<Content>,
    position: u64,
    size: u64,
}

impl Read for Generated {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = (self.size - self.position).min(into.len() as u64);
        if most == 0 {
            return Ok(0);
        }
        let bytes = self.content.from(self.position, most);
        into[..bytes.len()].copy_from_slice(bytes);
        self.position += bytes.len() as u64;
        Ok(bytes.len())
    }
}
