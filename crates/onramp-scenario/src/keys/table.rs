//! What a table and a key are.

use super::{all_keys, Kind, TABLES};

/// A table of the file. The top level is the one without a name.
#[derive(Debug)]
pub(crate) struct Table {
    pub name: &'static str,
    /// Written `[[name]]`, up to this many times; 1 is a plain `[name]`.
    pub most: usize,
    pub required: bool,
}

impl Table {
    pub(crate) const fn one(name: &'static str) -> Table {
        Table {
            name,
            most: 1,
            required: false,
        }
    }

    pub(crate) const fn many(name: &'static str, most: usize) -> Table {
        Table {
            name,
            most,
            required: false,
        }
    }

    pub(crate) fn is_many(&self) -> bool {
        self.most > 1
    }

    /// As the file writes it.
    pub(crate) fn header(&self) -> String {
        match (self.name, self.is_many()) {
            ("", _) => "the top level".to_owned(),
            (name, false) => format!("[{name}]"),
            (name, true) => format!("[[{name}]]"),
        }
    }

    /// The keys of this table.
    pub(crate) fn keys(&self) -> Vec<&'static str> {
        all_keys()
            .filter(|key| key.table == self.name)
            .map(|key| key.name)
            .collect()
    }

    /// The tables within this table, by their names in it.
    pub(crate) fn tables(&self) -> Vec<&'static str> {
        let within = |table: &&'static Table| match self.name {
            "" => (!table.name.is_empty()).then_some(table.name),
            parent => table.name.strip_prefix(parent)?.strip_prefix('.'),
        };
        TABLES
            .iter()
            .filter_map(within)
            .filter(|name| !name.contains('.'))
            .collect()
    }

    /// Everything that may stand in this table.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        [self.keys(), self.tables()].concat()
    }
}

/// A key, its default and its range.
#[derive(Debug)]
pub(crate) struct Key {
    pub table: &'static str,
    pub name: &'static str,
    pub kind: Kind,
    pub default: Fallback,
    /// Least and most, in each of the units that do not convert into one another.
    pub ranges: &'static [(&'static str, &'static str)],
    pub list: List,
    pub meaning: &'static str,
}

impl Key {
    /// The key with its table, as messages and the manual call it.
    pub(crate) fn path(&self) -> String {
        match self.table {
            "" => self.name.to_owned(),
            table => format!("{table}.{}", self.name),
        }
    }

    /// `1 kbit/s to 1000 Gbit/s`.
    pub(crate) fn range(&self) -> String {
        let ranges: Vec<_> = self
            .ranges
            .iter()
            .map(|(least, most)| format!("{least} to {most}"))
            .collect();
        ranges.join("; ")
    }
}

/// What a key has where the file does not give it.
#[derive(Debug)]
pub(crate) enum Fallback {
    /// Nothing: the file must give it.
    Required,
    /// This text, read as if the file gave it.
    Text(&'static str),
    /// What the caller sees to, as the manual puts it.
    Other(&'static str),
}

/// Whether a key may have a list, and what becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    No,
    /// A factor of the cross product.
    Factor,
    /// Its values are shared out among flows.
    Several,
    /// Its values belong together, in their order.
    Chain,
}
