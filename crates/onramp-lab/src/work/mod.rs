//! What the hosts do: flows of data from senders to receivers, and a look at the senders' state.

mod content;
mod flow;
mod sampler;
mod sockets;
mod tcp_info;

pub use content::Content;
pub use flow::{Flow, FlowState, Plan, PreparedFlow, Role, BUFFER_BYTES};
pub use sampler::{Sample, Sampler};
pub use sockets::OpenSockets;
pub use tcp_info::TcpInfo;
