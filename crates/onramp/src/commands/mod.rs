//! The commands, one file or folder each.

pub mod compare;
pub mod compare_startups;
pub mod completions;
pub mod doctor;
pub mod exec;
pub mod lab;
pub mod lab_shell;
pub mod list;
pub mod load;
pub mod manual;
pub mod memory;
pub mod metrics;
pub mod model;
pub mod qos;
pub mod quic;
pub mod replay;
pub mod reproduce;
mod runs;
pub mod serve;
mod signals;
pub mod sim;
pub mod ss;
pub mod status;
pub mod sweep;
pub mod tcp;
pub mod theory;
pub mod top;
mod totals;
pub mod unload;
pub mod web;

use crate::failure::Failure;
use crate::text::say;
use serde::Serialize;

/// The exit code of a command, or the reason why it stopped.
pub type Answer = Result<u8, Failure>;

fn print_json(value: &impl Serialize) {
    say!(
        "{}",
        serde_json::to_string_pretty(value).expect("the keys of our records are strings")
    );
}
