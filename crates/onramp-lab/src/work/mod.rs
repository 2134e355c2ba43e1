//! The work of the hosts: flows from senders to receivers, and sampling of the senders' state.

mod cpu_wait;
mod ends;
mod flow;
mod job;
mod prepared;
mod quic;
mod relay;
mod sampler;
mod sending_end;
mod sockets;
mod state;
mod tcp_info;

pub use ends::BUFFER_BYTES;
pub use flow::{Flow, Plan, TcpFlow};
pub use job::{Job, NEVER_NS};
pub use prepared::PreparedFlow;
pub use quic::QuicPlan;
pub use sampler::{Sample, Sampler};
pub use sockets::OpenSockets;
pub use state::FlowState;
pub use tcp_info::TcpInfo;
