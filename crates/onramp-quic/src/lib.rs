//! Onramp's start-up algorithms for QUIC: in user space, without root, on any operating system.
//!
//! A QUIC library has its own loss recovery, pacer and congestion avoidance, and calls a congestion
//! controller. This crate is such a controller, in two layers:
//!
//! | layer | module |
//! |---|---|
//! | what all QUIC libraries share: the records of `onramp-core`, and who owns cwnd | [`Sender`] |
//! | the congestion controller of one library: `noq` | `noq`, feature `noq` |
//! | the same for `quinn`, by the window alone | `quinn`, feature `quinn` |
//! | the same layer for libraries in C: picoquic | `include/onramp_quic.h`, feature `c` |
//!
//! The algorithms are those of `onramp-core`, the same files that run in the Linux kernel.
//!
//! Bytes are bytes of UDP payload, as QUIC's congestion control counts them. A full segment is a
//! datagram of the path's current MTU. Times are nanoseconds of one clock of the caller.
//!
//! | feature | what it has |
//! |---|---|
//! | `noq`, `quinn` | the adapter of the library; both need `std` |
//! | `std` (default) | the memory of paths |
//! | `serde` | the memory of paths can be saved |
//! | `c` | the interface for hosts in C |
//!
//! Without features the crate needs `alloc` alone: [`Sender`] has no clock, and does no I/O.

#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

#[cfg(feature = "c")]
mod c;
#[cfg(any(feature = "noq", feature = "quinn"))]
mod config;
mod decision;
mod error;
#[cfg(feature = "noq")]
pub mod noq;
#[cfg(any(feature = "noq", feature = "quinn"))]
mod path_control;
#[cfg(feature = "std")]
mod paths;
#[cfg(feature = "quinn")]
pub mod quinn;
mod sender;
mod settings;
mod startup;
#[cfg(any(feature = "noq", feature = "quinn"))]
mod successor;

#[cfg(any(feature = "noq", feature = "quinn"))]
pub use config::Avoidance;
pub use decision::{Decision, Exit, Phase, Status};
pub use error::UnsupportedStartup;
pub use onramp_core::memory::Memory;
pub use onramp_core::{InitialRate, Parameters};
#[cfg(feature = "std")]
pub use paths::{Path, PathKey, Paths, Remembered};
pub use sender::{Acked, Cause, Congestion, Owner, Pacing, Sender};
pub use settings::{initial_window_bytes, startup_names, Settings};
pub use startup::Startup;

/// The examples of the README.
#[cfg(all(doctest, feature = "noq", feature = "quinn"))]
#[doc = include_str!("../README.md")]
struct Readme;
