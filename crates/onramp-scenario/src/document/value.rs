//! Values of a parsed file: their types, and whether one is in the range of its key.

use crate::key::{Form, KeyPlace, Kind, Known, Measure};
use crate::mistake::Mistake;
use crate::units::shown;
use toml::de::DeValue;

/// Reads one value that the file gives: its type, its text, its range. `lists` names all keys that
/// may have lists.
pub(super) fn read<K: Kind>(
    place: &KeyPlace,
    value: &DeValue,
    known: &Known,
    lists: impl Fn() -> Vec<String>,
) -> Result<K::Value, Mistake> {
    let Some(text) = text_of::<K>(value) else {
        return Err(match value {
            DeValue::Array(_) if !place.takes_list() => Mistake::ListNotAllowed {
                key: place.path(),
                lists: lists(),
            },
            other => Mistake::WrongType {
                key: place.path(),
                found: found(other),
                expected: K::EXPECTED.to_owned(),
            },
        });
    };
    let parsed = K::parse(&text, known, place)?;
    if is_out_of_range::<K>(place, &parsed, known) {
        return Err(Mistake::OutOfRange {
            key: place.path(),
            found: shown(&text),
            range: place.facts.range(),
        });
    }
    Ok(parsed)
}

/// The text of a value that has a type of its kind.
fn text_of<K: Kind>(value: &DeValue) -> Option<String> {
    match (value, K::FORM) {
        (DeValue::Integer(integer), Form::Integer | Form::IntegerOrWord) => {
            let number = i128::from_str_radix(integer.as_str(), integer.radix());
            Some(number.map_or(integer.to_string(), |number| number.to_string()))
        }
        (DeValue::Boolean(value), Form::Boolean) => Some(value.to_string()),
        (DeValue::String(text), Form::Text) => Some(text.to_string()),
        // A number in quotes should stand without them.
        (DeValue::String(text), Form::IntegerOrWord) if text.parse::<i128>().is_err() => {
            Some(text.to_string())
        }
        _ => None,
    }
}

fn is_out_of_range<K: Kind>(place: &KeyPlace, value: &K::Value, known: &Known) -> bool {
    let Some((range, amount)) = value.measure() else {
        return false;
    };
    let limit = |text: &str| K::parse(text, known, place).ok()?.measure();
    place.facts.ranges.iter().any(|(min, max)| {
        let (Some((of_range, min)), Some((_, max))) = (limit(min), limit(max)) else {
            return false;
        };
        of_range == range && !(min..=max).contains(&amount)
    })
}

/// The type of a value, for error messages.
pub(super) fn found(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a decimal number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(array) if array.is_empty() => "an empty list",
        DeValue::Array(_) if is_tables(value) => "a list of tables",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// Whether a value is a table or a series of tables.
pub(super) fn is_tables(value: &DeValue) -> bool {
    match value {
        DeValue::Table(_) => true,
        DeValue::Array(array) => {
            !array.is_empty() && array.iter().all(|element| element.get_ref().is_table())
        }
        _ => false,
    }
}
