//! The interface to the supplier of congestion controls, and their reports.

use onramp_results::StartupEvent;
use onramp_scenario::{Avoidance, InitialRate, InitialWindow, Memory, Parameters, NO_STARTUP};
use std::any::Any;
use std::error::Error;
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;

/// The properties of the congestion control of a flow.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The name of a start-up algorithm, or [`NO_STARTUP`].
    pub startup: &'a str,
    /// Its parameters.
    pub parameters: Parameters,
    /// The congestion avoidance that follows.
    pub avoidance: Avoidance,
    /// The initial window.
    pub initial_window: InitialWindow,
    /// What leaves behind the initial window in the first round trip.
    pub initial_rate: InitialRate,
    /// Whether and how connections use the memory of their path.
    pub memory: Memory,
    /// Send packet pairs, if the start-up supports them.
    pub packet_pairs: bool,
}

/// Why a supplier refuses.
pub type Reason = Box<dyn Error + Send + Sync>;

/// A supplier of congestion controls: `onramp-kernel`, or [`BuiltIn`].
pub trait Startups {
    /// The name of a registered congestion control with these properties. It stays registered until
    /// the supplier is dropped.
    ///
    /// # Errors
    /// The supplier has no such congestion control.
    fn congestion_control(&mut self, wanted: &Wanted) -> Result<String, Reason>;

    /// Lets both ends of the connections in two network namespaces (given by their cookies)
    /// exchange packet pairs until the returned value is dropped. `None`: this congestion control
    /// sends no pairs.
    ///
    /// # Errors
    /// The exchange cannot be set up.
    fn exchange_pairs(
        &mut self,
        _congestion_control: &str,
        _namespaces: [u64; 2],
    ) -> Result<Option<Box<dyn Any>>, Reason> {
        Ok(None)
    }

    /// Reserves a rate in bytes of payload per second and a burst in bytes (0: the start-up's
    /// default) for a socket with this congestion control, and for the connections that it accepts.
    ///
    /// # Errors
    /// The congestion control reserves nothing, or the reservation was refused.
    fn reserve(
        &mut self,
        congestion_control: &str,
        _socket: BorrowedFd<'_>,
        _rate_bytes_per_s: u64,
        _burst_bytes: u32,
    ) -> Result<(), Reason> {
        Err(format!("{congestion_control} reserves nothing").into())
    }

    /// The events since the last call, in order of time. The lab calls this every few milliseconds
    /// while a transfer runs.
    fn take_events(&mut self) -> Vec<ConnectionEvent>;
}

/// An event of a start-up on one connection, which may be any connection of this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectionEvent {
    /// When, by CLOCK_MONOTONIC.
    pub time_ns: u64,
    /// The sender's address and port.
    pub local: SocketAddr,
    /// The receiver's address and port.
    pub remote: SocketAddr,
    /// The event. The lab sets its `time_s`.
    pub event: StartupEvent,
}

/// The kernel's own congestion controls, for the start-up [`NO_STARTUP`] alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn;

impl Startups for BuiltIn {
    fn congestion_control(&mut self, wanted: &Wanted) -> Result<String, Reason> {
        if wanted.startup != NO_STARTUP {
            return Err(format!(
                "it needs Onramp's code in the kernel; without that code only `{NO_STARTUP}` runs"
            )
            .into());
        }
        if wanted.memory != Memory::Off {
            return Err(
                "the kernel's own congestion controls have no memory of paths; use `memory \
                = \"off\"`"
                    .into(),
            );
        }
        if wanted.initial_window == InitialWindow::Paper {
            return Err(
                "the kernel's own congestion controls have no initial window `paper`; use `host` \
                 or \
                 a number"
                    .into(),
            );
        }
        Ok(wanted.avoidance.name().into())
    }

    fn take_events(&mut self) -> Vec<ConnectionEvent> {
        Vec::new()
    }
}
