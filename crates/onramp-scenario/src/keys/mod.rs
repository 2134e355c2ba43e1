//! The tables of a scenario file and their keys, declared once. The reader, error messages and the
//! reference in `docs/reference/scenario-keys.md` follow from the declarations.
//!
//! The keys of channels are declared in [`crate::channel`].

mod defaults;
pub(crate) mod hosts;
pub(crate) mod kinds;
mod limits;
pub(crate) mod network;
mod reference;
pub(crate) mod top;
pub(crate) mod traffic;
pub(crate) mod transfer;

#[cfg(test)]
mod tests;

pub use reference::key_reference;
