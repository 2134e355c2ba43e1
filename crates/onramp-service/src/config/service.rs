//! The table `[service]`.

use super::keys::{
    ERROR_RATE, INTERVAL, METRICS, MIN_CONNECTIONS, RECEIVE_LIMIT, RETRANSMISSIONS, SLOWDOWN,
    TEXT_FILE,
};
use super::Mistake;
use crate::canary::Settings;
use onramp_config::document::{Reader, Section};
use onramp_kernel::DEFAULT_LIMIT_BYTES;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

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
    /// What the receive buffers that policies raise may gain together.
    pub receive_limit_bytes: u64,
}

impl Default for Service {
    fn default() -> Service {
        Service {
            metrics: vec![SocketAddr::from((Ipv4Addr::LOCALHOST, 9464))],
            text_file: None,
            interval: Duration::from_secs(5),
            canary: Settings::default(),
            receive_limit_bytes: DEFAULT_LIMIT_BYTES,
        }
    }
}

pub(super) fn read(reader: &mut Reader, section: &Section) -> Service {
    let default = Service::default();
    let canary = Settings {
        error_rate: reader
            .one(section, &ERROR_RATE)
            .unwrap_or(default.canary.error_rate),
        tolerated_slowdown: reader
            .one(section, &SLOWDOWN)
            .unwrap_or(default.canary.tolerated_slowdown),
        tolerated_retransmissions: reader
            .one(section, &RETRANSMISSIONS)
            .unwrap_or(default.canary.tolerated_retransmissions),
        min_connections: reader
            .one(section, &MIN_CONNECTIONS)
            .unwrap_or(default.canary.min_connections),
        ..default.canary
    };
    Service {
        metrics: metrics(reader, section).unwrap_or(default.metrics),
        text_file: reader.one(section, &TEXT_FILE),
        interval: reader.one(section, &INTERVAL).unwrap_or(default.interval),
        canary,
        receive_limit_bytes: reader
            .one(section, &RECEIVE_LIMIT)
            .unwrap_or(default.receive_limit_bytes),
    }
}

/// The addresses; `None` without the key.
fn metrics(reader: &mut Reader, section: &Section) -> Option<Vec<SocketAddr>> {
    if section.text(&METRICS) == Some("off") {
        return Some(Vec::new());
    }
    let entries = reader.entries(section, &METRICS);
    for (at, (address, entry)) in entries.iter().enumerate() {
        if let Some((_, first)) = entries[..at].iter().find(|(other, _)| other == address) {
            let mistake = Mistake::SameAddress {
                address: *address,
                first: first.span(),
            };
            reader.fault(mistake, entry.span());
        }
    }
    let addresses = entries.into_iter().map(|(address, _)| address).collect();
    section.has(&METRICS).then_some(addresses)
}
