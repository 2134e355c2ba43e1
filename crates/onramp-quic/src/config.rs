//! The configuration of start-ups: a factory of controllers for each library.

use crate::decision::Decision;
use crate::error::UnsupportedStartup;
use crate::path_control::{self, Observer, PathControl};
use crate::paths::{Clock, Path};
use crate::sender::Sender;
use crate::settings::{initial_window_bytes, Settings};
use crate::startup::Startup;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// The start of each connection's own clock: no time of a record is 0.
const CLOCK_START_NS: u64 = 1_000_000_000;

/// The library's controller that goes on after a start-up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Avoidance {
    /// CUBIC, with the cwnd and ssthresh of the start-up.
    #[default]
    Cubic,
    /// BBR: noq's version 3, or quinn's, which is experimental. It sees all ACKs from the first
    /// packet on, so its model of the path is complete when it takes over: at the end of the
    /// start-up, or at the first loss, which it repairs in its own way.
    Bbr,
}

/// A start-up for connections of a QUIC library, and the library's CUBIC or BBR after it. It is a
/// `ControllerFactory` of each library whose feature is on.
#[derive(Clone)]
pub struct StartupConfig {
    settings: Settings,
    avoidance: Avoidance,
    observer: Option<Arc<Observer>>,
}

impl StartupConfig {
    /// A start-up: [`Startup::Onramp`] is the default of this project.
    pub fn new(startup: Startup) -> StartupConfig {
        StartupConfig::of(Settings::new(startup))
    }

    /// The start-up with this name in the registry, for configuration files.
    ///
    /// # Errors
    /// No start-up has this name, or it needs an option of TCP's header, or a rate.
    pub fn named(startup: &str) -> Result<StartupConfig, UnsupportedStartup> {
        StartupConfig::with(Settings::named(startup)?)
    }

    /// A start-up with these settings.
    ///
    /// # Errors
    /// The settings do not fit together.
    pub fn with(settings: Settings) -> Result<StartupConfig, UnsupportedStartup> {
        if onramp_core::reserves(settings.startup()) {
            settings.check()?;
        }
        Ok(StartupConfig::of(settings))
    }

    fn of(settings: Settings) -> StartupConfig {
        StartupConfig {
            settings,
            avoidance: Avoidance::Cubic,
            observer: None,
        }
    }

    /// The path of the connections that use this configuration: to one peer. So a server makes one
    /// configuration for each connection that it accepts.
    #[must_use]
    pub fn path(mut self, path: Path) -> StartupConfig {
        self.settings.path = Some(path);
        self
    }

    /// What goes on after the start-up: [`Avoidance::Cubic`] without this.
    #[must_use]
    pub fn avoidance(mut self, avoidance: Avoidance) -> StartupConfig {
        self.avoidance = avoidance;
        self
    }

    /// The initial window in bytes, instead of that of RFC 9002.
    #[must_use]
    pub fn initial_window(mut self, bytes: u64) -> StartupConfig {
        self.settings.initial_window_bytes = Some(bytes);
        self
    }

    /// Calls `observer` after each event that changed the phase, the exit or the estimate of a
    /// start-up. It must not call the connection.
    #[must_use]
    pub fn observer(
        mut self,
        observer: impl Fn(Instant, &Decision) + Send + Sync + 'static,
    ) -> StartupConfig {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// BBR goes on after the start-up: its initial window in bytes.
    pub(crate) fn bbr_window_bytes(&self, mtu: u16) -> Option<u64> {
        let window_bytes = self.settings.initial_window_bytes;
        let is_next = self.avoidance == Avoidance::Bbr;
        is_next.then(|| window_bytes.unwrap_or_else(|| initial_window_bytes(mtu.into())))
    }

    /// The control of a new path.
    pub(crate) fn path_control<A: path_control::Avoidance>(
        &self,
        now: Instant,
        mtu: u16,
    ) -> PathControl<A> {
        let clock = match &self.settings.path {
            Some(path) => path.clock(),
            None => Clock::new(now, CLOCK_START_NS),
        };
        let sender = Sender::new(self.settings.clone(), mtu.into());
        PathControl::new(sender, clock, mtu, self.observer.clone())
    }
}

impl fmt::Debug for StartupConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartupConfig")
            .field("settings", &self.settings)
            .field("avoidance", &self.avoidance)
            .finish_non_exhaustive()
    }
}
