#![doc = include_str!("../README.md")]

mod buffers;
mod clock;
mod configure;
mod error;
mod namespace;
mod tun;

pub use buffers::{Buffer, Pool};
pub use clock::{now_ns, sleep_until};
pub use configure::{ip, sysctl, tc};
pub use error::Error;
pub use namespace::Namespace;
pub use tun::Tun;
