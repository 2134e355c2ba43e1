//! The lab: real sockets of this machine's kernel over an emulated network.
//!
//! [`run`] takes one [`Case`](onramp_scenario::Case) and gives an [`Outcome`]. Two fresh network
//! namespaces hold the senders and the receivers; a TUN device in each is its only interface; one
//! thread carries packets between the two through [`onramp_net`] links, by the real clock:
//!
//! ```text
//!   namespace of the senders              link thread                 namespace of the receivers
//!   socket -- kernel TCP -- onramp0 == [loss|queue|rate|delay] ==> onramp0 -- kernel TCP -- socket
//!                           onramp0 <== [delay|rate|queue|loss] == onramp0
//! ```
//!
//! Each sending and each receiving node of a network has an address of its own, and a packet's
//! addresses say over which links it goes.
//!
//! Everything hangs on file descriptors of this process: nothing is left behind, not even after
//! SIGKILL. `docs/lab.md` says what is exact and what is not.

mod clock;
mod comparison;
mod error;
mod host;
mod layout;
mod link;
mod maker;
mod options;
pub mod parts;
mod path;
mod progress;
mod resources;
mod result;
mod rivals;
mod run;
mod startups;
mod supports;
mod suspect;
mod work;

pub use comparison::Comparison;
pub use error::Error;
pub use host::preflight;
pub use link::Emission;
pub use options::{LinkSummary, Outcome, RunOptions};
pub use run::run;
pub use startups::{BuiltIn, ConnectionEvent, Startups, Wanted};
pub use supports::{supports, Unsupported};
