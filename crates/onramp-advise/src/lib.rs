#![doc = include_str!("../README.md")]
//!
//! The modules, in the order of the work:
//!
//! | module | what it does |
//! |---|---|
//! | `import` | reads connections from files |
//! | `path` | estimates a path from the connections that crossed it |
//! | `class` | groups connections, and builds a scenario for each group |
//! | `first_round` | the initial rate that the host would learn |
//! | `simulate` | simulates the connections of a class |
//! | `judge` | judges each class, first as it was, then with each candidate |
//! | `compare` | puts a canary's measurement beside the prediction |
//! | `configuration` | writes the advice as a configuration of `onramp serve` |

mod class;
mod compare;
mod configuration;
mod first_round;
mod import;
mod judge;
mod path;
mod simulate;

pub use class::{Class, Part};
pub use compare::{compare, Compared, Comparison};
pub use configuration::configuration;
pub use import::{read, ImportError, UNKNOWN_CONTROL};
pub use judge::{judge, Advice, Candidate, Judged, Limit, Outlook, Spread};
pub use path::{Path, Receiver};
pub use simulate::{Error, Options};
