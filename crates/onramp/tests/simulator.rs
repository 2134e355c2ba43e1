//! The tests of the command line that use no start-up in the kernel.

mod common;
mod install;
mod study;
mod top;
mod unit;
