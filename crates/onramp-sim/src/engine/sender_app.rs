//! The sending application of one connection: reads the request, if there is one, writes the data
//! and closes.

use crate::payload::Payload;
use onramp_scenario::{Application, Requester, REQUEST_BYTES};
use onramp_tcp::{Connection, State};

/// Size of the records in which an application with several connections distributes its payload.
pub(super) const RECORD_BYTES: u64 = 8 << 10;

/// A sending application.
#[derive(Clone, Debug)]
pub(super) struct SenderApp {
    /// Whether the application waits for a request. Otherwise it writes once the connection is
    /// established.
    waits_for_request: bool,
    /// Bytes of the request that were read.
    read_bytes: u64,
    /// Bytes of answers that were written.
    written_bytes: u64,
    started: bool,
    payload: Payload,
    stop_ns: u64,
    /// Whether the connection gets no more records.
    is_retired: bool,
    is_done: bool,
}

impl SenderApp {
    /// An application that sends `size_bytes`, or [`ENDLESS`](onramp_scenario::ENDLESS). It starts
    /// with the request or with the connection, writes as `application` describes, and resets the
    /// connection at `stop_ns`.
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
            written_bytes: 0,
            started: false,
            payload,
            stop_ns,
            is_retired: false,
            is_done: false,
        }
    }

    /// Whether the application has started to write.
    pub fn has_started(&self) -> bool {
        self.started
    }

    /// Reads, writes and closes as far as possible now. With several requests, only their answers
    /// are written.
    pub fn act(&mut self, connection: &mut Connection, requester: Option<&Requester>, now_ns: u64) {
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
        let mut ready_bytes = self.payload.ready_bytes();
        if let Some(requester) = requester {
            ready_bytes = ready_bytes.min(self.answer_bytes(connection, requester, now_ns));
        }
        let bytes = fitting_bytes(connection, ready_bytes);
        if bytes > 0 {
            let written_bytes = connection.write(bytes);
            self.payload.consume(written_bytes);
            self.written_bytes += written_bytes;
        }
        if self.payload.is_empty() {
            self.close(connection);
        }
    }

    /// The same for an application with several connections. This connection gets a record whenever
    /// it has less than one record to send, or less than the two segments that allow full segments.
    /// Returns whether it wrote any bytes.
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

    /// The same for an application that answers requests on several connections. Returns whether it
    /// wrote any bytes.
    pub fn answer_shared(
        &mut self,
        payload: &mut Payload,
        connection: &mut Connection,
        requester: &Requester,
        now_ns: u64,
    ) -> bool {
        let has_started = self.start_if_possible(connection, now_ns);
        if !self.is_done && connection.peer_has_closed() {
            self.close(connection);
        }
        if self.is_done || !has_started {
            return false;
        }
        payload.make_ready(now_ns);
        let ready_bytes = self.answer_bytes(connection, requester, now_ns);
        let written_bytes = match fitting_bytes(connection, ready_bytes) {
            0 => 0,
            bytes => connection.write(bytes),
        };
        payload.consume(written_bytes);
        self.written_bytes += written_bytes;
        if payload.is_empty() {
            self.close(connection);
        }
        written_bytes > 0
    }

    /// Bytes of requested answers that have not been written yet.
    fn answer_bytes(
        &mut self,
        connection: &mut Connection,
        requester: &Requester,
        now_ns: u64,
    ) -> u64 {
        self.read_bytes += connection.read(now_ns, u64::MAX);
        requester.released_bytes(self.read_bytes / REQUEST_BYTES) - self.written_bytes
    }

    /// Stops giving records to this connection, which closes after its last byte.
    pub fn retire(&mut self) {
        self.is_retired = true;
    }

    /// Whether the connection gets no more data.
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

    /// Time of the application's next own event; `u64::MAX`: never.
    pub fn next_ns(&self) -> u64 {
        self.payload.next_ns().min(self.stop_ns)
    }
}

/// The bytes of `ready_bytes` that fit into the send buffer. They are whole segments, unless they
/// are the end of the data, or the buffer is smaller than a segment. So small segments do not leave
/// in the middle of the data.
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
