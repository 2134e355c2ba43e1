//! The tests of scenario files: one binary, because each is linked with all that it tests.

#[macro_use]
mod common;
mod errors;
mod fuzz;
mod network_errors;
mod recorded_links;
mod requests;
mod scenarios;
