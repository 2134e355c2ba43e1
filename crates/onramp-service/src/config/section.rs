//! A table of the file: its keys, and values of the types that keys have. Mistakes are collected; a
//! key that is wrong reads as `None`, and the reader goes on.

use super::mistake::{shortened, ONE_TABLE};
use super::{advice, Doubt, Fault, Key, Mistake, Warning};
use std::ops::Range;
use toml::de::{DeTable, DeValue};
use toml::Spanned;

/// Collects mistakes and warnings while it reads.
pub(super) struct Reader<'a> {
    /// The file's name.
    pub file: &'a str,
    text: &'a str,
    pub faults: Vec<Fault>,
    pub warnings: Vec<Warning>,
}

/// A table; `table` is `None` if the file does not have it.
pub(super) struct Section<'a> {
    table: Option<&'a DeTable<'a>>,
    /// The place of the table, for mistakes of what is missing in it.
    pub span: Range<usize>,
}

/// What a key has, for messages.
pub(super) fn shown(value: &DeValue<'_>) -> String {
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
    let printable = text
        .chars()
        .map(|char| if char.is_control() { '?' } else { char });
    let mut shown: String = printable.take(MAX_CHARS).collect();
    if text.chars().count() > MAX_CHARS {
        shown.push('…');
    }
    shown
}

impl<'a> Section<'a> {
    /// The value of a key.
    pub fn get(&self, name: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        let table = self.table?;
        table
            .iter()
            .find(|(key, _)| key.get_ref() == name)
            .map(|(_, value)| value)
    }

    pub fn has(&self, key: &Key) -> bool {
        self.get(key.name).is_some()
    }
}

impl<'t> Reader<'t> {
    /// A reader of a file with this text.
    pub fn new(file: &'t str, text: &'t str) -> Reader<'t> {
        Reader {
            file,
            text,
            faults: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The line of a place, from 1.
    pub fn line(&self, span: &Range<usize>) -> usize {
        let before = self.text.get(..span.start).unwrap_or_default();
        before.matches('\n').count() + 1
    }

    /// Notes what is probably not meant.
    pub fn warn(&mut self, doubt: Doubt, line: usize) {
        self.warnings.push(Warning {
            file: self.file.to_owned(),
            line,
            doubt,
        });
    }

    /// The top level, whose tables are these.
    pub fn top<'a>(&mut self, table: &'a DeTable<'a>, names: &[&'static str]) -> Section<'a> {
        self.section(Some(table), 0..0, "the file", names)
    }

    /// A table whose keys are these.
    fn section<'a>(
        &mut self,
        table: Option<&'a DeTable<'a>>,
        span: Range<usize>,
        title: &'static str,
        names: &[&'static str],
    ) -> Section<'a> {
        for (key, _) in table.into_iter().flatten() {
            let name: &str = key.get_ref();
            if !names.contains(&name) {
                let mistake = Mistake::UnknownKey {
                    key: shortened(name),
                    table: title,
                    nearest: nearest(name, names),
                    accepted: names.to_vec(),
                };
                self.fault(mistake, key.span());
            }
        }
        Section { table, span }
    }

    /// The table `[name]`.
    pub fn table<'a>(
        &mut self,
        top: &Section<'a>,
        name: &'static str,
        title: &'static str,
        keys: &[Key],
    ) -> Section<'a> {
        let names: Vec<_> = keys.iter().map(|key| key.name).collect();
        match top.get(name).map(|value| (value.get_ref(), value.span())) {
            Some((DeValue::Table(table), span)) => self.section(Some(table), span, title, &names),
            Some((other, span)) => {
                self.not_a_table(name, other, "a table", span.clone());
                self.section(None, span, title, &names)
            }
            None => self.section(None, 0..0, title, &names),
        }
    }

    /// The tables `[[name]]`, in their order.
    pub fn tables<'a>(
        &mut self,
        top: &Section<'a>,
        name: &'static str,
        title: &'static str,
        keys: &[Key],
    ) -> Vec<Section<'a>> {
        const EXPECTED: &str = "tables that begin with [[policy]]";
        let Some(value) = top.get(name) else {
            return Vec::new();
        };
        let DeValue::Array(tables) = value.get_ref() else {
            self.not_a_table(name, value.get_ref(), EXPECTED, value.span());
            return Vec::new();
        };
        let names: Vec<_> = keys.iter().map(|key| key.name).collect();
        let mut sections = Vec::new();
        for value in tables.iter() {
            match value.get_ref() {
                DeValue::Table(table) => {
                    sections.push(self.section(Some(table), value.span(), title, &names));
                }
                other => self.not_a_table(name, other, EXPECTED, value.span()),
            }
        }
        sections
    }

    fn not_a_table(
        &mut self,
        key: &'static str,
        found: &DeValue<'_>,
        expected: &'static str,
        span: Range<usize>,
    ) {
        let found = match found {
            DeValue::Table(_) => ONE_TABLE,
            DeValue::Array(_) => "a list",
            _ => "a value",
        };
        let mistake = Mistake::NotATable {
            key,
            found,
            expected,
        };
        self.fault(mistake, span);
    }

    /// Notes a mistake.
    pub fn fault(&mut self, mistake: Mistake, span: Range<usize>) {
        self.faults.push(Fault {
            mistake,
            span: Some(span),
        });
    }

    /// One value, read by `read`, which returns `None` if it is not what the key expects.
    pub fn one<T>(
        &mut self,
        section: &Section<'_>,
        key: &Key,
        read: impl Fn(&DeValue<'_>) -> Option<T>,
    ) -> Option<T> {
        let value = section.get(key.name)?;
        self.value(key, value, &read)
    }

    /// One value or a list of them. Without the key: an empty list.
    pub fn list<T>(
        &mut self,
        section: &Section<'_>,
        key: &Key,
        read: impl Fn(&DeValue<'_>) -> Option<T>,
    ) -> Vec<T> {
        let entries = self.entries(section, key, read).into_iter();
        entries.map(|(entry, _)| entry).collect()
    }

    /// As [`Reader::list`], each with its place.
    pub fn entries<T>(
        &mut self,
        section: &Section<'_>,
        key: &Key,
        read: impl Fn(&DeValue<'_>) -> Option<T>,
    ) -> Vec<(T, Range<usize>)> {
        let Some(value) = section.get(key.name) else {
            return Vec::new();
        };
        let DeValue::Array(list) = value.get_ref() else {
            let entry = self.value(key, value, &read);
            return entry
                .map(|entry| (entry, value.span()))
                .into_iter()
                .collect();
        };
        if list.is_empty() {
            self.fault(Mistake::EmptyList { key: key.name }, value.span());
        }
        list.iter()
            .filter_map(|entry| Some((self.value(key, entry, &read)?, entry.span())))
            .collect()
    }

    fn value<T>(
        &mut self,
        key: &Key,
        value: &Spanned<DeValue<'_>>,
        read: impl Fn(&DeValue<'_>) -> Option<T>,
    ) -> Option<T> {
        let result = read(value.get_ref());
        if result.is_none() {
            let mistake = Mistake::Value {
                key: key.name,
                found: shown(value.get_ref()),
                advice: advice::of(key, value.get_ref()),
            };
            self.fault(mistake, value.span());
        }
        result
    }
}

/// The name that is most similar, if it is similar enough to be meant.
pub(super) fn nearest(found: &str, names: &[&'static str]) -> Option<&'static str> {
    if found.len() > 64 {
        return None;
    }
    let similarity = |name: &str| strsim::normalized_damerau_levenshtein(found, name);
    let best = names
        .iter()
        .max_by(|a, b| similarity(a).total_cmp(&similarity(b)))?;
    (similarity(best) >= 0.5).then_some(best)
}
