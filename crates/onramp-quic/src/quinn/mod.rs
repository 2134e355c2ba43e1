//! The congestion controller for `quinn` 0.11, by the window alone.
//!
//! A [`StartupConfig`] goes into a `TransportConfig`, and each connection then has a controller of
//! its own. When the start-up is over, quinn's own CUBIC goes on with its cwnd and ssthresh, or
//! quinn's BBR.
//!
//! ```
//! # use std::sync::Arc;
//! let mut transport = quinn_proto::TransportConfig::default();
//! let startup = onramp_quic::quinn::StartupConfig::new(onramp_quic::Startup::Onramp);
//! transport.congestion_controller_factory(Arc::new(startup));
//! ```
//!
//! # What is missing
//!
//! - **The pacing rate.** A controller of quinn cannot set it. quinn sends 1.25 cwnd per smoothed
//!   RTT, in bursts of at least ten datagrams. A start-up that asks for another rate gets this one.
//! - **Spurious losses.** quinn does not report them: cwnd stays reduced.
//! - **Packet numbers.** quinn reports the newest lost packet, not the first one. A start-up counts
//!   fewer bytes as acknowledged behind a loss where one ACK frame shows several losses.
//!
//! quinn does not report when cwnd holds the sender back. The controller infers it from the bytes
//! in flight.

mod controller;
mod cubic;

#[cfg(test)]
mod tests;

pub use crate::config::StartupConfig;
pub use crate::decision::Status;
pub use crate::path_control::Observer;

use controller::Startup;
use quinn_proto::congestion::{BbrConfig, Controller, ControllerFactory};
use std::sync::Arc;
use std::time::Instant;

/// The state of the start-up of a connection, from `Connection::congestion_state()`; `None` if the
/// connection has another controller.
pub fn status(controller: &dyn Controller) -> Option<Status> {
    let any = controller.clone_box().into_any();
    let startup = any.downcast::<Startup>().ok()?;
    Some(startup.status())
}

impl ControllerFactory for StartupConfig {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let bbr = self.bbr_window_bytes(current_mtu).map(|bytes| {
            let mut config = BbrConfig::default();
            config.initial_window(bytes);
            Arc::new(config).build(now, current_mtu)
        });
        Box::new(Startup::new(self.path_control(now, current_mtu), bbr))
    }
}
