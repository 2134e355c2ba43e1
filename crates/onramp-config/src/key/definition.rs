//! One key. Its kind is its type parameter.

use super::facts::{Fallback, KeyFacts, KeyPlace, List, Range};
use super::kind::{Form, Kind, Known};
use crate::fault::AnyMistake;
use std::marker::PhantomData;

/// A key whose values are of the kind `K`.
#[derive(Debug)]
pub struct Key<K> {
    /// The facts that do not depend on the kind.
    pub facts: KeyFacts,
    kind: PhantomData<fn() -> K>,
}

impl<K> Key<K> {
    /// A key without a range that takes no list.
    pub const fn new(name: &'static str, default: Fallback, meaning: &'static str) -> Self {
        Key {
            facts: KeyFacts {
                name,
                default,
                ranges: &[],
                list: List::No,
                meaning,
            },
            kind: PhantomData,
        }
    }

    /// The key with these ranges.
    pub const fn ranges(mut self, ranges: &'static [Range]) -> Self {
        self.facts.ranges = ranges;
        self
    }

    /// The key, which may have such a list.
    pub const fn list(mut self, list: List) -> Self {
        self.facts.list = list;
        self
    }

    /// The name, without its table.
    pub fn name(&self) -> &'static str {
        self.facts.name
    }
}

/// A key of any kind.
pub trait AnyKey: Sync {
    /// The facts that do not depend on the kind.
    fn facts(&self) -> &KeyFacts;
    /// The kind's name in the reference.
    fn kind_name(&self) -> &'static str;
    /// How to write a value, for error messages.
    fn expected(&self) -> &'static str;
    /// The TOML types of a value.
    fn form(&self) -> Form;
    /// The names that the kind accepts; empty where a value is no name.
    fn names(&self) -> Vec<&'static str>;
    /// The meaning, with the names that the kind accepts filled in.
    fn meaning(&self) -> String;
    /// Whether a text is a value of the key, without regard to the range.
    fn check(&self, text: &str) -> Result<(), AnyMistake>;
}

impl<K: Kind> AnyKey for Key<K> {
    fn facts(&self) -> &KeyFacts {
        &self.facts
    }

    fn kind_name(&self) -> &'static str {
        K::NAME
    }

    fn expected(&self) -> &'static str {
        K::EXPECTED
    }

    fn form(&self) -> Form {
        K::FORM
    }

    fn names(&self) -> Vec<&'static str> {
        K::names()
    }

    fn meaning(&self) -> String {
        self.facts.meaning.replace("{names}", &in_words(K::names()))
    }

    fn check(&self, text: &str) -> Result<(), AnyMistake> {
        let place = KeyPlace::new("", &self.facts);
        K::parse(text, &Known::default(), &place).map(|_| ())
    }
}

/// `a`, `b` or `c`, each in code quotes.
fn in_words(names: Vec<&'static str>) -> String {
    let mut quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.pop() {
        Some(last) if !quoted.is_empty() => format!("{} or {last}", quoted.join(", ")),
        last => last.unwrap_or_default(),
    }
}
