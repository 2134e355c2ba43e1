//! A download between two endpoints of a library over one path, in virtual time. Noq and quinn have
//! the same types and methods but a few, so each includes this file, beside a module `library`.

use super::library::{
    self, BbrConfig, ClientConfig, Connection, ConnectionHandle, ControllerFactory, CubicConfig,
    DatagramEvent, Dir, Endpoint, Event, ServerConfig, StreamId, TransportConfig, VarInt,
};
use crate::config::{Avoidance, StartupConfig};
use crate::Startup;
use bytes::BytesMut;
use onramp_net::{Config, Limit, Link, LossConfig, Packet};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The libraries hand the socket this many datagrams at once where the kernel segments them.
pub const MAX_DATAGRAMS: usize = 10;
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
    /// Random loss towards the client: its probability in millionths, and the seed.
    pub loss: (u32, u64),
}

pub const LONG_PATH: Path = Path {
    mbit_per_s: 50,
    rtt_ms: 100,
    queue_tenths: 10,
    loss: (0, 0),
};

/// When the server writes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Application {
    /// From the end of the handshake to the first write. Meanwhile the library sends what it needs:
    /// the end of the handshake, a session ticket, a datagram that discovers the MTU.
    pub thinking: Duration,
    /// A small first write, as the head of a response, and the time until the rest is written.
    pub first_write: Option<(usize, Duration)>,
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
    /// The 18 paths of `scenarios/start-up.toml`.
    fn start_up() -> impl Iterator<Item = Path> {
        let rtts = |mbit_per_s| [20, 100, 600].map(|rtt_ms| (mbit_per_s, rtt_ms));
        let paths = [10, 50, 250].into_iter().flat_map(rtts);
        paths.flat_map(|(mbit_per_s, rtt_ms)| {
            [3, 10].map(|queue_tenths| Path {
                mbit_per_s,
                rtt_ms,
                queue_tenths,
                loss: (0, 0),
            })
        })
    }

    /// A download of `bytes` from a server with this controller. The content is compared.
    pub fn download(
        self,
        application: Application,
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
        let mut links = [
            self.link(self.queue(), self.loss),
            self.link(Limit::Packets(u32::MAX), (0, 0)),
        ];
        let (mut now_ns, mut stream, mut received) = (0, None, Vec::new());
        let mut writer = Writer::new(application, &content);
        while now_ns < LIMIT.as_nanos() as u64 {
            writer.serve(&mut ends[1], at(now_ns));
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
            let write_ns = writer.next.map(|at| (at - begin).as_nanos() as u64);
            let next_ns = timeouts_ns.chain(departures_ns).chain(write_ns).min();
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

    fn link(self, limit: Limit, (ppm, seed): (u32, u64)) -> Link<Datagram> {
        let bits_per_s = NonZeroU64::new(self.mbit_per_s * 1_000_000).expect("a rate");
        let one_way_ns = self.rtt_ms * 1_000_000 / 2;
        Link::from_config(&Config {
            loss: LossConfig::Bernoulli { ppm },
            seed,
            ..Config::plain(bits_per_s, one_way_ns, limit)
        })
    }
}

#[derive(Clone)]
struct Datagram(BytesMut);

impl Packet for Datagram {
    fn wire_bytes(&self) -> u32 {
        self.0.len() as u32 + HEADER_BYTES
    }
}

/// The same download with `onramp` and with the library's CUBIC.
fn downloads(path: Path, application: Application, bytes: usize) -> [Download; 2] {
    let onramp = Arc::new(StartupConfig::new(Startup::Onramp));
    let cubic = Arc::new(CubicConfig::default());
    [
        path.download(application, onramp, bytes),
        path.download(application, cubic, bytes),
    ]
}

/// The time of `onramp` relative to that of the library's CUBIC.
fn ratio(path: Path, application: Application, bytes: usize) -> f64 {
    let [onramp, cubic] = downloads(path, application, bytes);
    onramp.time.as_secs_f64() / cubic.time.as_secs_f64()
}

#[test]
fn a_short_path_loses_at_most_3_percent_to_cubic() {
    let short = Path {
        rtt_ms: 5,
        ..LONG_PATH
    };
    assert!(ratio(short, Application::default(), 1_000_000) < 1.03);
}

/// The rows of docs/quic.md, "Servers that think".
#[test]
fn servers_that_think_or_write_in_parts_keep_the_gain() {
    const MS: fn(u64) -> Duration = Duration::from_millis;
    // Signatures have random sizes, so packets of the handshake differ by a byte.
    const TOLERATED: f64 = 0.03;
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/quic.md");
    let page = std::fs::read_to_string(page).expect("docs/quic.md");
    let mut wrong = String::new();
    let writes = [(0, None), (2, None), (10, None), (50, None)];
    let parts = [(0, Some((1_000, MS(10)))), (10, Some((1_000, MS(50))))];
    for (thinking_ms, first_write) in writes.into_iter().chain(parts) {
        let application = Application {
            thinking: MS(thinking_ms),
            first_write,
        };
        let ratios =
            [100_000, 1_000_000, 5_000_000].map(|bytes| ratio(LONG_PATH, application, bytes));
        let write = first_write.map_or(String::new(), |(bytes, pause)| {
            format!(", {bytes} B, {} ms", pause.as_millis())
        });
        let [small, medium, large] = ratios;
        let head = format!("| {} | {thinking_ms} ms{write} | ", library::NAME);
        let row = format!("{head}{small:.2} | {medium:.2} | {large:.2} |\n");
        assert!(medium <= 0.65 && large <= 0.80 && small <= 1.03, "{row}");
        let shown = page.split(&head).nth(1).unwrap_or_default().split(" |");
        let shown = shown
            .take(3)
            .map(|number| number.trim().parse().unwrap_or(0.0));
        let is_shown = shown
            .zip(ratios)
            .all(|(shown, ratio)| (ratio - shown).abs() < TOLERATED);
        if !is_shown {
            wrong += &row;
        }
    }
    assert!(
        wrong.is_empty(),
        "docs/quic.md has other rows than these:\n{wrong}"
    );
}

/// docs/quic.md, "BBR after the start-up".
#[test]
fn bbr_goes_on_after_the_start_up_and_losses_cost_no_more_than_with_bbr_alone() {
    const SEEDS: u64 = 6;
    let mean_s = |controller: &dyn Fn() -> Arc<dyn ControllerFactory + Send + Sync>| {
        let logarithms = (0..SEEDS).map(|seed| {
            let loss = (2_000, seed);
            let path = Path { loss, ..LONG_PATH };
            let download = path.download(Application::default(), controller(), 5_000_000);
            download.time.as_secs_f64().ln()
        });
        (logarithms.sum::<f64>() / SEEDS as f64).exp()
    };
    let onramp = || StartupConfig::new(Startup::Onramp);
    let both = mean_s(&|| Arc::new(onramp().avoidance(Avoidance::Bbr)));
    let bbr = mean_s(&|| Arc::new(BbrConfig::default()));
    println!("{}: {both:.2} s, BBR alone {bbr:.2} s", library::NAME);
    assert!(both <= 1.05 * bbr, "{both} {bbr}");
}

/// The 54 downloads of `scenarios/start-up.toml`, for docs/quic.md.
#[test]
#[ignore = "measures: --release -- --ignored --nocapture"]
fn the_whole_set_beside_cubic() {
    let sizes = [100_000, 1_000_000, 5_000_000];
    for thinking_ms in [0, 10] {
        let application = Application {
            thinking: Duration::from_millis(thinking_ms),
            first_write: None,
        };
        let (mut ratios, mut dropped) = (Vec::new(), [0, 0]);
        for path in Path::start_up() {
            for bytes in sizes {
                let both = downloads(path, application, bytes);
                let ratio = both[0].time.as_secs_f64() / both[1].time.as_secs_f64();
                println!("{ratio:.3} {bytes:7} bytes, {thinking_ms} ms, {path:?}: {both:?}");
                ratios.push(ratio);
                for (sum, one) in dropped.iter_mut().zip(both) {
                    *sum += one.dropped;
                }
            }
        }
        let logarithms = ratios.iter().map(|ratio| ratio.ln());
        let mean = (logarithms.sum::<f64>() / ratios.len() as f64).exp();
        let worst = ratios.iter().copied().fold(0.0, f64::max);
        println!(
            "{}, {thinking_ms} ms: geometric mean {mean:.3}, worst {worst:.3}, dropped {dropped:?}",
            library::NAME
        );
        assert!(mean < 0.75, "{mean}");
    }
}

/// The application of the server.
struct Writer<'a> {
    application: Application,
    content: &'a [u8],
    stream: Option<StreamId>,
    /// The time of the next write.
    next: Option<Instant>,
}

impl<'a> Writer<'a> {
    fn new(application: Application, content: &'a [u8]) -> Writer<'a> {
        Writer {
            application,
            content,
            stream: None,
            next: None,
        }
    }

    /// Writes what is due, once the client is connected.
    fn serve(&mut self, end: &mut End, now: Instant) {
        let Some((_, connection)) = &mut end.connection else {
            return;
        };
        while let Some(event) = connection.poll() {
            if matches!(event, Event::Connected) {
                self.stream = connection.streams().open(Dir::Uni);
                self.next = Some(now + self.application.thinking);
            }
        }
        if self.next.is_none_or(|at| at > now) {
            return;
        }
        let first = self.application.first_write.take();
        let (bytes, pause) = first.unwrap_or((self.content.len(), Duration::ZERO));
        let (part, rest) = self.content.split_at(bytes);
        let mut stream = connection.send_stream(self.stream.expect("streams are allowed"));
        assert_eq!(stream.write(part), Ok(bytes), "the windows are larger");
        self.content = rest;
        self.next = first.map(|_| now + pause);
        if rest.is_empty() {
            stream.finish().expect("it is open");
        }
    }
}

struct End {
    address: SocketAddr,
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
}

impl End {
    fn new(number: u8, server_config: Option<Arc<ServerConfig>>) -> End {
        End {
            address: ([192, 0, 2, number], 4433).into(),
            endpoint: library::endpoint([number; 32], server_config),
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
        match library::handle(&mut self.endpoint, now, from, datagram, &mut response) {
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
        while let Some(transmit) = library::transmit(connection, now, &mut buffer) {
            let segment_bytes = transmit.segment_size.unwrap_or(transmit.size);
            for datagram in buffer[..transmit.size].chunks(segment_bytes) {
                send(datagram);
            }
            buffer.clear();
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
    // A window of more than 32 bits is not paced. Otherwise the pacer would hold back ACKs too
    // (docs/quic.md, "What noq could do better").
    let mut unpaced = CubicConfig::default();
    unpaced.initial_window(1 << 33);
    transport.congestion_controller_factory(Arc::new(unpaced));
    client.transport_config(Arc::new(transport));
    (server, client)
}
