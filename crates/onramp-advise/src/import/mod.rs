//! Reads connections from files. The content tells the format, not the name.

mod capture;
mod ndt7;
mod snapshots;
mod tcpinfo;

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
        "expected observations of `onramp advise --save`, a result of ndt7, an archive of \
         tcp-info, or a capture (pcap), found a file that begins with {0:?}"
    )]
    Unknown(String),
    /// It has a known format, but another program must convert it first.
    #[error("found {what}: {mend}")]
    Convert {
        /// What was found.
        what: &'static str,
        /// The command that converts it.
        mend: &'static str,
    },
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
    /// An archive of tcp-info with a mistake.
    #[error("expected an archive of tcp-info: record {line}: {what}")]
    TcpInfo {
        /// The number of the record, from 1.
        line: usize,
        /// The mistake.
        what: String,
    },
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

/// The first bytes of formats that are not read, what they are, and which command converts them.
const CONVERTED: [(&[u8], &str, &str); 3] = [
    (
        &[0x28, 0xb5, 0x2f, 0xfd],
        "a file that zstd compressed",
        "`zstd --decompress FILE` unpacks it",
    ),
    (
        b"PAR1",
        "a file of Parquet",
        "in Python, `onramp.advise(FILE)` reads it, and \
         `onramp.write_observations(onramp.observations(FILE), \"seen.jsonl\")` converts it",
    ),
    (
        &[0x0a, 0x0d, 0x0d, 0x0a],
        "a capture of the format pcapng",
        "`editcap -F pcap FILE capture.pcap` converts it",
    ),
];
/// Where an archive of tar has its mark (POSIX ustar).
const TAR: (usize, &[u8]) = (257, b"ustar");

/// Reads observations, a result of M-Lab's ndt7, an archive of its tcp-info, or a packet capture.
/// Each may be compressed by gzip.
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
    for (magic, what, mend) in CONVERTED {
        if beginning.starts_with(magic) {
            return Err(ImportError::Convert { what, mend });
        }
    }
    if beginning
        .get(TAR.0..)
        .is_some_and(|rest| rest.starts_with(TAR.1))
    {
        return Err(ImportError::Convert {
            what: "an archive of tar",
            mend: "`tar -xf FILE` unpacks it; give its files",
        });
    }
    let beginning = String::from_utf8_lossy(beginning).into_owned();
    let begins_with = |text: &str| beginning.trim_start().starts_with(text);
    if begins_with("{\"format\":") {
        return Ok(Observations::read(file)?);
    }
    if begins_with("{") && beginning.contains("\"ServerIP\"") {
        return ndt7::read(file);
    }
    if begins_with("{\"Timestamp\":") {
        return tcpinfo::read(file);
    }
    Err(ImportError::Unknown(beginning.chars().take(40).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_that_is_not_read_is_named_with_the_program_that_converts_it() {
        let refused = |beginning: &[u8]| read_from(beginning).unwrap_err().to_string();
        assert!(refused(b"\x28\xb5\x2f\xfd\x04").contains("`zstd --decompress FILE`"));
        assert!(refused(b"PAR1\x15\x04").contains("onramp.write_observations"));
        assert!(refused(b"\x0a\x0d\x0d\x0a\x6c").contains("`editcap -F pcap"));
        let mut tar = [0; 512];
        tar[TAR.0..][..TAR.1.len()].copy_from_slice(TAR.1);
        assert!(refused(&tar).contains("`tar -xf FILE`"));
    }
}
