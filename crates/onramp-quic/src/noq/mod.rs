//! The congestion controller for `noq`.
//!
//! A [`StartupConfig`] goes into a `TransportConfig`, and each path of each connection then has a
//! controller of its own. When the start-up is over, noq's own CUBIC goes on with its cwnd and
//! ssthresh.

mod avoidance;
mod config;
mod controller;
mod frame;

pub use config::{Observer, StartupConfig};
pub use controller::{status, Status};
