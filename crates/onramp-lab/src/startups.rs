//! Where congestion controls come from, and what they report.

use onramp_results::StartupEvent;
use onramp_scenario::{Avoidance, InitialWindow, Memory, NO_STARTUP};
use std::any::Any;
use std::error::Error;
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;

/// What a congestion control is to do.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// An algorithm's name, or [`NO_STARTUP`].
    pub startup: &'a str,
    /// What follows it.
    pub avoidance: Avoidance,
    /// What is sent before the first acknowledgement.
    pub initial_window: InitialWindow,
    /// What its connections make of what earlier ones found of their path.
    pub memory: Memory,
    /// Send packet pairs, where the start-up can.
    pub packet_pairs: bool,
}

/// A supplier of congestion controls: `onramp-kernel`, or [`BuiltIn`].
pub trait Startups {
    /// Name of a registered congestion control that does this. It stays registered for as long as
    /// the supplier lives.
    fn congestion_control(
        &mut self,
        wanted: &Wanted,
    ) -> Result<String, Box<dyn Error + Send + Sync>>;

    /// Has both ends of the connections in two network namespaces (cookies) exchange packet pairs,
    /// as long as the value that it returns lives; `None` where this congestion control sends none.
    fn exchange_pairs(
        &mut self,
        _congestion_control: &str,
        _namespaces: [u64; 2],
    ) -> Result<Option<Box<dyn Any>>, Box<dyn Error + Send + Sync>> {
        Ok(None)
    }

    /// Reserves a rate, in bytes of payload a second, and a burst (0: the start-up's own) for a
    /// socket on this congestion control, and for the connections that it will accept.
    fn reserve(
        &mut self,
        congestion_control: &str,
        _socket: BorrowedFd<'_>,
        _rate_bytes_per_s: u64,
        _burst_bytes: u32,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        Err(format!("{congestion_control} reserves nothing").into())
    }

    /// Everything the start-ups reported since the last call, in order of time. The lab asks every
    /// few milliseconds while a transfer runs.
    fn take_events(&mut self) -> Vec<ConnectionEvent>;
}

/// A start-up's report about one connection, whosever it is.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectionEvent {
    /// When, by CLOCK_MONOTONIC.
    pub time_ns: u64,
    /// The sender's address and port.
    pub local: SocketAddr,
    /// The receiver's.
    pub remote: SocketAddr,
    /// What happened; the lab sets its `time_s`.
    pub event: StartupEvent,
}

/// The kernel's own congestion controls, for the start-up [`NO_STARTUP`] alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn;

impl Startups for BuiltIn {
    fn congestion_control(
        &mut self,
        wanted: &Wanted,
    ) -> Result<String, Box<dyn Error + Send + Sync>> {
        if wanted.startup != NO_STARTUP {
            return Err(format!(
                "it needs Onramp's code in the kernel, and only `{NO_STARTUP}` runs without"
            )
            .into());
        }
        if wanted.memory != Memory::Off {
            return Err("the kernel's own controls remember no paths".into());
        }
        if wanted.initial_window == InitialWindow::Paper {
            return Err(
                "the kernel's own controls have no initial window `paper`; use `host` or a number"
                    .into(),
            );
        }
        Ok(wanted.avoidance.name().into())
    }

    fn take_events(&mut self) -> Vec<ConnectionEvent> {
        Vec::new()
    }
}
