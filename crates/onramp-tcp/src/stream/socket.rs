//! A connection together with the bytes of its two streams.

use super::{ReceiveBuffer, SendBuffer};
use crate::wire::{self, Endpoints, Parsed};
use crate::{Config, Connection, Flags, State, Transmit};

/// Scaling may round the advertised window up by this many bytes (RFC 7323, section 2.3).
const SCALE_BYTES: u64 = 1 << wire::options::MAX_WINDOW_SCALE;

/// One end of a connection that carries real bytes: it turns two byte streams into packets and
/// back.
///
/// Its driver calls it like a [`Connection`].
#[derive(Debug)]
pub struct Socket {
    connection: Connection,
    /// Addresses and ports of the packets that it sends.
    endpoints: Endpoints,
    /// Identification of the next packet that it sends.
    identification: u16,
    send: SendBuffer,
    pub(super) receive: ReceiveBuffer,
}

impl Socket {
    /// Opens a connection actively, from the source to the destination of `endpoints`.
    pub fn connect(config: Config, now_ns: u64, endpoints: Endpoints) -> Socket {
        Socket::of(Connection::connect(config, now_ns), endpoints)
    }

    /// Opens a connection passively, for a SYN that arrived. A payload of the SYN is ignored, and
    /// the peer must retransmit it.
    pub fn accept(config: Config, now_ns: u64, syn: &Parsed) -> Socket {
        Socket::of(
            Connection::accept(config, now_ns, &syn.segment),
            syn.endpoints.reversed(),
        )
    }

    /// Gives its streams to a connection that was opened passively without them. `endpoints` are
    /// the addresses and ports of the packets that it sends. It must have neither sent nor received
    /// data: take in the segment that completes the handshake afterwards.
    pub fn accepted(connection: Connection, endpoints: Endpoints) -> Socket {
        Socket::of(connection, endpoints)
    }

    fn of(connection: Connection, endpoints: Endpoints) -> Socket {
        // Room for everything that the advertised window may allow.
        let receive = ReceiveBuffer::new(
            connection
                .max_receive_window_bytes()
                .saturating_add(SCALE_BYTES),
        );
        Socket {
            connection,
            endpoints,
            identification: 0,
            send: SendBuffer::default(),
            receive,
        }
    }

    /// Processes a packet that arrived. Returns `false` if it belongs to another socket. Then call
    /// [`poll_packet`](Self::poll_packet) until it returns `None`.
    ///
    /// # Errors The packet is not a valid TCP segment; it changes nothing.
    pub fn on_packet(&mut self, now_ns: u64, packet: &[u8]) -> Result<bool, wire::Error> {
        Ok(self.on_parsed(now_ns, &wire::parse(packet)?))
    }

    /// [`on_packet`](Self::on_packet) for a packet that is already parsed.
    pub fn on_parsed(&mut self, now_ns: u64, parsed: &Parsed) -> bool {
        if parsed.endpoints != self.endpoints.reversed() {
            return false;
        }
        let may_take = !matches!(self.connection.state(), State::SynSent | State::Closed);
        self.connection.on_segment(now_ns, &parsed.segment);
        if may_take {
            self.take(parsed);
        }
        debug_assert!(self.receive.readable_bytes() >= self.connection.readable_bytes());
        self.send.release(self.connection.acked_bytes());
        true
    }

    /// Stores the part of a payload that the connection accepted.
    fn take(&mut self, parsed: &Parsed) {
        let flags = parsed.segment.flags;
        if parsed.payload.is_empty()
            || !flags.has(Flags::ACK)
            || flags.has(Flags::SYN)
            || flags.has(Flags::RST)
        {
            return;
        }
        // Offsets before the stream wrap around. A window probe may begin there (RFC 9293, section
        // 3.8.4) and reach into the stream.
        let offset = self.connection.stream_offset(&parsed.segment) as i64;
        let before = offset
            .min(0)
            .unsigned_abs()
            .min(parsed.payload.len() as u64) as usize;
        let (start, payload) = (offset.max(0) as u64, &parsed.payload[before..]);
        let end = start + payload.len() as u64;
        for (from, to) in self.connection.received_ranges() {
            let (from, to) = (from.max(start), to.min(end));
            if from < to {
                self.receive.insert(
                    from,
                    &payload[(from - start) as usize..(to - start) as usize],
                );
            }
        }
    }

    /// Replaces `out` by the next packet to send now, and returns its segment; `None` if there is
    /// nothing to send.
    pub fn poll_packet(&mut self, now_ns: u64, out: &mut Vec<u8>) -> Option<Transmit> {
        out.clear();
        let transmit = self.connection.poll_transmit(now_ns)?;
        let fill = |payload: &mut [u8]| {
            let range = payload.is_empty() || self.send.copy(transmit.stream_start, payload);
            assert!(
                range,
                "a connection sends only written, unacknowledged bytes: {transmit:?}"
            );
        };
        wire::write(
            &transmit.segment,
            &self.endpoints,
            self.identification,
            fill,
            out,
        )
        .expect("the segments of a connection fit into packets");
        self.identification = self.identification.wrapping_add(1);
        Some(transmit)
    }

    /// Appends application data to the send buffer. Returns how many bytes fitted.
    pub fn write(&mut self, bytes: &[u8]) -> usize {
        let taken = self.connection.write(bytes.len() as u64) as usize;
        self.send.push(&bytes[..taken]);
        taken
    }

    /// Moves the next bytes of the peer's stream into `out`. Returns how many there were.
    pub fn read(&mut self, now_ns: u64, out: &mut [u8]) -> usize {
        let max = self.receive.readable_bytes().min(out.len() as u64);
        let taken = self.connection.read(now_ns, max) as usize;
        self.receive.read(&mut out[..taken])
    }

    /// Has the peer closed, and has everything that it sent been read?
    pub fn is_at_end(&self) -> bool {
        self.connection.peer_has_closed() && self.connection.readable_bytes() == 0
    }

    /// Closes our side: a FIN follows the last byte.
    pub fn close(&mut self) {
        self.connection.close();
    }

    /// Resets the connection.
    pub fn abort(&mut self) {
        self.connection.abort();
    }

    /// Time at which [`on_timer`](Self::on_timer) must be called next.
    pub fn next_timer_ns(&self) -> Option<u64> {
        self.connection.next_timer_ns()
    }

    /// Handles the timers that have expired. An early call does nothing.
    pub fn on_timer(&mut self, now_ns: u64) {
        self.connection.on_timer(now_ns);
    }

    /// The connection, for inspection.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Addresses and ports of the packets that this socket sends.
    pub fn endpoints(&self) -> &Endpoints {
        &self.endpoints
    }
}
