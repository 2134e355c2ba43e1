//! The kinds of values that keys have: their texts in a file, and their types in the program.

use super::facts::KeyPlace;
use crate::fault::AnyMistake;
use crate::mistake::FileMistake;
use crate::spelling::{nearest, shown};
use crate::units::{
    parse_frequency, parse_packets, parse_percent, parse_rate, parse_ratio, parse_size, parse_time,
    UnitError,
};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::str::FromStr;

/// An error message lists at most this many names.
const MAX_NAMES: usize = 20;

/// The TOML types in which a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// In quotes.
    Text,
    /// A whole number, without quotes.
    Integer,
    /// `true` or `false`, without quotes.
    Boolean,
    /// A whole number without quotes, or a word in quotes.
    IntegerOrWord,
    /// A whole number without quotes, or any text in quotes.
    IntegerOrText,
    /// A whole or decimal number, without quotes.
    Number,
}

impl Form {
    /// The types in words.
    pub fn name(self) -> &'static str {
        match self {
            Form::Text => "text",
            Form::Integer => "integer",
            Form::Boolean => "boolean",
            Form::IntegerOrWord => "integer or word",
            Form::IntegerOrText => "integer or text",
            Form::Number => "number",
        }
    }
}

/// Names that values may refer to and that only the file or the program knows.
#[derive(Debug, Default)]
pub struct Known {
    /// The start-up algorithms other than `none`.
    pub startups: Vec<String>,
    /// The nodes of the network.
    pub nodes: Vec<String>,
    /// The folder of the file, from which it names other files; `None` where the text is no file.
    pub folder: Option<PathBuf>,
}

/// A kind of value.
pub trait Kind: 'static {
    /// The type of a value that has been read.
    type Value: PartialEq;
    /// The kind's name in the reference.
    const NAME: &'static str;
    /// How to write a value, for error messages.
    const EXPECTED: &'static str;
    /// The TOML types of a value.
    const FORM: Form = Form::Text;

    /// The names that the kind accepts, in the order of the reference; empty where a value is no
    /// name.
    fn names() -> Vec<&'static str> {
        Vec::new()
    }

    /// The number of the key's range to which the value belongs, and its amount there; `None` where
    /// no range applies.
    fn measure(_value: &Self::Value) -> Option<(u8, u64)> {
        None
    }

    /// Reads a value. Its range is checked elsewhere.
    fn parse(text: &str, known: &Known, place: &KeyPlace) -> Result<Self::Value, AnyMistake>;
}

/// The amount of a number in the only range of its key.
pub fn amount<T: Copy + Into<u64>>(value: &T) -> Option<(u8, u64)> {
    Some((0, (*value).into()))
}

/// The mistake that a quantity cannot be read.
pub fn not_a_quantity(place: &KeyPlace, error: UnitError) -> AnyMistake {
    let key = place.path();
    let error = Box::new(error);
    FileMistake::Quantity { key, error }.into()
}

/// Declares kinds of quantities: the kind, its values, its name, how to write it, its parser, and
/// how a value compares with the range of its key ([`Kind::measure`](crate::key::Kind::measure)).
#[macro_export]
macro_rules! quantity_kinds {
    ($(
        $(#[$doc:meta])*
        $kind:ident: $value:ty, $name:literal, $expected:literal, $parse:expr, $measure:expr;
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub struct $kind;

            impl $crate::key::Kind for $kind {
                type Value = $value;
                const NAME: &'static str = $name;
                const EXPECTED: &'static str = $expected;

                fn measure(value: &$value) -> Option<(u8, u64)> {
                    let measure: fn(&$value) -> Option<(u8, u64)> = $measure;
                    measure(value)
                }

                fn parse(
                    text: &str,
                    _: &$crate::key::Known,
                    place: &$crate::key::KeyPlace,
                ) -> Result<$value, $crate::AnyMistake> {
                    let parse: fn(&str) -> Result<$value, $crate::units::UnitError> = $parse;
                    parse(text).map_err(|error| $crate::key::not_a_quantity(place, error))
                }
            }
        )*
    };
}

quantity_kinds! {
    /// Bits per second.
    Rate: u64, "rate", "a rate with its unit in quotes, for example \"50 Mbit/s\"", parse_rate,
        amount;
    /// Nanoseconds.
    Time: u64, "time", "a time with its unit in quotes, for example \"600 ms\"", parse_time, amount;
    /// Bytes.
    Size: u64, "size", "a size with its unit in quotes, for example \"1 MB\"", parse_size, amount;
    /// Millionths.
    Percent: u32, "share", "a percentage in quotes, for example \"0.5 %\"", parse_percent, amount;
    /// Millionths, also of more than the whole.
    Ratio: u64, "share", "a percentage in quotes, for example \"350 %\"", parse_ratio, amount;
    /// A number of packets.
    PacketCount: u64, "packets", "a number of packets in quotes, for example \"100 packets\"",
        parse_packets, amount;
    /// Times in a million seconds.
    Frequency: u64, "frequency", "a number a second in quotes, for example \"5 /s\"",
        parse_frequency, amount;
}

/// A whole number.
#[derive(Debug)]
pub struct Integer<T>(PhantomData<T>);

impl<T: Copy + FromStr + Into<u64> + PartialEq + 'static> Kind for Integer<T> {
    type Value = T;
    const NAME: &'static str = "integer";
    const EXPECTED: &'static str = "a whole number without quotes, for example 3";
    const FORM: Form = Form::Integer;

    fn measure(value: &T) -> Option<(u8, u64)> {
        amount(value)
    }

    fn parse(text: &str, _: &Known, place: &KeyPlace) -> Result<T, AnyMistake> {
        text.parse().map_err(|_| out_of_range(place, text))
    }
}

/// `true` or `false`.
#[derive(Debug)]
pub struct Boolean;

impl Kind for Boolean {
    type Value = bool;
    const NAME: &'static str = "true or false";
    const EXPECTED: &'static str = "true or false, without quotes";
    const FORM: Form = Form::Boolean;

    fn parse(text: &str, _: &Known, place: &KeyPlace) -> Result<bool, AnyMistake> {
        text.parse()
            .map_err(|_| unknown_name(["true", "false"].into_iter(), place, text).into())
    }
}

/// Any text.
#[derive(Debug)]
pub struct AnyText;

impl Kind for AnyText {
    type Value = String;
    const NAME: &'static str = "text";
    const EXPECTED: &'static str = "a text in quotes";

    fn parse(text: &str, _: &Known, _: &KeyPlace) -> Result<String, AnyMistake> {
        Ok(text.to_owned())
    }
}

/// The mistake that a value is below the minimum or above the maximum of its key.
pub(crate) fn out_of_range(place: &KeyPlace, text: &str) -> AnyMistake {
    let mistake = FileMistake::OutOfRange {
        key: place.path(),
        found: shown(text),
        range: place.facts.range(),
    };
    mistake.into()
}

/// The mistake that a text is none of these names.
pub fn unknown_name<'n>(
    names: impl Iterator<Item = &'n str> + Clone,
    place: &KeyPlace,
    text: &str,
) -> FileMistake {
    let mut accepted: Vec<_> = names
        .clone()
        .take(MAX_NAMES)
        .map(|name| format!("`{name}`"))
        .collect();
    let left_out = names.clone().count().saturating_sub(MAX_NAMES);
    if left_out > 0 {
        accepted.push(format!("and {left_out} others"));
    }
    FileMistake::UnknownName {
        key: place.path(),
        found: shown(text),
        nearest: nearest(text, names).map(str::to_owned),
        accepted,
    }
}

/// Declares kinds whose values are one of a few names: the kind, its values, its name in the
/// reference, how to write it, all values in their order, and the function that names a value.
#[macro_export]
macro_rules! choice_kinds {
    ($(
        $(#[$doc:meta])*
        $kind:ident: $value:ty, $name:literal, $expected:literal, $all:expr, $name_of:expr;
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub struct $kind;

            impl $crate::key::Kind for $kind {
                type Value = $value;
                const NAME: &'static str = $name;
                const EXPECTED: &'static str = $expected;

                fn names() -> Vec<&'static str> {
                    let name_of: fn($value) -> &'static str = $name_of;
                    $all.iter().map(|one| name_of(*one)).collect()
                }

                fn parse(
                    text: &str,
                    _: &$crate::key::Known,
                    place: &$crate::key::KeyPlace,
                ) -> Result<$value, $crate::AnyMistake> {
                    let name_of: fn($value) -> &'static str = $name_of;
                    let chosen = $all.iter().copied().find(|one| name_of(*one) == text);
                    let names = Self::names();
                    chosen.ok_or_else(|| {
                        $crate::key::unknown_name(names.iter().copied(), place, text).into()
                    })
                }
            }
        )*
    };
}
