//! What the hosts do: flows of data from senders to receivers, and a look at the senders' state.

mod content;
mod ends;
mod flow;
mod sampler;
mod sockets;
mod state;
mod tcp_info;

pub use content::Content;
pub use ends::{BUFFER_BYTES, NEVER_NS};
pub use flow::{Flow, Job, Plan, PreparedFlow};
pub use sampler::{Sample, Sampler};
pub use sockets::OpenSockets;
pub use state::FlowState;
pub use tcp_info::TcpInfo;
