//! The results of transfers: what a case of a scenario answered.
//!
//! Each transfer that runs answers its [`Case`](onramp_scenario::Case) with one [`Record`], and
//! with a [`Trace`] where it is watched. The simulator and the lab fill in the same records.
//!
//! ```
//! use onramp_results::Record;
//!
//! let text = r#"
//!     name = "geo-download"
//!     [path]
//!     rate = "50 Mbit/s"
//!     rtt = "600 ms"
//!     [[transfer]]
//!     size = "1 MB"
//!     startup = "paced"
//! "#;
//! let scenario = onramp_scenario::parse("geo.toml", text).unwrap();
//! let mut record = Record::of_case(&scenario.cases[0], "sim");
//! assert_eq!(record.algorithms(), "paced + cubic");
//! record.complete(record.bound_s + 0.9);
//! assert!((record.excess_rtts.unwrap() - 1.5).abs() < 1e-9);
//! ```

mod record;
mod trace;
mod traffic_windows;

pub use onramp_core::{StartupEvent, StartupWatch};
pub use record::{connections, describe_case, Record, TRAFFIC, TRANSFER, UNFINISHED};
pub use trace::{
    LinkQueue, PacketSample, QueueSample, ReceiverSample, SegmentSample, SenderSample, Trace,
};
pub use traffic_windows::{rate_in, traffic_windows, TRAFFIC_RTTS};
