//! `onramp tcp`: our TCP with this machine's kernel, over a TUN device in a namespace of each test.

mod captures;
mod commands;
mod ecn;
mod errors;
mod interworking;
mod ipv6;
mod pairs;
mod peer;
