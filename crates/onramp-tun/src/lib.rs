#![doc = include_str!("../README.md")]

mod application;
mod capture;
mod device;
mod driver;
mod endpoint;
mod error;
mod interface;
mod path;
mod settings;
pub mod transfer;

pub use application::Application;
pub use device::Device;
pub use driver::Driver;
pub use endpoint::{Counts, Ended, Endpoint};
pub use error::Error;
pub use interface::{create, holder_of, open};
pub use onramp_host::now_ns;
pub use path::PathSettings;
pub use settings::Settings;
