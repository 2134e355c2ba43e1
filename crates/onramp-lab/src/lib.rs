#![doc = include_str!("../README.md")]

mod addresses;
mod comparison;
mod competing;
mod error;
mod host;
mod layout;
mod limits;
mod link;
mod maker;
mod options;
mod path;
mod progress;
mod realtime;
mod resources;
mod result;
mod run;
mod startups;
mod supports;
mod suspect;
mod work;

pub use comparison::Comparison;
pub use error::Error;
pub use host::{preflight, PathEnd};
pub use link::Emission;
pub use options::{LinkSummary, Outcome, RunOptions};
pub use path::{Path, PathReport};
pub use realtime::KeptOff;
pub use run::run;
pub use startups::{BuiltIn, ConnectionEvent, Reason, Startups, Wanted};
pub use supports::{supports, Unsupported};
pub use work::BUFFER_BYTES;
