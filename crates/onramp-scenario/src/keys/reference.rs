//! The reference of all tables and keys, as Markdown.

use super::top::TOP;
use crate::channel::CHANNEL_KEYS;
use onramp_config::key::{AnyKey, Fallback, KeyGroup, List, Table};
use std::fmt::Write;

const INTRODUCTION: &str = "\
<!-- Generated from crates/onramp-scenario/src/keys and crates/onramp-scenario/src/channel.
     Do not edit: ONRAMP_UPDATE_DOCS=1 cargo test -p onramp-scenario reference writes this file. -->

# Keys of scenario files

All tables and keys of a [scenario file](../scenarios.md). An unknown key is an error.

- **Ranges** include both ends.
- **Lists.** A key with *yes* in the column List takes one value, or a list of up to 1000 different
  values. All lists are multiplied ([order of the cases](../scenarios.md)). *Several* values are
  shared out among the flows of one run. Values *in order* belong together.

";

const CHANNEL: &str = "\
Each direction of a path or link is a channel. `[path]`, `[path.reverse]`, `[[link]]` and
`[link.reverse]` have these keys beside their own. Tables within them are written `[path.red]`,
`[path.reverse.red]`, `[link.red]` or `[link.reverse.red]`, and so on.

";

/// The reference of all tables and keys, as a Markdown page: `docs/reference/scenario-keys.md`.
pub fn key_reference() -> String {
    let mut page = INTRODUCTION.to_owned();
    page += "| Table | How many | What it describes |\n|---|---|---|\n";
    for (path, table) in own_tables() {
        let title = title(&path, table);
        let _ = writeln!(
            page,
            "| {title} | {} | {} |",
            how_many(table),
            table.meaning
        );
    }
    for (path, table) in own_tables() {
        let _ = writeln!(page, "\n## {}\n", title(&path, table));
        page += &key_table(table.own_keys());
        if table.group.is_some() {
            page += "\nAnd the [keys of a channel](#channels).\n";
        }
    }
    page += "\n## Channels\n\n";
    page += CHANNEL;
    page += &channel_keys(&CHANNEL_KEYS);
    page
}

/// The keys of a group, then its tables.
fn channel_keys(group: &KeyGroup) -> String {
    let mut page = key_table(group.keys.concat().into_iter());
    for table in group.tables.concat() {
        let (name, meaning) = (table.name, table.meaning);
        let _ = writeln!(page, "\n### `[….{name}]`: {meaning}\n");
        page += &key_table(table.own_keys());
    }
    page
}

/// The tables that are not of a channel, with their full names.
fn own_tables() -> Vec<(String, &'static Table)> {
    let is_of_channel = |table: &Table| {
        let mut tables = CHANNEL_KEYS.tables.iter().flat_map(|tables| tables.iter());
        tables.any(|of_channel| std::ptr::eq(*of_channel, table))
    };
    let mut tables = TOP.tree();
    tables.retain(|(_, table)| !is_of_channel(table));
    // Tables within a table follow it.
    let place = |path: &str| {
        let top = path.split('.').next().unwrap_or_default().to_owned();
        let mut top_tables = TOP.tables().map(|table| table.name);
        top_tables.position(|name| name == top)
    };
    tables.sort_by_key(|(path, _)| place(path));
    tables
}

fn title(path: &str, table: &Table) -> String {
    match path {
        "" => "Top level".to_owned(),
        path => format!("`{}`", table.header(path)),
    }
}

fn how_many(table: &Table) -> String {
    match (table.is_required, table.is_series()) {
        (true, false) => "one".to_owned(),
        (false, false) => "at most one".to_owned(),
        (true, true) => format!("1 to {}", table.max_count),
        (false, true) => format!("at most {}", table.max_count),
    }
}

fn key_table(keys: impl Iterator<Item = &'static dyn AnyKey>) -> String {
    let mut rows = String::from(
        "| Key | Type | Default | Range | List | Meaning |\n|---|---|---|---|---|---|\n",
    );
    for key in keys {
        let facts = key.facts();
        let default = match facts.default {
            Fallback::Required => "required".to_owned(),
            Fallback::Text("") => "empty".to_owned(),
            Fallback::Text(text) => format!("`{text}`"),
            Fallback::Other(words) => words.to_owned(),
        };
        let list = match facts.list {
            List::No => String::new(),
            List::Factor => "yes".to_owned(),
            List::FactorIn(tables) => format!("yes, in `[{}]`", tables.join("]` and `[")),
            List::Several => "several".to_owned(),
            List::Chain => "in order".to_owned(),
        };
        let (name, kind, range, meaning) =
            (facts.name, key.kind_name(), facts.range(), key.meaning());
        let _ = writeln!(
            rows,
            "| `{name}` | {kind} | {default} | {range} | {list} | {meaning} |"
        );
    }
    rows
}
