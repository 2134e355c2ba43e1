#![doc = include_str!("../README.md")]

mod figure_file;
pub mod heat_map;
pub mod ladder;
pub mod plot;
pub mod svg;
pub mod thin;
pub mod trace_graph;
pub mod units;

pub use figure_file::{figure_file, size, COLOURS, RULES};
