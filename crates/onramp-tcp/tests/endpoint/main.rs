//! Two ends over a path that a test controls, and one end whose peer a test plays.

mod handshake;
mod pair;
mod recoveries;
mod rfc3042;
mod rfc5681;
mod script;
mod trace;
