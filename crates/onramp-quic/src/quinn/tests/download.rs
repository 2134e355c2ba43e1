//! A download between two endpoints of quinn over one link, in virtual time.

use bytes::BytesMut;
use quinn_proto::congestion::ControllerFactory;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, EndpointConfig,
    Event, ServerConfig, StreamId, TransportConfig,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

const ONE_WAY: Duration = Duration::from_millis(50);
const RATE_BYTES_PER_S: u64 = 6_250_000;
/// quinn hands the socket this many datagrams at once where the kernel segments them.
const MAX_DATAGRAMS: usize = 10;
/// A download that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// A download of `bytes` from a server with this controller, over 50 Mbit/s and 100 ms with an
/// endless queue. Returns the time from the first packet of the handshake to the last byte.
pub fn download(controller: Arc<dyn ControllerFactory + Send + Sync>, bytes: usize) -> Duration {
    let begin = Instant::now();
    let content: Vec<u8> = (0..bytes).map(|index| (index % 251) as u8).collect();
    let mut transport = TransportConfig::default();
    transport.congestion_controller_factory(controller);
    let (server_config, client_config) = tls(transport);
    let mut ends = [
        End::new(1, None),
        End::new(2, Some(Arc::new(server_config))),
    ];
    let server = ends[1].address;
    let connecting = ends[0]
        .endpoint
        .connect(begin, client_config, server, "localhost");
    ends[0].connection = Some(connecting.expect("a client configuration"));
    let mut wire = Wire::default();
    let (mut now, mut stream, mut received) = (begin, None, Vec::new());
    while now < begin + LIMIT {
        ends[1].serve(&content);
        if ends[0].receive(&mut stream, &mut received) {
            assert_eq!(received, content);
            return now - begin;
        }
        for (from, end) in ends.iter_mut().enumerate() {
            end.transmit(now, &mut wire, 1 - from);
        }
        let timeouts = ends.iter_mut().filter_map(End::timeout);
        now = timeouts
            .chain(wire.next())
            .min()
            .expect("something is to happen")
            .max(now);
        while let Some((to, datagram)) = wire.take(now) {
            let from = ends[1 - to].address;
            ends[to].handle(now, from, datagram);
        }
        for end in &mut ends {
            end.expire(now);
        }
    }
    panic!("{} of {bytes} bytes have arrived", received.len());
}

/// Datagrams on their way, by the time of arrival and their number.
#[derive(Default)]
struct Wire {
    datagrams: BTreeMap<(Instant, u64), (usize, BytesMut)>,
    last_number: u64,
    /// When the link to each end is free.
    free: [Option<Instant>; 2],
}

impl Wire {
    fn put(&mut self, now: Instant, to: usize, datagram: &[u8]) {
        let link_ns = datagram.len() as u64 * 1_000_000_000 / RATE_BYTES_PER_S;
        let free = self.free[to].map_or(now, |free| free.max(now)) + Duration::from_nanos(link_ns);
        self.free[to] = Some(free);
        self.last_number += 1;
        let key = (free + ONE_WAY, self.last_number);
        self.datagrams.insert(key, (to, BytesMut::from(datagram)));
    }

    fn next(&self) -> Option<Instant> {
        self.datagrams.keys().next().map(|(at, _)| *at)
    }

    fn take(&mut self, now: Instant) -> Option<(usize, BytesMut)> {
        let first = self.datagrams.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }
}

struct End {
    address: SocketAddr,
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
}

impl End {
    fn new(number: u8, server_config: Option<Arc<ServerConfig>>) -> End {
        let config = Arc::new(EndpointConfig::default());
        End {
            address: ([192, 0, 2, number], 4433).into(),
            endpoint: Endpoint::new(config, server_config, true, Some([number; 32])),
            connection: None,
        }
    }

    fn timeout(&mut self) -> Option<Instant> {
        self.connection.as_mut()?.1.poll_timeout()
    }

    fn expire(&mut self, now: Instant) {
        if self.timeout().is_some_and(|at| at <= now) {
            let (_, connection) = self.connection.as_mut().expect("it has a timeout");
            connection.handle_timeout(now);
        }
    }

    fn handle(&mut self, now: Instant, from: SocketAddr, datagram: BytesMut) {
        let mut response = Vec::new();
        match self
            .endpoint
            .handle(now, from, None, None, datagram, &mut response)
        {
            Some(DatagramEvent::NewConnection(incoming)) => {
                let accepted = self.endpoint.accept(incoming, now, &mut response, None);
                self.connection = Some(accepted.ok().expect("the server accepts"));
            }
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                let (_, connection) = self.connection.as_mut().expect("its event");
                connection.handle_event(event);
            }
            _ => {}
        }
    }

    /// Puts all that may leave now on the wire.
    fn transmit(&mut self, now: Instant, wire: &mut Wire, to: usize) {
        let Some((handle, connection)) = &mut self.connection else {
            return;
        };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        let mut buffer = Vec::new();
        while let Some(transmit) = connection.poll_transmit(now, MAX_DATAGRAMS, &mut buffer) {
            let segment_bytes = transmit.segment_size.unwrap_or(transmit.size);
            for datagram in buffer[..transmit.size].chunks(segment_bytes) {
                wire.put(now, to, datagram);
            }
            buffer.clear();
        }
    }

    /// The server sends the content when the client is connected.
    fn serve(&mut self, content: &[u8]) {
        let Some((_, connection)) = &mut self.connection else {
            return;
        };
        while let Some(event) = connection.poll() {
            if matches!(event, Event::Connected) {
                let stream = connection
                    .streams()
                    .open(Dir::Uni)
                    .expect("streams are allowed");
                let written = connection.send_stream(stream).write(content);
                assert_eq!(written, Ok(content.len()), "the client's window is larger");
                connection.send_stream(stream).finish().expect("it is open");
            }
        }
    }

    /// The client reads. Has it read all?
    fn receive(&mut self, stream: &mut Option<StreamId>, received: &mut Vec<u8>) -> bool {
        let Some((_, connection)) = &mut self.connection else {
            return false;
        };
        while connection.poll().is_some() {}
        if stream.is_none() {
            *stream = connection.streams().accept(Dir::Uni);
        }
        let Some(stream) = *stream else {
            return false;
        };
        let mut reader = connection.recv_stream(stream);
        let mut chunks = reader.read(true).expect("it is open");
        let is_complete = loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => received.extend_from_slice(&chunk.bytes),
                Ok(None) => break true,
                Err(_) => break false,
            }
        };
        let _ = chunks.finalize();
        is_complete
    }
}

fn tls(transport: TransportConfig) -> (ServerConfig, ClientConfig) {
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let certificate = CertificateDer::from(own.cert);
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(own.signing_key.serialize_der()));
    let server = ServerConfig::with_single_cert(vec![certificate.clone()], key);
    let mut server = server.expect("the key belongs to the certificate");
    server.transport_config(Arc::new(transport));
    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate).expect("a certificate");
    let client = ClientConfig::with_root_certificates(Arc::new(roots));
    (server, client.expect("TLS 1.3"))
}
