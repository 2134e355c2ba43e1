//! A scenario with some keys changed. One file gives a paper's variants, seeds and alternatives.

use onramp_scenario::Scenario;
use toml::{Table, Value};

/// Keys and their new values, for example `transfer.timers` = `"brakmo"`.
///
/// A key may be of a table in a table, such as `path.reverse.rate`. A key of several tables, such
/// as `transfer.timers`, is set in each of them. A key of `traffic` is set in the tables to whose
/// kind it belongs: transfers, or packets without TCP. A key with a number after its table's name,
/// such as `link[0].rate`, is set in that table alone. A key with a scenario's name and a colon
/// before it, such as `wan: transfer.spacing`, is set in that scenario alone. A key with a value
/// behind it, such as `transfer.timers[brakmo]`, is set only where it has this value. A key of
/// `measure`, such as `measure.clock`, is none of a scenario: a part asks for it, where the paper
/// leaves open what is measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings(Vec<(String, Value)>);

impl Settings {
    /// These keys.
    pub fn of<V: Into<Value>>(keys: impl IntoIterator<Item = (&'static str, V)>) -> Settings {
        Settings(
            keys.into_iter()
                .map(|(key, value)| (key.to_owned(), value.into()))
                .collect(),
        )
    }

    /// The keys of a table of `paper.toml`, such as `"receiver.acks" = "every"`.
    pub fn of_table(table: &Table) -> Settings {
        Settings(
            table
                .iter()
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect(),
        )
    }

    /// These keys, then others, which override them.
    #[must_use]
    pub fn and(mut self, others: &Settings) -> Settings {
        self.0.extend(others.0.iter().cloned());
        self
    }

    /// Whether any of these keys is for the scenario of this name.
    pub fn concern(&self, scenario: &str) -> bool {
        self.0
            .iter()
            .any(|(key, _)| scenario_of(key).0.is_none_or(|only| only == scenario))
    }

    /// The value of `measure.KEY`.
    pub fn measure(&self, key: &str) -> Option<&str> {
        let is_it = |name: &str| scenario_of(name).1.strip_prefix(MEASURE) == Some(key);
        let (_, value) = self.0.iter().rfind(|(name, _)| is_it(name))?;
        value.as_str()
    }

    /// Parses this scenario file with these keys set.
    ///
    /// # Panics
    /// If the text or a key is wrong. All of them are part of the program, and tests run them.
    pub fn apply(&self, text: &str) -> Scenario {
        let mut scenario: Table = text
            .parse()
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut name = scenario
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        for (key, value) in &self.0 {
            let (only, key) = scenario_of(key);
            if only.is_some_and(|only| only != name) || key.starts_with(MEASURE) {
                continue;
            }
            match key.split_once('.') {
                None => {
                    if let ("name", Some(renamed)) = (key, value.as_str()) {
                        renamed.clone_into(&mut name);
                    }
                    scenario.insert(key.to_owned(), value.clone());
                }
                Some((table, key)) => set(&mut scenario, table, key, value),
            }
        }
        let text = toml::to_string(&scenario).expect("a table is a file");
        onramp_scenario::parse("scenario.toml", &text)
            .unwrap_or_else(|error| panic!("{error}\n{text}"))
    }
}

/// The table of keys that are none of a scenario.
const MEASURE: &str = "measure.";
/// Keys of traffic without TCP.
const OF_PACKETS: [&str; 5] = ["kind", "rate", "packet", "on", "off"];

/// The scenario to which a key is limited, if any, and the key itself.
fn scenario_of(key: &str) -> (Option<&str>, &str) {
    key.split_once(": ")
        .map_or((None, key), |(scenario, key)| (Some(scenario), key))
}

/// A table's name, and which of several tables of this name is meant: `link[0]`.
fn table_of(table: &str) -> (&str, Option<usize>) {
    let numbered = table
        .strip_suffix(']')
        .and_then(|table| table.split_once('['));
    match numbered.map(|(name, number)| (name, number.parse())) {
        Some((name, Ok(number))) => (name, Some(number)),
        _ => (table, None),
    }
}

/// A key, and the value that it must have to be set: `timers[brakmo]`.
fn key_of(key: &str) -> (&str, Option<&str>) {
    let conditional = key.strip_suffix(']').and_then(|key| key.split_once('['));
    conditional.map_or((key, None), |(key, value)| (key, Some(value)))
}

fn set(scenario: &mut Table, table: &str, key: &str, value: &Value) {
    let (table, only) = table_of(table);
    let (key, now) = key_of(key);
    let has_it = |one: &Table| now.is_none() || one.get(key).and_then(Value::as_str) == now;
    match scenario.get_mut(table) {
        Some(Value::Array(tables)) => {
            let chosen = tables
                .iter_mut()
                .enumerate()
                .filter(|(number, _)| only.is_none_or(|only| only == *number))
                .map(|(_, table)| table);
            for one in chosen.filter_map(Value::as_table_mut) {
                let is_of_packets = one
                    .get("kind")
                    .is_some_and(|kind| kind.as_str() != Some("transfer"));
                let is_of_kind = table != "traffic" || OF_PACKETS.contains(&key) == is_of_packets;
                if is_of_kind && has_it(one) {
                    one.insert(key.to_owned(), value.clone());
                }
            }
        }
        Some(Value::Table(one)) if has_it(one) => match key.split_once('.') {
            Some((inner, key)) => set(one, inner, key, value),
            None => drop(one.insert(key.to_owned(), value.clone())),
        },
        // Without traffic there is nothing to set. Any other missing table is added.
        None if table == "traffic" => {}
        _ if now.is_some() => {}
        _ => drop(scenario.insert(
            table.to_owned(),
            Table::from_iter([(key.to_owned(), value.clone())]).into(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name = \"a\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"100 ms\"\n\
                        [[transfer]]\nsize = \"1 MB\"\n[[transfer]]\nsize = \"2 MB\"\n\
                        [[traffic]]\nkind = \"constant\"\nrate = \"100 kbit/s\"\n[[traffic]]\n";

    #[test]
    fn a_key_is_set_in_each_table_that_has_it() {
        let settings = Settings::of([
            ("path.rate", "2 Mbit/s"),
            ("transfer.avoidance", "reno"),
            ("receiver.buffer", "64 KiB"),
        ]);
        let scenario = settings.apply(TEXT);
        assert_eq!(scenario.cases.len(), 2);
        for case in &scenario.cases {
            assert_eq!(case.path.forward.rate_bits_per_s, 2_000_000);
            assert_eq!(case.transfer.avoidance.name(), "reno");
        }
    }

    #[test]
    fn a_key_of_traffic_is_set_in_tables_of_its_kind() {
        let scenario =
            Settings::of([("traffic.avoidance", "reno"), ("traffic.kind", "poisson")]).apply(TEXT);
        let [packets, transfers] = &scenario.cases[0].traffic[..] else {
            panic!("two tables")
        };
        assert!(matches!(
            packets.kind,
            onramp_scenario::TrafficKind::Poisson(_)
        ));
        let onramp_scenario::TrafficKind::Transfers(transfers) = &transfers.kind else {
            panic!("the second table has transfers")
        };
        assert_eq!(transfers.avoidance.name(), "reno");
    }

    #[test]
    fn a_key_may_be_of_a_table_in_a_table() {
        let slow = Settings::of([("path.reverse.rate", "100 kbit/s")]);
        let cases = slow.apply(TEXT).cases;
        assert_eq!(cases[0].path.reverse.rate_bits_per_s, 100_000);
    }

    #[test]
    fn a_key_may_be_for_one_scenario_alone() {
        let settings = Settings::of([("b: path.rate", "3 Mbit/s"), ("a: path.rtt", "50 ms")]);
        let path = &settings.apply(TEXT).cases[0].path;
        assert_eq!(
            (path.forward.rate_bits_per_s, path.rtt_ns),
            (1_000_000, 50_000_000)
        );
        assert!(settings.concern("a") && settings.concern("b") && !settings.concern("c"));
        assert!(Settings::of([("path.rtt", "50 ms")]).concern("c"));
    }

    #[test]
    fn a_key_of_measure_is_none_of_the_scenario() {
        let settings = Settings::of([("a: measure.clock", "syn")]);
        assert_eq!(settings.measure("clock"), Some("syn"));
        assert_eq!(settings.measure("size"), None);
        assert_eq!(settings.apply(TEXT).cases.len(), 2);
        assert!(settings.concern("a") && !settings.concern("b"));
    }

    #[test]
    fn a_renamed_scenario_gets_the_keys_of_its_new_name() {
        let settings = Settings::of([
            ("name", "b"),
            ("b: path.rate", "3 Mbit/s"),
            ("a: path.rtt", "50 ms"),
        ]);
        let path = &settings.apply(TEXT).cases[0].path;
        assert_eq!(
            (path.forward.rate_bits_per_s, path.rtt_ns),
            (3_000_000, 100_000_000)
        );
    }

    #[test]
    fn a_key_may_be_for_one_of_several_tables() {
        let scenario = Settings::of([("transfer[1].size", "3 MB")]).apply(TEXT);
        let sizes: Vec<_> = scenario
            .cases
            .iter()
            .map(|case| case.transfer.size_bytes)
            .collect();
        assert_eq!(sizes, [1_000_000, 3_000_000]);
    }

    #[test]
    fn a_key_may_be_set_only_where_it_has_a_value() {
        let stack = |now: &'static str| {
            let lite = Settings::of([("transfer.stack", "lite")]);
            let timers = lite.and(&Settings::of([("transfer.timers", now)]));
            let changed = [("transfer.timers[brakmo]", "bsd")];
            let scenario = timers.and(&Settings::of(changed)).apply(TEXT);
            scenario.cases[0].transfer.timers.name()
        };
        assert_eq!((stack("brakmo"), stack("decoupled")), ("bsd", "decoupled"));
    }

    #[test]
    fn the_last_of_two_values_counts() {
        let later = Settings::of([("seed", 7)]);
        let scenario = Settings::of([("seed", 3)]).and(&later).apply(TEXT);
        assert_eq!(scenario.cases[0].seed, onramp_scenario::case_seed(7, 0));
    }
}
