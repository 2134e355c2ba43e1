//! The table `[service]`.

use super::keys::{
    ERROR_RATE, INTERVAL, METRICS, MIN_CONNECTIONS, RETRANSMISSIONS, SERVICE, SERVICE_KEYS,
    SLOWDOWN, TEXT_FILE,
};
use super::section::{Reader, Section};
use super::values::{address_and_port, integer, share, text, time_ns};
use super::{Doubt, Mistake};
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
        text_file: text_file(reader, &section),
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
    let entries = reader.entries(section, &METRICS, address_and_port);
    for (at, (address, span)) in entries.iter().enumerate() {
        if let Some((_, first)) = entries[..at].iter().find(|(other, _)| other == address) {
            let mistake = Mistake::SameAddress {
                address: *address,
                first: first.clone(),
            };
            reader.fault(mistake, span.clone());
        }
    }
    Some(entries.into_iter().map(|(address, _)| address).collect())
}

fn text_file(reader: &mut Reader<'_>, section: &Section<'_>) -> Option<PathBuf> {
    let path = reader.one(section, &TEXT_FILE, |value| {
        let path = text(value)?;
        let is_valid = path.starts_with('/') && path.ends_with(".prom");
        is_valid.then(|| PathBuf::from(path))
    })?;
    let directory = path.parent()?;
    if !directory.is_dir() {
        let span = section.get(TEXT_FILE.name)?.span();
        let doubt = Doubt::NoDirectory {
            directory: directory.to_owned(),
        };
        reader.warn(doubt, reader.line(&span));
    }
    Some(path)
}

fn interval(value: &DeValue<'_>) -> Option<Duration> {
    let interval = Duration::from_nanos(time_ns(value)?);
    let range = Duration::from_millis(100)..=Duration::from_secs(3600);
    range.contains(&interval).then_some(interval)
}
