//! The congestion controller for `noq`.
//!
//! A [`StartupConfig`] goes into a `TransportConfig`, and each path of each connection then has a
//! controller of its own. When the start-up is over, noq's own CUBIC goes on with its cwnd and
//! ssthresh, or noq's BBR.
//!
//! ```
//! # use std::sync::Arc;
//! let mut transport = noq_proto::TransportConfig::default();
//! let startup = onramp_quic::noq::StartupConfig::new(onramp_quic::Startup::Onramp);
//! transport.congestion_controller_factory(Arc::new(startup));
//! ```

mod controller;
mod cubic;

#[cfg(test)]
mod tests;

pub use crate::config::StartupConfig;
pub use crate::decision::Status;
pub use crate::path_control::Observer;

use controller::Startup;
use noq_proto::congestion::{Bbr3Config, Controller, ControllerFactory};
use std::sync::Arc;
use std::time::Instant;

/// The state of the start-up of a path, from `Connection::congestion_state()`; `None` if the path
/// has another controller.
pub fn status(controller: &dyn Controller) -> Option<Status> {
    let any = controller.clone_box().into_any();
    let startup = any.downcast::<Startup>().ok()?;
    Some(startup.status())
}

impl ControllerFactory for StartupConfig {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let bbr = self.bbr_window_bytes(current_mtu).map(|bytes| {
            let mut config = Bbr3Config::default();
            config.initial_window(bytes);
            Arc::new(config).build(now, current_mtu)
        });
        Box::new(Startup::new(self.path_control(now, current_mtu), bbr))
    }
}
