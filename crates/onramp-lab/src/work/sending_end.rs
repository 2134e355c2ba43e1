//! The sending end of a connection, which other threads ask for its statistics.

use super::tcp_info::TcpInfo;
use onramp_hq::noq::Connection;
use std::io;
use std::net::TcpStream;
use std::sync::Arc;

/// The sending end of a connection.
#[derive(Clone)]
pub enum SendingEnd {
    /// A socket of this kernel's TCP.
    Tcp(Arc<TcpStream>),
    /// A connection of noq.
    Quic(Connection),
}

impl SendingEnd {
    /// The statistics of the connection.
    ///
    /// # Errors
    /// The socket call failed.
    pub fn info(&self) -> io::Result<TcpInfo> {
        match self {
            SendingEnd::Tcp(socket) => TcpInfo::of(socket),
            SendingEnd::Quic(connection) => Ok(TcpInfo::of_quic(&connection.stats())),
        }
    }

    /// The same, if they are complete enough for a trace: noq does not tell which bytes were
    /// acknowledged.
    pub fn traced_info(&self) -> Option<TcpInfo> {
        match self {
            SendingEnd::Tcp(socket) => TcpInfo::of(socket).ok(),
            SendingEnd::Quic(_) => None,
        }
    }
}
