//! What `download` needs of noq.

pub use noq_proto::congestion::{Bbr3Config as BbrConfig, ControllerFactory, CubicConfig};
pub use noq_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, Event, ServerConfig,
    StreamId, TransportConfig, VarInt,
};

use super::download::MAX_DATAGRAMS;
use bytes::BytesMut;
use noq_proto::{EndpointConfig, FourTuple, Transmit};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

pub const NAME: &str = "noq";

pub fn endpoint(seed: [u8; 32], server_config: Option<Arc<ServerConfig>>) -> Endpoint {
    let mut config = EndpointConfig::default();
    config.rng_seed(Some(seed));
    Endpoint::new(Arc::new(config), server_config, true)
}

pub fn handle(
    endpoint: &mut Endpoint,
    now: Instant,
    from: SocketAddr,
    datagram: BytesMut,
    response: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(now, FourTuple::from_remote(from), None, datagram, response)
}

pub fn transmit(
    connection: &mut Connection,
    now: Instant,
    buffer: &mut Vec<u8>,
) -> Option<Transmit> {
    let datagrams = NonZeroUsize::new(MAX_DATAGRAMS).expect("some");
    connection.poll_transmit(now, datagrams, buffer)
}
