//! Addresses and ports of the simulated hosts. They follow from the numbers of nodes and flows, so
//! that a reader of a capture can identify both.

use onramp_tcp::wire::Endpoints;
use onramp_tcp::IpVersion;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The network 10.0.0.0/8. The first node has the address 10.0.0.1, the second 10.0.0.2.
const NETWORK: u32 = 10 << 24;
/// The network fd00::/64. The first node has the address fd00::1, the second fd00::2.
const NETWORK_V6: u128 = 0xfd00 << 112;
/// The first port of receivers, which open the connections: the ephemeral ports of Linux.
const FIRST_CLIENT_PORT: u16 = 32_768;
const CLIENT_PORTS: u32 = 1 << 15;
/// The port on which senders listen. Each further 32,768 flows use the next port.
const FIRST_SERVER_PORT: u16 = 8_400;

/// The address of a node: 10.0.0.1 or fd00::1 for node 0, 10.0.0.2 or fd00::2 for node 1. `node` is
/// its position in the scenario, from 0.
pub fn node_address(ip: IpVersion, node: u32) -> IpAddr {
    // A scenario has thousands of nodes at most.
    let number = (node + 1) & 0x00ff_ffff;
    match ip {
        IpVersion::V4 => Ipv4Addr::from(NETWORK + number).into(),
        IpVersion::V6 => Ipv6Addr::from(NETWORK_V6 + u128::from(number)).into(),
    }
}

/// Addresses and ports of a flow in the direction of its data: from node `from`, the sender, to
/// node `to`, the receiver.
///
/// The port of the sender is 8400 + flow / 32768, the port of the receiver 32768 + flow mod 32768.
pub fn endpoints(ip: IpVersion, flow: u32, from: u32, to: u32) -> Endpoints {
    let server_port = FIRST_SERVER_PORT.wrapping_add((flow / CLIENT_PORTS) as u16);
    let client_port = FIRST_CLIENT_PORT + (flow % CLIENT_PORTS) as u16;
    Endpoints {
        source: SocketAddr::new(node_address(ip, from), server_port),
        destination: SocketAddr::new(node_address(ip, to), client_port),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_ports_identify_nodes_and_flows() {
        let text_of = |ip, flow, from, to| {
            let ends = endpoints(ip, flow, from, to);
            format!("{} > {}", ends.source, ends.destination)
        };
        let text = |flow, from, to| text_of(IpVersion::V4, flow, from, to);
        assert_eq!(text(0, 0, 1), "10.0.0.1:8400 > 10.0.0.2:32768");
        assert_eq!(text(32_767, 255, 65_535), "10.0.1.0:8400 > 10.1.0.0:65535");
        assert_eq!(text(32_768, 1, 0), "10.0.0.2:8401 > 10.0.0.1:32768");
        assert_eq!(
            text_of(IpVersion::V6, 7, 0, 255),
            "[fd00::1]:8400 > [fd00::100]:32775"
        );
    }
}
