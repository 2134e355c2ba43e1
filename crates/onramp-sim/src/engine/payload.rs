//! What a sending application has to send, for one connection or for several.

use onramp_scenario::{Application, ENDLESS};

/// What is left to send, and how much of it is at hand.
#[derive(Debug)]
pub(super) struct Payload {
    /// Not yet written to a connection.
    remaining_bytes: u64,
    /// How much of that the application has at hand.
    ready_bytes: u64,
    /// Written to a connection so far.
    written_bytes: u64,
    application: Option<Application>,
    /// When the application began.
    started_ns: Option<u64>,
    next_write_ns: u64,
}

impl Payload {
    /// So much, [`ENDLESS`] if it never ends, all of it at once or piece by piece.
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

    /// Nothing is left.
    pub fn is_empty(&self) -> bool {
        self.remaining_bytes == 0
    }

    /// What is left.
    pub fn remaining_bytes(&self) -> u64 {
        self.remaining_bytes
    }

    /// What is at hand.
    pub fn ready_bytes(&self) -> u64 {
        self.ready_bytes
    }

    /// When more is at hand; `u64::MAX`: never.
    pub fn next_ns(&self) -> u64 {
        self.next_write_ns
    }

    /// No more is going to be at hand.
    pub fn stop(&mut self) {
        self.next_write_ns = u64::MAX;
    }

    /// What is at hand by this time; the first time of all is when the application begins.
    pub fn make_ready(&mut self, now_ns: u64) {
        let started_ns = *self.started_ns.get_or_insert(now_ns);
        let Some(application) = self.application else {
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

    /// So much of what was at hand has been written.
    pub fn consume(&mut self, bytes: u64) {
        if self.remaining_bytes != ENDLESS {
            self.remaining_bytes -= bytes;
        }
        self.ready_bytes -= bytes;
        self.written_bytes += bytes;
    }
}
