//! The tables of a scenario file and their keys, declared once. The reader, error messages and the
//! reference in `docs/reference/scenario-keys.md` follow from the declarations.
//!
//! The keys of channels are declared in [`crate::channel`].
//!
//! # A new key of a transfer
//!
//! Declare the key in `keys/transfer.rs`, with its kind, default, range and meaning. Add the field
//! to [`Transfer`](crate::Transfer) in `model/transfer.rs`, with its default in
//! `cases/transfer.rs`. Read the key in `reader/transfer.rs`: one line of `vary!` makes a list a
//! factor of the cross product. If the key tells results apart, add the field to `identity` in
//! `reader/product.rs`, and its words to `record/words.rs` of `onramp-results`.
//!
//! A key of another table is declared in the table's file of `keys/`, read in that of `reader/`,
//! and a field in `model/`.

mod defaults;
mod description;
pub(crate) mod hosts;
pub(crate) mod kinds;
mod limits;
pub(crate) mod network;
pub(crate) mod parameters;
mod reference;
pub(crate) mod top;
pub(crate) mod traffic;
pub(crate) mod transfer;

#[cfg(test)]
mod tests;

pub use description::{key_tables, KeyDescription, KeyTable};
pub use reference::key_reference;
