//! Messages with fields for systemd's journal, by its native protocol: a datagram with one field a
//! line.

use std::io;
use std::os::linux::fs::MetadataExt;
use std::os::unix::net::UnixDatagram;
use std::path::Path;

/// Where the journal listens.
pub const SOCKET: &str = "/run/systemd/journal/socket";

/// The priorities of syslog that this program uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    Error = 3,
    Warning = 4,
    Notice = 5,
    Info = 6,
}

/// A connection to the journal.
pub struct Journal(UnixDatagram);

impl Journal {
    /// The journal, if standard error leads there.
    pub fn of_stderr() -> Option<Journal> {
        let stream = std::env::var("JOURNAL_STREAM").ok()?;
        let stderr = std::fs::metadata("/proc/self/fd/2").ok()?;
        if stream != format!("{}:{}", stderr.st_dev(), stderr.st_ino()) {
            return None;
        }
        Journal::open().ok()
    }

    /// The journal of this host.
    pub fn open() -> io::Result<Journal> {
        Journal::at(Path::new(SOCKET))
    }

    fn at(path: &Path) -> io::Result<Journal> {
        let socket = UnixDatagram::unbound()?;
        socket.connect(path)?;
        Ok(Journal(socket))
    }

    /// Sends a message. Returns false if the journal did not take it.
    pub fn send(&self, priority: Priority, message: &str, fields: &[(&str, &str)]) -> bool {
        self.0.send(&datagram(priority, message, fields)).is_ok()
    }
}

fn datagram(priority: Priority, message: &str, fields: &[(&str, &str)]) -> Vec<u8> {
    let priority = (priority as u8).to_string();
    let own = [
        ("PRIORITY", priority.as_str()),
        ("SYSLOG_IDENTIFIER", "onramp"),
        ("MESSAGE", message),
    ];
    let mut bytes = Vec::new();
    for (name, value) in own.iter().chain(fields) {
        bytes.extend(name.as_bytes());
        // A value of several lines has its length before it.
        if value.contains('\n') {
            bytes.push(b'\n');
            bytes.extend((value.len() as u64).to_le_bytes());
        } else {
            bytes.push(b'=');
        }
        bytes.extend(value.as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_arrives_with_its_fields() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let journald = UnixDatagram::bind(&path).unwrap();
        let journal = Journal::at(&path).unwrap();
        assert!(journal.send(Priority::Info, "exit delay", &[("ONRAMP_EVENT", "exit")]));
        let mut bytes = [0; 200];
        let length = journald.recv(&mut bytes).unwrap();
        let expected =
            "PRIORITY=6\nSYSLOG_IDENTIFIER=onramp\nMESSAGE=exit delay\nONRAMP_EVENT=exit\n";
        assert_eq!(std::str::from_utf8(&bytes[..length]).unwrap(), expected);
        drop(journald);
        assert!(!journal.send(Priority::Info, "nobody hears", &[]));
    }

    #[test]
    fn a_value_of_several_lines_has_its_length() {
        let bytes = datagram(Priority::Warning, "two\nlines", &[("ONRAMP_POLICY", "web")]);
        let expected =
            b"PRIORITY=4\nSYSLOG_IDENTIFIER=onramp\nMESSAGE\n\x09\0\0\0\0\0\0\0two\nlines\n\
            ONRAMP_POLICY=web\n";
        assert_eq!(bytes, expected);
    }
}
