//! Files, read in pieces. Slow clients keep no descriptor open: one is open while a piece is read.

use crate::request::{file_below, Refusal};
use bytes::Bytes;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use tokio::sync::Semaphore;

/// Bytes that are read at once.
const PIECE_BYTES: usize = 64 << 10;
/// Maximum number of files that are open at the same time.
static READS: Semaphore = Semaphore::const_new(64);

/// A regular file below a folder.
pub struct Piecewise {
    path: PathBuf,
    position: u64,
    /// Device and inode.
    identity: (u64, u64),
}

impl Piecewise {
    /// The folder is canonical; without one there is no file.
    pub fn open(folder: Option<&Path>, file: &Path) -> Result<Piecewise, Refusal> {
        let path = file_below(folder.ok_or(Refusal::NotFound)?, file)?;
        let metadata = path.metadata().map_err(|_| Refusal::Unreadable)?;
        Ok(Piecewise {
            path,
            position: 0,
            identity: identity(&metadata),
        })
    }

    /// The next piece; `None` at the end. A file that was replaced meanwhile is unreadable.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Refusal> {
        let _read = READS.acquire().await.map_err(|_| Refusal::Unreadable)?;
        let (path, position, identity) = (self.path.clone(), self.position, self.identity);
        let read = tokio::task::spawn_blocking(move || read(&path, position, identity)).await;
        let piece = read.map_err(|_| Refusal::Unreadable)?;
        let piece = piece.map_err(|_| Refusal::Unreadable)?;
        self.position += piece.len() as u64;
        Ok(Some(piece.into()).filter(|piece: &Bytes| !piece.is_empty()))
    }
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

fn read(path: &Path, position: u64, expected: (u64, u64)) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    if identity(&file.metadata()?) != expected {
        return Err(io::ErrorKind::NotFound.into());
    }
    let mut piece = vec![0; PIECE_BYTES];
    let bytes = file.read_at(&mut piece, position)?;
    piece.truncate(bytes);
    piece.shrink_to_fit();
    Ok(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn pieces_are_those_of_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let content: Vec<u8> = (0..PIECE_BYTES * 2 + 7).map(|byte| byte as u8).collect();
        std::fs::write(root.join("file"), &content).unwrap();
        let mut whole = Piecewise::open(Some(&root), Path::new("file")).unwrap();
        let mut read = Vec::new();
        while let Some(piece) = whole.next().await.unwrap() {
            read.extend_from_slice(&piece);
        }
        assert!(read == content);

        let mut replaced = Piecewise::open(Some(&root), Path::new("file")).unwrap();
        assert!(replaced.next().await.unwrap().is_some());
        std::fs::write(root.join("new"), &content).unwrap();
        std::fs::rename(root.join("new"), root.join("file")).unwrap();
        assert_eq!(replaced.next().await, Err(Refusal::Unreadable));
    }
}
