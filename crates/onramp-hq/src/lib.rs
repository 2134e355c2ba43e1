#![doc = include_str!("../README.md")]

mod admission;
mod certificate;
mod client;
mod congestion;
mod content;
mod error;
mod file;
mod qlog;
mod request;
mod server;
mod transport;
mod url;

pub use certificate::{Fingerprint, Identity, Trust};
pub use client::{Client, ClientSettings, Download, Session};
pub use congestion::{Avoidance, Congestion, Observer};
pub use content::{Content, WrongByte};
pub use error::Error;
pub use noq;
pub use onramp_quic::{startup_names, Path, PathKey, Paths, Remembered};
pub use qlog::{ConnectionLog, QlogFolder};
pub use request::{file_below, Refusal, Target, Writes, MAX_REQUEST_BYTES};
pub use server::{Event, Served, Server, ServerSettings, Unserved};
pub use transport::{close_endpoint, TransportLimits, ALPN};
pub use url::{Url, DEFAULT_PORT};
