//! The options of `onramp model`.

use clap::{Args, Subcommand};
use onramp_scenario::{units, QueueLimit};
use onramp_theory::chaher::{self, Question};

#[derive(Args)]
pub struct ModelArguments {
    #[command(subcommand)]
    pub model: Model,
}

#[derive(Subcommand)]
pub enum Model {
    /// Does TCP Tahoe have two slow starts in each cycle on a link, and what avoids the second one
    /// (Chaher et al. 1998)
    Chaher(ChaherArguments),
}

#[derive(Args)]
pub struct ChaherArguments {
    /// Rate of the bottleneck, counted in IP packets, for example `1.5 Mbit/s`
    #[arg(long, value_name = "RATE", value_parser = units::parse_rate)]
    pub rate: u64,
    /// Round-trip time without queueing, for example `560 ms`
    #[arg(long, value_name = "TIME", value_parser = units::parse_time)]
    pub rtt: u64,
    /// Queue of the bottleneck, for example `40 packets`, `64 KiB` or `0.2 bdp`
    #[arg(long, value_name = "QUEUE")]
    pub queue: QueueLimit,
    /// Constant rate of the background traffic through the bottleneck [default: none]
    #[arg(long, value_name = "RATE", value_parser = units::parse_rate)]
    pub background: Option<u64>,
    /// Size of an IP packet, the same for all senders
    #[arg(long, value_name = "SIZE", default_value = "1500 B", value_parser = chaher::parse_packet)]
    pub packet: u64,
    /// Examine also this ssthresh after a loss, as a share of the window: above 0, at most 0.5
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub gamma: Option<f64>,
    /// Space the packets of slow start at this rate [default: the rate that the background leaves]
    #[arg(long, value_name = "RATE", value_parser = units::parse_rate)]
    pub spacing: Option<u64>,
}

impl ChaherArguments {
    /// The question to the model.
    pub fn question(&self) -> Question {
        Question {
            rate_bits_per_s: self.rate,
            rtt_ns: self.rtt,
            queue: self.queue,
            background_bits_per_s: self.background.unwrap_or(0),
            packet_bytes: self.packet,
            gamma: self.gamma,
            spacing_bits_per_s: self.spacing,
        }
    }
}
