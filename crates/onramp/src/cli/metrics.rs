//! The options of `metrics` and `top`.

use clap::{Args, ValueEnum};
use onramp_config::units;
use onramp_service::metrics::{Format, SOCKET};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub struct MetricsArguments {
    /// Write the file instead of printing, as a whole: a reader never finds a part of it
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The text format [default: prometheus with --out, else openmetrics]
    #[arg(long, value_enum)]
    pub format: Option<MetricsFormat>,
    /// The socket of `onramp serve`. Where no service runs, the totals of registered start-ups are
    /// read from the kernel, which needs root
    #[arg(long, value_name = "PATH", default_value = SOCKET)]
    pub socket: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum MetricsFormat {
    /// OpenMetrics 1.0
    Openmetrics,
    /// Prometheus' older text format, which node_exporter's textfile collector reads
    Prometheus,
}

impl From<MetricsFormat> for Format {
    fn from(format: MetricsFormat) -> Format {
        match format {
            MetricsFormat::Openmetrics => Format::OpenMetrics,
            MetricsFormat::Prometheus => Format::Prometheus,
        }
    }
}

#[derive(Args)]
pub struct TopArguments {
    /// Time between two looks
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = interval)]
    pub every: Duration,
    /// The socket of `onramp serve`
    #[arg(long, value_name = "PATH", default_value = SOCKET)]
    pub socket: PathBuf,
}

fn interval(text: &str) -> Result<Duration, String> {
    let time = units::parse_time(text).map_err(|error| error.to_string())?;
    let time = Duration::from_nanos(time);
    let range = Duration::from_millis(100)..=Duration::from_secs(3_600);
    match range.contains(&time) {
        true => Ok(time),
        false => Err("from 100 ms to 1 h".to_owned()),
    }
}
