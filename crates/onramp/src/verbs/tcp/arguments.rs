//! What `onramp tcp` takes.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use onramp_net::Limit;
use onramp_scenario::units;
use onramp_tcp::{
    Acks, Avoidance, Config, InitialWindow, PacketPair, ReceiveBuffer, Recovery, Stack, Ticks,
    Timers,
};
use onramp_tun::PathSettings;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::num::NonZeroU64;
use std::path::PathBuf;

#[derive(Args)]
pub struct TcpArguments {
    #[command(subcommand)]
    pub verb: TcpVerb,
}

#[derive(Subcommand)]
pub enum TcpVerb {
    /// Accept connections, and send a file to whoever connects, or receive one
    Serve(ServeArguments),
    /// Connect to a program of this host, and receive what it sends, or send it a file
    Get(GetArguments),
}

#[derive(Args)]
pub struct ServeArguments {
    /// Port on which to accept connections
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: u16,
    /// Send this file to whoever connects, then close
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    pub file: Option<PathBuf>,
    /// Send so many bytes of generated content instead, such as `100MB`
    #[arg(long, value_name = "SIZE", value_parser = units::parse_size)]
    pub size: Option<u64>,
    /// Write what a peer sends into this file, once complete; a later connection replaces it
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
    /// Where to connect
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub from: SocketAddrV4,
    /// Write what the peer sends into this file, once complete, or to standard output (`-`);
    /// without it, it is counted and thrown away
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Send this file, or standard input (`-`), then close our side
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    pub send: Option<PathBuf>,
    /// Send so many bytes of generated content instead, such as `100MB`
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
    /// The TUN device; one that exists, or with --host a new one that is removed at the end
    #[arg(long, value_name = "NAME")]
    pub tun: String,
    /// The address of our TCP, which this host must route to the device
    #[arg(long, value_name = "ADDRESS")]
    pub address: Ipv4Addr,
    /// Make the device, and give this host this address on it
    #[arg(long, value_name = "ADDRESS")]
    pub host: Option<Ipv4Addr>,
    /// Largest packet [default: 1500, or as large as the existing device takes]
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(68..=65_535))]
    pub mtu: Option<u32>,
    /// Write all packets into this file, for Wireshark
    #[arg(long, value_name = "FILE")]
    pub capture: Option<PathBuf>,
    /// Emulate a path to the host: its rate both ways [default: 1 Gbit/s if there is any of these]
    #[arg(long, value_name = "RATE", value_parser = units::parse_rate)]
    pub rate: Option<u64>,
    /// Its delay each way, such as `5ms`
    #[arg(long, value_name = "TIME", value_parser = units::parse_time)]
    pub delay: Option<u64>,
    /// Share of the packets that it loses, both ways, such as `1%`
    #[arg(long, value_name = "SHARE", value_parser = units::parse_percent)]
    pub loss: Option<u32>,
    /// Packets that it holds each way before the link [default: 1000]
    #[arg(long, value_name = "PACKETS")]
    pub queue: Option<u32>,
    /// Of its losses: the same seed loses the same packets of a sequence
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub seed: u64,
}

impl DeviceArguments {
    /// The emulated path, if there is to be one.
    pub fn path(&self) -> Option<PathSettings> {
        let is_wanted = self.rate.is_some()
            || self.delay.is_some()
            || self.loss.is_some()
            || self.queue.is_some();
        is_wanted.then(|| PathSettings {
            rate_bits_per_s: self.rate.and_then(NonZeroU64::new).unwrap_or(GIGABIT),
            delay_ns: self.delay.unwrap_or(0),
            loss_ppm: self.loss.unwrap_or(0),
            queue: Limit::Packets(self.queue.unwrap_or(1000)),
            seed: self.seed,
        })
    }
}

const GIGABIT: NonZeroU64 = NonZeroU64::new(1_000_000_000).expect("it is not zero");

#[derive(Args)]
#[command(next_help_heading = "TCP")]
pub struct StackArguments {
    /// Whose habits to follow where no option below says otherwise
    #[arg(long, default_value = "linux", value_parser = choice(Stack::ALL, Stack::name, Stack::summary))]
    pub stack: Stack,
    /// How lost segments are found and sent again
    #[arg(long, value_parser = choice(Recovery::ALL, Recovery::name, Recovery::summary))]
    pub recovery: Option<Recovery>,
    /// How the window grows after the start-up and shrinks at a loss
    #[arg(long, value_parser = choice(Avoidance::ALL, Avoidance::name, Avoidance::summary))]
    pub avoidance: Option<Avoidance>,
    /// How round trips are measured and when the retransmission timer ends
    #[arg(long, value_parser = choice(Timers::ALL, Timers::name, Timers::summary))]
    pub timers: Option<Timers>,
    /// When to acknowledge
    #[arg(long, value_parser = choice(Acks::ALL, Acks::name, Acks::summary))]
    pub acks: Option<Acks>,
    /// Start-up algorithm [default: the avoidance's own slow start]
    #[arg(long, value_parser = PossibleValuesParser::new(onramp_core::startup_names().iter().copied()))]
    pub startup: Option<String>,
    /// What to do about packet pairs, if the peer knows them too; but with `none`, start-up
    /// `onramp` sends them [default: `answer` with start-up `pair`, else `none`]
    #[arg(long, value_parser = choice(PacketPair::ALL, PacketPair::name, PacketPair::summary))]
    pub packet_pair: Option<PacketPair>,
    /// Segments before the first acknowledgement [default: the stack's]
    #[arg(long, value_name = "SEGMENTS", value_parser = clap::value_parser!(u32).range(1..))]
    pub initial_window: Option<u32>,
    /// Neither offer nor accept selective acknowledgements
    #[arg(long)]
    pub no_sack: bool,
    /// Neither offer nor accept timestamps
    #[arg(long)]
    pub no_timestamps: bool,
    /// Neither offer nor accept window scaling: windows are below 64 KiB
    #[arg(long)]
    pub no_window_scaling: bool,
    /// Bytes that may wait to be acknowledged
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = units::parse_size)]
    pub send_buffer: u64,
    /// Receive buffer [default: the stack's; Linux's is auto-tuned]
    #[arg(long, value_name = "SIZE", value_parser = units::parse_size)]
    pub receive_buffer: Option<u64>,
}

/// Between two ticks of this, nothing is scheduled: about how late a sleeper is woken.
const WAKE_NS: u64 = 50_000;

impl StackArguments {
    /// The configuration, for packets of so many bytes.
    pub fn config(&self, mtu_bytes: u32) -> Config {
        let stack = Config::of(self.stack, mtu_bytes);
        let startup = onramp_core::startup_names()
            .iter()
            .copied()
            .find(|name| Some(*name) == self.startup.as_deref());
        // Without an answer the pairs of our data would say nothing.
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

    /// Asked for by name is a recovery that is nothing without it.
    fn wants_sack(&self) -> bool {
        !self.no_sack && self.recovery.is_some_and(Recovery::needs_sack)
    }
}

/// A value that is one of a list, with a line on each in the help.
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
            .expect("clap takes only what is listed")
    })
}
