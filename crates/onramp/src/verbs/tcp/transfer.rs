//! The program at our end of a connection: it sends a stream and receives one.

use onramp_tcp::stream::Socket;
use onramp_tcp::State;
use onramp_tun::Application;
use sha2::{Digest, Sha256};
use std::io::{self, Read, Write};

/// Bytes that wait in the connection to be sent for the first time, at most: enough for what one
/// acknowledgement permits, and little enough that reading them keeps no packet waiting.
const BACKLOG_BYTES: u64 = 256 << 10;
/// Bytes that are moved at a time.
const CHUNK_BYTES: usize = 64 << 10;

/// What has passed of a stream.
#[derive(Default)]
pub struct Tally {
    pub bytes: u64,
    hash: Sha256,
    /// When it was complete: everything has been acknowledged, or has arrived.
    pub complete_ns: Option<u64>,
}

impl Tally {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.hash.update(bytes);
    }

    /// Of what has passed; `None` where that is nothing.
    pub fn sha256(&self) -> Option<String> {
        let hash = self.hash.clone().finalize();
        (self.bytes > 0).then(|| hash.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// Why a transfer cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read what is to be sent: {0}")]
    Source(io::Error),
    #[error("cannot write what was received: {0}")]
    Sink(io::Error),
}

/// Sends all of a source, then closes; without one it closes when the peer has. Meanwhile it
/// receives.
pub struct Transfer<W> {
    source: Option<Box<dyn Read>>,
    /// Takes what arrives.
    pub sink: W,
    /// What the peer sends is wanted until it closes; otherwise our own part ends the transfer.
    wants_input: bool,
    pub sent: Tally,
    pub received: Tally,
    has_closed: bool,
    chunk: Box<[u8]>,
}

impl<W> Transfer<W> {
    pub fn new(source: Option<Box<dyn Read>>, sink: W, wants_input: bool) -> Transfer<W> {
        Transfer {
            source,
            sink,
            wants_input,
            sent: Tally::default(),
            received: Tally::default(),
            has_closed: false,
            chunk: vec![0; CHUNK_BYTES].into_boxed_slice(),
        }
    }

    /// When everything had passed that was to pass.
    pub fn complete_ns(&self) -> Option<u64> {
        let received_ns = if self.wants_input {
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

    /// Whether there was something to give.
    fn send(&mut self, socket: &mut Socket) -> Result<bool, Error> {
        let Some(source) = &mut self.source else {
            let closes = self.received.complete_ns.is_some() && !self.has_closed;
            if closes {
                self.has_closed = true;
                socket.close();
            }
            return Ok(closes);
        };
        let mut gave = false;
        loop {
            let connection = socket.connection();
            let unsent_bytes = self.sent.bytes
                - (connection.acked_bytes() + connection.outstanding_bytes()).min(self.sent.bytes);
            let room = connection.writable_bytes().min(CHUNK_BYTES as u64) as usize;
            if room == 0 || unsent_bytes + CHUNK_BYTES as u64 > BACKLOG_BYTES {
                return Ok(gave);
            }
            gave = true;
            let length = source
                .read(&mut self.chunk[..room])
                .map_err(Error::Source)?;
            if length == 0 {
                self.source = None;
                self.has_closed = true;
                socket.close();
                return Ok(gave);
            }
            self.sent.add(&self.chunk[..length]);
            let taken = socket.write(&self.chunk[..length]);
            assert_eq!(taken, length, "there was room");
        }
    }
}

impl<W: Write> Application for Transfer<W> {
    type Error = Error;

    fn progress(&mut self, now_ns: u64, socket: &mut Socket) -> Result<bool, Error> {
        self.receive(now_ns, socket)?;
        let gave = self.send(socket)?;
        if self.sent.complete_ns.is_none() && is_acknowledged(socket) {
            self.sent.complete_ns = Some(now_ns);
        }
        Ok(gave)
    }

    fn is_done(&self, socket: &Socket) -> bool {
        match socket.connection().state() {
            State::TimeWait | State::Closed => true,
            State::FinWait2 => !self.wants_input,
            _ => false,
        }
    }
}

/// The peer has all that we sent, and knows that it is all. A connection that failed is closed,
/// too.
fn is_acknowledged(socket: &Socket) -> bool {
    let connection = socket.connection();
    match connection.state() {
        State::FinWait2 | State::TimeWait => true,
        State::Closed => connection.failure().is_none(),
        _ => false,
    }
}
