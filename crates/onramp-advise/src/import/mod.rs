//! Reads connections from files. The content tells the format, not the name.

mod ndt7;

use onramp_kernel::Observations;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It has no known format.
    #[error(
        "expected observations of `onramp advise --save` or a result of ndt7, found a file that \
         begins with {0:?}"
    )]
    Unknown(String),
    /// Observations with a mistake.
    #[error("{0}")]
    Observations(#[from] onramp_kernel::Unreadable),
    /// A result of ndt7 with a mistake.
    #[error("expected a result of ndt7: {0}")]
    Ndt7(#[from] serde_json::Error),
    /// A result of ndt7 in which the server sent nothing.
    #[error(
        "expected a download of ndt7 with `TCPInfo`, found an upload or no measurement: the server \
         sent nothing"
    )]
    NothingSent,
    /// Reading failed.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Reads observations, or a result of M-Lab's ndt7.
///
/// # Errors
/// [`ImportError`]
pub fn read(path: &Path) -> Result<Observations, ImportError> {
    let mut file = BufReader::new(File::open(path)?);
    let beginning = String::from_utf8_lossy(file.fill_buf()?).into_owned();
    let begins_with = |text: &str| beginning.trim_start().starts_with(text);
    if begins_with("{\"format\":") {
        return Ok(Observations::read(file)?);
    }
    if begins_with("{") && beginning.contains("\"ServerIP\"") {
        return ndt7::read(file);
    }
    Err(ImportError::Unknown(beginning.chars().take(40).collect()))
}
