//! The HTTP endpoint: `/metrics` for Prometheus, `/counts` as JSON for `onramp top`.
//!
//! It answers from the last counts that the service read, so a request costs the service nothing,
//! and the texts are made once for all clients.

use super::{text, Format};
use crate::counts::Counts;
use crate::http::{Answer, Bytes, Error, Request, Server, DEADLINE};
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, RwLock};

/// The Unix socket of the service. Its folder is made by the unit (`RuntimeDirectory=onramp`).
pub const SOCKET: &str = "/run/onramp/onramp.sock";

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
    /// An address or the socket cannot be bound.
    #[error(transparent)]
    Serve(#[from] Error),
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
pub struct Endpoint(Server);

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
        let respond = move |request: Request<'_>| respond(request, &latest);
        let server = Server::start("metrics", addresses, socket, Arc::new(respond))?;
        Ok(Endpoint(server))
    }

    /// The addresses that it listens on.
    pub fn addresses(&self) -> &[SocketAddr] {
        self.0.addresses()
    }
}

fn respond(request: Request<'_>, latest: &Latest) -> Answer {
    match request.path {
        "/metrics" => {
            let format = Format::accepted_by(request.accept);
            Answer::new(format.content_type(), latest.answers().text(format))
        }
        "/counts" => Answer::new("application/json", latest.answers().json()),
        "/" => Answer::new(
            "text/plain; charset=utf-8",
            "onramp: /metrics for Prometheus, /counts as JSON\n",
        ),
        _ => Answer::not_found("There are /metrics and /counts.\n"),
    }
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
