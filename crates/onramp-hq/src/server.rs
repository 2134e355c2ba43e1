//! The server: files of a folder, and generated content.

use crate::admission::{Admission, Decision, Place};
use crate::certificate::Identity;
use crate::congestion::Congestion;
use crate::content::Content;
use crate::error::Error;
use crate::file::Piecewise;
use crate::qlog::QlogFolder;
use crate::request::{path_of, Refusal, Target, Writes, MAX_REQUEST_BYTES};
use crate::transport::{close_endpoint, TransportLimits, ALPN};
use noq::crypto::rustls::QuicServerConfig;
use noq::{
    Connection, ConnectionError, Endpoint, Incoming, PathId, ReadToEndError, RecvStream,
    SendStream, ServerConfig,
};
use rustls::crypto::ring;
use std::future::Future;
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Maximum number of bytes that wait for connections which are not accepted yet.
const WAITING_BYTES: u64 = 4 << 20;
/// Maximum number of such connections.
const WAITING: usize = 1000;
/// Bytes of files that a connection may hold unacknowledged whatever its cwnd is.
const MIN_SEND_WINDOW_BYTES: u64 = 1 << 20;
/// The reason in the last packet of a server.
const ENDS: &str = "the server ends";

/// The settings of a server.
#[derive(Debug)]
pub struct ServerSettings {
    /// The certificate and its key.
    pub identity: Identity,
    /// The folder whose files are served; `None`: generated content alone.
    pub folder: Option<PathBuf>,
    /// The congestion control of its connections.
    pub congestion: Congestion,
    /// Their transport.
    pub transport: TransportLimits,
    /// Maximum number of connections at the same time. More are refused.
    pub connections: usize,
    /// Maximum number of those from one prefix of addresses (IPv4 /24, IPv6 /48).
    pub connections_per_prefix: usize,
    /// Maximum number of handshakes with addresses that may be forged. With more, a client proves
    /// its address first: the server answers with a Retry packet (RFC 9000, section 8.1.2), and
    /// keeps nothing of it.
    pub unvalidated: usize,
    /// How long downloads may go on after the server was told to end.
    pub grace: Duration,
    /// Where it writes the qlog files of its connections.
    pub qlog: Option<QlogFolder>,
}

impl ServerSettings {
    /// The default settings with this certificate: generated content alone.
    pub fn new(identity: Identity) -> ServerSettings {
        ServerSettings {
            identity,
            folder: None,
            congestion: Congestion::default(),
            transport: TransportLimits::default(),
            connections: 10_000,
            connections_per_prefix: 2_500,
            unvalidated: 256,
            grace: Duration::from_secs(10),
            qlog: None,
        }
    }
}

/// What a server reports.
#[derive(Debug)]
pub enum Event<'a> {
    /// A client has connected. Its handshake may go on.
    Connected(&'a Connection),
    /// A request was answered.
    Served(&'a Connection, Served),
}

/// A request that was answered.
#[derive(Clone, Debug)]
pub struct Served {
    /// The client.
    pub peer: SocketAddr,
    /// The path of the request; empty if it had none.
    pub path: String,
    /// From the request until the client acknowledged the last byte.
    pub time: Duration,
    /// The bytes that the client acknowledged, or the reason why there are none.
    pub outcome: Result<u64, Unserved>,
}

/// Why a request was not answered in full.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unserved {
    /// The server refused it.
    #[error("refused: {0}")]
    Refused(#[from] Refusal),
    /// The client stopped the download, or the connection ended.
    #[error("the client left: {0}")]
    Left(String),
    /// The server cut the download off, this long after it was told to end.
    #[error("cut off {:.1} s after the server was told to end", .0.as_secs_f64())]
    CutOff(Duration),
}

impl Served {
    /// A connection that this end has closed was left by no client.
    fn name_who_ended(&mut self, connection: &Connection, end: Option<Instant>) {
        let is_left = matches!(self.outcome, Err(Unserved::Left(_)));
        let is_closed_here = connection.close_reason() == Some(ConnectionError::LocallyClosed);
        if let (true, true, Some(end)) = (is_left, is_closed_here, end) {
            self.outcome = Err(Unserved::CutOff(end.elapsed()));
        }
    }
}

/// A server with its UDP socket.
#[derive(Debug)]
pub struct Server {
    endpoint: Endpoint,
    config: ServerConfig,
    /// The folder is canonical.
    settings: Arc<ServerSettings>,
}

type Report = Arc<dyn Fn(Event<'_>) + Send + Sync>;

impl Server {
    /// A server on a UDP address. It must be made in a runtime of Tokio.
    ///
    /// # Errors
    /// The address cannot be used, or one of [`Server::on`].
    pub fn bind(address: SocketAddr, settings: ServerSettings) -> Result<Server, Error> {
        let socket = UdpSocket::bind(address).map_err(|source| Error::Bind { address, source })?;
        Server::on(socket, settings)
    }

    /// A server on this socket.
    ///
    /// # Errors
    /// The certificate, the folder or the start-up cannot be used.
    pub fn on(socket: UdpSocket, mut settings: ServerSettings) -> Result<Server, Error> {
        settings.folder = settings.folder.as_deref().map(canonical).transpose()?;
        settings.congestion.check()?;
        let config = server_config(&settings.identity)?;
        let runtime = noq::default_runtime().expect("the caller is in a runtime of Tokio");
        let endpoint = noq::EndpointConfig::default();
        let endpoint = Endpoint::new(endpoint, Some(config.clone()), socket, runtime)
            .map_err(Error::Socket)?;
        Ok(Server {
            endpoint,
            config,
            settings: Arc::new(settings),
        })
    }

    /// The address of the socket.
    ///
    /// # Errors
    /// The system does not tell it.
    pub fn address(&self) -> Result<SocketAddr, Error> {
        self.endpoint.local_addr().map_err(Error::Socket)
    }

    /// The endpoint, for statistics.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Serves until `end` completes. Then it refuses new connections and requests, and lets running
    /// downloads go on for the grace time. `report` is called with each event.
    pub async fn run(
        self,
        end: impl Future<Output = ()>,
        report: impl Fn(Event<'_>) + Send + Sync + 'static,
    ) {
        let report: Report = Arc::new(report);
        let (ending, ends) = watch::channel(None);
        let mut connections = JoinSet::new();
        let settings = &self.settings;
        let admission = Admission::new(
            settings.connections,
            settings.connections_per_prefix,
            settings.unvalidated,
        );
        tokio::pin!(end);
        loop {
            tokio::select! {
                () = &mut end => break,
                Some(_) = connections.join_next() => {}
                incoming = self.endpoint.accept() => match incoming {
                    Some(incoming) => match admission.decide(&incoming) {
                        Decision::Accept(place) => {
                            let (settings, config) = (self.settings.clone(), self.config.clone());
                            let (report, ends) = (report.clone(), ends.clone());
                            connections.spawn(connection(
                                incoming, place, config, settings, report, ends,
                            ));
                        }
                        // It fails for a validated address alone, which has no such decision.
                        Decision::Retry => drop(incoming.retry()),
                        Decision::Refuse => incoming.refuse(),
                    },
                    None => break,
                },
            }
        }
        let _ = ending.send(Some(Instant::now()));
        let all = async { while connections.join_next().await.is_some() {} };
        let refuse = async {
            while let Some(incoming) = self.endpoint.accept().await {
                incoming.refuse();
            }
        };
        let grace = tokio::time::sleep(self.settings.grace);
        tokio::select! {
            () = all => {}
            () = refuse => {} // the endpoint was closed
            () = grace => {}
        }
        close_endpoint(&self.endpoint, ENDS).await;
        // Their requests report that they were cut off.
        while connections.join_next().await.is_some() {}
    }
}

fn canonical(folder: &Path) -> Result<PathBuf, Error> {
    let refuse = |source| Error::Folder {
        folder: folder.to_owned(),
        source,
    };
    let path = folder.canonicalize().map_err(refuse)?;
    match path.is_dir() {
        true => Ok(path),
        false => Err(refuse(std::io::ErrorKind::NotADirectory.into())),
    }
}

/// The configuration without a transport, which each connection has for itself.
fn server_config(identity: &Identity) -> Result<ServerConfig, Error> {
    let refuse = |error: rustls::Error| Error::Tls {
        reason: error.to_string(),
    };
    let provider = Arc::new(ring::default_provider());
    let mut tls = rustls::ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("the provider has TLS 1.3")
        .with_no_client_auth()
        .with_single_cert(identity.chain.clone(), identity.key.clone_key())
        .map_err(refuse)?;
    tls.alpn_protocols = vec![ALPN.to_vec()];
    // A repeated GET does no harm, so requests in 0-RTT packets are answered. QUIC knows this value
    // and 0 (RFC 9001, section 4.6.1).
    tls.max_early_data_size = u32::MAX;
    let crypto = QuicServerConfig::try_from(tls).expect("TLS 1.3 has the suites of QUIC");
    let mut config = ServerConfig::with_crypto(Arc::new(crypto));
    config
        .max_incoming(WAITING)
        .incoming_buffer_size_total(WAITING_BYTES);
    Ok(config)
}

/// Serves a connection until it ends, or until the server ends and no download is left.
async fn connection(
    incoming: Incoming,
    mut place: Place,
    mut config: ServerConfig,
    settings: Arc<ServerSettings>,
    report: Report,
    mut ends: watch::Receiver<Option<Instant>>,
) {
    let log = settings.qlog.as_ref().map(QlogFolder::log);
    let mut transport = settings.transport.config();
    let peer = incoming.remote_address();
    let Ok(factory) = settings.congestion.factory(peer.ip(), log.clone()) else {
        return; // `Server::on` has checked it
    };
    transport.congestion_controller_factory(factory);
    if let Some(log) = log {
        transport.qlog_factory(log);
    }
    config.transport_config(Arc::new(transport));
    // A handshake that fails has no request to report.
    let Ok(connecting) = incoming.accept_with(Arc::new(config)) else {
        return;
    };
    // Requests may come before the end of the handshake (0-RTT).
    let Ok((connection, mut handshake)) = connecting.into_0rtt() else {
        return; // a server's always succeeds
    };
    report(Event::Connected(&connection));
    let mut requests = JoinSet::new();
    let end = ends.clone();
    let mut is_complete = false;
    let limit = tokio::time::sleep(settings.transport.idle_timeout);
    tokio::pin!(limit);
    loop {
        tokio::select! {
            _ = &mut handshake, if !is_complete => {
                is_complete = true;
                place.validate();
            }
            () = &mut limit, if !is_complete => {
                connection.close(0_u8.into(), b"the handshake took too long");
                break;
            }
            _ = ends.wait_for(Option::is_some) => break,
            Some(_) = requests.join_next() => {}
            stream = connection.accept_bi() => match stream {
                Ok((send, receive)) => {
                    let (settings, report) = (settings.clone(), report.clone());
                    let (connection, end) = (connection.clone(), end.clone());
                    requests.spawn(async move {
                        let mut served = answer(send, receive, peer, &connection, &settings).await;
                        served.name_who_ended(&connection, *end.borrow());
                        report(Event::Served(&connection, served));
                    });
                }
                Err(_) => break,
            },
        }
    }
    while requests.join_next().await.is_some() {}
    connection.close(0_u8.into(), ENDS.as_bytes());
}

/// Answers a request.
async fn answer(
    mut send: SendStream,
    mut receive: RecvStream,
    peer: SocketAddr,
    connection: &Connection,
    settings: &ServerSettings,
) -> Served {
    let mut path = String::new();
    let mut begin = Instant::now();
    let work = async {
        let request = read_request(&mut receive).await?;
        begin = Instant::now();
        path = path_of(&request)?.to_owned();
        let bytes = match Target::of(&path)? {
            Target::Generated(bytes, writes) => generated(&mut send, bytes, writes).await?,
            Target::File(file) => {
                let mut file = Piecewise::open(settings.folder.as_deref(), &file)?;
                self::file(&mut send, &mut file, connection, &settings.transport).await?
            }
        };
        send.finish().map_err(left)?;
        match send.stopped().await.map_err(left)? {
            None => Ok(bytes),
            Some(code) => Err(Unserved::Left(format!(
                "it stopped the stream with code {code}"
            ))),
        }
    };
    // An application that writes at intervals may sleep when the connection ends.
    let outcome: Result<u64, Unserved> = tokio::select! {
        biased;
        outcome = work => outcome,
        error = connection.closed() => Err(Unserved::Left(error.to_string())),
    };
    if let Err(Unserved::Refused(refusal)) = &outcome {
        let code = u32::try_from(refusal.code()).unwrap_or(u32::MAX);
        let _ = send.reset(code.into());
    }
    Served {
        peer,
        path,
        time: begin.elapsed(),
        outcome,
    }
}

async fn read_request(receive: &mut RecvStream) -> Result<Vec<u8>, Unserved> {
    match receive.read_to_end(MAX_REQUEST_BYTES).await {
        Ok(request) => Ok(request),
        Err(ReadToEndError::TooLong) => {
            let _ = receive.stop((Refusal::TooLong.code() as u32).into());
            Err(Refusal::TooLong.into())
        }
        Err(error) => Err(left(error)),
    }
}

async fn generated(
    send: &mut SendStream,
    size_bytes: u64,
    writes: Option<Writes>,
) -> Result<u64, Unserved> {
    let content = Content::new();
    let begin = tokio::time::Instant::now();
    let mut sent = 0;
    let (mut written, mut number) = (size_bytes, 0);
    while sent < size_bytes {
        if let Some(writes) = writes.filter(|_| number == 0 || sent == written) {
            let interval = Duration::from_micros(writes.interval_us.saturating_mul(number));
            tokio::time::sleep_until(begin + interval).await;
            number += 1;
            written = writes.bytes.saturating_mul(number).min(size_bytes);
        }
        let piece = content.shared(sent, written - sent);
        sent += piece.len() as u64;
        send.write_chunk(piece).await.map_err(left)?;
    }
    Ok(sent)
}

async fn file(
    send: &mut SendStream,
    file: &mut Piecewise,
    connection: &Connection,
    limits: &TransportLimits,
) -> Result<u64, Unserved> {
    let mut sent = 0;
    while let Some(piece) = file.next().await? {
        // As Linux sizes a send buffer: a client that acknowledges little holds little memory.
        let path = connection.path_stats(PathId::ZERO).unwrap_or_default();
        let window = path.cwnd.saturating_mul(2).max(MIN_SEND_WINDOW_BYTES);
        connection.set_send_window(window.min(limits.send_window_bytes));
        sent += piece.len() as u64;
        send.write_chunk(piece).await.map_err(left)?;
    }
    Ok(sent)
}

/// The reason is behind "connection lost".
fn left(error: impl std::error::Error) -> Unserved {
    let reason = error.source().map(ToString::to_string);
    Unserved::Left(reason.unwrap_or_else(|| error.to_string()))
}
