//! All tables and keys as data, for programs that write scenario files.

use super::top::TOP;
use onramp_config::key::{AnyKey, Fallback};
use serde::Serialize;

/// A table of scenario files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeyTable {
    /// Full name, as in `path.reverse`; empty for the top level.
    pub path: String,
    /// The maximum number of these tables in the table around it. 1 is a plain `[table]`.
    pub max_count: usize,
    /// Every file has the table.
    pub is_required: bool,
    /// Its subject.
    pub meaning: &'static str,
    /// Its keys.
    pub keys: Vec<KeyDescription>,
    /// The last parts of the names of the tables within it.
    pub tables: Vec<&'static str>,
}

/// A key of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeyDescription {
    /// Its name.
    pub name: &'static str,
    /// The kind of its values, as in the reference: `rate`, `time`, `stack` and so on.
    pub kind: &'static str,
    /// How TOML writes a value: `text`, `integer`, `boolean` or `integer or word`.
    pub form: &'static str,
    /// The names that are its values; empty where a value is no name, or a name that only the file
    /// or the program knows.
    pub names: Vec<&'static str>,
    /// The key has no default. Another key may stand instead, as `trace` for `rate`, or a choice
    /// may make it needless, as in `[[traffic]]`.
    pub is_required: bool,
    /// The default in words; empty if the key is required.
    pub default: String,
    /// Its ranges, as in `1 B to 1000 GB`; empty without.
    pub range: String,
    /// The key may have a list in this table.
    pub takes_list: bool,
    /// Its meaning in a sentence.
    pub meaning: String,
}

/// All tables, from the top level on, each with all of its keys.
pub fn key_tables() -> Vec<KeyTable> {
    let tree = TOP.tree().into_iter();
    tree.map(|(path, table)| KeyTable {
        keys: table.keys().map(|key| describe(key, &path)).collect(),
        path,
        max_count: table.max_count,
        is_required: table.is_required,
        meaning: table.meaning,
        tables: table.table_names(),
    })
    .collect()
}

fn describe(key: &dyn AnyKey, table_path: &str) -> KeyDescription {
    let facts = key.facts();
    KeyDescription {
        name: facts.name,
        kind: key.kind_name(),
        form: key.form().name(),
        names: key.names(),
        is_required: matches!(facts.default, Fallback::Required),
        default: match facts.default {
            Fallback::Required => String::new(),
            Fallback::Text("") => "empty".to_owned(),
            Fallback::Text(text) => format!("`{text}`"),
            Fallback::Other(words) => words.to_owned(),
        },
        range: facts.range(),
        takes_list: facts.takes_list(table_path),
        meaning: key.meaning(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_its_keys_with_their_facts() {
        let tables = key_tables();
        let key = |path: &str, name: &str| {
            let table = tables.iter().find(|table| table.path == path).unwrap();
            table.keys.iter().find(|key| key.name == name).unwrap()
        };
        assert!(key("path", "rate").takes_list);
        assert!(!key("link", "rate").takes_list);
        assert!(key("path", "rtt").is_required);
        assert_eq!(key("transfer", "stack").names, ["linux", "lite"]);
        assert_eq!(key("transfer", "connections").form, "integer or word");
        assert_eq!(key("path.reverse.codel", "target").default, "`5 ms`");
    }
}
