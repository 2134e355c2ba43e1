//! Runs Onramp's start-up algorithms in this machine's kernel.
//!
//! A [`Registration`] is a start-up algorithm of `core/`, followed by one of the kernel's own
//! congestion avoidances, under a name that any socket can choose (`setsockopt(TCP_CONGESTION)`).
//! [`loaded`] and [`connections`] find what this and other processes have registered, and how their
//! connections do. [`Adoption`] puts a cgroup's connections on a congestion control without the
//! programs' knowledge, [`PairOption`] gives them the option of packet pairs, and [`QosOption`] the
//! socket option TCP_QOS.

mod adopt;
mod avoidance;
mod cgroup_program;
mod error;
mod event;
mod inspect;
mod memory;
mod pair;
pub mod probe;
mod process;
mod qos;
mod registration;
mod shared;

pub use adopt::{cgroup2_mount, own_cgroup, Adoption, ExecCgroup};
pub use avoidance::Avoidance;
pub use error::{Error, Result};
pub use event::{Event, Input};
pub use inspect::{
    connections, default_in_this_namespace, loaded, registered_names, unload, Connection, Loaded,
    Pairs,
};
pub use memory::{PathsMap, RememberedPath};
pub use pair::{PairOption, PairsMap};
pub use qos::{reservation, reserve, LimitInForce, QosOption, Reservation, Reservations};
pub use registration::{Lifetime, Options, Registration, KERNEL_CLOCK};
