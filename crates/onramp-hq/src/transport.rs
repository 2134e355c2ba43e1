//! What the QUIC transports of servers and clients have in common.

use noq::{Endpoint, TransportConfig, VarInt};
use std::time::Duration;

/// The protocol's name in the handshake (ALPN): HTTP/0.9 over QUIC, as in the QUIC interop runner.
pub const ALPN: &[u8] = b"hq-interop";

/// How long an endpoint that has closed its connections answers the packets that still arrive. A
/// peer whose packets get no answer goes on until its idle timeout.
const LINGER: Duration = Duration::from_millis(500);

/// Limits and sizes of a connection's transport. The defaults serve paths of up to 64 MiB between
/// sender and receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransportLimits {
    /// Maximum number of unread bytes, of one stream and of all: flow control of the receiver.
    pub receive_window_bytes: u32,
    /// Maximum number of bytes that were sent and are not acknowledged.
    pub send_window_bytes: u64,
    /// Maximum number of streams that the peer may open at the same time.
    pub streams: u32,
    /// Time without packets after which a connection ends.
    pub idle_timeout: Duration,
    /// UDP payload of a full packet if the path is known to carry it; `None`: noq begins with
    /// 1,200 bytes and searches up to 1,452 (DPLPMTUD, RFC 8899).
    pub udp_payload_bytes: Option<u16>,
}

impl Default for TransportLimits {
    fn default() -> TransportLimits {
        TransportLimits {
            receive_window_bytes: 64 << 20,
            send_window_bytes: 64 << 20,
            streams: 100,
            idle_timeout: Duration::from_secs(30),
            udp_payload_bytes: None,
        }
    }
}

impl TransportLimits {
    /// The configuration of a transport.
    pub fn config(&self) -> TransportConfig {
        let mut config = TransportConfig::default();
        let idle_ms = u32::try_from(self.idle_timeout.as_millis()).unwrap_or(u32::MAX);
        config
            .max_concurrent_bidi_streams(self.streams.into())
            .max_concurrent_uni_streams(0_u8.into())
            .stream_receive_window(self.receive_window_bytes.into())
            .receive_window(self.receive_window_bytes.into())
            .send_window(self.send_window_bytes)
            .max_idle_timeout(Some(VarInt::from_u32(idle_ms).into()));
        if let Some(bytes) = self.udp_payload_bytes {
            config.initial_mtu(bytes).mtu_discovery_config(None);
        }
        config
    }
}

/// Closes all connections of an endpoint, and tells their peers the reason.
pub async fn close_endpoint(endpoint: &Endpoint, reason: &str) {
    endpoint.close(0_u8.into(), reason.as_bytes());
    // noq waits for three timeouts of each connection: two seconds where the RTT is 600 ms.
    let _ = tokio::time::timeout(LINGER, endpoint.wait_idle()).await;
}
