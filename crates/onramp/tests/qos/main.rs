//! TCP_QOS from a user's point of view: programs of several languages over an emulated path,
//! limits, and what is left.

mod beside;
#[path = "../common/mod.rs"]
mod common;
mod limits;
mod losses;
mod path;
mod programs;
