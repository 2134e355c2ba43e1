//! What is asked of a path, and what it answered.
//!
//! A [scenario file](parse) describes a path, two hosts and the transfers between them; it becomes
//! a list of [`Case`]s, each of which one transfer answers with one [`Record`]. Simulator and lab
//! share both.
//!
//! `docs/scenarios.md` describes the file for its users; `keys.rs` declares its keys for reader and
//! manual alike.

mod arrivals;
mod cases;
mod document;
mod error;
mod fault;
mod file;
mod keys;
mod limits;
mod link;
mod mistake;
mod model;
mod pure_ack;
pub mod random;
mod reader;
mod routes;
mod topology;
pub mod units;

pub use arrivals::{Arrival, Arrivals, ENDLESS};
pub use cases::{case_seed, link_seed};
pub use error::{Error, Invalid};
pub use fault::Fault;
pub use file::{read, MAX_FILE_BYTES};
pub use keys::reference_tables;
pub use limits::format_byte_counting;
pub use mistake::{Mistake, NotBetween};
pub use model::*;
pub use onramp_core::pairs::Form as PairForm;
pub use onramp_core::Without;
pub use onramp_tcp::{Acks, ByteCounting, PacketPair, Recovery, Stack, Timers};
pub use pure_ack::pure_ack;
pub use reader::parse;
pub use routes::{Place, Routes};
