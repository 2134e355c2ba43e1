//! Why a server or a client cannot do its work. Each message says what to do.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// An error of a server or of a client.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file of the certificate, of the key or of trusted certificates cannot be used.
    #[error("{what} {} cannot be used: {reason}", file.display())]
    Pem {
        /// What the file should hold.
        what: &'static str,
        /// The file.
        file: PathBuf,
        /// What is wrong, and what was expected.
        reason: String,
    },
    /// This host trusts no certificate authority.
    #[error(
        "this host has no certificates of authorities ({reason}): install `ca-certificates`, or \
         name the certificate that the server must have"
    )]
    NoAuthorities {
        /// What the system said.
        reason: String,
    },
    /// The TLS library refused the certificate or the key.
    #[error("the certificate and the key cannot be used: {reason}")]
    Tls {
        /// What the library said.
        reason: String,
    },
    /// The folder to serve is missing.
    #[error("the folder {} cannot be served: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The UDP socket cannot be opened.
    #[error(
        "UDP address {address} cannot be opened: {source}{}",
        advice_on_address(source)
    )]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },
    /// The UDP socket failed.
    #[error("the UDP socket cannot be used: {0}")]
    Socket(io::Error),
    /// A URL cannot be read.
    #[error("`{url}` is no URL to download from: {reason}; expected https://HOST[:PORT]/PATH")]
    Url {
        /// The text.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// The name of a host has no address.
    #[error("the host `{host}` has no address: {reason}")]
    Host {
        /// The name.
        host: String,
        /// What the system said.
        reason: String,
    },
    /// The handshake failed, or the connection ended.
    #[error("{address}: {what}: {reason}{advice}")]
    Connection {
        /// The server.
        address: SocketAddr,
        /// What failed.
        what: &'static str,
        /// The reason, as the library gives it.
        reason: String,
        /// What to do, as a further part of the sentence; empty if that is unknown.
        advice: &'static str,
    },
    /// The server refused a request.
    #[error("the server refused {path}: {refusal}")]
    Refused {
        /// The path of the request.
        path: String,
        /// The reason.
        refusal: crate::Refusal,
    },
    /// The generated content arrived with a wrong byte, or with another length.
    #[error("{path}: {reason}: the path or one end corrupts data")]
    Content {
        /// The path of the request.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// The received data cannot be written.
    #[error("the received data cannot be written: {0}")]
    Output(io::Error),
    /// A qlog file cannot be written.
    #[error("the folder {} cannot take qlog files: {source}", folder.display())]
    Qlog {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The start-up cannot be used over QUIC.
    #[error(transparent)]
    Startup(#[from] onramp_quic::UnsupportedStartup),
    /// The start-up needs a rate, which nobody gives.
    #[error(
        "start-up `{startup}` sends at a rate that is reserved for each connection, and this \
         server reserves none: choose another start-up"
    )]
    Rate {
        /// The start-up.
        startup: String,
    },
    /// The start-up cannot hand over to this avoidance.
    #[error(
        "start-up `{startup}` hands over to cubic or bbr: leave out `{avoidance}`, or the start-up"
    )]
    Avoidance {
        /// The start-up.
        startup: String,
        /// The avoidance that was asked for.
        avoidance: &'static str,
    },
}

impl Error {
    /// Whether the host lacks something; otherwise the request, the peer or the path is at fault.
    pub fn is_of_host(&self) -> bool {
        matches!(self, Error::NoAuthorities { .. } | Error::Socket(_))
    }
}

fn advice_on_address(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => "; choose another port, or end the program that uses it",
        io::ErrorKind::AddrNotAvailable => "; choose an address of this host, or 0.0.0.0 for all",
        io::ErrorKind::PermissionDenied => "; ports below 1024 need root: choose a higher one",
        _ => "",
    }
}
