//! Writes trace files piece by piece.

use crate::format::Format;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

/// Bytes that are collected before they are written to the only file of a case.
const CHUNK_BYTES: usize = 1 << 18;
/// The same for the file of a flow: a case may have a thousand of them.
const SMALL_CHUNK_BYTES: usize = 1 << 14;

/// Flows of a case with a file of their own, at most.
pub(crate) const MAX_FLOW_FILES: usize = 1000;

/// Creates the files of a case.
#[derive(Clone, Debug)]
pub(crate) struct CaseFiles {
    /// The directory of unfinished files. `None`: the files stay in memory.
    pub directory: Option<PathBuf>,
    /// The beginning of the files' names.
    pub stem: String,
    /// Maximum number of entries in a file.
    pub max_entries: u64,
}

impl CaseFiles {
    /// The only file of a format.
    pub fn file(&self, format: Format) -> Output {
        self.output(
            format,
            None,
            format!("{}.{}", self.stem, format.extension()),
            CHUNK_BYTES,
        )
    }

    /// The file of one flow.
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
        let path = self.directory.as_ref().map(|folder| folder.join(&name));
        // Creating the file also empties one that an earlier run of this process left: pieces are
        // appended.
        let error = path.as_ref().and_then(|path| File::create(path).err());
        let (buffer, entries, limited) = Default::default();
        Output {
            name,
            path,
            format,
            flow,
            buffer,
            chunk_bytes,
            entries,
            max_entries: self.max_entries,
            limited,
            error,
        }
    }
}

/// A file that is written piece by piece. It is open only while a piece is written, because a run
/// may have more files than a process may have open. After an error, the file takes no more
/// entries, and [`Output::close`] returns the error.
#[derive(Debug)]
pub(crate) struct Output {
    pub name: String,
    /// Where its pieces are written. `None`: it stays in memory, in one piece.
    pub path: Option<PathBuf>,
    pub format: Format,
    /// The flow whose file it is; `None`: all flows.
    pub flow: Option<u32>,
    buffer: Vec<u8>,
    chunk_bytes: usize,
    pub entries: u64,
    pub max_entries: u64,
    /// Whether entries were left out.
    pub limited: bool,
    pub error: Option<io::Error>,
}

impl Output {
    /// The buffer for one more entry; `None` at the limit and after an error.
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

    /// Whether the file has as many entries as it may have.
    pub fn is_full(&self) -> bool {
        self.entries == self.max_entries
    }

    /// The buffer for text that is no entry: the beginning and the end of the file.
    pub fn frame(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// The note at the end of a file in which entries were left out.
    pub fn limit_note(&self) -> Option<String> {
        let what = self.format.entries();
        self.limited.then(|| {
            format!(
                "the limit of {} {what} was reached: what followed is not here",
                self.max_entries
            )
        })
    }

    /// Writes the rest. The file is synced, because some file systems report a full disk only then.
    ///
    /// # Errors
    /// The first error of this file.
    pub fn close(&mut self) -> io::Result<()> {
        self.flush_buffer();
        match (self.error.take(), &self.path) {
            (Some(error), _) => Err(error),
            (None, Some(path)) => File::open(path)?.sync_all(),
            (None, None) => Ok(()),
        }
    }

    /// The bytes of a file that stays in memory.
    pub fn into_bytes(self) -> Vec<u8> {
        self.buffer
    }

    fn flush_buffer(&mut self) {
        let Some(path) = &self.path else { return };
        if self.error.is_none() {
            let file = OpenOptions::new().append(true).open(path);
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

    fn files(directory: &std::path::Path, max_entries: u64) -> CaseFiles {
        CaseFiles {
            directory: Some(directory.to_owned()),
            stem: "case-1".to_owned(),
            max_entries,
        }
    }

    #[test]
    fn a_file_ends_at_its_limit_with_a_note() {
        let dir = tempfile::tempdir().unwrap();
        let mut output = files(dir.path(), 2).file(Format::Csv);
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
        let mut output = files(dir.path(), u64::MAX).flow_file(Format::Qlog, 7);
        for number in 0..10_000 {
            writeln!(output.entry().unwrap(), "{number}").unwrap();
        }
        output.close().unwrap();
        let text = std::fs::read_to_string(dir.path().join("case-1-flow-7.sqlog")).unwrap();
        assert!(text
            .lines()
            .enumerate()
            .all(|(number, line)| line == number.to_string()));
        assert_eq!(text.lines().count(), 10_000);
    }

    #[test]
    fn an_error_is_kept_for_the_end() {
        let mut output = files("/nowhere/at/all".as_ref(), 2).file(Format::Csv);
        assert!(output.entry().is_none());
        assert_eq!(output.close().unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_file_in_memory_has_the_bytes_of_one_on_disk() {
        let dir = tempfile::tempdir().unwrap();
        let in_memory = CaseFiles {
            directory: None,
            ..files(dir.path(), u64::MAX)
        };
        let write = |files: &CaseFiles| {
            let mut output = files.flow_file(Format::Qlog, 7);
            for number in 0..10_000 {
                writeln!(output.entry().unwrap(), "{number}").unwrap();
            }
            output.close().unwrap();
            output
        };
        let output = write(&files(dir.path(), u64::MAX));
        let on_disk = std::fs::read(dir.path().join(output.name)).unwrap();
        assert!(write(&in_memory).into_bytes() == on_disk);
    }
}
