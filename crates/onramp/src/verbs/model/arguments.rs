//! What `onramp model` takes.

use clap::{Args, Subcommand};
use onramp_scenario::{units, QueueLimit};

#[derive(Args)]
pub struct ModelArguments {
    #[command(subcommand)]
    pub model: Model,
}

#[derive(Subcommand)]
pub enum Model {
    /// Does Tahoe start twice on a link whose queue is small for its delay, and what helps (Chaher
    /// et al. 1998)
    Chaher(ChaherArguments),
}

#[derive(Args)]
pub struct ChaherArguments {
    /// What the bottleneck carries, such as `1.5 Mbit/s`, counted in IP packets
    #[arg(long, value_name = "RATE", value_parser = units::parse_rate)]
    pub rate: u64,
    /// The round trip without queueing, such as `560 ms`
    #[arg(long, value_name = "TIME", value_parser = units::parse_time)]
    pub rtt: u64,
    /// The bottleneck's queue, such as `40 packets`, `64 KiB` or `0.2 bdp`
    #[arg(long, value_name = "QUEUE")]
    pub queue: QueueLimit,
    /// What others send through the bottleneck all the time [default: nothing]
    #[arg(long, value_name = "RATE", value_parser = units::parse_rate)]
    pub background: Option<u64>,
    /// Size of an IP packet, everybody's
    #[arg(long, value_name = "SIZE", default_value = "1500 B", value_parser = packet)]
    pub packet: u64,
    /// Also with this share of the window as the threshold after a loss, above 0 and at most 0.5
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub gamma: Option<f64>,
    /// With slow start's packets spaced at this rate [default: what the background leaves]
    #[arg(long, value_name = "RATE", value_parser = units::parse_rate)]
    pub spacing: Option<u64>,
}

/// Headers of IPv4 and TCP, and a byte.
const LEAST_PACKET_BYTES: u64 = 41;
const MOST_PACKET_BYTES: u64 = 65_535;

fn packet(text: &str) -> Result<u64, String> {
    let bytes = units::parse_size(text).map_err(|error| error.to_string())?;
    if (LEAST_PACKET_BYTES..=MOST_PACKET_BYTES).contains(&bytes) {
        Ok(bytes)
    } else {
        Err(format!(
            "a segment's IP packet has {LEAST_PACKET_BYTES} B to {MOST_PACKET_BYTES} B"
        ))
    }
}
