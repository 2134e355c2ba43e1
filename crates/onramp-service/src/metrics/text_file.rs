//! A file that readers find whole at any time.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Writes a file beside the wanted one, and renames it. A reader finds the old content or the new,
/// never a part. The file can be read by everyone, as node_exporter runs as a user of its own.
///
/// # Errors
/// That of the system. The file is then as it was.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    // node_exporter reads *.prom only, so this name must end otherwise.
    let mut temporary = name.to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary);
    let written = write(&temporary, content).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary); // it may not exist
    }
    written
}

fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    // A name that somebody else prepared, as a symbolic link, is removed and not followed.
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file: File = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o644)
        .open(path)?;
    file.write_all(content)?;
    // The umask may have taken rights away.
    file.set_permissions(fs::Permissions::from_mode(0o644))?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_is_replaced_whole_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("onramp.prom");
        for content in ["long content", "short"] {
            replace(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o644
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_is_missing_is_an_error_and_the_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        assert!(replace(&folder.path().join("none/onramp.prom"), b"").is_err());
        // A folder of the file's name cannot be replaced.
        let taken = folder.path().join("taken");
        fs::create_dir(&taken).unwrap();
        assert!(replace(&taken, b"").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
