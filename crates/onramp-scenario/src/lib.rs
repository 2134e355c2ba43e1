//! What is asked of a path, and what it answered.
//!
//! A [scenario file](parse) describes a path, two hosts and the transfers between them; it becomes a list of
//! [`Case`]s, each of which one transfer answers with one [`Record`]. Simulator and lab share both.

mod model;
mod record;

pub use model::*;
pub use record::*;
