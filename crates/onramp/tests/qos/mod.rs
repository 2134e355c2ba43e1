//! TCP_QOS: programs in several languages over an emulated path, limits, losses.

mod abuse;
mod beside;
mod limits;
mod losses;
mod path;
mod programs;
