//! The facts about a key that do not depend on its kind: its name, default, range and meaning.

use toml::de::DeValue;

/// The value of a key that the file does not give.
#[derive(Clone, Copy, Debug)]
pub enum Fallback {
    /// Nothing: the file must give the key.
    Required,
    /// This text, read as if the file gave it.
    Text(&'static str),
    /// A value that the reader's caller chooses. The text describes it in the reference.
    Other(&'static str),
}

/// Whether a key may have a list, and what the list means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// The key has one value.
    No,
    /// The list is a factor of the cross product of cases.
    Factor,
    /// The list is a factor in these tables. In other tables the key has one value.
    FactorIn(&'static [&'static str]),
    /// The values are shared out among the flows of one run.
    Several,
    /// The values belong together, in their order.
    Chain,
}

/// The limits of a key, minimum and maximum, as texts.
pub type Range = (&'static str, &'static str);

/// The facts about a key that do not depend on its kind.
#[derive(Debug)]
pub struct KeyFacts {
    /// Its name, without its table.
    pub name: &'static str,
    /// The value without the key.
    pub default: Fallback,
    /// One range for each group of units that do not convert into one another.
    pub ranges: &'static [Range],
    /// Whether it may have a list.
    pub list: List,
    /// The sentence of the reference. `{names}` stands for the names that the kind accepts.
    pub meaning: &'static str,
}

impl KeyFacts {
    /// `1 kbit/s to 1000 Gbit/s`.
    pub fn range(&self) -> String {
        let range = |(min, max): &Range| format!("{min} to {max}");
        self.ranges.iter().map(range).collect::<Vec<_>>().join("; ")
    }

    /// The text that is read where the file does not give the key.
    pub fn default_text(&self) -> Option<&'static str> {
        match self.default {
            Fallback::Text(text) => Some(text),
            Fallback::Required | Fallback::Other(_) => None,
        }
    }

    /// Whether the key may have a list in the table of this path.
    pub fn takes_list(&self, table_path: &str) -> bool {
        match self.list {
            List::No => false,
            List::FactorIn(tables) => tables.contains(&table_path),
            List::Factor | List::Several | List::Chain => true,
        }
    }
}

/// A key in its table.
#[derive(Clone, Copy, Debug)]
pub struct KeyPlace<'k> {
    table_path: &'k str,
    /// The facts about the key.
    pub facts: &'k KeyFacts,
    /// The value that is read, where the file gives it.
    pub value: Option<&'k DeValue<'k>>,
}

impl<'k> KeyPlace<'k> {
    /// A key in the table of this path.
    pub fn new(table_path: &'k str, facts: &'k KeyFacts) -> Self {
        KeyPlace {
            table_path,
            facts,
            value: None,
        }
    }

    /// The key with its table, as in `path.rate`.
    pub fn path(&self) -> String {
        match self.table_path {
            "" => self.facts.name.to_owned(),
            table => format!("{table}.{}", self.facts.name),
        }
    }

    /// Whether the key may have a list here.
    pub fn takes_list(&self) -> bool {
        self.facts.takes_list(self.table_path)
    }
}
