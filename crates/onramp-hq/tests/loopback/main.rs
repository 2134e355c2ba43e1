//! Servers and clients on UDP sockets of the loopback device.

mod attack;
mod common;
mod many;
mod migration;
mod refusals;
mod serving;
