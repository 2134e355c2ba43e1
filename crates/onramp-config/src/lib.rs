#![doc = include_str!("../README.md")]

pub mod document;
mod drawing;
mod fault;
mod file;
pub mod key;
mod mistake;
mod spelling;
pub mod units;
mod wrap;

pub use fault::{report, AnyMistake, Fault, Invalid, Mistake};
pub use file::{read_text, Unreadable};
pub use mistake::{last_part, FileMistake};
pub use spelling::{did_you_mean, nearest, shown};
