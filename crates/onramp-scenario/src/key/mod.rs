//! The types of keys and tables of a scenario file. The keys of channels are declared in
//! [`crate::channel`], all other keys in [`crate::keys`].

mod definition;
mod facts;
mod kind;
mod measure;
mod table;

pub(crate) use definition::{AnyKey, Key};
#[cfg(test)]
pub(crate) use facts::KeyFacts;
pub(crate) use facts::{Fallback, KeyPlace, List};
pub(crate) use kind::{
    choice_kinds, not_a_quantity, quantity_kinds, unknown_name, AnyText, Boolean, Form, Frequency,
    Integer, Kind, Known, PacketCount, Percent, Rate, Size, Time,
};
pub(crate) use measure::Measure;
pub(crate) use table::{KeyGroup, Table};

/// Declares keys as statics, and a constant that lists them in the order of messages.
///
/// An entry is `NAME: Kind = Key::new(...);`.
macro_rules! keys {
    ($all:ident: $($constant:ident: $kind:ty = $key:expr;)*) => {
        $(pub(crate) static $constant: $crate::key::Key<$kind> = $key;)*
        pub(crate) const $all: &[&dyn $crate::key::AnyKey] = &[$(&$constant),*];
    };
}

pub(crate) use keys;
