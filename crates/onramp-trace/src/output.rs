//! One trace file on its way to the disk.

use crate::format::Format;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

/// Bytes that are collected before they are written.
const CHUNK_BYTES: usize = 1 << 18;
/// The same of files of which a run may have a thousand.
const SMALL_CHUNK_BYTES: usize = 1 << 14;

/// Where the files of a case go, and how much each may hold.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The directory of unfinished files.
    pub directory: PathBuf,
    /// How the names of the case's files begin.
    pub stem: String,
    /// Most entries of a file.
    pub most_entries: u64,
}

impl Place {
    /// The case's only file of a format.
    pub fn file(&self, format: Format) -> Output {
        self.output(
            format,
            None,
            format!("{}.{}", self.stem, format.extension()),
            CHUNK_BYTES,
        )
    }

    /// A flow's file.
    pub fn flow_file(&self, format: Format, flow: u32) -> Output {
        let name = format!("{}-flow-{flow}.{}", self.stem, format.extension());
        self.output(format, Some(flow), name, SMALL_CHUNK_BYTES)
    }

    fn output(
        &self,
        format: Format,
        flow: Option<u32>,
        name: String,
        chunk_bytes: usize,
    ) -> Output {
        let path = self.directory.join(&name);
        // What an earlier run of this process left there would be appended to.
        let error = File::create(&path).err();
        let (buffer, entries, limited) = Default::default();
        Output {
            name,
            path,
            format,
            flow,
            buffer,
            chunk_bytes,
            entries,
            most_entries: self.most_entries,
            limited,
            error,
        }
    }
}

/// A file that is written piece by piece. It is open only while a piece is written: a run may have
/// more of them than a process may have open files. After an error it takes no more, and keeps the
/// error for the end.
#[derive(Debug)]
pub(crate) struct Output {
    pub name: String,
    pub path: PathBuf,
    pub format: Format,
    /// Whose it is, if not all flows'.
    pub flow: Option<u32>,
    buffer: Vec<u8>,
    chunk_bytes: usize,
    pub entries: u64,
    pub most_entries: u64,
    /// Entries were left out.
    pub limited: bool,
    pub error: Option<io::Error>,
}

impl Output {
    /// The place for one more entry; `None` once the limit is reached, or the disk is full.
    pub fn entry(&mut self) -> Option<&mut Vec<u8>> {
        if self.is_full() || self.error.is_some() {
            self.limited = true;
            return None;
        }
        self.entries += 1;
        if self.buffer.len() >= self.chunk_bytes {
            self.flush_buffer();
        }
        Some(&mut self.buffer)
    }

    /// There is no place for another entry.
    pub fn is_full(&self) -> bool {
        self.entries == self.most_entries
    }

    /// The place for what is no entry: beginning and end.
    pub fn frame(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// What to say of the end that is none.
    pub fn limit_note(&self) -> Option<String> {
        let what = self.format.entries();
        self.limited.then(|| {
            format!(
                "the limit of {} {what} was reached: what followed is not here",
                self.most_entries
            )
        })
    }

    /// Writes the rest. Synced, because some file systems report a full disk no earlier.
    pub fn close(&mut self) -> io::Result<()> {
        self.flush_buffer();
        match self.error.take() {
            Some(error) => Err(error),
            None => File::open(&self.path)?.sync_all(),
        }
    }

    fn flush_buffer(&mut self) {
        if self.error.is_none() {
            let file = OpenOptions::new().append(true).open(&self.path);
            self.error = file.and_then(|mut file| file.write_all(&self.buffer)).err();
        }
        self.buffer.clear();
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(directory: &std::path::Path, most_entries: u64) -> Place {
        Place {
            directory: directory.to_owned(),
            stem: "case-1".to_owned(),
            most_entries,
        }
    }

    #[test]
    fn a_file_ends_at_its_limit_and_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let mut output = place(dir.path(), 2).file(Format::Csv);
        output.frame().extend(b"head\n");
        for _ in 0..2 {
            output.entry().unwrap().extend(b"line\n");
        }
        assert!(output.limit_note().is_none());
        assert!(output.entry().is_none());
        assert_eq!(
            output.limit_note().unwrap(),
            "the limit of 2 lines was reached: what followed is not here"
        );
        output.close().unwrap();
        assert_eq!(
            std::fs::read_to_string(dir.path().join("case-1.csv")).unwrap(),
            "head\nline\nline\n"
        );
    }

    #[test]
    fn pieces_are_written_in_their_order() {
        let dir = tempfile::tempdir().unwrap();
        let mut output = place(dir.path(), u64::MAX).flow_file(Format::Qlog, 7);
        for number in 0..10_000 {
            writeln!(output.entry().unwrap(), "{number}").unwrap();
        }
        output.close().unwrap();
        let text = std::fs::read_to_string(dir.path().join("case-1-flow-7.sqlog")).unwrap();
        assert!(text
            .lines()
            .enumerate()
            .all(|(place, line)| line == place.to_string()));
        assert_eq!(text.lines().count(), 10_000);
    }

    #[test]
    fn an_error_is_kept_for_the_end() {
        let mut output = place("/nowhere/at/all".as_ref(), 2).file(Format::Csv);
        assert!(output.entry().is_none());
        assert_eq!(output.close().unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
