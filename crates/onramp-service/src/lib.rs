//! What `onramp serve` does, as a library.
//!
//! A policy chooses connections, and puts a part of them on a start-up. The others are its control
//! group. Both groups are measured by the same means in the kernel ([`counts`]), so that their
//! difference is the effect of the start-up.
//!
//! | module | what it does |
//! |---|---|
//! | [`config`] | the configuration file: policies and settings, mistakes with their places |
//! | [`counts`] | what the kernel counted, as values: histograms, groups, policies |
//! | [`canary`] | compares the two groups of a policy, and decides whether to switch it off |
//! | [`metrics`] | the counts as text for Prometheus and others, in a file and over HTTP |
//! | [`http`] | the HTTP server of the metrics, and of `onramp web` |
//! | [`host`] | the policies in the kernel, and what it counted |
//! | [`run`] | the service's loop: reload, look, switch off, stop |

pub mod canary;
pub mod config;
pub mod counts;
pub mod host;
pub mod http;
pub mod metrics;
mod registrations;
pub mod run;

pub use registrations::registrations;
