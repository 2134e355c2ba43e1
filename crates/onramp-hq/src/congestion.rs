//! The congestion control of a server: a start-up of Onramp, or one of noq's own controllers.

use crate::error::Error;
use crate::qlog::ConnectionLog;
use noq::congestion::{Bbr3Config, ControllerFactory, CubicConfig, NewRenoConfig};
use std::sync::Arc;

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

/// The congestion control of a connection.
#[derive(Clone, Debug, Default)]
pub struct Congestion {
    /// The name of a start-up; `None`: the slow start of the avoidance.
    pub startup: Option<String>,
    /// The avoidance, which a start-up hands over to.
    pub avoidance: Avoidance,
    /// The initial window in bytes of UDP payload; `None`: that of the controller.
    pub initial_window_bytes: Option<u64>,
}

impl Congestion {
    /// What makes the controllers of a connection. The phases of the start-up are written into its
    /// log.
    ///
    /// # Errors
    /// The start-up does not exist, or cannot be used over QUIC.
    pub(crate) fn factory(
        &self,
        _log: Option<Arc<ConnectionLog>>,
    ) -> Result<Arc<dyn ControllerFactory + Send + Sync>, Error> {
        match &self.startup {
            None => Ok(self.avoidance.factory(self.initial_window_bytes)),
            Some(name) => Err(Error::Startup {
                name: name.clone(),
                reason: "TODO".into(),
            }),
        }
    }
}
