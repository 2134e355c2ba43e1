//! `onramp serve` on this machine's kernel.

mod canary;
mod configuration;
mod endpoint;
mod lasting;
mod running;
pub mod service;
