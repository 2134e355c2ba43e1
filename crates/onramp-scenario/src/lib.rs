//! Scenario files: which transfers run over which path.
//!
//! A scenario file describes a path or a network, two hosts and the transfers between them.
//! [`parse`] or [`read`] it: it becomes a list of [`Case`]s. The simulator and the lab run the same
//! cases.
//!
//! `docs/scenarios.md` describes the file for its users, and `docs/reference/scenario-keys.md`
//! lists its keys ([`key_reference`]).
//!
//! ```
//! let text = r#"
//!     name = "geo-download"
//!     [path]
//!     rate = "50 Mbit/s"
//!     rtt = "600 ms"
//!     [[transfer]]
//!     size = ["100 kB", "1 MB"]
//!     startup = ["none", "paced"]
//! "#;
//! let scenario = onramp_scenario::parse("geo.toml", text).unwrap();
//! assert_eq!(scenario.cases.len(), 4);
//! assert_eq!(scenario.cases[0].path.bdp_bytes(), 3_750_000);
//! ```

mod arrivals;
mod cases;
mod channel;
mod datagrams;
mod error;
mod file;
mod keys;
mod mistake;
mod model;
mod pure_ack;
mod quic;
pub mod random;
mod reader;
mod requester;
mod routes;
mod seed;

pub use arrivals::{Arrival, Arrivals, ENDLESS};
pub use channel::{
    mean_loss_ppm, Aggregation, Bursts, Channel, ChannelChange, CoDel, Discipline, DualPi2,
    FqCoDel, Framing, Jitter, LateTimer, QueueLimit, RecordedQuantity, Recording, Red, Steps,
    TokenBucket, Trace, TraceOffset,
};
pub use datagrams::{Datagrams, DATAGRAM_HEADER_BYTES};
pub use error::{Error, MAX_FILE_BYTES};
pub use file::{read, read_with};
pub use keys::parameters::format_parameter;
pub use keys::{key_reference, key_tables, KeyDescription, KeyTable};
pub use mistake::{Mistake, NotBetween};
pub use model::*;
pub use onramp_config::units::{self, bytes_in};
pub use onramp_config::{Fault, Invalid, Unreadable};
pub use onramp_core::pairs::Form as PairForm;
pub use onramp_core::{InitialRate, Parameters, SearchVersion, Train, Without};
pub use onramp_tcp::{Acks, ByteCounting, IpVersion, Lie, PacketPair, Recovery, Stack, Timers};
pub use pure_ack::pure_ack;
pub use quic::{quic_supports, udp_payload_bytes, NotInQuic};
pub use reader::{parse, parse_in, parse_with, Overrides};
pub use requester::{Answers, Requester, RequestsPlan, REQUEST_BYTES};
pub use routes::{Place, Routes};
pub use seed::{case_seed, link_seed};
