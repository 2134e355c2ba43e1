//! The tests of the lab: one binary, because each is linked with all that it tests.

mod common;
mod ecn;
mod expedited;
mod ipv6;
mod networks;
mod nothing_left;
mod quic;
mod real_paths;
mod requests;
mod traffic;
mod transfers;
