//! The qlog file of a connection: the events that noq writes, and the phases of the start-up.
//!
//! noq writes qlog of the drafts main-schema-13 and quic-events-12, as a sequence of JSON texts
//! (RFC 7464). A phase is one more event, `quic:congestion_state_updated`, with the names that
//! `onramp-trace` uses. noq itself never writes that event.

use crate::error::Error;
use noq::{ConnectionId, QlogConfig, QlogFactory};
use onramp_quic::{Decision, Exit};
use parking_lot::Mutex;
use serde_json::{json, Value};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// The byte before each JSON text (RFC 7464).
const RECORD_SEPARATOR: u8 = 0x1e;

/// The state before the first decision that is reported.
const FIRST_STATE: &str = "slow_start";

/// A folder that takes a file of each connection.
#[derive(Clone, Debug)]
pub struct QlogFolder {
    folder: PathBuf,
}

impl QlogFolder {
    /// Makes the folder, if it does not exist.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(folder: &Path) -> Result<QlogFolder, Error> {
        std::fs::create_dir_all(folder).map_err(|source| Error::Qlog {
            folder: folder.to_owned(),
            source,
        })?;
        Ok(QlogFolder {
            folder: folder.to_owned(),
        })
    }

    /// The log of the next connection.
    pub fn log(&self) -> Arc<ConnectionLog> {
        Arc::new(ConnectionLog {
            folder: self.folder.clone(),
            begun: OnceLock::new(),
            state: Mutex::new(None),
        })
    }
}

/// The log of one connection. Its file exists from the first event on.
pub struct ConnectionLog {
    folder: PathBuf,
    begun: OnceLock<(Records, Instant)>,
    /// The last state that was written.
    state: Mutex<Option<&'static str>>,
}

impl ConnectionLog {
    /// Writes a decision of the start-up, as the state that it leads to.
    pub fn decision(&self, now: Instant, decision: &Decision) {
        let Some((records, begin)) = self.begun.get() else {
            return;
        };
        let new = state_of_phase(decision.phase().name());
        let old = self.state.lock().replace(new).unwrap_or(FIRST_STATE);
        let exit = decision.exit().filter(|_| decision.is_over());
        let is_new_state = old != new;
        let name = match is_new_state {
            true => "quic:congestion_state_updated",
            false => "onramp:startup_updated",
        };
        let data = json!({
            "old": is_new_state.then_some(old),
            "new": is_new_state.then_some(new),
            "onramp": {
                "exit": exit.map(Exit::name),
                "estimate_bytes_per_s": decision.estimate_bytes_per_s(),
                "cwnd_bytes": decision.cwnd_bytes(),
                "ssthresh_bytes": decision.ssthresh_bytes(),
                "pacing_bytes_per_s": decision.pacing_bytes_per_s(),
            },
        });
        let data = without_nulls(data);
        let time_ms = now.saturating_duration_since(*begin).as_micros() as f64 / 1e3;
        let event = json!({ "time": time_ms, "name": name, "data": data });
        records.insert(&event);
    }
}

/// The usual state has a name in qlog, with an underscore. Phases of a start-up keep their names.
fn state_of_phase(phase: &'static str) -> &'static str {
    match phase {
        "slow-start" => "slow_start",
        other => other,
    }
}

/// An object without its members that are null, at any depth.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let known = members.into_iter().filter(|(_, member)| !member.is_null());
            known
                .map(|(name, member)| (name, without_nulls(member)))
                .collect()
        }
        other => other,
    }
}

impl QlogFactory for ConnectionLog {
    fn for_connection(
        &self,
        side: noq::Side,
        remote: SocketAddr,
        initial_dst_cid: ConnectionId,
        now: Instant,
    ) -> Option<QlogConfig> {
        let side = match side {
            noq::Side::Client => "client",
            noq::Side::Server => "server",
        };
        let file = self.folder.join(format!("{initial_dst_cid}-{side}.sqlog"));
        let records = Records::new(Box::new(File::create(file).ok()?));
        let mut config = QlogConfig::new(Box::new(records.clone()));
        config
            .title(Some(format!("{side} of {remote}")))
            .start_time(now);
        let _ = self.begun.set((records, now));
        Some(config)
    }
}

/// Records of several writers in one file. A record of one never stands within that of another.
#[derive(Clone)]
struct Records(Arc<Mutex<State>>);

struct State {
    out: BufWriter<Box<dyn Write + Send + Sync>>,
    /// noq has written a part of a record.
    is_within: bool,
    /// Whole records that wait for its end.
    waiting: Vec<u8>,
}

impl Records {
    fn new(out: Box<dyn Write + Send + Sync>) -> Records {
        Records(Arc::new(Mutex::new(State {
            out: BufWriter::new(out),
            is_within: false,
            waiting: Vec::new(),
        })))
    }

    /// Writes a record, after the one that noq is writing.
    fn insert(&self, event: &Value) {
        let mut state = self.0.lock();
        let mut record = vec![RECORD_SEPARATOR];
        let _ = writeln!(record, "{event}");
        match state.is_within {
            true => state.waiting.extend(record),
            false => drop(state.out.write_all(&record)), // a full disk does not end a connection
        }
    }
}

impl Write for Records {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.lock();
        state.out.write_all(bytes)?;
        if let Some(last) = bytes.last() {
            state.is_within = *last != b'\n';
        }
        if !state.is_within && !state.waiting.is_empty() {
            let waiting = std::mem::take(&mut state.waiting);
            state.out.write_all(&waiting)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_phase_within_a_record_of_noq_is_written_after_it() {
        let written = Written::default();
        let mut records = Records::new(Box::new(written.clone()));
        records.write_all(b"\x1e{\"a\":").unwrap();
        records.insert(&json!({ "b": 1 }));
        records.write_all(b"1}\n").unwrap();
        records.insert(&json!({ "c": 1 }));
        records.flush().unwrap();
        let text = String::from_utf8(written.0.lock().clone()).unwrap();
        assert_eq!(text, "\x1e{\"a\":1}\n\x1e{\"b\":1}\n\x1e{\"c\":1}\n");
    }
}
