//! Finding what is registered, by this process or another, and the connections that use it.
//!
//! Nothing is pinned or written to a file. The kernel's own lists of maps and programs are the only
//! record, so they cannot be out of date. The map with the configuration identifies a congestion
//! control of Onramp.

mod connections;
mod loaded;
mod names;
mod operations;
mod sockets;

pub use connections::{connections, Connection, Pairs};
pub(crate) use loaded::{found, owner_of, DEFAULTS_MAP, NAME_PREFIX};
pub use loaded::{loaded, registered, Loaded};
pub use names::{default_in_this_namespace, registered_names};
