//! Start-up algorithms for TCP, as `core/` has them, with a safe Rust face.
//!
//! Each algorithm is a C file of this crate's `algorithms/` folder. This crate compiles them for
//! the host on which it runs; the programs in `bpf/` compile the same files for the kernel. The
//! records and constants come from the C headers (`src/bindings.rs` and `src/inline.c` are
//! generated).
//!
//! ```
//! let mut startup = onramp_core::Startup::new("standard").unwrap();
//! let start = onramp_core::Start {
//!     mss_bytes: 1448,
//!     cwnd_bytes: 14480,
//!     ssthresh_bytes: onramp_core::UNLIMITED,
//!     ..Default::default()
//! };
//! assert_eq!(startup.start(&start).cwnd_bytes, 14480);
//! ```
//!
//! Without the feature `std` the crate needs `alloc` alone: the algorithms run as they do with it,
//! and a host has no path memory and no ensembles.

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod bindings;
pub mod bucket;
mod cubic_curve;
pub mod eligible_rate;
pub mod ensemble;
mod first_round;
pub mod governor;
mod hash;
mod host;
mod hosted;
mod math;
pub mod memory;
pub mod pairs;
mod parameter;
mod random;
pub mod receiver_clock;
mod registry;
mod startup;
#[cfg(feature = "std")]
pub mod supplied;
pub mod train;
mod variant;
#[cfg(feature = "serde")]
mod watch;

pub use bindings::{
    Ack, Clock, Decision, Limited, Loss, Parameter, Start, ACK_APP_LIMITED, ACK_CWND_LIMITED,
    ACK_RECOVERING, EXIT_APPLICATION, EXIT_BROKEN, EXIT_DELAY, EXIT_DELIVERY, EXIT_ESTIMATE,
    EXIT_GOVERNED, EXIT_LOSS, EXIT_NONE, EXIT_PATH, EXIT_RECEIVER, EXIT_SSTHRESH, EXIT_TIMEOUT,
    EXIT_UNRESERVED, LOSS_RECOVERY, LOSS_TAHOE, LOSS_TIMEOUT, OPTION_DELAYED_ACKS, OPTION_PAIRS,
    OPTION_PAPER_INITIAL_WINDOW, OPTION_RESUME_AT_ONCE, OPTION_TIMESTAMPS, PHASE_APPROACH,
    PHASE_AVOIDANCE, PHASE_CONSERVATIVE, PHASE_DONE, PHASE_DRAIN, PHASE_HOLD, PHASE_LINEAR,
    PHASE_PACING, PHASE_PROBE, PHASE_REPAIR, PHASE_RESERVED, PHASE_REST, PHASE_RETREAT, PHASE_SAFE,
    PHASE_SLOW_START, STATE_BYTES, UNLIMITED,
};
pub use cubic_curve::CubicCurve;
pub use first_round::{line_bits_per_s, prefix_of, FirstRound, InitialRate};
pub use hash::fnv1a;
pub use hosted::HostedStartup;
pub use math::mul_div;
pub use parameter::{parameters, ParameterUnit, Parameters};
pub use random::SplitMix64;
#[cfg(feature = "std")]
pub use registry::startup_names;
pub use registry::{
    congestion_control, exit_name, names, needs_pairs, phase_name, repairs, reserves, resumes,
    sends_early, sends_pairs, shares, summary, DEFAULT_STARTUP,
};
pub use startup::Startup;
pub use variant::{SearchVersion, Train, Without};
#[cfg(feature = "serde")]
pub use watch::{StartupEvent, StartupWatch};

/// [`Decision::pair`]: no segment is marked.
pub const PAIR_NONE: u16 = bindings::PAIR_NONE as u16;

/// [`Decision::pair`]: the next two full segments leave back to back, marked as a pair.
pub const PAIR_ONE: u16 = bindings::PAIR_ONE as u16;

/// [`Decision::pair`]: every full segment is marked, as one train. The segments leave when they
/// would anyway.
pub const PAIR_TRAIN: u16 = bindings::PAIR_TRAIN as u16;

/// The example of the README.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
