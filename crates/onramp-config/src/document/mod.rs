//! A parsed TOML document seen through declared keys: values checked for type, range and place.
//!
//! Mistakes are collected, not returned. A key that is wrong reads as `None`, and the caller goes
//! on with the next key.

mod section;
mod value;

pub use section::Section;
pub use value::written;

use crate::fault::{AnyMistake, Fault};
use crate::key::{Fallback, Key, KeyPlace, Kind, Known, Table};
use crate::mistake::FileMistake;
use crate::spelling::{nearest, shown};
use std::ops::Range;
use toml::de::DeValue;
use toml::Spanned;
use value::{found, is_tables};

/// A format of files.
#[derive(Debug)]
pub struct Format {
    /// The table of the top level, from which all others can be reached.
    pub root: &'static Table,
    /// The length of the longest list.
    pub max_entries: usize,
    /// The format's own sentences about mistakes of any file.
    pub translate: fn(FileMistake) -> AnyMistake,
}

/// Collects mistakes while it reads.
#[derive(Debug)]
pub struct Reader {
    /// The mistakes that were found.
    pub faults: Vec<Fault>,
    /// Names that values may refer to.
    pub known: Known,
    format: &'static Format,
    /// Names that were suggested for unknown ones, each with the header of its table.
    suggested: Vec<(String, &'static str)>,
}

impl Reader {
    /// A reader of files of this format.
    pub fn new(format: &'static Format, known: Known) -> Reader {
        Reader {
            faults: Vec::new(),
            known,
            format,
            suggested: Vec::new(),
        }
    }

    /// Notes each key that does not belong into this table.
    pub fn refuse_unknown_keys(&mut self, section: &Section) {
        let accepted = section.table.names();
        for (key, value) in section.entries.into_iter().flatten() {
            let name = key.get_ref().as_ref();
            if accepted.contains(&name) {
                continue;
            }
            let alike = match is_tables(value.get_ref()) {
                true => section.table.table_names(),
                false => section.table.key_names(),
            };
            let nearest = nearest(name, alike);
            self.suggested
                .extend(nearest.map(|nearest| (section.title(), nearest)));
            let mistake = FileMistake::UnknownKey {
                key: shown(name),
                table: section.title(),
                nearest,
                belongs: self.tables_with(name),
                accepted: accepted.clone(),
            };
            self.file_fault(mistake, key.span());
        }
    }

    /// The only table that has a key of this name, or two tables of the top level.
    fn tables_with(&self, name: &str) -> Option<String> {
        let tree = self.format.root.tree();
        let tables: Vec<_> = tree
            .iter()
            .filter(|(_, table)| table.names().contains(&name))
            .collect();
        let is_nested = tables.iter().any(|(path, _)| path.contains('.'));
        match tables[..] {
            [(path, only)] => Some(only.header(path)),
            [(path, one), (other_path, other)] if !is_nested => {
                let [one, other] = [one.header(path), other.header(other_path)];
                Some(format!("{one} and of {other}"))
            }
            _ => None,
        }
    }

    /// All keys that may have lists, with their tables. A table of late keys is one entry.
    fn keys_with_lists(root: &'static Table) -> Vec<String> {
        let lists_of = |(path, table): (String, &'static Table)| {
            if table.late_keys.is_some() {
                return vec![format!("{path}.*")];
            }
            let keys = table.keys().map(|key| key.facts());
            let lists = keys.filter(|facts| facts.takes_list(&path));
            lists
                .map(|facts| KeyPlace::new(&path, facts).path())
                .collect::<Vec<_>>()
        };
        root.tree().into_iter().flat_map(lists_of).collect()
    }

    /// The table within `parent`; empty if the file does not have it.
    pub fn table<'a>(&mut self, parent: &Section<'a>, table: &'static Table) -> Section<'a> {
        self.tables(parent, table)
            .pop()
            .unwrap_or_else(|| parent.absent(table))
    }

    /// All tables of this kind within `parent`, in the file's order. Their keys have been checked.
    pub fn tables<'a>(&mut self, parent: &Section<'a>, table: &'static Table) -> Vec<Section<'a>> {
        let Some(value) = parent.value(table.name) else {
            if table.is_required {
                self.miss(parent, table);
            }
            return Vec::new();
        };
        let path = table.path_in(&parent.path());
        let values = match (value.get_ref(), table.is_series()) {
            (DeValue::Array(array), true) => array.iter().collect(),
            (_, true) => Vec::new(),
            (_, false) => vec![value],
        };
        let is_wrong = values.is_empty() && !(table.may_be_empty && value.get_ref().is_array());
        if is_wrong || values.iter().any(|value| !value.get_ref().is_table()) {
            let found = match (value.get_ref(), table.is_series()) {
                (DeValue::Array(array), true) if !array.is_empty() => {
                    "a list of other things than tables"
                }
                _ => found(value.get_ref()),
            };
            let expected = format!("a table that begins with {}", table.header(&path));
            let key = path;
            let mistake = FileMistake::NotATable {
                key,
                found,
                expected,
            };
            self.file_fault(mistake, value.span());
            return Vec::new();
        }
        if values.len() > table.max_count {
            let mistake = FileMistake::TooMany {
                key: table.header(&path),
                count: values.len(),
                max: table.max_count,
            };
            self.file_fault(mistake, values[table.max_count].span());
            return Vec::new();
        }
        let section = |value: &'a Spanned<DeValue<'a>>| {
            parent.within(table, value.span(), value.get_ref().as_table())
        };
        let sections: Vec<_> = values.into_iter().map(section).collect();
        for section in &sections {
            self.refuse_unknown_keys(section);
        }
        sections
    }

    /// Notes that a table is missing, unless an unknown name seems to be a misspelling of it.
    pub fn miss(&mut self, parent: &Section, table: &Table) {
        if !self.is_misspelt(parent, table.name) {
            let table = table.header(&table.path_in(&parent.path()));
            let mistake = (self.format.translate)(FileMistake::MissingTable { table });
            self.faults.push(Fault::of_the_file(mistake));
        }
    }

    /// Notes a mistake.
    pub fn fault(&mut self, mistake: impl Into<AnyMistake>, span: Range<usize>) {
        self.faults.push(Fault::at(mistake, span));
    }

    fn file_fault(&mut self, mistake: FileMistake, span: Range<usize>) {
        self.fault((self.format.translate)(mistake), span);
    }

    /// Refuses a key that is given without another one.
    pub fn need<K, L>(&mut self, section: &Section, key: &Key<K>, other: &Key<L>) {
        if section.has(key) && !section.has(other) {
            let mistake = FileMistake::NeedsOther {
                key: section.path_of(key),
                other: section.path_of(other),
            };
            self.file_fault(mistake, section.span(key.name()));
        }
    }

    /// One value: the file's, or the default. `None` if it is wrong, or if it is absent without a
    /// default text.
    pub fn one<K: Kind>(&mut self, section: &Section, key: &Key<K>) -> Option<K::Value> {
        match section.value(key.name()) {
            Some(value) => self.value(section, key, value),
            None => self.default(section, key),
        }
    }

    /// The values of a key that may have a list, which are all different; a single value is a list
    /// of one. `None` if one is wrong, or if the key is absent without a default text.
    pub fn list<K: Kind>(&mut self, section: &Section, key: &Key<K>) -> Option<Vec<K::Value>> {
        if !section.has(key) {
            return self.default(section, key).map(|value| vec![value]);
        }
        let faults_before = self.faults.len();
        let entries = self.entries(section, key);
        for (at, (value, element)) in entries.iter().enumerate() {
            if let Some((_, first)) = entries[..at].iter().find(|(earlier, _)| earlier == value) {
                let value = match element.get_ref() {
                    DeValue::String(text) => format!("`{}`", shown(text)),
                    other => written(other),
                };
                let mistake = FileMistake::Twice {
                    key: section.path_of(key),
                    value,
                    first: first.span(),
                };
                self.file_fault(mistake, element.span());
            }
        }
        let is_complete = self.faults.len() == faults_before;
        is_complete.then(|| entries.into_iter().map(|(value, _)| value).collect())
    }

    /// The values of a key that may have a list, each with its place, without those that are wrong;
    /// a single value is a list of one. Without the key: none.
    pub fn entries<'a, K: Kind>(
        &mut self,
        section: &Section<'a>,
        key: &Key<K>,
    ) -> Vec<(K::Value, &'a Spanned<DeValue<'a>>)> {
        let Some(value) = section.value(key.name()) else {
            return Vec::new();
        };
        let max = self.format.max_entries;
        let path = || section.path_of(key);
        let elements = match value.get_ref() {
            DeValue::Array(array) if section.place(key).takes_list() => &array[..],
            _ => std::slice::from_ref(value),
        };
        if elements.is_empty() {
            self.file_fault(FileMistake::EmptyList { key: path() }, value.span());
        }
        if elements.len() > max {
            let mistake = FileMistake::TooMany {
                key: path(),
                count: elements.len(),
                max,
            };
            self.file_fault(mistake, elements[max].span());
            return Vec::new();
        }
        let read = |element| Some((self.value(section, key, element)?, element));
        elements.iter().filter_map(read).collect()
    }

    fn value<K: Kind>(
        &mut self,
        section: &Section,
        key: &Key<K>,
        value: &Spanned<DeValue>,
    ) -> Option<K::Value> {
        let Format {
            root, translate, ..
        } = *self.format;
        let lists = || Self::keys_with_lists(root);
        let place = section.place(key);
        let read = value::read::<K>(&place, value.get_ref(), &self.known, translate, lists);
        self.keep(read, value.span())
    }

    /// The default of a key, if it has a text. Notes where a required key is missing.
    fn default<K: Kind>(&mut self, section: &Section, key: &Key<K>) -> Option<K::Value> {
        match key.facts.default {
            Fallback::Other(_) => None,
            // The tests of the declared keys see to it that defaults can be read.
            Fallback::Text(text) => {
                let read = K::parse(text, &self.known, &section.place(key));
                self.keep(read, 0..0)
            }
            Fallback::Required => {
                // An absent table has a mistake of its own.
                if section.is_given() && !self.is_misspelt(section, key.name()) {
                    let mistake = (self.format.translate)(FileMistake::MissingKey {
                        key: section.path_of(key),
                        expected: K::EXPECTED,
                    });
                    self.faults.push(match section.path().as_str() {
                        "" => Fault::of_the_file(mistake),
                        _ => Fault::at(mistake, section.header.clone()),
                    });
                }
                None
            }
        }
    }

    /// Whether this name has been suggested for an unknown one. Then it is not missing as well.
    fn is_misspelt(&self, section: &Section, name: &str) -> bool {
        let suggested = &mut self.suggested.iter();
        suggested.any(|(table, suggested)| *suggested == name && *table == section.title())
    }

    fn keep<T>(&mut self, read: Result<T, AnyMistake>, span: Range<usize>) -> Option<T> {
        read.map_err(|mistake| self.fault(mistake, span)).ok()
    }
}
