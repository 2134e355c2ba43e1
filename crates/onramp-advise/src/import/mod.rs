//! Reads connections from files. The content tells the format, not the name.

mod capture;
mod ndt7;

use flate2::bufread::MultiGzDecoder;
use onramp_kernel::Observations;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// The congestion control of a connection in a capture.
pub const UNKNOWN_CONTROL: &str = "unknown";

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It has no known format.
    #[error(
        "expected observations of `onramp advise --save`, a result of ndt7, or a capture (pcap), \
         found a file that begins with {0:?}"
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
    /// A capture with a mistake.
    #[error("expected a capture (pcap): {0}")]
    Capture(#[from] pcap_file::PcapError),
    /// A capture of other packets.
    #[error("expected a capture of Ethernet frames or IP packets, found {0}")]
    Link(String),
    /// Reading failed.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The first bytes of a file that gzip compressed (RFC 1952).
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The first bytes of a pcap: times in micro- or nanoseconds, in the byte order of either kind.
const PCAP: [[u8; 4]; 4] = [
    [0xd4, 0xc3, 0xb2, 0xa1],
    [0xa1, 0xb2, 0xc3, 0xd4],
    [0x4d, 0x3c, 0xb2, 0xa1],
    [0xa1, 0xb2, 0x3c, 0x4d],
];

/// Reads observations, a result of M-Lab's ndt7, or a packet capture. Each may be compressed by
/// gzip.
///
/// # Errors
/// [`ImportError`]
pub fn read(path: &Path) -> Result<Observations, ImportError> {
    let mut file = BufReader::new(File::open(path)?);
    match file.fill_buf()?.starts_with(&GZIP) {
        true => read_from(BufReader::new(MultiGzDecoder::new(file))),
        false => read_from(file),
    }
}

fn read_from(mut file: impl BufRead) -> Result<Observations, ImportError> {
    let beginning = file.fill_buf()?;
    if PCAP.iter().any(|magic| beginning.starts_with(magic)) {
        return capture::read(file);
    }
    let beginning = String::from_utf8_lossy(beginning).into_owned();
    let begins_with = |text: &str| beginning.trim_start().starts_with(text);
    if begins_with("{\"format\":") {
        return Ok(Observations::read(file)?);
    }
    if begins_with("{") && beginning.contains("\"ServerIP\"") {
        return ndt7::read(file);
    }
    Err(ImportError::Unknown(beginning.chars().take(40).collect()))
}
