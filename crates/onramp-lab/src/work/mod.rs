//! What the hosts do: flows of data from sender to receiver, and a look at the sender's state.

mod content;
mod flow;
mod sampler;
mod sockets;
mod tcp_info;

pub use content::Content;
pub use flow::{Flow, FlowState, Plan, PreparedFlow, Role};
pub use sampler::{Sample, Sampler};
pub use sockets::OpenSockets;
pub use tcp_info::TcpInfo;
