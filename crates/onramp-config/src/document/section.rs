//! One table of a parsed file.

use crate::key::{Key, KeyPlace, Table};
use std::fmt;
use std::ops::Range;
use toml::de::{DeTable, DeValue};
use toml::Spanned;

/// One table of the file, or the lack of it.
#[derive(Clone)]
pub struct Section<'a> {
    /// Bytes of the table's header, to point at.
    pub header: Range<usize>,
    path: String,
    pub(crate) table: &'static Table,
    pub(crate) entries: Option<&'a DeTable<'a>>,
}

impl<'a> Section<'a> {
    /// The top level of a file, which has this table.
    pub fn top(table: &'static Table, entries: &'a DeTable<'a>) -> Self {
        Section {
            table,
            path: String::new(),
            header: 0..0,
            entries: Some(entries),
        }
    }

    /// A table that the file has within this one.
    pub(crate) fn within(
        &self,
        table: &'static Table,
        header: Range<usize>,
        entries: Option<&'a DeTable<'a>>,
    ) -> Self {
        Section {
            header,
            path: table.path_in(&self.path),
            table,
            entries,
        }
    }

    /// A table that the file does not have within this one.
    pub(crate) fn absent(&self, table: &'static Table) -> Self {
        self.within(table, 0..0, None)
    }

    /// The full name of the table, as in `path.reverse`; empty for the top level.
    pub fn path(&self) -> String {
        self.path.clone()
    }

    /// The key with the full name of this table, as in `path.rate`.
    pub fn path_of<K>(&self, key: &Key<K>) -> String {
        self.place(key).path()
    }

    /// The same of a key by its name.
    pub fn path_of_name(&self, name: &str) -> String {
        match self.path.as_str() {
            "" => name.to_owned(),
            table => format!("{table}.{name}"),
        }
    }

    /// A key in this table.
    pub(crate) fn place<'k, K>(&'k self, key: &'k Key<K>) -> KeyPlace<'k> {
        KeyPlace::new(&self.path, &key.facts)
    }

    /// The table as the file writes its header.
    pub(crate) fn title(&self) -> String {
        self.table.header(&self.path)
    }

    /// Whether the file has this table.
    pub fn is_given(&self) -> bool {
        self.entries.is_some()
    }

    /// Whether the file has this key here, right or wrong.
    pub fn has<K>(&self, key: &Key<K>) -> bool {
        self.has_name(key.name())
    }

    /// Whether the file has a key or table of this name here, right or wrong.
    pub fn has_name(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// The text of a key, if the file gives one.
    pub fn text<K>(&self, key: &Key<K>) -> Option<&'a str> {
        self.value(key.name())?.get_ref().as_str()
    }

    /// Bytes of the value of this name, or of the table's header, to point at.
    pub fn span(&self, name: &str) -> Range<usize> {
        self.value(name).map_or(self.header.clone(), Spanned::span)
    }

    pub(crate) fn value(&self, name: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.entries?
            .iter()
            .find(|(key, _)| key.get_ref() == name)
            .map(|(_, value)| value)
    }
}

impl fmt::Debug for Section<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Section({} at {:?})", self.title(), self.header)
    }
}
