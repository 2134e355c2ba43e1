//! Relays that are not where they are said to be.

/// Why a node cannot be the relay that it is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotBetween {
    /// It sends the data.
    Sender,
    /// It receives them.
    Receiver,
    /// It comes earlier on the way than one that is named before it.
    Order,
    /// The way does not lead over it.
    Elsewhere,
}

impl NotBetween {
    /// What is wrong with this relay of a flow.
    pub(super) fn sentence(self, node: &str, from: &str, to: &str) -> String {
        match self {
            NotBetween::Sender => {
                format!("`{node}` is the sender, and cannot be a relay on the way to `{to}`")
            }
            NotBetween::Receiver => {
                format!("`{node}` is the receiver, and cannot be a relay on the way from `{from}`")
            }
            NotBetween::Order => {
                format!("`{node}` stands too late: the way from `{from}` to `{to}` has it earlier")
            }
            NotBetween::Elsewhere => format!("`{node}` is not on the way from `{from}` to `{to}`"),
        }
    }
}

/// What can be a relay: the nodes of the way, without its ends.
pub(super) fn mend(way: &[String]) -> String {
    if way.is_empty() {
        return "that way has no node between: leave `split` out".to_owned();
    }
    let way: Vec<_> = way.iter().map(|node| format!("`{node}`")).collect();
    format!("between them are, in this order, {}", way.join(", "))
}
