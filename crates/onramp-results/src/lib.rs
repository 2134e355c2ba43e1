//! The results of transfers: what a case of a scenario answered.
//!
//! Each transfer that runs answers its [`Case`](onramp_scenario::Case) with one [`Record`], and
//! with a [`Trace`] where it is watched. The simulator and the lab fill in the same records.

mod meter;
mod record;
mod startup_watch;
mod trace;

pub use meter::{rate_in, traffic_windows, TRAFFIC_RTTS};
pub use record::*;
pub use startup_watch::StartupWatch;
pub use trace::*;
