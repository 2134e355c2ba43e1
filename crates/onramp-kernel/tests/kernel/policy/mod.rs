//! Policies: who gets the start-up, what is counted, and what is left afterwards.

pub mod common;
mod cost;
mod lasting;
mod matching;
mod measured;
mod receive;
mod timers;
