//! The tests of the simulator: one binary, because each is linked with all that it tests.

mod ack_filter;
mod bbr3;
mod beginning;
mod connect;
mod double_slow_start;
mod ecn;
mod ensemble;
mod expedited;
mod first_round;
mod idle;
mod ipv6;
mod lies;
mod memory;
mod network;
mod parallel;
mod peers;
mod pipe;
mod published;
mod quic;
mod recorded_rates;
mod reservations;
mod split;
mod toolbox;
mod traffic;
mod transfers;
