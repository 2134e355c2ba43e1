//! The sending application: reads the request, if there is one, writes, closes.

use super::flow::{ENDLESS, REQUEST_BYTES};
use crate::plan::Writes;
use onramp_tcp::{Connection, State};

/// A sending application.
#[derive(Debug)]
pub(super) struct Server {
    /// It is asked for what it writes; otherwise it writes once the connection stands.
    is_asked_for: bool,
    /// Of the request.
    read_bytes: u64,
    begun: bool,
    /// Not yet written.
    left_bytes: u64,
    /// How much of that the application has at hand.
    ready_bytes: u64,
    writes: Option<Writes>,
    next_write_ns: u64,
    stop_ns: u64,
    closed: bool,
}

impl Server {
    /// It has so much to send, [`ENDLESS`] if it never ends, when it is asked or at once, writes all of it or piece by
    /// piece, and resets the connection at a time.
    pub fn new(size_bytes: u64, is_asked_for: bool, writes: Option<Writes>, stop_ns: u64) -> Server {
        Server {
            is_asked_for,
            read_bytes: 0,
            begun: false,
            left_bytes: size_bytes,
            ready_bytes: 0,
            writes,
            next_write_ns: u64::MAX,
            stop_ns,
            closed: false,
        }
    }

    /// It writes, or has written.
    pub fn has_begun(&self) -> bool {
        self.begun
    }

    /// Does what can be done now.
    pub fn act(&mut self, connection: &mut Connection, now_ns: u64) {
        if now_ns >= self.stop_ns {
            self.stop_ns = u64::MAX;
            self.closed = true;
            self.next_write_ns = u64::MAX;
            connection.abort();
        }
        if self.closed {
            return;
        }
        if !self.begun {
            self.begun = self.may_begin(connection, now_ns);
            if !self.begun {
                return;
            }
            self.next_write_ns = now_ns;
        }
        self.make_ready(now_ns);
        self.write(connection);
        if self.left_bytes == 0 {
            self.closed = true;
            connection.close();
        }
    }

    fn may_begin(&mut self, connection: &mut Connection, now_ns: u64) -> bool {
        if !self.is_asked_for {
            return connection.state() == State::Established;
        }
        self.read_bytes += connection.read(now_ns, REQUEST_BYTES - self.read_bytes);
        self.read_bytes == REQUEST_BYTES
    }

    /// When it acts by itself the next time; `u64::MAX`: never.
    pub fn next_ns(&self) -> u64 {
        self.next_write_ns.min(self.stop_ns)
    }

    fn make_ready(&mut self, now_ns: u64) {
        let Some(writes) = self.writes else {
            self.ready_bytes = self.left_bytes;
            self.next_write_ns = u64::MAX;
            return;
        };
        while self.next_write_ns <= now_ns {
            self.ready_bytes = self.ready_bytes.saturating_add(writes.bytes).min(self.left_bytes);
            self.next_write_ns += writes.every_ns.max(1);
        }
        if self.ready_bytes == self.left_bytes && self.left_bytes != ENDLESS {
            self.next_write_ns = u64::MAX;
        }
    }

    fn write(&mut self, connection: &mut Connection) {
        if self.ready_bytes == 0 {
            return;
        }
        let bytes = fitting_bytes(connection, self.ready_bytes);
        if bytes == 0 {
            return;
        }
        let taken_bytes = connection.write(bytes);
        if self.left_bytes != ENDLESS {
            self.left_bytes -= taken_bytes;
        }
        self.ready_bytes -= taken_bytes;
    }
}

/// As much of what is ready as fits: whole segments, unless it is the end of it, or the buffer never has room for one. So
/// no small segment goes out in the middle of the data where it need not.
pub(super) fn fitting_bytes(connection: &Connection, ready_bytes: u64) -> u64 {
    let room_bytes = connection.writable_bytes();
    let mss_bytes = u64::from(connection.window().mss_bytes.max(1));
    if ready_bytes <= room_bytes {
        ready_bytes
    } else if connection.config().send_buffer_bytes < mss_bytes {
        room_bytes
    } else {
        room_bytes - room_bytes % mss_bytes
    }
}
