//! Runs Onramp's start-up algorithms in this machine's kernel, through BPF.
//!
//! A [`Registration`] is a congestion control: a start-up algorithm of `core/`, followed by one of
//! the kernel's own congestion avoidances. Any socket can choose it by its name
//! (`setsockopt(TCP_CONGESTION)`). [`loaded`] and [`connections`] list what this process and others
//! have registered, and the connections that use it.
//!
//! Applications need not choose the congestion control themselves: [`Adoption`] puts the
//! connections of a cgroup on it. [`PairOption`] gives these connections the TCP option of packet
//! pairs, and [`QosOption`] the socket option TCP_QOS.
//!
//! ```no_run
//! use onramp_kernel::{Options, Registration};
//!
//! # fn main() -> onramp_kernel::Result<()> {
//! let registration = Registration::new(&Options::new("paced"))?;
//! println!("sockets can choose {} now", registration.name());
//! # Ok(())
//! # }
//! ```
//!
//! The modules are layers. Each uses only those above it in this list:
//!
//! | module | what it does |
//! |---|---|
//! | `error`, `avoidance`, `process`, `records` | types, and the records of `bpf/intf.h` |
//! | `timers` | the timers of a connection that a registration can change |
//! | `routes` | what routes and interfaces do to the start of a connection |
//! | `namespaces` | the network namespaces of this host, and work inside of them |
//! | `probe`, `object` | asks what the kernel can do; loads objects and reads maps |
//! | `programs` | what the kernel writes about the programs that this process holds |
//! | `cgroup` | the cgroup hierarchy, and programs attached to it |
//! | `event`, `governor`, `memory`, `pairs`, `qos`, `totals` | reads the maps of a registration |
//! | `observe`, `observations` | watches the connections of the host, for `onramp advise` |
//! | `inspect`, `others` | finds registrations and their connections, and programs of others |
//! | `defaults`, `live` | changes the defaults of network namespaces, and live sockets |
//! | `unload` | ends registrations of others |
//! | `registration` | makes them |
//! | `policy` | gives new connections of the host a start-up by policies, for `onramp serve` |
//! | `receive_window` | the bounds of a raised receive buffer |
//! | `receiver` | lifts the receive buffers of new connections |
//! | `off` | ends everything of Onramp in this kernel |
//! | `status` | compares registrations with options, and shows what uses them |

mod avoidance;
mod cgroup;
mod defaults;
mod error;
mod event;
mod governor;
mod inspect;
mod live;
mod memory;
mod namespaces;
mod object;
mod observations;
mod observe;
mod off;
mod others;
mod pairs;
pub mod policy;
pub mod probe;
mod process;
mod programs;
mod qos;
mod receive_window;
mod receiver;
mod records;
mod registration;
mod routes;
mod status;
mod timers;
mod totals;
mod unload;

pub use avoidance::Avoidance;
pub use cgroup::{cgroup2_mount, own_cgroup, Adoption, ExecCgroup};
pub use defaults::{allowed_names, RestoredDefault};
pub use error::{Error, Result};
pub use event::{Changes, Event, Input};
pub use governor::{Destination, Governed, Governor};
pub use inspect::{
    connections, default_in_this_namespace, loaded, registered, registered_names, Connection,
    Loaded, Pairs,
};
/// The headers of libbpf, by their names below `bpf/`: a program that compiles BPF needs them.
pub use libbpf_rs::libbpf_sys::API_HEADERS as LIBBPF_HEADERS;
pub use live::Moved;
pub use memory::{PathsMap, RememberedPath};
pub use namespaces::NetworkNamespace;
pub use observations::{Observations, Unreadable};
pub use observe::{prefix, Observation, Observed, ObservedTransfer, Observer};
pub use off::{off, Off};
pub use onramp_core::memory::Memory;
pub use others::{other_programs, OtherProgram};
pub use pairs::{PairOption, PairsMap};
pub use policy::Policies;
pub use process::ends_within;
pub use programs::{count_calls, own_programs, ProgramCost};
pub use qos::{
    reservation, reserve, LimitInForce, QosOption, Reservation, Reservations, UserInForce,
};
pub use receive_window::{max_window_bytes, DEFAULT_LIMIT_BYTES};
pub use receiver::{
    receiver_status, unload_receiver, Receiver, ReceiverOptions, ReceiverStatus, RECEIVER_PINS,
};
pub use registration::{verify, Lifetime, Options, Registration, KERNEL_CLOCK};
pub use routes::{queue_disciplines, start_routes, QueueDiscipline, StartRoute};
pub use status::{status, Status};
pub use timers::{Timer, Timers};
pub use totals::{TimeClass, Totals};
pub use unload::{unload, Connections, Unloaded};
