//! The configuration of QUIC flows, from the keys of a scenario.

use super::decisions::Decisions;
use super::{clock, tls};
use crate::error::Unsupported;
use noq_proto::congestion::{Bbr3Config, ControllerFactory, CubicConfig, NewRenoConfig};
use noq_proto::{EndpointConfig, IdleTimeout, TransportConfig, ValidationTokenConfig, VarInt};
use onramp_quic::noq::StartupConfig;
use onramp_quic::{Paths, Settings};
use onramp_scenario::{
    bytes_in, quic_supports, Avoidance, Buffer, Case, InitialWindow, Memory, NotInQuic, NO_STARTUP,
    UDP_HEADER_BYTES,
};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

/// Linux gives up after about as long without an answer (`net.ipv4.tcp_retries2`).
const IDLE_TIMEOUT: Duration = Duration::from_secs(900);
/// Simulated time 0 on the clock of the path memory, on which no time is 0.
const START_AFTER_1970: Duration = Duration::from_secs(1);

/// noq does not pace with a window beyond 32 bits. Otherwise it would pace a client's ACKs too,
/// against RFC 9002, section 7.7: at 600 ms, 2.4 ms would pass from one ACK to the next.
const UNPACED_WINDOW_BYTES: u64 = 1 << 33;

/// The configuration of the flows of a group.
#[derive(Clone, Debug)]
pub(crate) struct QuicPlan {
    pub(super) ecn: bool,
    control: Control,
    /// The initial window in datagrams. `None`: that of the congestion control.
    initial_window_datagrams: Option<u32>,
    /// Bytes that the client lets the server send beyond those it has read. `None`: noq's own.
    receive_window_bytes: Option<u64>,
    /// Bytes that the server's stream stores until they are acknowledged. `None`: noq's own.
    send_window_bytes: Option<u64>,
}

/// The congestion control of the servers.
#[derive(Clone, Debug)]
enum Control {
    /// noq's own, with its own slow start.
    Noq(Avoidance),
    /// A start-up, and then noq's CUBIC. The servers of one run share what they know of paths.
    Startup(Box<Startup>),
}

/// A start-up with what its connections have in common.
#[derive(Clone, Debug)]
struct Startup {
    settings: Settings,
    /// The rate that the file gives, counted in IP packets.
    pace_bits_per_s: Option<u64>,
    /// Headers of IP and UDP.
    header_bytes: u32,
    memory: Memory,
    paths: Paths,
}

/// What differs from connection to connection.
pub(crate) struct ConnectionParams {
    /// Payload of a full UDP datagram.
    pub datagram_bytes: u16,
    /// Key of the path in the path memory.
    pub memory_key: u64,
}

impl QuicPlan {
    /// The plan of a case's transfer.
    pub fn of(case: &Case) -> Result<QuicPlan, Unsupported> {
        let control = Control::of(case)?;
        quic_supports(case)?;
        let bytes_of = |buffer| match buffer {
            Buffer::LinuxDefault => None,
            Buffer::Bytes(bytes) => Some(bytes),
        };
        Ok(QuicPlan {
            ecn: case.transfer.ecn,
            control,
            initial_window_datagrams: match case.transfer.initial_window {
                InitialWindow::Segments(segments) => Some(segments),
                InitialWindow::Host | InitialWindow::Paper => None,
            },
            receive_window_bytes: bytes_of(case.receiver.buffer),
            send_window_bytes: bytes_of(case.sender.buffer),
        })
    }

    /// The server's configuration of a connection. Decisions of its start-up go to `decisions`.
    pub(super) fn server(
        &self,
        connection: &ConnectionParams,
        decisions: &Decisions,
    ) -> noq_proto::ServerConfig {
        let mut transport = transport(connection.datagram_bytes);
        let window_bytes = self
            .initial_window_datagrams
            .map(|datagrams| u64::from(datagrams) * u64::from(connection.datagram_bytes));
        let factory = self.control.factory(connection, window_bytes, decisions);
        transport.congestion_controller_factory(factory);
        if let Some(bytes) = self.send_window_bytes {
            transport.send_window(bytes);
        }
        let mut tokens = ValidationTokenConfig::default();
        tokens.sent(0);
        let mut config = noq_proto::ServerConfig::with_crypto(tls::SERVER.clone());
        config.transport_config(Arc::new(transport));
        config.validation_token_config(tokens);
        config
    }

    /// The client's configuration of a connection.
    pub(super) fn client(&self, connection: &ConnectionParams) -> noq_proto::ClientConfig {
        let mut transport = transport(connection.datagram_bytes);
        if let Some(bytes) = self.receive_window_bytes {
            let window = VarInt::try_from(bytes).unwrap_or(VarInt::MAX);
            transport.stream_receive_window(window);
            transport.receive_window(window);
        }
        let mut unpaced = CubicConfig::default();
        unpaced.initial_window(UNPACED_WINDOW_BYTES);
        transport.congestion_controller_factory(Arc::new(unpaced));
        let mut config = noq_proto::ClientConfig::new(tls::CLIENT.clone());
        config.transport_config(Arc::new(transport));
        config
    }
}

impl Control {
    fn of(case: &Case) -> Result<Control, NotInQuic> {
        let transfer = &case.transfer;
        if transfer.startup == NO_STARTUP {
            return Ok(Control::Noq(transfer.avoidance));
        }
        let refusal = |_| NotInQuic {
            key: "transfer.startup",
            asked: transfer.startup.clone(),
            supported: "start-ups without an option in the header of TCP",
        };
        let mut settings = Settings::named(&transfer.startup).map_err(refusal)?;
        settings.variant = transfer.given.variant(&transfer.startup, transfer.train);
        settings.parameters = transfer.given.parameters;
        Ok(Control::Startup(Box::new(Startup {
            settings,
            pace_bits_per_s: transfer.given.pace_bits_per_s,
            header_bytes: transfer.ip.header_bytes() + UDP_HEADER_BYTES,
            memory: transfer.memory,
            paths: Paths::with_clock(clock::at(0), UNIX_EPOCH + START_AFTER_1970),
        })))
    }

    /// The controllers of a connection.
    fn factory(
        &self,
        connection: &ConnectionParams,
        initial_window_bytes: Option<u64>,
        decisions: &Decisions,
    ) -> Arc<dyn ControllerFactory + Send + Sync> {
        match self {
            Control::Startup(startup) => {
                // Each destination is a prefix of its own.
                let prefix = u128::from(connection.memory_key) << 80;
                let address = IpAddr::V6(Ipv6Addr::from(prefix));
                let mut settings = startup.settings.clone();
                settings.initial_window_bytes = initial_window_bytes;
                settings.pace_bytes_per_s = startup.pace_bytes_per_s(connection.datagram_bytes);
                settings.path = Some(startup.paths.path(None, address, startup.memory));
                let config = StartupConfig::with(settings).expect("the settings were checked");
                let decisions = decisions.clone();
                Arc::new(
                    config.observer(move |now, decision| decisions.add(now, decision.record())),
                )
            }
            Control::Noq(Avoidance::Reno) => {
                let mut config = NewRenoConfig::default();
                initial_window_bytes.map(|bytes| config.initial_window(bytes));
                Arc::new(config)
            }
            Control::Noq(Avoidance::Bbr3) => {
                let mut config = Bbr3Config::default();
                initial_window_bytes.map(|bytes| config.initial_window(bytes));
                Arc::new(config)
            }
            Control::Noq(_) => {
                let mut config = CubicConfig::default();
                initial_window_bytes.map(|bytes| config.initial_window(bytes));
                Arc::new(config)
            }
        }
    }
}

impl Startup {
    /// The given rate as UDP payload, which noq counts.
    fn pace_bytes_per_s(&self, datagram_bytes: u16) -> Option<u64> {
        let datagram_bytes = u64::from(datagram_bytes);
        let packet_bytes = datagram_bytes + u64::from(self.header_bytes);
        let bits_per_s = self.pace_bits_per_s?;
        Some(bytes_in(bits_per_s, 1_000_000_000) * datagram_bytes / packet_bytes)
    }
}

/// What both ends have in common. The simulator knows the MTU of a path, so it needs no discovery.
fn transport(datagram_bytes: u16) -> TransportConfig {
    let mut config = TransportConfig::default();
    let idle = IdleTimeout::try_from(IDLE_TIMEOUT).expect("15 minutes fit a VarInt");
    config
        .initial_mtu(datagram_bytes)
        .min_mtu(datagram_bytes)
        .mtu_discovery_config(None)
        .max_idle_timeout(Some(idle));
    config
}

/// An endpoint's configuration, with this seed.
pub(super) fn endpoint(datagram_bytes: u16, seed: u64) -> EndpointConfig {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut config = EndpointConfig::default();
    config.rng_seed(Some(bytes));
    config
        .max_udp_payload_size(datagram_bytes)
        .expect("datagrams have 1200 bytes at least");
    config
}
