//! Files of observations: a line of JSON about all, then one for each connection.

use crate::observe::{Observation, Observed};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Write};

/// What the first line says a file is.
const FORMAT: &str = "onramp-observations";
/// Raised when the meaning of a field changes.
const VERSION: u32 = 1;
/// Maximum length of a line. The longest that is written has some 2,000 bytes.
const MAX_LINE_BYTES: u64 = 64 << 10;

/// The connections of a host in some time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observations {
    /// The kernel's release.
    pub kernel: String,
    /// How long the host was observed.
    pub for_s: f64,
    /// How many connections there were.
    pub observed: Observed,
    /// The connections, or a random sample of them.
    pub connections: Vec<Observation>,
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    format: String,
    version: u32,
    kernel: String,
    for_s: f64,
    #[serde(flatten)]
    observed: Observed,
}

/// Why a file of observations cannot be read. Lines count from 1.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// It is a file of something else, or of another version.
    #[error(
        "line 1: expected {{\"format\":\"{FORMAT}\",\"version\":{VERSION},...}} as `onramp advise \
         --save` writes it, found {found}"
    )]
    Head {
        /// The beginning of the line.
        found: String,
    },
    /// A line is no observation.
    #[error("line {line}: expected a connection as JSON: {error}")]
    Line {
        /// Its number.
        line: usize,
        /// What is wrong.
        error: serde_json::Error,
    },
    /// A line is too long.
    #[error("line {line}: expected at most {MAX_LINE_BYTES} bytes")]
    TooLong {
        /// Its number.
        line: usize,
    },
    /// Reading failed.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl Observations {
    /// Writes them.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        let head = Head {
            format: FORMAT.to_owned(),
            version: VERSION,
            kernel: self.kernel.clone(),
            for_s: self.for_s,
            observed: self.observed,
        };
        writeln!(out, "{}", serde_json::to_string(&head)?)?;
        for connection in &self.connections {
            writeln!(out, "{}", serde_json::to_string(connection)?)?;
        }
        out.flush()
    }

    /// Reads what [`write`](Observations::write) wrote.
    ///
    /// # Errors
    /// [`Unreadable`]
    pub fn read(mut input: impl BufRead) -> Result<Observations, Unreadable> {
        let first = line(&mut input, 1)?.unwrap_or_default();
        let head: Option<Head> = serde_json::from_str(&first).ok();
        let head = head.filter(|head| head.format == FORMAT && head.version == VERSION);
        let Some(head) = head else {
            let found: String = first.trim().chars().take(60).collect();
            return Err(Unreadable::Head {
                found: format!("{found:?}"),
            });
        };
        let mut connections = Vec::new();
        for number in 2.. {
            let Some(text) = line(&mut input, number)? else {
                break;
            };
            let error = |error| Unreadable::Line {
                line: number,
                error,
            };
            connections.push(serde_json::from_str(&text).map_err(error)?);
        }
        Ok(Observations {
            kernel: head.kernel,
            for_s: head.for_s,
            observed: head.observed,
            connections,
        })
    }
}

/// The next line; `None` at the end.
fn line(input: &mut impl BufRead, number: usize) -> Result<Option<String>, Unreadable> {
    let mut text = String::new();
    let read = io::Read::take(input, MAX_LINE_BYTES).read_line(&mut text)?;
    match text.ends_with('\n') {
        _ if read == 0 => Ok(None),
        false if read as u64 == MAX_LINE_BYTES => Err(Unreadable::TooLong { line: number }),
        _ => Ok(Some(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Observations, String> {
        Observations::read(text.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn what_was_written_is_read_again() {
        let written = Observations {
            kernel: "6.18".into(),
            for_s: 600.0,
            observed: Observed {
                opened: 3,
                ended: 2,
                ..Observed::default()
            },
            connections: vec![Observation::default(), Observation::default()],
        };
        let mut file = Vec::new();
        written.write(&mut file).unwrap();
        assert_eq!(Observations::read(file.as_slice()).unwrap(), written);
    }

    #[test]
    fn another_file_is_refused_with_what_was_found() {
        let refused = read("time,bytes\n1,2\n").unwrap_err();
        assert!(refused.starts_with("line 1: expected {\"format\":\"onramp-observations\""));
        assert!(refused.ends_with("found \"time,bytes\""), "{refused}");
        assert!(read("").unwrap_err().ends_with("found \"\""));
        let head =
            "{\"format\":\"onramp-observations\",\"version\":1,\"kernel\":\"x\",\"for_s\":1,\
                    \"opened\":1,\"ended\":1,\"idle\":0,\"lost\":0}\n";
        assert!(read(head).unwrap().connections.is_empty());
        let refused = read(&format!("{head}{{\"port\":\"x\"}}\n")).unwrap_err();
        assert!(
            refused.starts_with("line 2: expected a connection as JSON"),
            "{refused}"
        );
        let other = head.replace("\"version\":1", "\"version\":2");
        assert!(read(&other).is_err());
        let endless = format!("{head}{}", "x".repeat(1 << 20));
        assert_eq!(
            read(&endless).unwrap_err(),
            "line 2: expected at most 65536 bytes"
        );
    }
}
