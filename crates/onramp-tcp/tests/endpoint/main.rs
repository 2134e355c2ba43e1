//! Tests of two ends over a controlled path, and of one end whose peer is scripted.
//!
//! `//= RFC N section M` names the requirement that the next lines test.

mod decoupled_timers;
mod handshake;
mod lies;
mod ns_reno;
mod packet_pairs;
mod pair;
mod recoveries;
mod reservations;
mod rfc1122;
mod rfc2018;
mod rfc3042;
mod rfc3168;
mod rfc3465;
mod rfc5681;
mod rfc5961;
mod rfc6298;
mod rfc6582;
mod rfc6675;
mod rfc6937;
mod rfc7323;
mod rfc8257;
mod rfc8985;
mod rfc8985_probes;
mod rfc9293_states;
mod rfc9293_windows;
mod rfc9438;
mod script;
mod startups;
mod trace;
mod traces;
mod undo;
