//! The sending application at one connection: reads the request, if there is one, writes, closes.

use super::flow::REQUEST_BYTES;
use super::payload::Payload;
use onramp_scenario::Application;
use onramp_tcp::{Connection, State};

/// What an application with several connections gives to one at a time.
pub(super) const RECORD_BYTES: u64 = 8 << 10;

/// A sending application.
#[derive(Debug)]
pub(super) struct SenderApp {
    /// It is asked for what it writes; otherwise it writes once the connection stands.
    waits_for_request: bool,
    /// Of the request.
    read_bytes: u64,
    started: bool,
    payload: Payload,
    stop_ns: u64,
    /// It is to get no more.
    is_retired: bool,
    is_done: bool,
}

impl SenderApp {
    /// It has so much to send, [`ENDLESS`](onramp_scenario::ENDLESS) if it never ends, when it is
    /// asked or at once, writes all of it or piece by piece, and resets the connection at a time.
    pub fn new(
        size_bytes: u64,
        waits_for_request: bool,
        application: Option<Application>,
        stop_ns: u64,
    ) -> SenderApp {
        let payload = Payload::new(size_bytes, application);
        SenderApp {
            waits_for_request,
            read_bytes: 0,
            started: false,
            payload,
            stop_ns,
            is_retired: false,
            is_done: false,
        }
    }

    /// It writes, or has written.
    pub fn has_started(&self) -> bool {
        self.started
    }

    /// Does what can be done now.
    pub fn act(&mut self, connection: &mut Connection, now_ns: u64) {
        if now_ns >= self.stop_ns {
            self.stop_ns = u64::MAX;
            self.is_done = true;
            self.payload.stop();
            connection.abort();
        }
        if self.is_done || !self.start_if_possible(connection, now_ns) {
            return;
        }
        self.payload.make_ready(now_ns);
        let bytes = fitting_bytes(connection, self.payload.ready_bytes());
        if bytes > 0 {
            self.payload.consume(connection.write(bytes));
        }
        if self.payload.is_empty() {
            self.close(connection);
        }
    }

    /// The same of an application with several connections: this one gets a record whenever it has
    /// less than one to send, or less than the two segments that let it send full ones. Whether it
    /// got anything.
    pub fn act_shared(
        &mut self,
        payload: &mut Payload,
        connection: &mut Connection,
        now_ns: u64,
    ) -> bool {
        if self.is_retired && !self.is_done {
            self.close(connection);
        }
        if self.is_done || !self.start_if_possible(connection, now_ns) {
            return false;
        }
        payload.make_ready(now_ns);
        let enough_bytes = RECORD_BYTES.max(2 * u64::from(connection.window().mss_bytes));
        let mut got_bytes = 0;
        while connection.unsent_bytes() < enough_bytes {
            let record_bytes = payload.ready_bytes().min(RECORD_BYTES);
            let has_room = connection.writable_bytes() >= record_bytes;
            if !has_room && connection.config().send_buffer_bytes >= record_bytes {
                break;
            }
            let bytes = connection.write(record_bytes);
            if bytes == 0 {
                break;
            }
            payload.consume(bytes);
            got_bytes += bytes;
        }
        if payload.is_empty() {
            self.close(connection);
        }
        got_bytes > 0
    }

    /// The connection is to get no more, and to end behind what it has.
    pub fn retire(&mut self) {
        self.is_retired = true;
    }

    /// It gets no more.
    pub fn is_closed(&self) -> bool {
        self.is_done || self.is_retired
    }

    fn close(&mut self, connection: &mut Connection) {
        self.is_done = true;
        connection.close();
    }

    fn start_if_possible(&mut self, connection: &mut Connection, now_ns: u64) -> bool {
        if !self.started {
            self.started = self.can_start(connection, now_ns);
        }
        self.started
    }

    fn can_start(&mut self, connection: &mut Connection, now_ns: u64) -> bool {
        if !self.waits_for_request {
            return connection.state() == State::Established;
        }
        self.read_bytes += connection.read(now_ns, REQUEST_BYTES - self.read_bytes);
        self.read_bytes == REQUEST_BYTES
    }

    /// When it acts by itself the next time; `u64::MAX`: never.
    pub fn next_ns(&self) -> u64 {
        self.payload.next_ns().min(self.stop_ns)
    }
}

/// As much of what is ready as fits: whole segments, unless it is the end of it, or the buffer
/// never has room for one. So no small segment goes out in the middle of the data where it need
/// not.
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
