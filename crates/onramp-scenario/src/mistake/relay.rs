//! Relays of a split connection that are not where the file puts them.

/// Why a node cannot be the relay that it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotBetween {
    /// The node sends the data.
    Sender,
    /// The node receives the data.
    Receiver,
    /// The route passes the node before a relay that the file names earlier.
    Order,
    /// The route does not pass the node.
    Elsewhere,
}

impl NotBetween {
    /// The sentence about this relay of a flow.
    pub(super) fn sentence(self, node: &str, from: &str, to: &str) -> String {
        match self {
            NotBetween::Sender => {
                format!("`{node}` is the sender and cannot be a relay on the route to `{to}`")
            }
            NotBetween::Receiver => {
                format!("`{node}` is the receiver and cannot be a relay on the route from `{from}`")
            }
            NotBetween::Order => {
                format!(
                    "`{node}` is named too late: the route from `{from}` to `{to}` passes it \
                     earlier"
                )
            }
            NotBetween::Elsewhere => {
                format!("`{node}` is not on the route from `{from}` to `{to}`")
            }
        }
    }
}

/// The nodes that can be relays: those of the route without its ends.
pub(super) fn help(route: &[String]) -> String {
    if route.is_empty() {
        return "this route has no node between its ends: leave `split` out".to_owned();
    }
    let route: Vec<_> = route.iter().map(|node| format!("`{node}`")).collect();
    format!(
        "the nodes between the ends are, in this order, {}",
        route.join(", ")
    )
}
