//! The options of `onramp tcp`.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use onramp_net::Limit;
use onramp_scenario::units;
use onramp_tcp::{
    Acks, Avoidance, Config, Ecn, InitialWindow, IpVersion, PacketPair, ReceiveBuffer, Recovery,
    Stack, Ticks, Timers,
};
use onramp_tun::{PathSettings, Settings};
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU64;
use std::path::PathBuf;

#[derive(Args)]
pub struct TcpArguments {
    #[command(subcommand)]
    pub command: TcpCommand,
}

#[derive(Subcommand)]
pub enum TcpCommand {
    /// Accept connections, and send a file to each peer, or receive one
    Serve(ServeArguments),
    /// Connect to a program of this host, and receive the data that it sends, or send it a file
    Get(GetArguments),
}

#[derive(Args)]
pub struct ServeArguments {
    /// The port that accepts connections
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: u16,
    /// Send this file to each peer, then close
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    pub file: Option<PathBuf>,
    /// Send this much generated data, for example `100MB`, instead of a file
    #[arg(long, value_name = "SIZE", value_parser = units::parse_size)]
    pub size: Option<u64>,
    /// Write the data of a peer into this file. It appears when it is complete. A later connection
    /// replaces it
    #[arg(long, value_name = "FILE", required_unless_present_any = ["file", "size"])]
    pub receive: Option<PathBuf>,
    /// End after the first connection
    #[arg(long)]
    pub once: bool,
    #[command(flatten)]
    pub device: DeviceArguments,
    #[command(flatten)]
    pub tcp: StackArguments,
}

#[derive(Args)]
pub struct GetArguments {
    /// The address and port to connect to: `192.0.2.1:80` or `[2001:db8::1]:80`
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub from: SocketAddr,
    /// Write the data of the peer into this file, which appears when it is complete, or to standard
    /// output (`-`). Without this option the data is counted and discarded
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Send this file, or standard input (`-`), then close our side
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    pub send: Option<PathBuf>,
    /// Send this much generated data, for example `100MB`, instead of a file
    #[arg(long, value_name = "SIZE", value_parser = units::parse_size)]
    pub size: Option<u64>,
    #[command(flatten)]
    pub device: DeviceArguments,
    #[command(flatten)]
    pub tcp: StackArguments,
}

#[derive(Args)]
#[command(next_help_heading = "Device and path")]
pub struct DeviceArguments {
    /// The TUN device: one that exists, or with --host a new one that is removed at the end
    #[arg(long, value_name = "NAME")]
    pub tun: String,
    /// The IPv4 or IPv6 address of Onramp's TCP. This host must route it to the device
    #[arg(long, value_name = "ADDRESS")]
    pub address: IpAddr,
    /// Create the device, and give this host this address on it
    #[arg(long, value_name = "ADDRESS")]
    pub host: Option<IpAddr>,
    /// Maximum packet size in bytes [default: 1500, or the MTU of the existing device]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(68..=65_535))]
    pub mtu: Option<u32>,
    /// Write all packets into this pcap file, for Wireshark
    #[arg(long, value_name = "FILE")]
    pub capture: Option<PathBuf>,
    /// Emulate a path to the host with this rate in both directions [default: 1 Gbit/s if another
    /// option of the path is given, else no path]
    #[arg(long, value_name = "RATE", value_parser = units::parse_rate)]
    pub rate: Option<u64>,
    /// One-way delay of the path, for example `5ms` [default: 0]
    #[arg(long, value_name = "TIME", value_parser = units::parse_time)]
    pub delay: Option<u64>,
    /// Share of packets that the path loses in each direction, for example `1%` [default: 0]
    #[arg(long, value_name = "SHARE", value_parser = units::parse_percent)]
    pub loss: Option<u32>,
    /// Limit of the queue in packets, in each direction [default: 1000]
    #[arg(long, value_name = "PACKETS")]
    pub queue: Option<u32>,
    /// Keep the queue of the path by CoDel. It marks packets of connections with ECN, and drops
    /// others
    #[arg(long)]
    pub codel: bool,
    /// Seed of the losses. The same seed loses the same packets of a sequence
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
}

impl DeviceArguments {
    /// The settings of the endpoint.
    pub fn settings(&self) -> Settings {
        Settings {
            device: self.tun.clone(),
            address: self.address,
            host: self.host,
            mtu_bytes: self.mtu,
            path: self.path(),
            capture: self.capture.clone(),
        }
    }

    /// The emulated path; `None` if no option asks for one.
    fn path(&self) -> Option<PathSettings> {
        let is_wanted = self.rate.is_some()
            || self.delay.is_some()
            || self.loss.is_some()
            || self.queue.is_some()
            || self.codel;
        is_wanted.then(|| PathSettings {
            rate_bits_per_s: self.rate.and_then(NonZeroU64::new).unwrap_or(GIGABIT),
            delay_ns: self.delay.unwrap_or(0),
            loss_ppm: self.loss.unwrap_or(0),
            queue: Limit::Packets(self.queue.unwrap_or(DEFAULT_QUEUE_PACKETS)),
            codel: self.codel,
            seed: self.seed,
        })
    }
}

const DEFAULT_QUEUE_PACKETS: u32 = 1000;
/// 1 Gbit/s.
const GIGABIT: NonZeroU64 = NonZeroU64::new(1_000_000_000).expect("it is not zero");

#[derive(Args)]
#[command(next_help_heading = "TCP")]
pub struct StackArguments {
    /// The TCP whose behaviour to follow, unless an option below says otherwise
    #[arg(long, default_value = "linux",
          value_parser = choice(Stack::ALL, Stack::name, Stack::summary))]
    pub stack: Stack,
    /// How lost segments are detected and retransmitted [default: the stack's]
    #[arg(long, value_parser = choice(Recovery::ALL, Recovery::name, Recovery::summary))]
    pub recovery: Option<Recovery>,
    /// Congestion avoidance: how cwnd grows after the start-up and shrinks at a loss [default: the
    /// stack's]
    #[arg(long, value_parser = choice(Avoidance::ALL, Avoidance::name, Avoidance::summary))]
    pub avoidance: Option<Avoidance>,
    /// How round-trip times are measured and when the retransmission timer expires [default: the
    /// stack's]
    #[arg(long, value_parser = choice(Timers::ALL, Timers::name, Timers::summary))]
    pub timers: Option<Timers>,
    /// When to send ACKs [default: the stack's]
    #[arg(long, value_parser = choice(Acks::ALL, Acks::name, Acks::summary))]
    pub acks: Option<Acks>,
    /// Start-up algorithm [default: the slow start of the avoidance]
    #[arg(long,
          value_parser = PossibleValuesParser::new(onramp_core::startup_names().iter().copied()))]
    pub startup: Option<String>,
    /// Whether to offer packet pairs to the peer, and how to answer its pairs. Unless this is
    /// `none`, start-up `onramp` sends pairs [default: `answer` with start-up `pair`, else `none`]
    #[arg(long, value_parser = choice(PacketPair::ALL, PacketPair::name, PacketPair::summary))]
    pub packet_pair: Option<PacketPair>,
    /// Initial window in segments [default: the stack's]
    #[arg(long, value_name = "SEGMENTS", value_parser = clap::value_parser!(u32).range(1..))]
    pub initial_window: Option<u32>,
    /// Neither offer nor accept selective acknowledgements (SACK)
    #[arg(long)]
    pub no_sack: bool,
    /// Neither offer nor accept timestamps
    #[arg(long)]
    pub no_timestamps: bool,
    /// Neither offer nor accept window scaling. Windows are then below 64 KiB
    #[arg(long)]
    pub no_window_scaling: bool,
    /// Explicit congestion notification (ECN)
    #[arg(long, default_value = "accept", value_parser = choice(Ecn::ALL, Ecn::name, Ecn::summary))]
    pub ecn: Ecn,
    /// Send buffer: bytes that may wait to be acknowledged
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = units::parse_size)]
    pub send_buffer: u64,
    /// Receive buffer [default: the stack's; that of linux is auto-tuned]
    #[arg(long, value_name = "SIZE", value_parser = units::parse_size)]
    pub receive_buffer: Option<u64>,
}

/// Events are scheduled at multiples of this time. It is about the time by which a sleeping thread
/// wakes up late.
const WAKE_NS: u64 = 50_000;

impl StackArguments {
    /// The configuration of connections of an address with this MTU.
    pub fn config(&self, address: &IpAddr, mtu_bytes: u32) -> Config {
        let stack = Config::over(IpVersion::of(address), self.stack, mtu_bytes);
        let startup = onramp_core::startup_names()
            .iter()
            .copied()
            .find(|name| Some(*name) == self.startup.as_deref());
        // A start-up that needs packet pairs gets no measurements from a peer that does not answer
        // them, so the default of such a start-up is to offer them.
        let packet_pair = startup.map_or(stack.packet_pair, |name| {
            PacketPair::of_startup(name, false)
        });
        Config {
            recovery: self.recovery.unwrap_or(stack.recovery),
            avoidance: self.avoidance.unwrap_or(stack.avoidance),
            timers: self.timers.unwrap_or(stack.timers),
            acks: self.acks.unwrap_or(stack.acks),
            startup,
            packet_pair: self.packet_pair.unwrap_or(packet_pair),
            initial_window: self
                .initial_window
                .map_or(stack.initial_window, InitialWindow::Segments),
            sack: stack.sack && !self.no_sack || self.wants_sack(),
            timestamps: stack.timestamps && !self.no_timestamps,
            window_scaling: stack.window_scaling && !self.no_window_scaling,
            ecn: self.ecn,
            send_buffer_bytes: self.send_buffer,
            receive_buffer: self
                .receive_buffer
                .map_or(stack.receive_buffer, ReceiveBuffer::Bytes),
            ticks: Ticks {
                event_ns: WAKE_NS,
                ..Ticks::FINE
            },
            ..stack
        }
    }

    /// Whether a recovery was chosen that needs SACK, and SACK was not excluded.
    fn wants_sack(&self) -> bool {
        !self.no_sack && self.recovery.is_some_and(Recovery::needs_sack)
    }
}

/// Parses a value of a list. The help has a line on each value.
fn choice<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
    summary: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let values = all
        .iter()
        .map(move |choice| PossibleValue::new(name(*choice)).help(summary(*choice)));
    PossibleValuesParser::new(values).map(move |chosen| {
        *all.iter()
            .find(|choice| name(**choice) == chosen)
            .expect("clap accepts only values of the list")
    })
}
