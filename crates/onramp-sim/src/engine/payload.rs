//! What a sending application has to send, for one connection or for several.

use onramp_scenario::{Application, ENDLESS};

/// What is left to send, and how much of it is at hand.
#[derive(Debug)]
pub(super) struct Payload {
    /// Not yet written to a connection.
    left_bytes: u64,
    /// How much of that the application has at hand.
    ready_bytes: u64,
    /// Written to a connection so far.
    taken_bytes: u64,
    application: Option<Application>,
    /// When the application began.
    begun_ns: Option<u64>,
    next_write_ns: u64,
}

impl Payload {
    /// So much, [`ENDLESS`] if it never ends, all of it at once or piece by piece.
    pub fn new(size_bytes: u64, application: Option<Application>) -> Payload {
        Payload {
            left_bytes: size_bytes,
            ready_bytes: 0,
            taken_bytes: 0,
            application,
            begun_ns: None,
            next_write_ns: u64::MAX,
        }
    }

    /// Nothing is left.
    pub fn is_empty(&self) -> bool {
        self.left_bytes == 0
    }

    /// What is left.
    pub fn left_bytes(&self) -> u64 {
        self.left_bytes
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
        let begun_ns = *self.begun_ns.get_or_insert(now_ns);
        let Some(application) = self.application else {
            self.ready_bytes = self.left_bytes;
            return;
        };
        let since_ns = now_ns - begun_ns;
        let waiting_bytes = application.written_bytes(since_ns) - self.taken_bytes;
        self.ready_bytes = waiting_bytes.min(self.left_bytes);
        self.next_write_ns = match self.ready_bytes == self.left_bytes {
            true => u64::MAX,
            false => begun_ns.saturating_add(application.next_write_ns(since_ns)),
        };
    }

    /// So much of what was at hand has been written.
    pub fn take(&mut self, bytes: u64) {
        if self.left_bytes != ENDLESS {
            self.left_bytes -= bytes;
        }
        self.ready_bytes -= bytes;
        self.taken_bytes += bytes;
    }
}
