//! `onramp tcp`: our TCP with this machine's kernel, over a TUN device in a namespace of the test's
//! own.

mod captures;
mod commands;
mod errors;
mod interworking;
mod pairs;
mod peer;
