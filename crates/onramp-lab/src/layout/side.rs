//! The two hosts of a lab.

/// One of the two hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The host of all nodes that send data.
    Sender,
    /// The host of all nodes that receive data.
    Receiver,
}
