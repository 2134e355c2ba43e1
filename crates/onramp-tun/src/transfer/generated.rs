//! Generated data to send.

use onramp_lab::parts::Content;
use std::io::{self, Read};
use std::rc::Rc;

/// A reader of the first `size_bytes` bytes of generated content.
pub struct Generated {
    content: Rc<Content>,
    position: u64,
    size_bytes: u64,
}

impl Generated {
    /// A reader at the first byte.
    pub fn new(content: Rc<Content>, size_bytes: u64) -> Generated {
        Generated {
            content,
            position: 0,
            size_bytes,
        }
    }
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
