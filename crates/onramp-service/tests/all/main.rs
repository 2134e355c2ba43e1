//! The tests of the service: one binary, because each is linked with all that it tests.

mod canary;
mod dashboard;
mod lives;
mod metrics;
mod promtool;
mod reference;
