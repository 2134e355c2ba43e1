//! The client: downloads over one QUIC connection.

use crate::certificate::Trust;
use crate::content::Content;
use crate::error::Error;
use crate::qlog::QlogFolder;
use crate::request::{Refusal, Target};
use crate::transport::{close_endpoint, TransportLimits, ALPN};
use noq::crypto::rustls::QuicClientConfig;
use noq::{ClientConfig, Connection, ConnectionError, Endpoint, ReadError, RecvStream};
use onramp_quic::noq::StartupConfig;
use onramp_quic::Startup;
use std::io::Write;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The start-up of the few bytes that a client sends.
const REQUESTS: Startup = Startup::Onramp;
/// Maximum size of a read.
const READ_BYTES: usize = 256 << 10;

/// The settings of a client.
#[derive(Clone, Debug, Default)]
pub struct ClientSettings {
    /// Which certificate it accepts.
    pub trust: Trust,
    /// Its transport.
    pub transport: TransportLimits,
    /// Where it writes the qlog files of its connections.
    pub qlog: Option<QlogFolder>,
}

/// A client with one UDP socket. It keeps the tickets of servers, so that a later connection sends
/// its first request in its first packet (0-RTT).
pub struct Client {
    endpoint: Endpoint,
    crypto: Arc<QuicClientConfig>,
    settings: ClientSettings,
}

/// A download that is complete.
#[derive(Clone, Debug, PartialEq)]
pub struct Download {
    /// The path of the request.
    pub path: String,
    /// The bytes that arrived.
    pub bytes: u64,
    /// From the request to its first byte.
    pub first_byte: Duration,
    /// From the request to its last byte.
    pub time: Duration,
    /// The bytes were generated, and are as they were sent.
    pub is_verified: bool,
}

/// A connection to a server.
#[derive(Debug)]
pub struct Session {
    connection: Connection,
    address: SocketAddr,
    /// From the first packet to the end of the handshake; `None` if requests went before that.
    pub handshake: Option<Duration>,
}

impl Client {
    /// A client on a new socket for servers like this address.
    ///
    /// # Errors
    /// The socket cannot be opened, or the certificates that the client trusts cannot be read.
    pub fn new(settings: ClientSettings, server: SocketAddr) -> Result<Client, Error> {
        let address: SocketAddr = match server {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let socket = UdpSocket::bind(address).map_err(|source| Error::Bind { address, source })?;
        Client::on(settings, socket)
    }

    /// A client on this socket.
    ///
    /// # Errors
    /// As [`Client::new`].
    pub fn on(settings: ClientSettings, socket: UdpSocket) -> Result<Client, Error> {
        let mut tls = settings.trust.client_config()?;
        tls.alpn_protocols = vec![ALPN.to_vec()];
        tls.enable_early_data = true;
        let crypto = QuicClientConfig::try_from(tls).expect("TLS 1.3 has the suites of QUIC");
        let runtime = noq::default_runtime().expect("the caller is in a runtime of Tokio");
        let endpoint = Endpoint::new(noq::EndpointConfig::default(), None, socket, runtime)
            .map_err(Error::Socket)?;
        Ok(Client {
            endpoint,
            crypto: Arc::new(crypto),
            settings,
        })
    }

    /// The endpoint, for what this crate has no name for: another socket, statistics.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn connecting(&self, address: SocketAddr, name: &str) -> Result<noq::Connecting, Error> {
        let mut transport = self.settings.transport.config();
        // noq paces from the first packet on: after two full datagrams of a handshake, a request
        // waits for 8 % of an RTT. Before its first flight, a start-up is not paced.
        let startup = StartupConfig::new(REQUESTS);
        transport.congestion_controller_factory(Arc::new(startup));
        if let Some(qlog) = &self.settings.qlog {
            transport.qlog_factory(qlog.log());
        }
        let mut config = ClientConfig::new(self.crypto.clone());
        config.transport_config(Arc::new(transport));
        let connecting = self.endpoint.connect_with(config, address, name);
        connecting.map_err(|error| Error::Connection {
            address,
            what: "no connection can begin",
            reason: error.to_string(),
            advice: "",
        })
    }

    /// Connects to a server, whose certificate must have this name.
    ///
    /// # Errors
    /// The handshake failed.
    pub async fn connect(&self, address: SocketAddr, name: &str) -> Result<Session, Error> {
        let begin = Instant::now();
        let connecting = self.connecting(address, name)?;
        let connection = connecting
            .await
            .map_err(|error| failed(address, "the handshake failed", &error))?;
        Ok(Session {
            connection,
            address,
            handshake: Some(begin.elapsed()),
        })
    }

    /// Connects to a server that gave a ticket before, and sends requests before the handshake is
    /// over (0-RTT). Without a ticket it does as [`Client::connect`].
    ///
    /// # Errors
    /// As [`Client::connect`].
    pub async fn connect_early(&self, address: SocketAddr, name: &str) -> Result<Session, Error> {
        let begin = Instant::now();
        let (connection, handshake) = match self.connecting(address, name)?.into_0rtt() {
            Ok((connection, _)) => (connection, None),
            Err(connecting) => {
                let connection = connecting
                    .await
                    .map_err(|error| failed(address, "the handshake failed", &error))?;
                (connection, Some(begin.elapsed()))
            }
        };
        Ok(Session {
            connection,
            address,
            handshake,
        })
    }

    /// Ends all connections. Servers are told, also in the middle of a download.
    pub async fn finish(self) {
        close_endpoint(&self.endpoint, "done").await;
    }
}

impl Session {
    /// Downloads a path into `out`. Generated content is checked.
    ///
    /// # Errors
    /// The server refused the request, the connection ended, or a byte is wrong.
    pub async fn get(&self, path: &str, out: &mut impl Write) -> Result<Download, Error> {
        let lost = |error: &ConnectionError| failed(self.address, "the connection ended", error);
        let begin = Instant::now();
        let (mut send, mut receive) = self.connection.open_bi().await.map_err(|e| lost(&e))?;
        let request = format!("GET {path}\r\n");
        // A write and a finish fail only with the connection or by a reset, which the read reports.
        let _ = send.write_all(request.as_bytes()).await;
        let _ = send.finish();
        let mut check = Check::of(path);
        let (mut bytes, mut first_byte) = (0, None);
        while let Some(chunk) = self.read(path, &mut receive).await? {
            first_byte.get_or_insert_with(|| begin.elapsed());
            check.bytes(path, bytes, &chunk)?;
            out.write_all(&chunk).map_err(Error::Output)?;
            bytes += chunk.len() as u64;
        }
        let time = begin.elapsed();
        Ok(Download {
            path: path.to_owned(),
            bytes,
            first_byte: first_byte.unwrap_or(time),
            time,
            is_verified: check.end(path, bytes)?,
        })
    }

    async fn read(
        &self,
        path: &str,
        receive: &mut RecvStream,
    ) -> Result<Option<bytes::Bytes>, Error> {
        receive
            .read_chunk(READ_BYTES)
            .await
            .map_err(|error| match error {
                ReadError::Reset(code) => Error::Refused {
                    path: path.to_owned(),
                    refusal: Refusal::of_code(code.into_inner()),
                },
                ReadError::ConnectionLost(error) => {
                    failed(self.address, "the connection ended", &error)
                }
                other => Error::Connection {
                    address: self.address,
                    what: "the download failed",
                    reason: other.to_string(),
                    advice: "",
                },
            })
    }

    /// The connection, for statistics.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Ends the connection.
    pub fn close(&self) {
        self.connection.close(0_u8.into(), b"done");
    }
}

/// Checks generated content; other content is taken as it is.
struct Check(Option<(Content, u64)>);

impl Check {
    fn of(path: &str) -> Check {
        Check(match Target::of(path) {
            Ok(Target::Generated(size_bytes, _)) => Some((Content::new(), size_bytes)),
            _ => None,
        })
    }

    fn bytes(&self, path: &str, position: u64, bytes: &[u8]) -> Result<(), Error> {
        let Some((content, _)) = &self.0 else {
            return Ok(());
        };
        content
            .check(position, bytes)
            .map_err(|wrong| Error::Content {
                path: path.to_owned(),
                reason: wrong.to_string(),
            })
    }

    /// Whether the content was checked.
    fn end(&mut self, path: &str, found: u64) -> Result<bool, Error> {
        match self.0 {
            Some((_, expected)) if expected != found => Err(Error::Content {
                path: path.to_owned(),
                reason: format!("{found} bytes arrived instead of {expected}"),
            }),
            Some(_) => Ok(true),
            None => Ok(false),
        }
    }
}

/// Names the failure of a connection, and what to do about it.
fn failed(address: SocketAddr, what: &'static str, error: &ConnectionError) -> Error {
    let reason = error.to_string();
    let advice = match error {
        ConnectionError::TimedOut => {
            "; check that a QUIC server listens on this port, because a closed port is silent too, \
             and that UDP passes the firewalls"
        }
        ConnectionError::TransportError(_) if reason.contains("certificate") => {
            "; name the certificate that the server must have, by its hash or its authority"
        }
        ConnectionError::ConnectionClosed(_) if reason.contains("application protocol") => {
            "; the server speaks another protocol than hq-interop"
        }
        _ => "",
    };
    Error::Connection {
        address,
        what,
        reason,
        advice,
    }
}
