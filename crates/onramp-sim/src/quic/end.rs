//! One end of a QUIC connection: noq's endpoint and connection, which have no clock and no sockets.

use super::clock;
use bytes::BytesMut;
use noq_proto::{
    Connection, ConnectionHandle, DatagramEvent, EcnCodepoint, Endpoint, FourTuple, Transmit,
};
use onramp_tcp::EcnField;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;

/// The largest number of datagrams that one call makes, as noq's driver asks for where the kernel
/// has segmentation offload.
const MAX_DATAGRAMS: NonZeroUsize = NonZeroUsize::new(10).unwrap();

/// A datagram to send.
pub(super) struct Datagram<'a> {
    pub bytes: &'a [u8],
    pub ecn: EcnField,
}

/// One end of a connection.
pub(super) struct End {
    endpoint: Endpoint,
    handle: ConnectionHandle,
    /// A server has none before the client's first datagram.
    connection: Option<Connection>,
    pub(super) peer: FourTuple,
    /// A datagram that the endpoint itself answers with.
    response: Vec<u8>,
    buffer: Vec<u8>,
}

/// The address of the server or of the client. Any will do.
pub(super) fn address(host: u8) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::new(192, 0, 2, host)), 4433)
}

impl End {
    /// A client with its new connection, or a server without one, whose peer has this address.
    pub fn new(
        endpoint: Endpoint,
        connection: Option<(ConnectionHandle, Connection)>,
        peer: SocketAddr,
    ) -> End {
        let (handle, connection) = connection.unzip();
        End {
            endpoint,
            handle: handle.unwrap_or(ConnectionHandle(0)),
            connection,
            peer: FourTuple::from_remote(peer),
            response: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// The connection, if there is one.
    pub fn connection(&mut self) -> Option<&mut Connection> {
        self.connection.as_mut()
    }

    /// Processes a datagram.
    pub fn receive(&mut self, now_ns: u64, bytes: &[u8], ecn: EcnField) {
        let now = clock::at(now_ns);
        let ecn = match ecn {
            EcnField::NotEct => None,
            EcnField::Ect0 => Some(EcnCodepoint::Ect0),
            EcnField::Ect1 => Some(EcnCodepoint::Ect1),
            EcnField::Ce => Some(EcnCodepoint::Ce),
        };
        let datagram = BytesMut::from(bytes);
        self.buffer.clear();
        match self
            .endpoint
            .handle(now, self.peer, ecn, datagram, &mut self.buffer)
        {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some(connection) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) if self.connection.is_none() => {
                let accepted = self.endpoint.accept(incoming, now, &mut self.buffer, None);
                if let Ok((handle, connection)) = accepted {
                    (self.handle, self.connection) = (handle, Some(connection));
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.endpoint.ignore(incoming),
            Some(DatagramEvent::Response(transmit)) => {
                self.response = self.buffer[..transmit.size].to_vec();
            }
            None => {}
        }
        self.exchange_events();
    }

    /// Processes the timers that are due.
    pub fn on_timer(&mut self, now_ns: u64) {
        if let Some(connection) = &mut self.connection {
            connection.handle_timeout(clock::at(now_ns));
        }
        self.exchange_events();
    }

    /// Time of the next timer event; `u64::MAX`: never.
    pub fn next_timer_ns(&self) -> u64 {
        let timeout = self.connection.as_ref().and_then(Connection::poll_timeout);
        timeout.map_or(u64::MAX, clock::ns_of)
    }

    /// Passes all datagrams that may leave now to `send`.
    pub fn transmit(&mut self, now_ns: u64, mut send: impl FnMut(Datagram<'_>)) {
        let response = std::mem::take(&mut self.response);
        if !response.is_empty() {
            send(Datagram {
                bytes: &response,
                ecn: EcnField::NotEct,
            });
        }
        let Some(connection) = &mut self.connection else {
            return;
        };
        self.buffer.clear();
        while let Some(transmit) =
            connection.poll_transmit(clock::at(now_ns), MAX_DATAGRAMS, &mut self.buffer)
        {
            let Transmit {
                size,
                segment_size,
                ecn,
                ..
            } = transmit;
            let ecn = match ecn {
                None => EcnField::NotEct,
                Some(EcnCodepoint::Ect0) => EcnField::Ect0,
                Some(EcnCodepoint::Ect1) => EcnField::Ect1,
                Some(EcnCodepoint::Ce) => EcnField::Ce,
            };
            for bytes in self.buffer[..size].chunks(segment_size.unwrap_or(size)) {
                send(Datagram { bytes, ecn });
            }
            self.buffer.clear();
        }
        self.exchange_events();
    }

    /// Passes events between connection and endpoint: connection IDs, and the end.
    fn exchange_events(&mut self) {
        let Some(connection) = &mut self.connection else {
            return;
        };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(self.handle, event) {
                connection.handle_event(event);
            }
        }
    }

    /// Whether the connection has ended, and late datagrams need no answer any more.
    pub fn is_over(&self) -> bool {
        self.connection.as_ref().is_none_or(Connection::is_drained)
    }
}
