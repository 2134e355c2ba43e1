//! The tests of the command line that use this machine's kernel. Most need root and BPF; they take
//! turns, because congestion controls, cgroups and processors belong to the whole machine.

#[path = "../../onramp/tests/common/mod.rs"]
mod common;
mod html;
mod lab_shell;
mod out;
mod own_algorithm_verified;
mod replay;
mod reproduce_kernel;
mod tcp;
