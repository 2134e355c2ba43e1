//! The tests of the command line that use only the simulator, or no start-up at all. They are a
//! test binary of their own, because simulations would keep the processors busy that the tests of
//! the kernel need.

#[path = "../../onramp/tests/common/mod.rs"]
mod common;
mod compare_startups;
mod model;
mod own_algorithm;
mod quic;
mod scenario_errors;
mod sim;
mod sim_failures;
mod start_up;
mod sweep;
mod theory;
mod traces;
mod web;
