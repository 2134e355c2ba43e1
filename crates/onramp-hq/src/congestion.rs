//! The congestion control of a server: a start-up of Onramp, or one of noq's own controllers.

use crate::error::Error;
use crate::qlog::ConnectionLog;
use noq::congestion::{Bbr3Config, ControllerFactory, CubicConfig, NewRenoConfig};
use onramp_core::memory::Memory;
use onramp_quic::noq::StartupConfig;
use onramp_quic::{Decision, Paths, UnsupportedStartup};
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

/// noq's own congestion controllers. The names are those of scenario files and of the command line.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
    strum::IntoStaticStr,
)]
#[strum(serialize_all = "lowercase")]
pub enum Avoidance {
    /// CUBIC (RFC 9438).
    #[default]
    Cubic,
    /// BBR version 3.
    Bbr,
    /// NewReno (RFC 9002).
    Reno,
}

impl Avoidance {
    /// What makes its controllers. An initial window in bytes replaces noq's, which is 12 kB.
    pub fn factory(
        self,
        initial_window_bytes: Option<u64>,
    ) -> Arc<dyn ControllerFactory + Send + Sync> {
        macro_rules! configured {
            ($config:ty) => {{
                let mut config = <$config>::default();
                if let Some(bytes) = initial_window_bytes {
                    config.initial_window(bytes);
                }
                Arc::new(config)
            }};
        }
        match self {
            Avoidance::Cubic => configured!(CubicConfig),
            Avoidance::Bbr => configured!(Bbr3Config),
            Avoidance::Reno => configured!(NewRenoConfig),
        }
    }
}

/// What is called after each change of a start-up's phase, exit or estimate. It must not call the
/// connection.
pub type Observer = dyn Fn(Instant, &Decision) + Send + Sync;

/// The congestion control of a server's connections.
#[derive(Clone, Default)]
pub struct Congestion {
    /// The name of a start-up; `None`: the slow start of the avoidance.
    pub startup: Option<String>,
    /// The avoidance. A start-up hands over to noq's CUBIC or BBR.
    pub avoidance: Avoidance,
    /// The initial window in bytes of UDP payload; `None`: that of the controller.
    pub initial_window_bytes: Option<u64>,
    /// The paths to the clients: their connections that start up at the same time, and the memory.
    pub paths: Paths,
    /// How start-ups use the remembered BDP of their path.
    pub memory: Memory,
    /// Sees the decisions of all start-ups.
    pub observer: Option<Arc<Observer>>,
}

impl Congestion {
    /// Checks whether the start-up can be used.
    ///
    /// # Errors
    /// It does not exist, needs an option of TCP or a rate, or hands over to another avoidance.
    pub fn check(&self) -> Result<(), Error> {
        self.start_up().map(drop)
    }

    /// The start-up; `None` if there is none.
    fn start_up(&self) -> Result<Option<StartupConfig>, Error> {
        let Some(name) = &self.startup else {
            return Ok(None);
        };
        let avoidance = match self.avoidance {
            Avoidance::Cubic => onramp_quic::Avoidance::Cubic,
            Avoidance::Bbr => onramp_quic::Avoidance::Bbr,
            Avoidance::Reno => {
                return Err(Error::Avoidance {
                    startup: name.clone(),
                    avoidance: self.avoidance.into(),
                });
            }
        };
        let config = StartupConfig::named(name).map_err(|error| match error {
            UnsupportedStartup::NeedsRate { name } => Error::Rate {
                startup: name.to_owned(),
            },
            other => other.into(),
        })?;
        let config = config.avoidance(avoidance);
        Ok(Some(match self.initial_window_bytes {
            Some(bytes) => config.initial_window(bytes),
            None => config,
        }))
    }

    /// What makes the controllers of a connection to this peer. The phases of its start-up are
    /// written into its log.
    ///
    /// # Errors
    /// As [`Congestion::check`].
    pub(crate) fn factory(
        &self,
        peer: IpAddr,
        log: Option<Arc<ConnectionLog>>,
    ) -> Result<Arc<dyn ControllerFactory + Send + Sync>, Error> {
        let Some(config) = self.start_up()? else {
            return Ok(self.avoidance.factory(self.initial_window_bytes));
        };
        let config = config.path(self.paths.path(None, peer, self.memory));
        let observer = self.observer.clone();
        Ok(match (observer, log) {
            (None, None) => Arc::new(config),
            (observer, log) => Arc::new(config.observer(move |now, decision| {
                if let Some(log) = &log {
                    log.decision(now, decision);
                }
                if let Some(observer) = &observer {
                    observer(now, decision);
                }
            })),
        })
    }
}

impl fmt::Debug for Congestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Congestion")
            .field("startup", &self.startup)
            .field("avoidance", &self.avoidance)
            .field("initial_window_bytes", &self.initial_window_bytes)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(startup: &str, avoidance: Avoidance) -> String {
        let congestion = Congestion {
            startup: Some(startup.to_owned()),
            avoidance,
            ..Congestion::default()
        };
        congestion.check().unwrap_err().to_string()
    }

    #[test]
    fn start_ups_that_cannot_run_over_quic_are_refused_with_the_reason() {
        let unknown = refusal("fast", Avoidance::Cubic);
        assert!(
            unknown.contains("`fast`") && unknown.contains("onramp"),
            "{unknown}"
        );
        let pairs = refusal("pair", Avoidance::Cubic);
        assert!(pairs.contains("TCP option"), "{pairs}");
        let reserved = refusal("qos", Avoidance::Cubic);
        assert!(reserved.contains("reserves none"), "{reserved}");
        let avoidance = refusal("onramp", Avoidance::Reno);
        assert!(
            avoidance.contains("`onramp` hands over to cubic or bbr"),
            "{avoidance}"
        );
    }
}
