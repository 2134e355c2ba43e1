//! The types of keys and tables of a file. A format declares its keys and tables as statics.

mod definition;
mod facts;
mod kind;
mod table;

pub use crate::{choice_kinds, keys, quantity_kinds};
pub use definition::{AnyKey, Key};
pub use facts::{Fallback, KeyFacts, KeyPlace, List};
pub(crate) use kind::out_of_range;
pub use kind::{
    amount, not_a_quantity, unknown_name, AnyText, Boolean, Form, Frequency, Integer, Kind, Known,
    PacketCount, Percent, Rate, Ratio, Size, Time,
};
pub use table::{KeyGroup, Table};

/// Declares keys as statics, and a constant that lists them in the order of messages.
///
/// An entry is `NAME: Kind = "name", default, options, "meaning";`. An option is a method of
/// [`Key`] and its argument, as in `list List::Factor`. A key that is made elsewhere is `NAME: Kind
/// = key;`.
#[macro_export]
macro_rules! keys {
    ($(#[$doc:meta])* $vis:vis $all:ident:
     $($constant:ident: $kind:ty = $key:expr
       $(, $default:expr $(, $option:ident $value:expr)*, $meaning:literal)?;)*) => {
        $(pub(crate) static $constant: $crate::key::Key<$kind> =
            $crate::key!($key $(, $default, $meaning $(, $option $value)*)?);)*
        $(#[$doc])*
        $vis const $all: &[&dyn $crate::key::AnyKey] = &[$(&$constant),*];
    };
}

/// A key of [`keys`](crate::keys).
#[doc(hidden)]
#[macro_export]
macro_rules! key {
    ($key:expr) => { $key };
    ($name:expr, $default:expr, $meaning:expr $(, $option:ident $value:expr)*) => {
        $crate::key::Key::new($name, $default, $meaning)$(.$option($value))*
    };
}
