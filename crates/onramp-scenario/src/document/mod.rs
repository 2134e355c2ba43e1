//! A parsed TOML document seen through the declared keys: values checked for type, range and place.
//!
//! Mistakes are collected, not returned: a key that is wrong reads as `None`, and the caller goes
//! on with the next.

mod measure;

use crate::keys::{all_keys, Fallback, Key, Kind, List, Table, TABLES};
use crate::units::{nearest, shown, UnitError};
use crate::{Fault, Mistake};
use measure::Measure;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use toml::de::{DeTable, DeValue};
use toml::Spanned;

/// The longest list.
const MOST_ENTRIES: usize = 1000;

/// A node's place in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node(pub usize);

/// A function that reads the text of a key's value.
pub(crate) type Parse<'p, T> = &'p dyn Fn(&Key, &str) -> Result<T, Mistake>;

/// The [`Parse`] of a quantity.
pub(crate) fn quantity<T>(
    parse: fn(&str) -> Result<T, UnitError>,
) -> impl Fn(&Key, &str) -> Result<T, Mistake> {
    move |key, text| {
        parse(text).map_err(|error| Mistake::Quantity {
            key: key.path(),
            error: Box::new(error),
        })
    }
}

/// The [`Parse`] of a whole number; its text has been an integer of TOML.
pub(crate) fn integer<T: FromStr>(key: &Key, text: &str) -> Result<T, Mistake> {
    text.parse().map_err(|_| Mistake::OutOfRange {
        key: key.path(),
        found: shown(text),
        range: key.range(),
    })
}

/// One table of the file, or the lack of it.
#[derive(Clone)]
pub(crate) struct Section<'a> {
    /// Bytes of its header, to point at.
    pub header: Range<usize>,
    table: &'static Table,
    entries: Option<&'a DeTable<'a>>,
}

impl<'a> Section<'a> {
    pub(crate) fn top(entries: &'a DeTable<'a>) -> Self {
        Section {
            table: &crate::keys::TOP,
            header: 0..0,
            entries: Some(entries),
        }
    }

    fn absent(table: &'static Table) -> Self {
        Section {
            table,
            header: 0..0,
            entries: None,
        }
    }

    /// Whether the file has a key or table of this name here, right or wrong.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Bytes of the value of this name, or of the table's header, to point at.
    pub(crate) fn span(&self, name: &str) -> Range<usize> {
        self.value(name).map_or(self.header.clone(), Spanned::span)
    }

    fn value(&self, name: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.entries?
            .iter()
            .find(|(key, _)| key.get_ref() == name)
            .map(|(_, value)| value)
    }
}

/// Collects mistakes while it reads.
#[derive(Default)]
pub(crate) struct Reader {
    pub faults: Vec<Fault>,
}

impl Reader {
    /// Names every key that does not belong into this table.
    pub(crate) fn refuse_unknown_keys(&mut self, section: &Section) {
        let accepted = section.table.names();
        for (key, value) in section.entries.into_iter().flatten() {
            let name = key.get_ref().as_ref();
            if !accepted.contains(&name) {
                let alike = if is_tables(value.get_ref()) {
                    section.table.tables()
                } else {
                    section.table.keys()
                };
                let mistake = Mistake::UnknownKey {
                    key: shown(name),
                    table: section.table.header(),
                    nearest: nearest(name, alike),
                    belongs: belongs(name),
                    accepted: accepted.clone(),
                };
                self.faults.push(mistake.at(key.span()));
            }
        }
    }

    /// The table within `parent`, empty if the file does not have it.
    pub(crate) fn table<'a>(&mut self, parent: &Section<'a>, table: &'static Table) -> Section<'a> {
        self.tables(parent, table)
            .pop()
            .unwrap_or(Section::absent(table))
    }

    /// All tables of this name, in the file's order. Their keys have been checked.
    pub(crate) fn tables<'a>(
        &mut self,
        parent: &Section<'a>,
        table: &'static Table,
    ) -> Vec<Section<'a>> {
        let name = table.name.rsplit('.').next().unwrap_or(table.name);
        let Some(value) = parent.value(name) else {
            if table.required {
                self.miss(parent, table);
            }
            return Vec::new();
        };
        let values = match (value.get_ref(), table.is_many()) {
            (DeValue::Array(array), true) => array.iter().collect(),
            (_, true) => Vec::new(),
            (_, false) => vec![value],
        };
        if values.is_empty() || values.iter().any(|value| !value.get_ref().is_table()) {
            let expected = format!("a table that begins with {}", table.header());
            let found = match (value.get_ref(), table.is_many()) {
                (DeValue::Array(array), true) if !array.is_empty() => {
                    "a list of other things than tables"
                }
                _ => found(value.get_ref()),
            };
            let mistake = Mistake::WrongType {
                key: table.name.to_owned(),
                found,
                expected,
            };
            self.faults.push(mistake.at(value.span()));
            return Vec::new();
        }
        if values.len() > table.most {
            let mistake = Mistake::TooMany {
                key: table.header(),
                count: values.len(),
                most: table.most,
            };
            self.faults.push(mistake.at(values[table.most].span()));
            return Vec::new();
        }
        let sections: Vec<_> = values
            .into_iter()
            .map(|value| Section {
                table,
                header: value.span(),
                entries: value.get_ref().as_table(),
            })
            .collect();
        for section in &sections {
            self.refuse_unknown_keys(section);
        }
        sections
    }

    /// Says that a table is missing, unless it seems to be there under another name.
    pub(crate) fn miss(&mut self, parent: &Section, table: &Table) {
        let name = table.name.rsplit('.').next().unwrap_or(table.name);
        if !self.is_misspelt(parent.table, name) {
            self.faults.push(
                Mistake::MissingTable {
                    table: table.header(),
                }
                .nowhere(),
            );
        }
    }

    /// Notes a mistake.
    pub(crate) fn fault(&mut self, mistake: Mistake, span: Range<usize>) {
        self.faults.push(mistake.at(span));
    }

    /// One value: the file's, or the default. `None` if it is wrong, or if it is absent without a
    /// default text.
    pub(crate) fn one<T: Measure>(
        &mut self,
        section: &Section,
        key: &'static Key,
        parse: Parse<T>,
    ) -> Option<T> {
        match self.given(section, key)? {
            Given::Value(value) => {
                let parsed = scalar(key, value, parse);
                self.keep(parsed, value.span())
            }
            Given::Default(text) => self.default(key, text, parse),
        }
    }

    /// The values of a key that may be a list; a single value is a list of one.
    pub(crate) fn list<T>(
        &mut self,
        section: &Section,
        key: &'static Key,
        parse: Parse<T>,
    ) -> Option<Vec<T>>
    where
        T: Measure + PartialEq,
    {
        let (array, span) = match self.given(section, key)? {
            Given::Value(value) => match value.get_ref() {
                DeValue::Array(array) if key.list != List::No => (array, value.span()),
                _ => {
                    let parsed = scalar(key, value, parse);
                    return self.keep(parsed, value.span()).map(|value| vec![value]);
                }
            },
            Given::Default(text) => return self.default(key, text, parse).map(|value| vec![value]),
        };
        if array.is_empty() {
            return self.keep(Err(Mistake::EmptyList { key: key.path() }), span);
        }
        if array.len() > MOST_ENTRIES {
            let mistake = Mistake::TooMany {
                key: key.path(),
                count: array.len(),
                most: MOST_ENTRIES,
            };
            return self.keep(Err(mistake), array[MOST_ENTRIES].span());
        }
        let mut values = Vec::with_capacity(array.len());
        let mut complete = true;
        for element in array {
            let parsed = scalar(key, element, parse);
            let Some(value) = self.keep(parsed, element.span()) else {
                complete = false;
                continue;
            };
            if let Some((_, first)) = values.iter().find(|(earlier, _)| *earlier == value) {
                let value = match element.get_ref() {
                    DeValue::String(text) => format!("`{}`", shown(text)),
                    DeValue::Integer(integer) => integer.to_string(),
                    _ => String::new(),
                };
                let mistake = Mistake::Twice {
                    key: key.path(),
                    value,
                    first: Range::clone(first),
                };
                self.faults.push(mistake.at(element.span()));
                complete = false;
                continue;
            }
            values.push((value, element.span()));
        }
        complete.then(|| values.into_iter().map(|(value, _)| value).collect())
    }

    /// Whether this name has been suggested for an unknown one: then it is not missing besides.
    fn is_misspelt(&self, within: &Table, name: &str) -> bool {
        self.faults.iter().any(|fault| match &fault.mistake {
            Mistake::UnknownKey { table, nearest, .. } => {
                *nearest == Some(name) && *table == within.header()
            }
            _ => false,
        })
    }

    fn given<'a>(&mut self, section: &Section<'a>, key: &'static Key) -> Option<Given<'a>> {
        if let Some(value) = section.value(key.name) {
            return Some(Given::Value(value));
        }
        match key.default {
            Fallback::Text(text) => Some(Given::Default(text)),
            Fallback::Other(_) => None,
            Fallback::Required => {
                let mistake = Mistake::MissingKey {
                    key: key.path(),
                    expected: key.kind.expected(),
                };
                match (section.entries, key.table) {
                    // Of an absent table it has been said that it is absent.
                    (None, _) => {}
                    _ if self.is_misspelt(section.table, key.name) => {}
                    (Some(_), "") => self.faults.push(mistake.nowhere()),
                    (Some(_), _) => self.faults.push(mistake.at(section.header.clone())),
                }
                None
            }
        }
    }

    fn default<T>(&mut self, key: &Key, text: &str, parse: Parse<T>) -> Option<T> {
        // A default of the table of keys is right, which the tests of that table see to.
        self.keep(parse(key, text), 0..0)
    }

    pub(crate) fn keep<T>(&mut self, parsed: Result<T, Mistake>, span: Range<usize>) -> Option<T> {
        parsed
            .map_err(|mistake| self.faults.push(mistake.at(span)))
            .ok()
    }
}

enum Given<'a> {
    Value(&'a Spanned<DeValue<'a>>),
    Default(&'static str),
}

/// Reads one value that the file gives: its type, its text, its range.
fn scalar<T: Measure>(key: &Key, value: &Spanned<DeValue>, parse: Parse<T>) -> Result<T, Mistake> {
    let text = match (value.get_ref(), key.kind) {
        (DeValue::Integer(integer), Kind::Integer | Kind::Connections) => {
            i128::from_str_radix(integer.as_str(), integer.radix())
                .map_or(integer.to_string(), |n| n.to_string())
        }
        (DeValue::Boolean(value), Kind::Boolean) => value.to_string(),
        (DeValue::String(text), kind) if !is_number(kind, text) => text.to_string(),
        (DeValue::Array(_), _) if key.list == List::No => {
            let lists = all_keys()
                .filter(|key| key.list != List::No)
                .map(|key| key.path())
                .collect();
            return Err(Mistake::ListNotAllowed {
                key: key.path(),
                lists,
            });
        }
        (other, kind) => {
            let expected = kind.expected().to_owned();
            return Err(Mistake::WrongType {
                key: key.path(),
                found: found(other),
                expected,
            });
        }
    };
    let parsed = parse(key, &text)?;
    let Some((unit, amount)) = parsed.measure() else {
        return Ok(parsed);
    };
    let limit = |text: &str| parse(key, text).ok().and_then(|limit| limit.measure());
    let is_beyond = key
        .ranges
        .iter()
        .any(|(least, most)| match (limit(least), limit(most)) {
            (Some((range_unit, least)), Some((_, most))) => {
                range_unit == unit && !(least..=most).contains(&amount)
            }
            _ => false,
        });
    match is_beyond {
        true => Err(Mistake::OutOfRange {
            key: key.path(),
            found: shown(&text),
            range: key.range(),
        }),
        false => Ok(parsed),
    }
}

/// Of this kind, a text should not be in quotes.
fn is_number(kind: Kind, text: &str) -> bool {
    match kind {
        Kind::Integer | Kind::Boolean => true,
        Kind::Connections => text.parse::<i128>().is_ok(),
        _ => false,
    }
}

fn found(value: &DeValue) -> &'static str {
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

fn is_tables(value: &DeValue) -> bool {
    match value {
        DeValue::Table(_) => true,
        DeValue::Array(array) => {
            !array.is_empty() && array.iter().all(|element| element.get_ref().is_table())
        }
        _ => false,
    }
}

/// The only table that has a key of this name, or two that stand side by side.
fn belongs(name: &str) -> Option<String> {
    let tables: Vec<_> = TABLES
        .iter()
        .filter(|table| table.names().contains(&name))
        .collect();
    let within = tables.iter().any(|table| table.name.contains('.'));
    match tables[..] {
        [only] => Some(only.header()),
        [one, other] if !within => Some(format!("{} and of {}", one.header(), other.header())),
        _ => None,
    }
}

impl fmt::Debug for Section<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Section({} at {:?})", self.table.header(), self.header)
    }
}
