//! Addresses and ports: made up from the numbers of nodes and flows, so that a reader can tell
//! which is which.

use onramp_tcp::wire::Endpoints;
use std::net::{Ipv4Addr, SocketAddrV4};

/// 10.0.0.0, of which each node has the address of its place, the first one 10.0.0.1.
const NETWORK: u32 = 10 << 24;
/// The receiver opens the connection from this port on: the ephemeral ports of Linux.
const FIRST_CLIENT_PORT: u16 = 32_768;
const CLIENT_PORTS: u32 = 1 << 15;
/// The sender listens here; the next 32,768 flows go to the next port.
const FIRST_SERVER_PORT: u16 = 8_400;

/// The address of a node, by its place in the scenario: 10.x.y.z, counted from 10.0.0.1.
pub fn node_address(node: u32) -> Ipv4Addr {
    // A scenario has thousands of nodes at most.
    Ipv4Addr::from(NETWORK + ((node + 1) & 0x00ff_ffff))
}

/// The ends of a flow, as its data see them: from the sender to the receiver.
///
/// The sender's port is 8400 + flow / 32768, the receiver's 32768 + flow mod 32768.
pub fn endpoints(flow: u32, from: u32, to: u32) -> Endpoints {
    let server_port = FIRST_SERVER_PORT.wrapping_add((flow / CLIENT_PORTS) as u16);
    let client_port = FIRST_CLIENT_PORT + (flow % CLIENT_PORTS) as u16;
    Endpoints {
        source: SocketAddrV4::new(node_address(from), server_port),
        destination: SocketAddrV4::new(node_address(to), client_port),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_and_flows_can_be_told_from_their_addresses() {
        let text = |flow, from, to| {
            let ends = endpoints(flow, from, to);
            format!("{} > {}", ends.source, ends.destination)
        };
        assert_eq!(text(0, 0, 1), "10.0.0.1:8400 > 10.0.0.2:32768");
        assert_eq!(text(32_767, 255, 65_535), "10.0.1.0:8400 > 10.1.0.0:65535");
        assert_eq!(text(32_768, 1, 0), "10.0.0.2:8401 > 10.0.0.1:32768");
    }
}
