//! Two ends over a path that a test controls.

mod handshake;
mod pair;
mod recoveries;
mod trace;
