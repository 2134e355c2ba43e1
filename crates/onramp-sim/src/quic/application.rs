//! The applications of a QUIC flow. The client opens a stream and requests the data, the server
//! writes them.

use crate::payload::Payload;
use bytes::Bytes;
use noq_proto::{Connection, ConnectionError, Dir, Event, StreamEvent, StreamId};
use onramp_scenario::{Application, REQUEST_BYTES};

/// The content of requests and data.
static ZEROES: [u8; 64 << 10] = [0; 64 << 10];

/// The application of the client.
#[derive(Debug, Default)]
pub(super) struct Client;

impl Client {
    /// Acts on the events of the connection. Returns the payload bytes that it reads, and why the
    /// connection was lost if it was.
    pub fn act(&self, connection: &mut Connection) -> (u64, Option<ConnectionError>) {
        let mut lost = None;
        let mut bytes = 0;
        while let Some(event) = connection.poll() {
            match event {
                Event::Connected => request(connection),
                Event::Stream(StreamEvent::Readable { id }) => bytes += read(connection, id),
                Event::ConnectionLost { reason } => lost = Some(reason),
                _ => {}
            }
        }
        (bytes, lost)
    }
}

/// Requests the data on a new stream.
fn request(connection: &mut Connection) {
    let stream = connection.streams().open(Dir::Bi);
    let stream = stream.expect("the server allows a stream");
    let mut request = connection.send_stream(stream);
    // A new stream has room for the request.
    let _ = request.write(&ZEROES[..REQUEST_BYTES as usize]);
    let _ = request.finish();
}

/// The application of the server.
#[derive(Debug)]
pub(super) struct Server {
    stream: Option<StreamId>,
    /// Bytes of the request that it has read.
    request_bytes: u64,
    payload: Payload,
    /// Whether the stream has no room for more data.
    is_blocked: bool,
    is_finished: bool,
}

impl Server {
    /// A server that sends `size_bytes` as `application` writes them.
    pub fn new(size_bytes: u64, application: Option<Application>) -> Server {
        Server {
            stream: None,
            request_bytes: 0,
            payload: Payload::new(size_bytes, application),
            is_blocked: false,
            is_finished: false,
        }
    }

    /// Acts on the events of the connection, and writes what there is room for. Returns why the
    /// connection was lost, if it was.
    pub fn act(&mut self, connection: &mut Connection, now_ns: u64) -> Option<ConnectionError> {
        let mut lost = None;
        while let Some(event) = connection.poll() {
            match event {
                Event::Stream(StreamEvent::Opened { dir: Dir::Bi }) => {
                    self.stream = connection.streams().accept(Dir::Bi);
                    let request = self.stream.map(|stream| read(connection, stream));
                    self.request_bytes += request.unwrap_or(0);
                }
                Event::Stream(StreamEvent::Readable { id }) => {
                    self.request_bytes += read(connection, id);
                }
                Event::Stream(StreamEvent::Writable { .. }) => self.is_blocked = false,
                Event::ConnectionLost { reason } => lost = Some(reason),
                _ => {}
            }
        }
        match self.stream {
            Some(stream) if self.request_bytes == REQUEST_BYTES && lost.is_none() => {
                self.write(connection, stream, now_ns);
            }
            _ => {}
        }
        lost
    }

    fn write(&mut self, connection: &mut Connection, stream: StreamId, now_ns: u64) {
        if self.is_finished {
            return;
        }
        self.payload.make_ready(now_ns);
        let mut out = connection.send_stream(stream);
        while !self.is_blocked && self.payload.ready_bytes() > 0 {
            let bytes = self.payload.ready_bytes().min(ZEROES.len() as u64);
            let chunk = Bytes::from_static(&ZEROES[..bytes as usize]);
            match out.write_chunks(&mut &mut [chunk][..]) {
                Ok(written) => self.payload.consume(written as u64),
                // Blocked, or the client has closed: only `Writable` allows more.
                Err(_) => self.is_blocked = true,
            }
        }
        if self.payload.is_empty() {
            self.is_finished = true;
            let _ = out.finish();
        }
    }

    /// Time of the application's next write; `u64::MAX`: never.
    pub fn next_ns(&self) -> u64 {
        self.payload.next_ns()
    }
}

/// Reads what has arrived on a stream. Returns its number of bytes.
fn read(connection: &mut Connection, stream: StreamId) -> u64 {
    let mut received = connection.recv_stream(stream);
    let Ok(mut chunks) = received.read(true) else {
        return 0;
    };
    let mut bytes = 0;
    while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
        bytes += chunk.bytes.len() as u64;
    }
    // The caller transmits in any case.
    let _ = chunks.finalize();
    bytes
}
