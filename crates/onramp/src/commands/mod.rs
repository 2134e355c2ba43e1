//! The commands, one file or folder each.

pub mod advise;
pub mod doctor;
pub mod exec;
pub mod list;
pub mod load;
pub mod memory;
pub mod metrics;
pub mod off;
pub mod qos;
pub mod receiver;
pub mod serve;
pub mod ss;
pub mod status;
pub mod top;
mod totals;
pub mod unload;
