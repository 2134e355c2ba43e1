//! The payload of a sending application, for one connection or for several.

use onramp_scenario::{Application, ENDLESS};

/// The remaining payload, and how much of it the application has produced.
#[derive(Clone, Debug)]
pub(crate) struct Payload {
    /// Bytes not yet written to a connection.
    remaining_bytes: u64,
    /// Bytes of these that the application has produced.
    ready_bytes: u64,
    /// Bytes written to a connection so far.
    written_bytes: u64,
    application: Option<Application>,
    /// Time at which the application started.
    started_ns: Option<u64>,
    next_write_ns: u64,
}

impl Payload {
    /// A payload of `size_bytes`, or [`ENDLESS`], produced at once or as `application` writes it.
    pub fn new(size_bytes: u64, application: Option<Application>) -> Payload {
        Payload {
            remaining_bytes: size_bytes,
            ready_bytes: 0,
            written_bytes: 0,
            application,
            started_ns: None,
            next_write_ns: u64::MAX,
        }
    }

    /// Whether no payload is left.
    pub fn is_empty(&self) -> bool {
        self.remaining_bytes == 0
    }

    /// Bytes not yet written to a connection.
    pub fn remaining_bytes(&self) -> u64 {
        self.remaining_bytes
    }

    /// Bytes that can be written now.
    pub fn ready_bytes(&self) -> u64 {
        self.ready_bytes
    }

    /// Time at which more bytes are produced; `u64::MAX`: never.
    pub fn next_ns(&self) -> u64 {
        self.next_write_ns
    }

    /// Stops the production of bytes.
    pub fn stop(&mut self) {
        self.next_write_ns = u64::MAX;
    }

    /// Updates the bytes that are produced by `now_ns`. The application starts at the first call.
    pub fn make_ready(&mut self, now_ns: u64) {
        let started_ns = *self.started_ns.get_or_insert(now_ns);
        let Some(application) = &self.application else {
            self.ready_bytes = self.remaining_bytes;
            return;
        };
        let since_ns = now_ns - started_ns;
        let waiting_bytes = application.written_bytes(since_ns) - self.written_bytes;
        self.ready_bytes = waiting_bytes.min(self.remaining_bytes);
        self.next_write_ns = match self.ready_bytes == self.remaining_bytes {
            true => u64::MAX,
            false => started_ns.saturating_add(application.next_write_ns(since_ns)),
        };
    }

    /// Marks `bytes` of the produced bytes as written.
    pub fn consume(&mut self, bytes: u64) {
        if self.remaining_bytes != ENDLESS {
            self.remaining_bytes -= bytes;
        }
        self.ready_bytes -= bytes;
        self.written_bytes += bytes;
    }
}
