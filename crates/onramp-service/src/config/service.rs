//! The table `[service]`.

use super::keys::{
    ERROR_RATE, INTERVAL, METRICS, MIN_CONNECTIONS, RETRANSMISSIONS, SERVICE, SERVICE_KEYS,
    SLOWDOWN, TEXT_FILE,
};
use super::section::{Reader, Section};
use super::values::{address_and_port, integer, share, text, time_ns};
use crate::canary::Settings;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;
use toml::de::DeValue;

/// Settings of the service.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// Where the HTTP endpoint listens; empty: nowhere.
    pub metrics: Vec<SocketAddr>,
    /// The file for node_exporter.
    pub text_file: Option<PathBuf>,
    /// How often the counts are read.
    pub interval: Duration,
    /// When a canary is switched off. A policy may have its own retransmission budget.
    pub canary: Settings,
}

impl Default for Service {
    fn default() -> Service {
        Service {
            metrics: vec![SocketAddr::from((Ipv4Addr::LOCALHOST, 9464))],
            text_file: None,
            interval: Duration::from_secs(5),
            canary: Settings::default(),
        }
    }
}

pub(super) fn read(reader: &mut Reader<'_>, top: &Section<'_>) -> Service {
    let section = reader.table(top, SERVICE, "[service]", SERVICE_KEYS);
    let default = Service::default();
    let canary = Settings {
        error_rate: reader
            .one(&section, &ERROR_RATE, |v| {
                share(v).filter(|rate| *rate > 0.0 && *rate < 0.5)
            })
            .unwrap_or(default.canary.error_rate),
        tolerated_slowdown: reader
            .one(&section, &SLOWDOWN, share)
            .unwrap_or(default.canary.tolerated_slowdown),
        tolerated_retransmissions: reader
            .one(&section, &RETRANSMISSIONS, share)
            .unwrap_or(default.canary.tolerated_retransmissions),
        min_connections: reader
            .one(&section, &MIN_CONNECTIONS, |v| {
                integer(v).filter(|number| (1..=1_000_000_000).contains(number))
            })
            .unwrap_or(default.canary.min_connections),
        ..default.canary
    };
    Service {
        metrics: metrics(reader, &section).unwrap_or(default.metrics),
        text_file: reader.one(&section, &TEXT_FILE, |value| {
            let path = text(value)?;
            path.ends_with(".prom").then(|| PathBuf::from(path))
        }),
        interval: reader
            .one(&section, &INTERVAL, interval)
            .unwrap_or(default.interval),
        canary,
    }
}

/// The addresses; `None` without the key.
fn metrics(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<Vec<SocketAddr>> {
    let value = section.get(METRICS.name)?;
    if value.get_ref().as_str() == Some("off") {
        return Some(Vec::new());
    }
    Some(reader.list(section, &METRICS, address_and_port))
}

fn interval(value: &DeValue<'_>) -> Option<Duration> {
    let interval = Duration::from_nanos(time_ns(value)?);
    let range = Duration::from_millis(100)..=Duration::from_secs(3600);
    range.contains(&interval).then_some(interval)
}
