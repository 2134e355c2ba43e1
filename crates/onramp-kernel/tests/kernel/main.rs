//! Tests against the kernel that runs them. They need root; without it each one says so and passes,
//! but fails if CI=true.
//!
//! Names of congestion controls are global to the machine, so one test runs at a time.

mod beside;
mod common;
#[path = "../compile/mod.rs"]
mod compile;
#[path = "../cubic/mod.rs"]
mod cubic;
mod defaults;
mod ensemble;
#[path = "../foreign/mod.rs"]
mod foreign;
mod hand_over;
mod memory;
mod names;
mod observe;
mod off;
mod policy;
mod qos;
mod registration;
mod small_messages;
mod timers;
mod totals;
mod traffic;
mod users;
mod verifier;
