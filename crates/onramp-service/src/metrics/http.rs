//! The HTTP endpoint: `/metrics` for Prometheus, `/counts` as JSON for `onramp top`.
//!
//! A thread of its own serves all clients. It answers from the last counts that the service read,
//! so a request costs the service nothing, and the texts are made once for all clients.
//!
//! A client has [`DEADLINE`] for its whole request. There are at most [`MAX_CLIENTS`]; one more
//! ends the oldest, so clients that hold their connection open keep nobody out.

use super::{text, Format};
use crate::counts::Counts;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT, ALLOW, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use nix::sys::socket::{
    bind, listen, setsockopt, socket, sockopt, AddressFamily, Backlog, SockFlag, SockType,
    SockaddrStorage,
};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, RwLock};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

/// The Unix socket of the service. Its folder is made by the unit (`RuntimeDirectory=onramp`).
pub const SOCKET: &str = "/run/onramp/onramp.sock";
/// The time that a client has from its connection until it has the answer.
const DEADLINE: Duration = Duration::from_secs(10);
/// Clients at the same time.
const MAX_CLIENTS: usize = 64;
/// Bytes of a request that are read before it is refused.
const MAX_REQUEST: usize = 16 * 1024;
/// The pause after a failed accept, as when descriptors are used up.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The last counts, from which the endpoint answers.
#[derive(Debug, Default)]
pub struct Latest(RwLock<Arc<Answers>>);

/// Counts, and the texts of them that were asked for.
#[derive(Debug, Default)]
struct Answers {
    counts: Counts,
    open_metrics: OnceLock<Bytes>,
    prometheus: OnceLock<Bytes>,
    json: OnceLock<Bytes>,
}

impl Latest {
    /// Begins with these counts.
    pub fn new(counts: Counts) -> Latest {
        let latest = Latest::default();
        latest.set(counts);
        latest
    }

    /// New counts.
    pub fn set(&self, counts: Counts) {
        let answers = Arc::new(Answers {
            counts,
            ..Answers::default()
        });
        *self
            .0
            .write()
            .unwrap_or_else(|poisoned| poisoned.into_inner()) = answers;
    }

    /// The last counts.
    pub fn get(&self) -> Counts {
        self.answers().counts.clone()
    }

    fn answers(&self) -> Arc<Answers> {
        let answers = self
            .0
            .read()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        Arc::clone(&answers)
    }
}

impl Answers {
    fn text(&self, format: Format) -> Bytes {
        let made = match format {
            Format::OpenMetrics => &self.open_metrics,
            Format::Prometheus => &self.prometheus,
        };
        made.get_or_init(|| text(&self.counts, format).into())
            .clone()
    }

    fn json(&self) -> Bytes {
        let made = self.json.get_or_init(|| {
            let json = serde_json::to_vec(&self.counts);
            json.expect("the keys of our records are strings").into()
        });
        made.clone()
    }
}

/// Why the endpoint does not serve, or did not answer.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// An address cannot be bound.
    #[error("listen on {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        error: io::Error,
    },
    /// The Unix socket cannot be bound.
    #[error("listen on the socket {}: {error}", path.display())]
    ListenSocket {
        /// Its path.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The thread of the endpoint cannot start.
    #[error("start the metrics endpoint: {0}")]
    Start(io::Error),
    /// No service listens on the socket.
    #[error(
        "no service runs here: nobody listens on {}. Start it with: systemctl start onramp",
        path.display()
    )]
    NoService {
        /// The path of the socket.
        path: PathBuf,
    },
    /// The service did not answer.
    #[error("ask the service at {}: {error}", path.display())]
    Ask {
        /// The path of the socket.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The service's answer is not what this version of Onramp understands.
    #[error(
        "the service at {} answered something else: {what}. Is it of another version of Onramp?",
        path.display()
    )]
    Answer {
        /// The path of the socket.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

/// The endpoint. It serves until the value is dropped.
#[derive(Debug)]
pub struct Endpoint {
    addresses: Vec<SocketAddr>,
    socket: Option<PathBuf>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Endpoint {
    /// Listens on these addresses, which the host need not have yet, and on a Unix socket of this
    /// path, which every user may ask. A port 0 becomes a free one ([`Endpoint::addresses`]).
    ///
    /// # Errors
    /// An address that cannot be bound. Nothing is served then.
    pub fn start(
        addresses: &[SocketAddr],
        socket: Option<&Path>,
        latest: Arc<Latest>,
    ) -> Result<Endpoint, EndpointError> {
        let mut tcp = Vec::new();
        for address in addresses {
            tcp.push(listen_on(address).map_err(|error| EndpointError::Listen {
                address: *address,
                error,
            })?);
        }
        let bound = tcp.iter().map(|listener| listener.local_addr());
        let addresses = bound
            .collect::<Result<_, _>>()
            .map_err(EndpointError::Start)?;
        let unix = socket.map(listen_at).transpose()?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(EndpointError::Start)?;
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new()
            .name("metrics".to_owned())
            .spawn(move || runtime.block_on(serve(tcp, unix, latest, stopped)))
            .map_err(EndpointError::Start)?;
        Ok(Endpoint {
            addresses,
            socket: socket.map(Path::to_owned),
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// The addresses that it listens on.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a panic there is no reason to panic here
        }
        if let Some(socket) = &self.socket {
            let _ = std::fs::remove_file(socket); // somebody may have removed it
        }
    }
}

/// Listens on an address. The host need not have it yet: the service starts before the network.
fn listen_on(address: &SocketAddr) -> io::Result<std::net::TcpListener> {
    let family = match address {
        SocketAddr::V4(_) => AddressFamily::Inet,
        SocketAddr::V6(_) => AddressFamily::Inet6,
    };
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    let listener = socket(family, SockType::Stream, flags, None)?;
    setsockopt(&listener, sockopt::ReuseAddr, &true)?;
    setsockopt(&listener, sockopt::IpFreebind, &true)?;
    bind(listener.as_raw_fd(), &SockaddrStorage::from(*address))?;
    listen(&listener, Backlog::MAXCONN)?;
    Ok(listener.into())
}

/// Listens on a Unix socket. A socket that a killed service left is replaced.
fn listen_at(path: &Path) -> Result<std::os::unix::net::UnixListener, EndpointError> {
    use std::os::unix::net::{UnixListener, UnixStream};
    let listen = || {
        if UnixStream::connect(path).is_ok() {
            return Err(io::Error::from(io::ErrorKind::AddrInUse));
        }
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(path)?;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o666))?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    };
    listen().map_err(|error| EndpointError::ListenSocket {
        path: path.to_owned(),
        error,
    })
}

/// Serves until `stopped`.
async fn serve(
    tcp: Vec<std::net::TcpListener>,
    unix: Option<std::os::unix::net::UnixListener>,
    latest: Arc<Latest>,
    stopped: oneshot::Receiver<()>,
) {
    let clients = Clients::default();
    for listener in tcp {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
            continue;
        };
        let (clients, latest) = (clients.clone(), Arc::clone(&latest));
        tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => clients.add(answer(stream, Arc::clone(&latest))),
                    Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
                }
            }
        });
    }
    if let Some(listener) = unix.and_then(|unix| tokio::net::UnixListener::from_std(unix).ok()) {
        tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => clients.add(answer(stream, Arc::clone(&latest))),
                    Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
                }
            }
        });
    }
    let _ = stopped.await; // the sender is dropped
}

/// The clients that are served, the oldest first.
#[derive(Clone, Default)]
struct Clients(Arc<std::sync::Mutex<VecDeque<AbortHandle>>>);

impl Clients {
    fn add(&self, answer: impl std::future::Future<Output = ()> + Send + 'static) {
        let mut clients = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        clients.retain(|client| !client.is_finished());
        if clients.len() >= MAX_CLIENTS {
            if let Some(oldest) = clients.pop_front() {
                oldest.abort();
            }
        }
        clients.push_back(tokio::spawn(answer).abort_handle());
    }
}

/// Answers one request.
async fn answer(stream: impl AsyncRead + AsyncWrite + Unpin + Send, latest: Arc<Latest>) {
    let respond = |request: Request<Incoming>| {
        let response = respond(&request, &latest);
        std::future::ready(Ok::<_, Infallible>(response))
    };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .keep_alive(false)
        .max_buf_size(MAX_REQUEST)
        .serve_connection(TokioIo::new(stream), service_fn(respond));
    let _ = tokio::time::timeout(DEADLINE, connection).await; // a client's error is its own
}

fn respond(request: &Request<Incoming>, latest: &Latest) -> Response<Full<Bytes>> {
    let response = Response::builder();
    let (response, body) = if ![Method::GET, Method::HEAD].contains(request.method()) {
        let response = response.status(StatusCode::METHOD_NOT_ALLOWED);
        (response.header(ALLOW, "GET, HEAD"), Bytes::new())
    } else {
        match request.uri().path() {
            "/metrics" => {
                let accept = request.headers().get(ACCEPT);
                let format = Format::accepted_by(accept.and_then(|accept| accept.to_str().ok()));
                let response = response.header(CONTENT_TYPE, format.content_type());
                (response, latest.answers().text(format))
            }
            "/counts" => {
                let response = response.header(CONTENT_TYPE, "application/json");
                (response, latest.answers().json())
            }
            "/" => (
                response.header(CONTENT_TYPE, "text/plain; charset=utf-8"),
                Bytes::from_static(b"onramp: /metrics for Prometheus, /counts as JSON\n"),
            ),
            _ => (
                response.status(StatusCode::NOT_FOUND),
                Bytes::from_static(b"There are /metrics and /counts.\n"),
            ),
        }
    };
    let response = response.body(Full::new(body));
    response.expect("the headers are constants")
}

/// Asks the service that listens on a Unix socket for its counts.
///
/// # Errors
/// [`EndpointError::NoService`] if nobody listens there.
pub fn fetch_counts(path: &Path) -> Result<Counts, EndpointError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => EndpointError::NoService {
            path: path.to_owned(),
        },
        _ => EndpointError::Ask {
            path: path.to_owned(),
            error,
        },
    };
    let answer = ask(path).map_err(failed)?;
    let wrong = |what: String| EndpointError::Answer {
        path: path.to_owned(),
        what,
    };
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .ok_or_else(|| wrong("no HTTP".to_owned()))?;
    let status = head.lines().next().unwrap_or("");
    if !status.contains(" 200 ") {
        return Err(wrong(status.to_owned()));
    }
    serde_json::from_str(body).map_err(|error| wrong(error.to_string()))
}

fn ask(path: &Path) -> io::Result<String> {
    let mut stream = std::os::unix::net::UnixStream::connect(path)?;
    stream.set_read_timeout(Some(DEADLINE))?;
    stream.set_write_timeout(Some(DEADLINE))?;
    stream.write_all(b"GET /counts HTTP/1.0\r\nHost: onramp\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
