//! A download between two endpoints of quinn over one path, in virtual time.

use bytes::BytesMut;
use onramp_net::{Config, Limit, Link, Packet};
use quinn_proto::congestion::ControllerFactory;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, EndpointConfig,
    Event, ServerConfig, StreamId, TransportConfig, VarInt,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// quinn hands the socket this many datagrams at once where the kernel segments them.
const MAX_DATAGRAMS: usize = 10;
/// IPv4 and UDP.
const HEADER_BYTES: u32 = 28;
/// Flow control limits no download.
const WINDOW_BYTES: u32 = 64 << 20;
/// A download that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// A bottleneck with a drop-tail queue towards the client, and a return path of the same rate whose
/// queue is never full.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    pub mbit_per_s: u64,
    pub rtt_ms: u64,
    /// In tenths of the BDP.
    pub queue_tenths: u64,
}

/// What a download took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Download {
    /// From the first packet of the handshake to the last byte.
    pub time: Duration,
    /// Packets that the bottleneck dropped.
    pub dropped: u64,
}

impl Path {
    /// A download of `bytes` from a server with this controller. The content is compared.
    pub fn download(
        self,
        controller: Arc<dyn ControllerFactory + Send + Sync>,
        bytes: usize,
    ) -> Download {
        let content: Vec<u8> = (0..bytes).map(|index| (index % 251) as u8).collect();
        let (server_config, client_config) = configs(controller);
        let mut ends = [
            End::new(1, None),
            End::new(2, Some(Arc::new(server_config))),
        ];
        let begin = Instant::now();
        let at = |now_ns| begin + Duration::from_nanos(now_ns);
        let server = ends[1].address;
        let connecting = ends[0]
            .endpoint
            .connect(begin, client_config, server, "localhost");
        ends[0].connection = Some(connecting.expect("a client configuration"));
        // The link to each end.
        let mut links = [self.link(self.queue()), self.link(Limit::Packets(u32::MAX))];
        let (mut now_ns, mut stream, mut received) = (0, None, Vec::new());
        while now_ns < LIMIT.as_nanos() as u64 {
            ends[1].serve(&content);
            if ends[0].receive(&mut stream, &mut received) {
                assert!(received == content, "the content is not what was sent");
                return Download {
                    time: Duration::from_nanos(now_ns),
                    dropped: links[0].stats().dropped.packets,
                };
            }
            for (from, end) in ends.iter_mut().enumerate() {
                end.transmit(at(now_ns), |datagram| {
                    links[1 - from].offer(now_ns, Datagram(datagram.into()));
                });
            }
            let timeouts = ends.iter_mut().filter_map(End::timeout);
            let timeouts_ns = timeouts.map(|at| (at - begin).as_nanos() as u64);
            let departures_ns = links.iter().filter_map(Link::next_departure_ns);
            let next_ns = timeouts_ns.chain(departures_ns).min();
            now_ns = next_ns.expect("something is to happen").max(now_ns);
            for to in [0, 1] {
                let from = ends[1 - to].address;
                while let Some(departure) = links[to].poll(now_ns) {
                    ends[to].handle(at(now_ns), from, departure.packet.0);
                }
                ends[to].expire(at(now_ns));
            }
        }
        panic!(
            "{} of {bytes} bytes have arrived over {self:?}",
            received.len()
        );
    }

    fn queue(self) -> Limit {
        let bdp_bytes = self.mbit_per_s * 1_000 / 8 * self.rtt_ms;
        Limit::Bytes(bdp_bytes * self.queue_tenths / 10)
    }

    fn link(self, limit: Limit) -> Link<Datagram> {
        let bits_per_s = NonZeroU64::new(self.mbit_per_s * 1_000_000).expect("a rate");
        let one_way_ns = self.rtt_ms * 1_000_000 / 2;
        Link::from_config(&Config::plain(bits_per_s, one_way_ns, limit))
    }
}

#[derive(Clone)]
struct Datagram(BytesMut);

impl Packet for Datagram {
    fn wire_bytes(&self) -> u32 {
        self.0.len() as u32 + HEADER_BYTES
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
                self.connection = Some(accepted.expect("the server accepts"));
            }
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                let (_, connection) = self.connection.as_mut().expect("its event");
                connection.handle_event(event);
            }
            _ => {}
        }
    }

    /// Sends all datagrams that may leave now.
    fn transmit(&mut self, now: Instant, mut send: impl FnMut(&[u8])) {
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
                send(datagram);
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
                let stream = connection.streams().open(Dir::Uni);
                let stream = stream.expect("streams are allowed");
                let written = connection.send_stream(stream).write(content);
                assert_eq!(written, Ok(content.len()), "the windows are larger");
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

/// The configurations of the server, which has this controller, and of the client.
fn configs(controller: Arc<dyn ControllerFactory + Send + Sync>) -> (ServerConfig, ClientConfig) {
    let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let certificate = CertificateDer::from(own.cert);
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(own.signing_key.serialize_der()));
    let server = ServerConfig::with_single_cert(vec![certificate.clone()], key);
    let mut server = server.expect("the key belongs to the certificate");
    let mut transport = TransportConfig::default();
    transport.send_window(WINDOW_BYTES.into());
    transport.congestion_controller_factory(controller);
    server.transport_config(Arc::new(transport));

    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate).expect("a certificate");
    let client = ClientConfig::with_root_certificates(Arc::new(roots));
    let mut client = client.expect("TLS 1.3");
    let mut transport = TransportConfig::default();
    transport.stream_receive_window(VarInt::from_u32(WINDOW_BYTES));
    client.transport_config(Arc::new(transport));
    (server, client)
}
