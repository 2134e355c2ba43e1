//! The simulator: [`onramp_tcp`] endpoints over [`onramp_net`] links, by a virtual clock.
//!
//! [`run`](run()) takes one [`Case`](onramp_scenario::Case) and gives an [`Outcome`]; [`run_all`]
//! takes many, on several threads. A run is replayed from its case alone: time is in integer
//! nanoseconds, events have a total order, each element draws from its own stream of random
//! numbers, and nothing depends on the machine. [`observe`] is for whoever wants to see every
//! packet.
//!
//! A measured transfer does what the lab's does: its receiver connects, asks with 8 bytes and reads
//! as data arrives; its sender sends and closes. Or, as in simulators of the papers' time, its
//! sender connects and sends unasked. The time counts from the connect to the last byte read. A run
//! ends when all measured transfers are complete or have given up, or at the scenario's duration;
//! traffic without end then just stops.

mod case;
mod endpoint;
mod engine;
mod error;
pub mod observe;
mod plan;
mod pool;
mod queue;
mod records;
mod router;
mod routes;
mod run;
mod run_all;
mod trace;

pub use case::supports;
pub use error::{Error, Unsupported};
pub use run::{run, run_observed, Counters, Options, Outcome};
pub use run_all::{run_all, run_all_with};
