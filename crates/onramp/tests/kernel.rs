//! The tests of the command line that use this machine's kernel. Most need root and BPF; they take
//! turns, because congestion controls, cgroups and processors belong to the whole machine.

mod commands;
mod common;
mod defaults;
mod exec;
mod faults;
mod governed;
mod governor;
mod host_lacks;
mod ipv6;
mod memory;
mod off;
mod pair;
mod qos;
mod receiver;
mod serve;
mod timers;
