//! A connection together with the bytes of its two streams.

use super::{ReceiveBuffer, SendBuffer};
use crate::wire::{self, Endpoints, Parsed};
use crate::{Config, Connection, Flags, State, Transmit};

/// The window field, rounded up, may promise so much more than the buffer (RFC 7323, section 2.3).
const SCALE_BYTES: u64 = 1 << wire::options::MOST_WINDOW_SCALE;

/// One end of a connection that carries real bytes: packets in, packets out, and a stream each way.
///
/// Its driver does for it what it would do for a [`Connection`].
#[derive(Debug)]
pub struct Socket {
    connection: Connection,
    /// Of the packets that it sends.
    endpoints: Endpoints,
    /// Of the next packet that it sends.
    identification: u16,
    send: SendBuffer,
    pub(super) receive: ReceiveBuffer,
}

impl Socket {
    /// An active open from the source to the destination.
    pub fn connect(config: Config, now_ns: u64, endpoints: Endpoints) -> Socket {
        Socket::of(Connection::connect(config, now_ns), endpoints)
    }

    /// A passive open by a SYN that arrived. A payload in it is left to be sent again.
    pub fn accept(config: Config, now_ns: u64, syn: &Parsed) -> Socket {
        Socket::of(
            Connection::accept(config, now_ns, &syn.segment),
            syn.endpoints.reversed(),
        )
    }

    fn of(connection: Connection, endpoints: Endpoints) -> Socket {
        // Room for whatever the connection's window may let the peer send.
        let receive = ReceiveBuffer::new(
            connection
                .most_receive_window_bytes()
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

    /// A packet arrived; `false` if it is for another socket. Afterwards
    /// [`poll_packet`](Self::poll_packet) until it gives nothing more.
    ///
    /// # Errors
    /// It is not a sound segment, and changed nothing.
    pub fn on_packet(&mut self, now_ns: u64, packet: &[u8]) -> Result<bool, wire::Error> {
        Ok(self.on_parsed(now_ns, &wire::parse(packet)?))
    }

    /// [`on_packet`](Self::on_packet) where it has been read already.
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

    /// Keeps what the connection took of a payload.
    fn take(&mut self, parsed: &Parsed) {
        let flags = parsed.segment.flags;
        if parsed.payload.is_empty()
            || !flags.has(Flags::ACK)
            || flags.has(Flags::SYN)
            || flags.has(Flags::RST)
        {
            return;
        }
        // Places before the stream wrap. A probe may begin there (RFC 9293, section 3.8.4) and
        // reach into the stream.
        let place = self.connection.stream_position(&parsed.segment) as i64;
        let before = place.min(0).unsigned_abs().min(parsed.payload.len() as u64) as usize;
        let (start, payload) = (place.max(0) as u64, &parsed.payload[before..]);
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

    /// Replaces `out` by the next packet to send now, if there is one, and tells of it.
    pub fn poll_packet(&mut self, now_ns: u64, out: &mut Vec<u8>) -> Option<Transmit> {
        out.clear();
        let transmit = self.connection.poll_transmit(now_ns)?;
        let fill = |payload: &mut [u8]| {
            let held = payload.is_empty() || self.send.copy(transmit.stream_start, payload);
            assert!(
                held,
                "a connection sends what was written and is not acknowledged: {transmit:?}"
            );
        };
        wire::write(
            &transmit.segment,
            &self.endpoints,
            self.identification,
            fill,
            out,
        )
        .expect("a connection's segments fit into packets");
        self.identification = self.identification.wrapping_add(1);
        Some(transmit)
    }

    /// Gives bytes to send; so many of them were taken.
    pub fn write(&mut self, bytes: &[u8]) -> usize {
        let taken = self.connection.write(bytes.len() as u64) as usize;
        self.send.push(&bytes[..taken]);
        taken
    }

    /// Moves the next bytes of the peer's stream into `out`, and says how many.
    pub fn read(&mut self, now_ns: u64, out: &mut [u8]) -> usize {
        let most = self.receive.readable_bytes().min(out.len() as u64);
        let taken = self.connection.read(now_ns, most) as usize;
        self.receive.read(&mut out[..taken])
    }

    /// The peer has closed, and everything that it sent has been read.
    pub fn is_at_end(&self) -> bool {
        self.connection.peer_closed() && self.connection.readable_bytes() == 0
    }

    /// No more to write: a FIN follows the last byte.
    pub fn close(&mut self) {
        self.connection.close();
    }

    /// Resets the connection.
    pub fn abort(&mut self) {
        self.connection.abort();
    }

    /// When [`on_timer`](Self::on_timer) is wanted next.
    pub fn next_timer_ns(&self) -> Option<u64> {
        self.connection.next_timer_ns()
    }

    /// The moment of [`next_timer_ns`](Self::next_timer_ns) came, or passed. Harmless at any other.
    pub fn on_timer(&mut self, now_ns: u64) {
        self.connection.on_timer(now_ns);
    }

    /// The connection, to look at.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Those of the packets that it sends.
    pub fn endpoints(&self) -> &Endpoints {
        &self.endpoints
    }
}
