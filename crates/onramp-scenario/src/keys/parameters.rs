//! The keys of `[transfer.parameters]`: constants that the start-ups declare in their headers.

use onramp_config::document::{Reader, Section};
use onramp_config::key::{AnyKey, Fallback, Integer, Key, List, Ratio, Table, Time};
use onramp_config::units::{format_percent, format_time};
use onramp_core::{parameters, startup_names, Parameter, ParameterUnit};
use std::sync::LazyLock;

pub(crate) static PARAMETERS: Table = Table {
    late_keys: Some(keys),
    ..Table::one(
        "parameters",
        "constants of its start-up, instead of those in the header of the algorithm",
    )
};

/// A parameter of one start-up as a key.
pub(crate) struct ParameterKey {
    pub startup: &'static str,
    /// The start-up, for messages.
    pub only: &'static str,
    pub parameter: &'static Parameter,
    key: UnitKey,
}

enum UnitKey {
    Time(Key<Time>),
    Share(Key<Ratio>),
    Number(Key<Integer<u64>>),
}

impl ParameterKey {
    fn new(startup: &'static str, parameter: &'static Parameter) -> ParameterKey {
        let word = |value| leak(format_parameter(parameter, value));
        let default = Fallback::Other(leak(format!("`{}`", word(parameter.usual))));
        let meaning = leak(format!("For start-up `{startup}`: {}", parameter.meaning()));
        let range: (&'static str, &'static str) = (word(parameter.min), word(parameter.max));
        let key = match parameter.unit() {
            ParameterUnit::Time => UnitKey::Time(key(parameter, default, range, meaning)),
            ParameterUnit::Share => UnitKey::Share(key(parameter, default, range, meaning)),
            ParameterUnit::Number => UnitKey::Number(key(parameter, default, range, meaning)),
        };
        ParameterKey {
            startup,
            only: leak(format!("start-up `{startup}`")),
            parameter,
            key,
        }
    }

    /// The key of any kind.
    pub fn any(&self) -> &dyn AnyKey {
        match &self.key {
            UnitKey::Time(key) => key,
            UnitKey::Share(key) => key,
            UnitKey::Number(key) => key,
        }
    }

    /// The values in a table; `None` if it has none, or if one is wrong, which is noted.
    pub fn list(&self, reader: &mut Reader, section: &Section) -> Option<Vec<u64>> {
        match &self.key {
            UnitKey::Time(key) => reader.list(section, key),
            UnitKey::Share(key) => reader.list(section, key),
            UnitKey::Number(key) => reader.list(section, key),
        }
    }
}

/// A key that may have a list.
fn key<K>(
    parameter: &Parameter,
    default: Fallback,
    range: (&'static str, &'static str),
    meaning: &'static str,
) -> Key<K> {
    Key::new(parameter.key(), default, meaning)
        .ranges(Box::leak(Box::new([range])))
        .list(List::Factor)
}

/// A text for the life of the program. There are a few for each parameter of the registry.
fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

/// A value of a parameter, as scenario files have it: `26 %`, `4 ms` or `8`.
pub fn format_parameter(parameter: &Parameter, value: u64) -> String {
    match parameter.unit() {
        ParameterUnit::Time => format_time(value),
        ParameterUnit::Share => format_percent(u32::try_from(value).unwrap_or(u32::MAX)),
        ParameterUnit::Number => value.to_string(),
    }
}

/// The parameters of all start-ups, in the order of the registry.
pub(crate) fn parameter_keys() -> &'static [ParameterKey] {
    static KEYS: LazyLock<Vec<ParameterKey>> = LazyLock::new(|| {
        let names = startup_names().iter();
        let keys_of = |name: &&'static str| {
            let name = *name;
            parameters(name)
                .iter()
                .map(move |one| ParameterKey::new(name, one))
        };
        names.flat_map(keys_of).collect()
    });
    &KEYS
}

/// The keys of the table. Where start-ups have parameters of one name, the first stands for all.
fn keys() -> &'static [&'static dyn AnyKey] {
    static KEYS: LazyLock<Vec<&'static dyn AnyKey>> = LazyLock::new(|| {
        let mut keys: Vec<&dyn AnyKey> = Vec::new();
        for key in parameter_keys().iter().map(ParameterKey::any) {
            if keys
                .iter()
                .all(|other| other.facts().name != key.facts().name)
            {
                keys.push(key);
            }
        }
        keys
    });
    &KEYS
}
