//! A small HTTP server: for the metrics, and for the folder of a page.
//!
//! A thread of its own serves all clients, on TCP and on a Unix socket. A client has [`DEADLINE`]
//! for its whole request. Each address and the socket have at most [`MAX_CLIENTS`]; one more ends
//! the oldest of the same. So clients that hold their connection open keep nobody out, and a local
//! user on the socket ends no client of an address.

use http_body_util::Full;
pub use hyper::body::Bytes;
use hyper::body::Incoming;
use hyper::header::X_CONTENT_TYPE_OPTIONS;
use hyper::header::{HeaderValue, ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use nix::fcntl::AT_FDCWD;
use nix::sys::socket::{
    bind, listen, setsockopt, socket, sockopt, AddressFamily, Backlog, SockFlag, SockType,
    SockaddrStorage,
};
use nix::sys::stat::{fchmodat, FchmodatFlags, Mode};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

/// The time that a client has from its connection until it has the answer.
pub const DEADLINE: Duration = Duration::from_secs(10);
/// Clients of an address, or of the socket, at the same time.
pub const MAX_CLIENTS: usize = 64;
/// Bytes of a request that are read before it is refused.
const MAX_REQUEST: usize = 16 * 1024;
/// The pause after a failed accept, as when descriptors are used up.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Why a server does not serve.
#[derive(Debug, thiserror::Error)]
pub enum Error {
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
    /// The server's thread cannot start.
    #[error("start the HTTP server: {0}")]
    Start(io::Error),
}

/// A GET or HEAD request.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The path, as the client wrote it.
    pub path: &'a str,
    /// The media types that the client accepts.
    pub accept: Option<&'a str>,
}

/// An answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether there is something at this path.
    pub is_found: bool,
    /// The media type of the body.
    pub content_type: &'static str,
    /// The body.
    pub body: Bytes,
}

impl Answer {
    /// What is at the path.
    pub fn new(content_type: &'static str, body: impl Into<Bytes>) -> Answer {
        Answer {
            is_found: true,
            content_type,
            body: body.into(),
        }
    }

    /// There is nothing at the path. The text says what there is.
    pub fn not_found(text: &'static str) -> Answer {
        Answer {
            is_found: false,
            ..Answer::new("text/plain; charset=utf-8", text)
        }
    }
}

/// Answers requests, on the server's thread.
pub type Respond = Arc<dyn Fn(Request<'_>) -> Answer + Send + Sync>;

/// The server. It serves until the value is dropped.
#[derive(Debug)]
pub struct Server {
    addresses: Vec<SocketAddr>,
    socket: Option<PathBuf>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens on these addresses, which the host need not have yet, and on a Unix socket of this
    /// path, which every user may ask. A port 0 becomes a free one ([`Server::addresses`]). `name`
    /// is that of the thread.
    ///
    /// # Errors
    /// An address that cannot be bound. Nothing is served then.
    pub fn start(
        name: &str,
        addresses: &[SocketAddr],
        socket: Option<&Path>,
        respond: Respond,
    ) -> Result<Server, Error> {
        let mut tcp = Vec::new();
        for address in addresses {
            tcp.push(listen_on(address).map_err(|error| Error::Listen {
                address: *address,
                error,
            })?);
        }
        let bound = tcp.iter().map(|listener| listener.local_addr());
        let addresses = bound.collect::<Result<_, _>>().map_err(Error::Start)?;
        let unix = socket.map(listen_at).transpose()?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(Error::Start)?;
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || runtime.block_on(serve(tcp, unix, respond, stopped)))
            .map_err(Error::Start)?;
        Ok(Server {
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

impl Drop for Server {
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

/// Listens on a Unix socket. A socket that a killed service left is replaced; anything else in its
/// place stays, and no link is followed.
fn listen_at(path: &Path) -> Result<std::os::unix::net::UnixListener, Error> {
    use std::os::unix::net::{UnixListener, UnixStream};
    let listen = || {
        match std::fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
            Ok(found) if !found.file_type().is_socket() => {
                return Err(io::Error::other("there is something that is no socket"));
            }
            Ok(_) if UnixStream::connect(path).is_ok() => {
                return Err(io::Error::from(io::ErrorKind::AddrInUse));
            }
            Ok(_) => std::fs::remove_file(path)?,
        }
        let listener = UnixListener::bind(path)?;
        let everybody = Mode::from_bits_retain(0o666);
        fchmodat(AT_FDCWD, path, everybody, FchmodatFlags::NoFollowSymlink)?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    };
    listen().map_err(|error| Error::ListenSocket {
        path: path.to_owned(),
        error,
    })
}

/// Serves until `stopped`.
async fn serve(
    tcp: Vec<std::net::TcpListener>,
    unix: Option<std::os::unix::net::UnixListener>,
    respond: Respond,
    stopped: oneshot::Receiver<()>,
) {
    for listener in tcp {
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
            continue;
        };
        let accept = async move || Ok(listener.accept().await?.0);
        tokio::spawn(accept_all(accept, Arc::clone(&respond)));
    }
    if let Some(listener) = unix.and_then(|unix| tokio::net::UnixListener::from_std(unix).ok()) {
        tokio::spawn(accept_all(
            async move || Ok(listener.accept().await?.0),
            respond,
        ));
    }
    let _ = stopped.await; // the sender is dropped
}

/// Answers the clients of one listener.
async fn accept_all<S>(accept: impl AsyncFn() -> io::Result<S>, respond: Respond)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut clients = Clients::default();
    loop {
        match accept().await {
            Ok(stream) => clients.add(answer(stream, Arc::clone(&respond))),
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// The clients of one listener that are served, the oldest first.
#[derive(Default)]
struct Clients(VecDeque<AbortHandle>);

impl Clients {
    fn add(&mut self, answer: impl std::future::Future<Output = ()> + Send + 'static) {
        self.0.retain(|client| !client.is_finished());
        if self.0.len() >= MAX_CLIENTS {
            if let Some(oldest) = self.0.pop_front() {
                oldest.abort();
            }
        }
        self.0.push_back(tokio::spawn(answer).abort_handle());
    }
}

/// Answers one request.
async fn answer(stream: impl AsyncRead + AsyncWrite + Unpin + Send, respond: Respond) {
    let respond = |request: hyper::Request<Incoming>| {
        let response = response(&request, &respond);
        std::future::ready(Ok::<_, Infallible>(response))
    };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .keep_alive(false)
        .max_buf_size(MAX_REQUEST)
        .serve_connection(TokioIo::new(stream), service_fn(respond));
    let _ = tokio::time::timeout(DEADLINE, connection).await; // a client's error is its own
}

fn response(request: &hyper::Request<Incoming>, respond: &Respond) -> Response<Full<Bytes>> {
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        let mut response = Response::new(Full::default());
        *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
        let headers = response.headers_mut();
        headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    let accept = request.headers().get(ACCEPT);
    let answer = respond(Request {
        path: request.uri().path(),
        accept: accept.and_then(|accept| accept.to_str().ok()),
    });
    let mut response = Response::new(Full::new(answer.body));
    if !answer.is_found {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(answer.content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
