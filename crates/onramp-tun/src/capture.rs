//! A capture file of the packets that an endpoint sends and receives, for Wireshark and tcpdump.
//!
//! The format is pcap with nanoseconds (draft-ietf-opsawg-pcap). Packets start with the IP header.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

const MAGIC_NANOSECONDS: u32 = 0xa1b2_3c4d;
const LINKTYPE_RAW: u32 = 101;
const MAX_PACKET_BYTES: u32 = 65_535;

/// A capture file that is being written. It is complete after [`Capture::flush`].
#[derive(Debug)]
pub struct Capture {
    file: BufWriter<File>,
    /// The time of day when the monotonic clock was 0.
    zero_ns: u64,
}

impl Capture {
    /// Creates the file. `now_ns` is the monotonic clock now; it gives packets their time of day.
    pub fn create(path: &Path, now_ns: u64) -> io::Result<Capture> {
        let mut file = BufWriter::new(File::create(path)?);
        let (version_major, version_minor) = (2u16, 4u16);
        file.write_all(&MAGIC_NANOSECONDS.to_ne_bytes())?;
        file.write_all(&version_major.to_ne_bytes())?;
        file.write_all(&version_minor.to_ne_bytes())?;
        for field in [0, 0, MAX_PACKET_BYTES, LINKTYPE_RAW] {
            file.write_all(&field.to_ne_bytes())?;
        }
        let time_of_day_ns = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos() as u64);
        Ok(Capture {
            file,
            zero_ns: time_of_day_ns.saturating_sub(now_ns),
        })
    }

    /// Appends a packet.
    pub fn add(&mut self, now_ns: u64, packet: &[u8]) -> io::Result<()> {
        let at_ns = self.zero_ns + now_ns;
        let length = packet.len() as u32;
        for field in [
            (at_ns / 1_000_000_000) as u32,
            (at_ns % 1_000_000_000) as u32,
            length,
            length,
        ] {
            self.file.write_all(&field.to_ne_bytes())?;
        }
        self.file.write_all(packet)
    }

    /// Writes buffered packets to the file.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
