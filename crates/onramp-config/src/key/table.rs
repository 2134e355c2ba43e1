//! Tables of a scenario file. They form a tree whose root is the top level.

use super::definition::AnyKey;

/// Keys and tables that several tables have in common.
#[derive(Debug)]
pub struct KeyGroup {
    /// Lists of keys.
    pub keys: &'static [&'static [&'static dyn AnyKey]],
    /// Lists of tables.
    pub tables: &'static [&'static [&'static Table]],
}

/// A table of the file. Its place in the tree gives its full name.
#[derive(Debug)]
pub struct Table {
    /// The last part of the full name; empty for the top level.
    pub name: &'static str,
    /// The file writes `[[name]]` up to this many times; 1 is a plain `[name]`.
    pub max_count: usize,
    /// Every file has the table.
    pub is_required: bool,
    /// A file may have `name = []` instead of the tables.
    pub may_be_empty: bool,
    /// The subject of the table, for the reference.
    pub meaning: &'static str,
    /// Its own keys.
    pub keys: &'static [&'static dyn AnyKey],
    /// Keys of its own, which the program knows only when it runs, in place of `keys`. They may
    /// have lists.
    pub late_keys: Option<fn() -> &'static [&'static dyn AnyKey]>,
    /// The tables within it.
    pub tables: &'static [&'static Table],
    /// Keys and tables in addition to its own.
    pub group: Option<&'static KeyGroup>,
}

impl std::fmt::Debug for dyn AnyKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.facts().name)
    }
}

impl Table {
    /// A table that occurs at most once.
    pub const fn one(name: &'static str, meaning: &'static str) -> Table {
        Table {
            name,
            max_count: 1,
            is_required: false,
            may_be_empty: false,
            meaning,
            keys: &[],
            late_keys: None,
            tables: &[],
            group: None,
        }
    }

    /// A table that occurs up to `max_count` times.
    pub const fn many(name: &'static str, max_count: usize, meaning: &'static str) -> Table {
        Table {
            max_count,
            ..Table::one(name, meaning)
        }
    }

    /// Whether the file writes `[[name]]`.
    pub fn is_series(&self) -> bool {
        self.max_count > 1
    }

    /// The table's header, as the file writes it where the table has this full name.
    pub fn header(&self, path: &str) -> String {
        match (path, self.is_series()) {
            ("", _) => "the top level".to_owned(),
            (path, false) => format!("[{path}]"),
            (path, true) => format!("[[{path}]]"),
        }
    }

    /// The full name of the table in a table of this full name.
    pub fn path_in(&self, parent_path: &str) -> String {
        match parent_path {
            "" => self.name.to_owned(),
            parent => format!("{parent}.{}", self.name),
        }
    }

    /// Its own keys, without those of its group.
    pub fn own_keys(&self) -> impl Iterator<Item = &'static dyn AnyKey> + use<> {
        let keys = self.late_keys.map_or(self.keys, |late_keys| late_keys());
        keys.iter().copied()
    }

    /// The keys of this table, in the order of messages.
    pub fn keys(&self) -> impl Iterator<Item = &'static dyn AnyKey> + use<> {
        let group = self.group.map_or(&[][..], |group| group.keys);
        let shared = group.iter().flat_map(|keys| keys.iter()).copied();
        self.own_keys().chain(shared)
    }

    /// The tables within this table.
    pub fn tables(&self) -> impl Iterator<Item = &'static Table> + use<> {
        let group = self.group.map_or(&[][..], |group| group.tables);
        let shared = group.iter().flat_map(|tables| tables.iter());
        self.tables.iter().chain(shared).copied()
    }

    /// The names of its keys.
    pub fn key_names(&self) -> Vec<&'static str> {
        self.keys().map(|key| key.facts().name).collect()
    }

    /// The names of the tables within it.
    pub fn table_names(&self) -> Vec<&'static str> {
        self.tables().map(|table| table.name).collect()
    }

    /// Everything that may stand in this table.
    pub fn names(&self) -> Vec<&'static str> {
        [self.key_names(), self.table_names()].concat()
    }

    /// This table and all tables within it, each with its full name.
    pub fn tree(&'static self) -> Vec<(String, &'static Table)> {
        let mut tree = vec![(self.name.to_owned(), self)];
        let mut next = 0;
        while let Some((path, table)) = tree.get(next).cloned() {
            let within = table.tables().map(|inner| (inner.path_in(&path), inner));
            tree.extend(within);
            next += 1;
        }
        tree
    }
}
