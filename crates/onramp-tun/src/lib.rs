//! Onramp's TCP on the real clock: an [`Endpoint`] with an address of its own, behind a TUN device
//! of this host.
//!
//! ```text
//!   this host's kernel -- TUN device ==[ path ]== Endpoint -- connections -- Application
//!                              '------- Device -------'
//! ```
//!
//! The host routes an address to the device; whatever it sends there comes here, one IPv4 packet
//! per read, and what is written reaches it as if by a cable. To its programs the endpoint is
//! another machine. An emulated [path](PathSettings) of two onramp-net links may lie between them.
//!
//! [`Endpoint`] does no I/O: packets, times and what [`Application`]s want go in, packets come out.
//! [`Driver`] carries them, in one thread.

mod application;
mod capture;
mod device;
mod driver;
mod endpoint;
mod error;
mod interface;
mod path;

pub use application::Application;
pub use device::Device;
pub use driver::Driver;
pub use endpoint::{Counts, Ended, Endpoint};
pub use error::Error;
pub use interface::{create, holder_of, open};
pub use onramp_lab::parts::now_ns;
pub use path::PathSettings;
