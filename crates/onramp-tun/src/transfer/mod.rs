//! An application that sends one stream and receives one, and the loops that run it as a client and
//! as a server.

mod report;
mod run;

pub use report::Report;
pub use run::{get, serve, ServeEnd};

use crate::application::Application;
use onramp_tcp::stream::Socket;
use onramp_tcp::State;
use sha2::{Digest, Sha256};
use std::io::{self, Read, Write};

/// Maximum number of unsent bytes in the connection. This is enough for the data that one ACK
/// permits, and so little that reading it delays no packet.
const MAX_UNSENT_BYTES: u64 = 256 << 10;
/// Bytes that are moved in one step.
const CHUNK_BYTES: usize = 64 << 10;

/// The bytes of a stream that have passed so far.
#[derive(Default)]
pub struct Tally {
    /// Number of bytes.
    pub bytes: u64,
    hash: Sha256,
    /// When the stream was complete: all of it has arrived, or has been acknowledged.
    pub complete_ns: Option<u64>,
}

impl Tally {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.hash.update(bytes);
    }

    /// The SHA-256 of the bytes that have passed, in hexadecimal; `None` if there were none.
    pub fn sha256(&self) -> Option<String> {
        let hash = self.hash.clone().finalize();
        (self.bytes > 0).then(|| hash.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// Why a transfer cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The source failed.
    #[error("cannot read the data to send: {0}")]
    Source(io::Error),
    /// The sink failed.
    #[error("cannot write the received data: {0}")]
    Sink(io::Error),
}

/// Sends a source to its end and then closes. Without a source it closes when the peer has closed.
/// It receives all the time.
pub struct Transfer<W> {
    source: Option<Box<dyn Read>>,
    /// Receives the data that arrives.
    pub sink: W,
    /// The transfer ends when the peer has closed. Otherwise it ends when our data is acknowledged.
    waits_for_peer: bool,
    /// The data that was sent.
    pub sent: Tally,
    /// The data that was received.
    pub received: Tally,
    has_closed: bool,
    chunk: Box<[u8]>,
}

impl<W> Transfer<W> {
    /// A transfer that has not started. With `waits_for_peer` it ends when the peer has closed,
    /// otherwise when the peer has acknowledged our data.
    pub fn new(source: Option<Box<dyn Read>>, sink: W, waits_for_peer: bool) -> Transfer<W> {
        Transfer {
            source,
            sink,
            waits_for_peer,
            sent: Tally::default(),
            received: Tally::default(),
            has_closed: false,
            chunk: vec![0; CHUNK_BYTES].into_boxed_slice(),
        }
    }

    /// When the transfer was complete; `None` if it is not.
    pub fn complete_ns(&self) -> Option<u64> {
        let received_ns = if self.waits_for_peer {
            self.received.complete_ns?
        } else {
            0
        };
        Some(self.sent.complete_ns?.max(received_ns))
    }
}

impl<W: Write> Transfer<W> {
    fn receive(&mut self, now_ns: u64, socket: &mut Socket) -> Result<(), Error> {
        while let length @ 1.. = socket.read(now_ns, &mut self.chunk) {
            let arrived = &self.chunk[..length];
            self.received.add(arrived);
            self.sink.write_all(arrived).map_err(Error::Sink)?;
        }
        if socket.is_at_end() && self.received.complete_ns.is_none() {
            self.received.complete_ns = Some(now_ns);
        }
        Ok(())
    }

    /// Writes as much as there is room for. Returns whether it wrote something or closed.
    fn send(&mut self, socket: &mut Socket) -> Result<bool, Error> {
        let Some(source) = &mut self.source else {
            let closes = self.received.complete_ns.is_some() && !self.has_closed;
            if closes {
                self.has_closed = true;
                socket.close();
            }
            return Ok(closes);
        };
        let mut progressed = false;
        loop {
            let connection = socket.connection();
            let unsent_bytes = self.sent.bytes
                - (connection.acked_bytes() + connection.flight_size_bytes()).min(self.sent.bytes);
            let room = connection.writable_bytes().min(CHUNK_BYTES as u64) as usize;
            if room == 0 || unsent_bytes + CHUNK_BYTES as u64 > MAX_UNSENT_BYTES {
                return Ok(progressed);
            }
            progressed = true;
            let length = source
                .read(&mut self.chunk[..room])
                .map_err(Error::Source)?;
            if length == 0 {
                self.source = None;
                self.has_closed = true;
                socket.close();
                return Ok(progressed);
            }
            self.sent.add(&self.chunk[..length]);
            let taken = socket.write(&self.chunk[..length]);
            assert_eq!(taken, length, "writable_bytes() covers the whole chunk");
        }
    }
}

impl<W: Write> Application for Transfer<W> {
    type Error = Error;

    fn progress(&mut self, now_ns: u64, socket: &mut Socket) -> Result<bool, Error> {
        self.receive(now_ns, socket)?;
        let progressed = self.send(socket)?;
        if self.sent.complete_ns.is_none() && is_acknowledged(socket) {
            self.sent.complete_ns = Some(now_ns);
        }
        Ok(progressed)
    }

    fn is_done(&self, socket: &Socket) -> bool {
        match socket.connection().state() {
            State::TimeWait | State::Closed => true,
            State::FinWait2 => !self.waits_for_peer,
            _ => false,
        }
    }
}

/// Whether the peer has acknowledged our data and our FIN. A connection that failed is in state
/// Closed, too, but has not been acknowledged.
fn is_acknowledged(socket: &Socket) -> bool {
    let connection = socket.connection();
    match connection.state() {
        State::FinWait2 | State::TimeWait => true,
        State::Closed => connection.failure().is_none(),
        _ => false,
    }
}
