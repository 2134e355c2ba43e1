//! Policies: who gets the start-up, what is counted, and what is left afterwards.

mod common;
mod lasting;
mod matching;
mod measured;
