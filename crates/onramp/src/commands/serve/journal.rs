//! Messages with fields for systemd's journal, by its native protocol: a datagram with one field a
//! line.

use std::os::linux::fs::MetadataExt;
use std::os::unix::net::UnixDatagram;

/// Where the journal listens.
const SOCKET: &str = "/run/systemd/journal/socket";

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
        let socket = UnixDatagram::unbound().ok()?;
        socket.connect(SOCKET).ok()?;
        Some(Journal(socket))
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
    fn a_value_of_several_lines_has_its_length() {
        let bytes = datagram(Priority::Warning, "two\nlines", &[("ONRAMP_POLICY", "web")]);
        let expected =
            b"PRIORITY=4\nSYSLOG_IDENTIFIER=onramp\nMESSAGE\n\x09\0\0\0\0\0\0\0two\nlines\n\
            ONRAMP_POLICY=web\n";
        assert_eq!(bytes, expected);
    }
}
