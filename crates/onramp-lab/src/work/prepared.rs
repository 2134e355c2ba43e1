//! A flow before its start, over either transport.

use super::flow::{Flow, TcpFlow};
use super::quic::QuicFlow;
use std::net::SocketAddr;

/// A flow before its start.
pub enum PreparedFlow {
    /// Over this kernel's TCP.
    Tcp(TcpFlow),
    /// Over noq.
    Quic(QuicFlow),
}

impl PreparedFlow {
    /// The address and port of the sender that is traced.
    pub fn traced_sender(&self) -> SocketAddr {
        match self {
            PreparedFlow::Tcp(flow) => flow.traced_sender(),
            PreparedFlow::Quic(flow) => flow.sender(),
        }
    }

    /// Starts the threads. The receiver connects `start_ns` after the beginning of the run, unless
    /// the flow stops before.
    pub fn start(self, begin_ns: u64, start_ns: u64) -> Flow {
        match self {
            PreparedFlow::Tcp(flow) => flow.start(begin_ns, start_ns),
            PreparedFlow::Quic(flow) => flow.start(begin_ns.saturating_add(start_ns)),
        }
    }
}
