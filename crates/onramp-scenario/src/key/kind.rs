//! The kinds of values that keys have: their texts in a file, and their types in the program.

use super::facts::KeyPlace;
use super::measure::Measure;
use crate::mistake::Mistake;
use crate::units::{
    nearest, parse_frequency, parse_packets, parse_percent, parse_rate, parse_size, parse_time,
    shown, UnitError,
};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::str::FromStr;

/// An error message lists at most this many names.
const MAX_NAMES: usize = 20;

/// The TOML types in which a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// In quotes.
    Text,
    /// A whole number, without quotes.
    Integer,
    /// `true` or `false`, without quotes.
    Boolean,
    /// A whole number without quotes, or a word in quotes.
    IntegerOrWord,
}

/// Names that values may refer to and that only the file or the program knows.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The start-up algorithms other than `none`.
    pub startups: Vec<String>,
    /// The nodes of the network.
    pub nodes: Vec<String>,
    /// The folder of the scenario file, from which it names other files; `None` where the scenario
    /// is no file.
    pub folder: Option<PathBuf>,
}

/// A kind of value.
pub(crate) trait Kind: 'static {
    /// The type of a value that has been read.
    type Value: Measure + PartialEq;
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

    /// Reads a value. Its range is checked elsewhere.
    fn parse(text: &str, known: &Known, place: &KeyPlace) -> Result<Self::Value, Mistake>;
}

/// The mistake that a quantity cannot be read.
pub(crate) fn not_a_quantity(place: &KeyPlace, error: UnitError) -> Mistake {
    Mistake::Quantity {
        key: place.path(),
        error: Box::new(error),
    }
}

/// Declares kinds of quantities: the kind, its values, its name, how to write it, its parser.
macro_rules! quantity_kinds {
    ($(
        $(#[$doc:meta])*
        $kind:ident: $value:ty, $name:literal, $expected:literal, $parse:expr;
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub(crate) struct $kind;

            impl $crate::key::Kind for $kind {
                type Value = $value;
                const NAME: &'static str = $name;
                const EXPECTED: &'static str = $expected;

                fn parse(
                    text: &str,
                    _: &$crate::key::Known,
                    place: &$crate::key::KeyPlace,
                ) -> Result<$value, $crate::mistake::Mistake> {
                    let parse: fn(&str) -> Result<$value, $crate::units::UnitError> = $parse;
                    parse(text).map_err(|error| $crate::key::not_a_quantity(place, error))
                }
            }
        )*
    };
}

pub(crate) use quantity_kinds;

quantity_kinds! {
    /// Bits per second.
    Rate: u64, "rate", "a rate with its unit in quotes, for example \"50 Mbit/s\"", parse_rate;
    /// Nanoseconds.
    Time: u64, "time", "a time with its unit in quotes, for example \"600 ms\"", parse_time;
    /// Bytes.
    Size: u64, "size", "a size with its unit in quotes, for example \"1 MB\"", parse_size;
    /// Millionths.
    Percent: u32, "share", "a percentage in quotes, for example \"0.5 %\"", parse_percent;
    /// A number of packets.
    PacketCount: u64, "packets", "a number of packets in quotes, for example \"100 packets\"",
        parse_packets;
    /// Times in a million seconds.
    Frequency: u64, "frequency", "a number a second in quotes, for example \"5 /s\"",
        parse_frequency;
}

/// A whole number.
#[derive(Debug)]
pub(crate) struct Integer<T>(PhantomData<T>);

impl<T: FromStr + Measure + PartialEq + 'static> Kind for Integer<T> {
    type Value = T;
    const NAME: &'static str = "integer";
    const EXPECTED: &'static str = "a whole number without quotes, for example 3";
    const FORM: Form = Form::Integer;

    fn parse(text: &str, _: &Known, place: &KeyPlace) -> Result<T, Mistake> {
        text.parse().map_err(|_| Mistake::OutOfRange {
            key: place.path(),
            found: shown(text),
            range: place.facts.range(),
        })
    }
}

/// `true` or `false`.
#[derive(Debug)]
pub(crate) struct Boolean;

impl Kind for Boolean {
    type Value = bool;
    const NAME: &'static str = "true or false";
    const EXPECTED: &'static str = "true or false, without quotes";
    const FORM: Form = Form::Boolean;

    fn parse(text: &str, _: &Known, place: &KeyPlace) -> Result<bool, Mistake> {
        text.parse()
            .map_err(|_| unknown_name(["true", "false"].into_iter(), place, text))
    }
}

/// Any text.
#[derive(Debug)]
pub(crate) struct AnyText;

impl Kind for AnyText {
    type Value = String;
    const NAME: &'static str = "text";
    const EXPECTED: &'static str = "a text in quotes";

    fn parse(text: &str, _: &Known, _: &KeyPlace) -> Result<String, Mistake> {
        Ok(text.to_owned())
    }
}

/// The mistake that a text is none of these names.
pub(crate) fn unknown_name<'n>(
    names: impl Iterator<Item = &'n str> + Clone,
    place: &KeyPlace,
    text: &str,
) -> Mistake {
    let mut accepted: Vec<_> = names
        .clone()
        .take(MAX_NAMES)
        .map(|name| format!("`{name}`"))
        .collect();
    let left_out = names.clone().count().saturating_sub(MAX_NAMES);
    if left_out > 0 {
        accepted.push(format!("and {left_out} others"));
    }
    Mistake::UnknownName {
        key: place.path(),
        found: shown(text),
        nearest: nearest(text, names).map(str::to_owned),
        accepted,
    }
}

/// Declares kinds whose values are one of a few names: the kind, its values, its name in the
/// reference, how to write it, all values in their order, and the function that names a value.
macro_rules! choice_kinds {
    ($(
        $(#[$doc:meta])*
        $kind:ident: $value:ty, $name:literal, $expected:literal, $all:expr, $name_of:expr;
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub(crate) struct $kind;

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
                ) -> Result<$value, $crate::mistake::Mistake> {
                    let name_of: fn($value) -> &'static str = $name_of;
                    let chosen = $all.iter().copied().find(|one| name_of(*one) == text);
                    let names = Self::names();
                    chosen.ok_or_else(|| {
                        $crate::key::unknown_name(names.iter().copied(), place, text)
                    })
                }
            }
        )*
    };
}

pub(crate) use choice_kinds;
