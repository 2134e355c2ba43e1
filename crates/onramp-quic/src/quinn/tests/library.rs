//! What `download` needs of quinn.

pub use quinn_proto::congestion::{BbrConfig, ControllerFactory, CubicConfig};
pub use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, Event, ServerConfig,
    StreamId, TransportConfig, VarInt,
};

use super::download::MAX_DATAGRAMS;
use bytes::BytesMut;
use quinn_proto::{EndpointConfig, Transmit};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

pub const NAME: &str = "quinn";

pub fn endpoint(seed: [u8; 32], server_config: Option<Arc<ServerConfig>>) -> Endpoint {
    let config = Arc::new(EndpointConfig::default());
    Endpoint::new(config, server_config, true, Some(seed))
}

pub fn handle(
    endpoint: &mut Endpoint,
    now: Instant,
    from: SocketAddr,
    datagram: BytesMut,
    response: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(now, from, None, None, datagram, response)
}

pub fn transmit(
    connection: &mut Connection,
    now: Instant,
    buffer: &mut Vec<u8>,
) -> Option<Transmit> {
    connection.poll_transmit(now, MAX_DATAGRAMS, buffer)
}
