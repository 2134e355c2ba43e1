//! Values of a parsed file: their types, and whether one is in the range of its key.

use crate::fault::AnyMistake;
use crate::key::{out_of_range, Form, KeyPlace, Kind, Known};
use crate::mistake::FileMistake;
use toml::de::DeValue;

/// Reads one value that the file gives: its type, its text, its range. `lists` names all keys that
/// may have lists.
pub(crate) fn read<K: Kind>(
    place: &KeyPlace,
    value: &DeValue,
    known: &Known,
    translate: fn(FileMistake) -> AnyMistake,
    lists: impl Fn() -> Vec<String>,
) -> Result<K::Value, AnyMistake> {
    let Some(text) = text_of::<K>(value) else {
        let mistake = match value {
            DeValue::Array(_) if !place.takes_list() => FileMistake::ListNotAllowed {
                key: place.path(),
                lists: lists(),
                expected: K::EXPECTED,
            },
            other => FileMistake::WrongType {
                key: place.path(),
                found: found(other),
                written: written(other),
                expected: K::EXPECTED,
            },
        };
        return Err(translate(mistake));
    };
    let mut place = *place;
    place.value = Some(value);
    let place = &place;
    let parsed = K::parse(&text, known, place)?;
    match is_out_of_range::<K>(place, &parsed, known) {
        true => Err(out_of_range(place, &text)),
        false => Ok(parsed),
    }
}

/// The text of a value that has a type of its kind.
fn text_of<K: Kind>(value: &DeValue) -> Option<String> {
    match (value, K::FORM) {
        (DeValue::Integer(integer), form) if form != Form::Text && form != Form::Boolean => {
            let number = i128::from_str_radix(integer.as_str(), integer.radix());
            Some(number.map_or(integer.to_string(), |number| number.to_string()))
        }
        (DeValue::Boolean(value), Form::Boolean) => Some(value.to_string()),
        (DeValue::Float(float), Form::Number) => Some(float.to_string()),
        (DeValue::String(text), Form::Text | Form::IntegerOrText) => Some(text.to_string()),
        // A number in quotes should stand without them.
        (DeValue::String(text), Form::IntegerOrWord) if text.parse::<i128>().is_err() => {
            Some(text.to_string())
        }
        _ => None,
    }
}

fn is_out_of_range<K: Kind>(place: &KeyPlace, value: &K::Value, known: &Known) -> bool {
    let Some((range, amount)) = K::measure(value) else {
        return false;
    };
    let limit = |text: &str| K::measure(&K::parse(text, known, place).ok()?);
    place.facts.ranges.iter().any(|(min, max)| {
        let (Some((of_range, min)), Some((_, max))) = (limit(min), limit(max)) else {
            return false;
        };
        of_range == range && !(min..=max).contains(&amount)
    })
}

/// A value as the file has it, for error messages: one short line.
pub fn written(value: &DeValue) -> String {
    const MAX_CHARS: usize = 60;
    let text = match value {
        DeValue::String(text) => format!("\"{text}\""),
        DeValue::Integer(integer) => integer.to_string(),
        DeValue::Float(float) => float.to_string(),
        DeValue::Boolean(boolean) => boolean.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    };
    let printable = |char: char| if char.is_control() { '?' } else { char };
    let mut written: String = text.chars().map(printable).take(MAX_CHARS).collect();
    if text.chars().count() > MAX_CHARS {
        written.push('…');
    }
    written
}

/// The type of a value, for error messages.
pub(crate) fn found(value: &DeValue) -> &'static str {
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
pub(crate) fn is_tables(value: &DeValue) -> bool {
    match value {
        DeValue::Table(_) => true,
        DeValue::Array(array) => {
            !array.is_empty() && array.iter().all(|element| element.get_ref().is_table())
        }
        _ => false,
    }
}
