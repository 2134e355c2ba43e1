//! A deterministic packet simulator: [`onramp_tcp`] endpoints over [`onramp_net`] links, driven by
//! a virtual clock.
//!
//! [`run`](run()) simulates one [`Case`](onramp_scenario::Case) and returns an [`Outcome`].
//! [`run_all`] simulates many cases on several threads. The case alone determines the result: time
//! is in integer nanoseconds, events have a total order, each element draws from its own stream of
//! random numbers, and nothing depends on the machine. An [`Observer`](observe::Observer) receives
//! every packet of a run.
//!
//! # Transfers
//!
//! A measured transfer does the same as a transfer in the lab. The receiver connects, sends a
//! request of 8 bytes and reads the data as they arrive. The sender sends the data and closes.
//! Alternatively the sender connects and sends without a request, as in simulators of the papers'
//! time. The completion time runs from the connect to the last byte read. A run ends when all
//! measured transfers have completed or failed, or at the scenario's duration. Background traffic
//! without an end then stops.
//!
//! # QUIC
//!
//! With the feature `quic`, a transfer may be over QUIC. Its packets are those of noq-proto, whose
//! state machines run in simulated time beside those of TCP.
//!
//! # Example
//!
//! ```
//! let text = r#"
//! name = "example"
//! [path]
//! rate = "10 Mbit/s"
//! rtt = "40 ms"
//! queue = "1 bdp"
//! [[transfer]]
//! size = "100 kB"
//! "#;
//! let scenario = onramp_scenario::parse("example.toml", text).expect("valid");
//! let outcome = onramp_sim::run(&scenario.cases[0], &Default::default()).expect("supported");
//! assert!(outcome.records[0].finished);
//! ```

mod beginning;
mod case;
mod decimated;
mod endpoint;
mod engine;
mod error;
mod event_queue;
pub mod observe;
mod payload;
mod plan;
mod pool;
#[cfg(feature = "quic")]
mod quic;
mod records;
mod router;
mod routes;
mod run;
mod run_all;
mod trace;

pub use beginning::{beginning_key, Beginning};
pub use case::supports;
pub use decimated::Decimated;
pub use error::{Error, Unsupported};
pub use run::{run, run_observed, Counters, Options, Outcome};
pub use run_all::{run_all, run_all_with};

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct ReadmeDoctests;
