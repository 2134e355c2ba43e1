//! A parsed TOML document seen through declared keys: values checked for type, range and place.
//!
//! Mistakes are collected, not returned. A key that is wrong reads as `None`, and the caller goes
//! on with the next key.

mod section;
mod value;

pub(crate) use section::Section;

use crate::fault::Fault;
use crate::key::{Fallback, Key, Kind, Known, Table};
use crate::mistake::Mistake;
use crate::units::{nearest, shown};
use std::ops::Range;
use toml::de::DeValue;
use toml::Spanned;
use value::{found, is_tables};

/// The longest list.
const MAX_ENTRIES: usize = 1000;

/// Collects mistakes while it reads.
#[derive(Debug)]
pub(crate) struct Reader {
    pub faults: Vec<Fault>,
    /// Names that values may refer to.
    pub known: Known,
    /// The table of the top level, from which all others can be reached.
    root: &'static Table,
}

impl Reader {
    /// A reader of files whose top level is this table.
    pub(crate) fn new(root: &'static Table, known: Known) -> Reader {
        Reader {
            faults: Vec::new(),
            known,
            root,
        }
    }

    /// Notes each key that does not belong into this table.
    pub(crate) fn refuse_unknown_keys(&mut self, section: &Section) {
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
            let mistake = Mistake::UnknownKey {
                key: shown(name),
                table: section.title(),
                nearest: nearest(name, alike),
                belongs: self.tables_with(name),
                accepted: accepted.clone(),
            };
            self.faults.push(Fault::at(mistake, key.span()));
        }
    }

    /// The only table that has a key of this name, or two tables of the top level.
    fn tables_with(&self, name: &str) -> Option<String> {
        let tree = self.root.tree();
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

    /// All keys that may have lists, with their tables.
    fn keys_with_lists(root: &'static Table) -> Vec<String> {
        let lists_of = |(path, table): (String, &'static Table)| {
            let keys = table.keys().map(|key| key.facts());
            let lists = keys.filter(|facts| facts.takes_list(&path));
            lists
                .map(|facts| crate::key::KeyPlace::new(&path, facts).path())
                .collect::<Vec<_>>()
        };
        root.tree().into_iter().flat_map(lists_of).collect()
    }

    /// The table within `parent`; empty if the file does not have it.
    pub(crate) fn table<'a>(&mut self, parent: &Section<'a>, table: &'static Table) -> Section<'a> {
        self.tables(parent, table)
            .pop()
            .unwrap_or_else(|| parent.absent(table))
    }

    /// All tables of this kind within `parent`, in the file's order. Their keys have been checked.
    pub(crate) fn tables<'a>(
        &mut self,
        parent: &Section<'a>,
        table: &'static Table,
    ) -> Vec<Section<'a>> {
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
        if values.is_empty() || values.iter().any(|value| !value.get_ref().is_table()) {
            let found = match (value.get_ref(), table.is_series()) {
                (DeValue::Array(array), true) if !array.is_empty() => {
                    "a list of other things than tables"
                }
                _ => found(value.get_ref()),
            };
            let expected = format!("a table that begins with {}", table.header(&path));
            let mistake = Mistake::WrongType {
                key: path,
                found,
                expected,
            };
            self.fault(mistake, value.span());
            return Vec::new();
        }
        if values.len() > table.max_count {
            let mistake = Mistake::TooMany {
                key: table.header(&path),
                count: values.len(),
                max: table.max_count,
            };
            self.fault(mistake, values[table.max_count].span());
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
    pub(crate) fn miss(&mut self, parent: &Section, table: &Table) {
        if !self.is_misspelt(parent, table.name) {
            let table = table.header(&table.path_in(&parent.path()));
            self.faults
                .push(Fault::of_the_file(Mistake::MissingTable { table }));
        }
    }

    /// Notes a mistake.
    pub(crate) fn fault(&mut self, mistake: Mistake, span: Range<usize>) {
        self.faults.push(Fault::at(mistake, span));
    }

    /// Refuses a key that is given without another one.
    pub(crate) fn need<K, L>(&mut self, section: &Section, key: &Key<K>, other: &Key<L>) {
        if section.has(key) && !section.has(other) {
            let mistake = Mistake::NeedsOther {
                key: section.path_of(key),
                other: section.path_of(other),
            };
            self.fault(mistake, section.span(key.name()));
        }
    }

    /// One value: the file's, or the default. `None` if it is wrong, or if it is absent without a
    /// default text.
    pub(crate) fn one<K: Kind>(&mut self, section: &Section, key: &Key<K>) -> Option<K::Value> {
        match section.value(key.name()) {
            Some(value) => self.value(section, key, value),
            None => self.default(section, key),
        }
    }

    /// The values of a key that may have a list; a single value is a list of one.
    pub(crate) fn list<K: Kind>(
        &mut self,
        section: &Section,
        key: &Key<K>,
    ) -> Option<Vec<K::Value>> {
        let Some(value) = section.value(key.name()) else {
            return self.default(section, key).map(|value| vec![value]);
        };
        let array = match value.get_ref() {
            DeValue::Array(array) if section.place(key).takes_list() => array,
            _ => return self.value(section, key, value).map(|value| vec![value]),
        };
        let path = || section.path_of(key);
        if array.is_empty() {
            self.fault(Mistake::EmptyList { key: path() }, value.span());
            return None;
        }
        if array.len() > MAX_ENTRIES {
            let mistake = Mistake::TooMany {
                key: path(),
                count: array.len(),
                max: MAX_ENTRIES,
            };
            self.fault(mistake, array[MAX_ENTRIES].span());
            return None;
        }
        let mut values: Vec<(K::Value, Range<usize>)> = Vec::with_capacity(array.len());
        let mut is_complete = true;
        for element in array {
            let Some(value) = self.value(section, key, element) else {
                is_complete = false;
                continue;
            };
            if let Some((_, first)) = values.iter().find(|(earlier, _)| *earlier == value) {
                let mistake = Mistake::Twice {
                    key: path(),
                    value: written(element.get_ref()),
                    first: first.clone(),
                };
                self.fault(mistake, element.span());
                is_complete = false;
                continue;
            }
            values.push((value, element.span()));
        }
        is_complete.then(|| values.into_iter().map(|(value, _)| value).collect())
    }

    fn value<K: Kind>(
        &mut self,
        section: &Section,
        key: &Key<K>,
        value: &Spanned<DeValue>,
    ) -> Option<K::Value> {
        let lists = || Self::keys_with_lists(self.root);
        let read = value::read::<K>(&section.place(key), value.get_ref(), &self.known, lists);
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
                    let mistake = Mistake::MissingKey {
                        key: section.path_of(key),
                        expected: K::EXPECTED,
                    };
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
        self.faults.iter().any(|fault| match &fault.mistake {
            Mistake::UnknownKey { table, nearest, .. } => {
                *nearest == Some(name) && *table == section.title()
            }
            _ => false,
        })
    }

    fn keep<T>(&mut self, read: Result<T, Mistake>, span: Range<usize>) -> Option<T> {
        read.map_err(|mistake| self.fault(mistake, span)).ok()
    }
}

/// A value of a list as the file writes it.
fn written(value: &DeValue) -> String {
    match value {
        DeValue::String(text) => format!("`{}`", shown(text)),
        DeValue::Integer(integer) => integer.to_string(),
        _ => String::new(),
    }
}
