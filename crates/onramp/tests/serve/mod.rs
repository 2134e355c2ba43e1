//! `onramp serve` on this machine's kernel.

mod canary;
mod configuration;
mod lasting;
mod running;
mod service;
