//! TCP_QOS from a user's point of view: programs of several languages over an emulated path,
//! limits, and what is left.

mod beside;
mod limits;
mod losses;
mod path;
mod programs;
